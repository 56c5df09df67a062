// Traffic: what the kernels of an instruction request in one run of the module, with those of the loop bodies and calls
// inside of it.
//
//     while, known_trip_count 80, its body: one kernel that requests 36 MB for 4 MB      asked 2.88 GB, needed 320 MB
//
// Laws: the sums over the instructions of the entry computation are those over the ranking (waste.h), each kernel times
// its runs; a kernel's own traffic is that of the ranking. Sums that do not fit are INT64_MAX.
#pragma once

#include <vector>

#include "core/hlo/cost/waste.h"

namespace tessera::hlo {

struct Traffic {
  i64 needed = 0, asked = 0, wasted = 0;  // bytes
  i64 kernels = 0;                        // different ones
  bool known = true;                      // false: in a loop of unknown length, which counts once
  void add(const Traffic& other);
};

// For each instruction of the computation. The ranking is that of the module.
[[nodiscard]] std::vector<Traffic> trafficOf(const Module& module, const Ranking& ranking, int computation);

}  // namespace tessera::hlo
