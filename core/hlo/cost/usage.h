// Usage: how much of an operand is read, as exact counts of distinct elements and of reads.
//
//     p: f32[2,65,125], (d0, d1, d2)[s0] -> (d0, d1, s0)     distinct 16,250 of 16,250; reads 2,031,250, each 125 times
//     slice of s8[100000000] to s8[1]                         distinct 1 of 100,000,000
//     reduce-window f32[8,8], 4x5, stride 2x1                 distinct 64, reads 240
//
// A read is a pair of an output element and an element that it reads. It counts once, even if several maps give it.
//
// How: groups of variables that share no value and no guard are counted separately, and the counts multiplied (exact:
// the image is a product). A group is enumerated, up to 2^22 points, or counted from its extents if its places are the
// digits of one number, as in a reshape, d0 * 4096 + d1. Run-time values that only shift what is read, as in a
// dynamic-slice, change neither count. Several maps, or a map with larger groups, are enumerated together, up to 2^24
// points, unless one map covers the operand. Otherwise the count is unknown and `why` has the reason. A count is never
// an estimate.
//
// Law: distinct is the size of the union of the images, reads the sum of their sizes over the coordinates (tests/hlo).
#pragma once

#include <optional>
#include <string>

#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {

struct Usage {
  i64 elements = 0;  // of the operand
  std::optional<i64> distinct;
  std::optional<i64> reads;
  std::string why;  // why one of the two is unknown

  // distinct / elements; nullopt: unknown, or an array without elements.
  [[nodiscard]] std::optional<double> share() const;
};

inline constexpr i64 kMostCounted = i64{1} << 24;

// For maps into an array of these sizes. A count that would visit more than `most` points is unknown.
[[nodiscard]] Usage usageOf(const std::vector<Map>& maps, const std::vector<i64>& operandSizes,
                            i64 most = kMostCounted);
// "130 of 16250 elements (0.8 %), each 125 times"
[[nodiscard]] std::string textOf(const Usage& usage);

}  // namespace tessera::hlo
