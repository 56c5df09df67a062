// Wire: the bytes that the collectives of a sharded module send between replicas.
//
//     bf16[8192,8192] all-gather of bf16[8192,1024], groups of 8       each replica sends 7/8 of 134 MB
//     f32[1000] all-reduce, groups of 4                                2 * 3/4 of 4 KB
//
// Per replica, as ring algorithms send: an all-reduce sends the array twice but for its own share, an all-gather,
// reduce-scatter and all-to-all once, a permutation and a broadcast the array itself. Collectives over the same groups
// belong to one axis of the device mesh. An all-gather, all-to-all or permutation moves data without computing: it is a
// resharding.
//
// Law: with groups of one replica nothing is sent; bytes are linear in the array's size.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/cost/waste.h"

namespace tessera::hlo {

struct WireUse {
  Where where;
  std::string groups;     // as the dump writes them; empty: all replicas
  i64 replicas = 0;       // of a group; 0: the dump does not state it
  bool reshards = false;  // it only moves data
  double bytes = 0;       // per replica and run; 0 if `replicas` is not known
  i64 runs = 1;
  bool runsKnown = true;
  [[nodiscard]] double inAll() const { return bytes * static_cast<double>(runs); }
};
struct WireAxis {
  std::string groups;
  i64 replicas = 0, collectives = 0;
  double bytes = 0;  // per replica, in all runs
};
struct Wire {
  std::vector<WireUse> uses;   // most bytes first
  std::vector<WireAxis> axes;  // most bytes first
};
[[nodiscard]] Wire wireOf(const Module& module);

}  // namespace tessera::hlo
