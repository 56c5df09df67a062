// tabulate: every value of one axis, in linear order; PointEvaluator: one value at a time, for pictures of huge
// tensors.
//
//     (4,8):(8,1), Colex   ->  0 8 16 24 1 9 17 25 2 ...
//
// How: the axis is taken apart as post(sum over digits of g_k(d_k)); layouts, swizzled or tiled, all have that form.
// The fast digits' sum becomes one table of at most kPatternLimit entries, the slow ones an odometer, so the inner loop
// is out[i] = base + table[i]; the post step (a swizzle) runs as a block program over the chunk while it is in cache.
// Anything else runs as a block program over the digits. Law: tabulate(f)[n] == f.at(delinearize(n))[axis]. Bar
// (tests/bench): at least 0.9 of hand-written nested loops for strided, swizzled and tiled layouts.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/expr/compile.h"
#include "core/map/map.h"

namespace tessera {

// out.size() must be map.pointCount(). Digits run in `order` over all digits, Fan included. Guards are not consulted;
// params empty.
[[nodiscard]] Result<void> tabulate(const Map& map, int axis, LinearOrder order, std::span<i64> out);

class PointEvaluator {
 public:
  explicit PointEvaluator(const Map& map);
  [[nodiscard]] i64 value(std::span<const i64> digits, int axis = 0) const {
    return programs_[static_cast<std::size_t>(axis)].run(digits);
  }
  [[nodiscard]] i64 at(i64 linear, LinearOrder order, int axis = 0) const;  // linear over all digits

 private:
  std::vector<Program> programs_;
  std::vector<i64> extents_;
};

}  // namespace tessera
