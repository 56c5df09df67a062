// Probes of micro-kernels (solver/measure/predict/micro.h) on the host: a model computes the cost of every request to
// shared memory, and the clock shows the total.
//
//     int tessera::host::probeCycles(const char* name, int width, const long long* addresses);
//
// must be defined by whoever compiles the text: `addresses` of 32 lanes, relative to the start of the block's shared
// memory, -1 for inactive lanes. Run in order 0 (host_threads.h), warp after warp, so that thread 0's clock includes
// all of them.
#pragma once
#pragma GCC system_header

#include "tessera_host.h"

namespace tessera {
constexpr int probe_least = 8, probe_rounds = 9;  // sufficient for an exact clock
}

namespace tessera::host {

int probeCycles(const char* name, int width, const long long* addresses);
inline long long probeClock = 0;

struct Probe {
  const char* name;
  int width, active;
  bool read;
  unsigned* r;
  unsigned char* memory;
  unsigned at;
  bool on;
};

inline void runProbe(LaneArguments lanes) {
  long long addresses[32];
  const Probe& first = *static_cast<Probe*>(lanes[0]);
  for (int lane = 0; lane < 32; ++lane) {
    addresses[lane] = -1;
    if (lanes[lane] == nullptr) return fail(std::string(first.name) + " without lane " + std::to_string(lane));
    const Probe& p = *static_cast<Probe*>(lanes[lane]);
    if (!p.on || lane >= p.active) continue;
    unsigned char* at = p.memory + p.at;
    const auto bytes = static_cast<std::size_t>(p.width);
    if (!isShared(at, bytes)) return fail(std::string(p.name) + " of an address that is not in shared memory");
    if (p.at % bytes != 0) return fail(std::string(p.name) + " of an address that is not a multiple of its width");
    addresses[lane] = p.at;
    if (p.read)
      std::memcpy(p.r, at, bytes);
    else
      std::memcpy(at, p.r, bytes);
  }
  probeClock += probeCycles(first.name, first.width, addresses);
}

inline void probe(const char* name, int width, int active, bool read, unsigned* r, unsigned char* memory, unsigned at,
                  bool on) {
  Probe one{name, width, active, read, r, memory, at, on};
  warp(name, 0xffffffff, runProbe, &one);
}

}  // namespace tessera::host

inline long long clock64() { return tessera::host::probeClock; }
