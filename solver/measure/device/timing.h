// Timing: the time of a launch on the device, without the time that the host needs to launch it.
//
//     host     busy begin launch launch launch end   then: has `begin` happened? no: all was queued in time
//     device   |------- busy -------|begin| launch | launch | launch |end|
//
// A run is `launchesPerRun` launches between two events. Before the first event a kernel keeps the device busy, so that
// the host queues the whole run before it starts; the interval then has no gap in which the device waits for the host.
// The host checks that: if `begin` has happened when everything is queued, the run was late. It is then repeated with
// a busy kernel of twice the length (100 us at first, at most 20 ms). A run that is late three times at 20 ms counts,
// but the result says how many there were.
//
//     warm-up      runs until there were `warmups` of them and 25 ms of launches: clocks rise, code is loaded
//     calibration  launchesPerRun = ceil(100 us / t), at most 256; t: of one launch, from a run after the warm-up.
//                  Repeated until the number no longer grows; halved while a run is late after a busy kernel of 20 ms,
//                  because then the driver's queue has no room for it.
//     graph        if t < 20 us, the launches of a run become one CUDA graph: their number is raised to a multiple of
//                  the sets, so that each run uses all sets equally. The host launches a graph with one call, and the
//                  device has shorter gaps between its kernels. Not done if the driver has no graphs: `note` says so.
//     runs         `runs` times; each gives the time between its events divided by launchesPerRun
//
// The time includes the device's own gap between two kernels, about 1 us, which no event can separate.
//
// Input sets: launches use the sets of buffers in turn. Between two uses of a set, the others go through the L2 cache.
// If they have four times its size, at most exp(-4) = 2 % of the set survives even if the cache evicts at random.
//
//     wantedSets(96 KiB, L2 of 50 MiB)       1 + ceil(4 * 50 MiB / 96 KiB) = 2135; at most 4096 in any case
//     inputsText(how, L2)                    "2135 sets of 96 KiB, L2 50 MiB: cold"
//
// Laws (tests/measure/timing_test.cpp, on a simulated device): the time is that of the kernel on the device, to the
// resolution of an event divided by launchesPerRun, for every latency of the host; a late run is counted.
//
// None of this has run on a GPU. Sources: CUDA driver API (cuStreamBeginCapture: not on the default stream;
// cuEventElapsedTime: a resolution of about 0.5 us); NVBench (a blocking kernel; here one that ends by itself, so that
// a full launch queue cannot hang); triton.testing.do_bench (25 ms of warm-up, repetitions from an estimate after it).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/measure/device/driver.h"
#include "solver/measure/device/hooks.h"

namespace tessera::measure {

inline constexpr double kRunMicroseconds = 100, kWarmMicroseconds = 25'000, kGraphMicroseconds = 20;
inline constexpr double kFirstBusyMicroseconds = 100, kMostBusyMicroseconds = 20'000;
inline constexpr int kMostQueued = 256;  // launches between two events that are no graph: the driver's queue is finite
inline constexpr int kMostSets = 4096, kCacheSpan = 4;

// How times were measured.
struct HowTimed {
  int launchesPerRun = 1;       // between two events
  int copies = 1;               // sets of the buffers, used in turn by the launches
  i64 setBytes = 0;             // of one set
  bool graph = false;           // the launches of a run are a CUDA graph
  double busyMicroseconds = 0;  // length of the busy kernel at the end; 0: there is none
  int lateRuns = 0;             // of the timed runs: they may contain gaps in which the device waited for the host
  std::string note = {};        // why there is no busy kernel or no graph
  template <class A>
  void fields(A& a) {
    a(launchesPerRun, copies, setBytes, graph, busyMicroseconds, lateRuns, note);
  }
};
// "graph of 64 launches", "3 launches"; with ", 2 runs late" or ", host's gaps included" if the time may have gaps.
[[nodiscard]] std::string methodText(const HowTimed& how);
// "17 sets of 256 B, L2 1 KiB: cold"; "hot" if all sets fit in the L2, "partly in the L2" if they do not span it
// kCacheSpan times.
[[nodiscard]] std::string inputsText(const HowTimed& how, i64 cacheBytes);
// Sets of `bytes` bytes to use in turn; 1 if one of the sizes is not known.
[[nodiscard]] int wantedSets(i64 bytes, i64 cacheBytes);

struct TimedWork {
  std::string name;                      // in messages: "kernel 'copy'"
  std::function<Result<void>()> launch;  // all kernels once, on the next set of buffers
  int kernels = 1;                       // launches of one call
  int sets = 1;                          // of buffers, used in turn
  int warmups = 3, runs = 20;
  double seconds = 10;  // limit of one launch
  double first = 0;     // microseconds of the first launch, for the limit of a run
};

struct Timed : HowTimed {
  std::vector<double> microseconds;  // of one launch, one value per run
};

// Requires: the work has run once, and the context is not abandoned. `copies` and `setBytes` are the caller's.
[[nodiscard]] Result<Timed> timed(Context& context, const DeviceInfo& device, const TimedWork& work,
                                  const Hooks& hooks = {});

// The busy kernel as PTX, which the driver compiles: tessera_busy(cycles) ends when the multiprocessor's clock has
// advanced by `cycles`, and in any case after as many steps, each of which takes at least a cycle.
[[nodiscard]] std::string busyText();
inline constexpr const char* kBusyName = "tessera_busy";

}  // namespace tessera::measure
