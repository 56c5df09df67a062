// tabulate: every value of one axis, in linear order.
// PointEvaluator: one value at a time, for pictures of huge tensors.
//
//     (4,8):(8,1), Colex   ->  0 8 16 24 1 9 17 25 2 ...
//
// How: core/map/forms/separate.h decomposes the axis into functions of one digit, combined by + or xor. The fast
// digits' combined values form one pattern of at most a few thousand entries, the slow digits an odometer; the inner
// loop is out[i] = base + pattern[i] (or base xor pattern[i]: a swizzle costs the same as strides). Any rest of the
// formula runs as a block program over each chunk while it is in the first-level cache; a formula that does not
// separate, but repeats up to a sum in blocks of the fast digits ((c + r * 8) mod 512 every 64 rows), has one table of
// such a block; any other runs as a block program over the digits.
//
// Law: tabulate(f)[n] == f.at(delinearize(n))[axis]. Required speed (tests/bench): at least 0.9 of hand-written nested
// loops for strided, swizzled and tiled layouts. Not here: guards (a table has a value for every point of the box).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/expr/compile.h"
#include "core/map/map.h"

namespace tessera {

// Requires out.size() == map.pointCount(). Digits run in `order` over all digits, Fan included. Guards are ignored; a
// map with parameters is refused.
[[nodiscard]] Result<void> tabulate(const Map& map, int axis, LinearOrder order, std::span<i64> out);

// The prepared form, for callers that fill repeatedly, or only a window of a huge tensor.
class Tabulator {
 public:
  struct Plan;  // tabulate.cpp

  [[nodiscard]] static Result<Tabulator> create(const Map& map, int axis, LinearOrder order);
  // out[i] = value at linear index first + i.
  // Requires 0 <= first and first + out.size() <= pointCount (which may exceed 64 bits; first may not).
  void fill(i64 first, std::span<i64> out) const;
  // "strides", "sum of digits", "xor of digits", "sum of digits, then a program", "blocks that repeat" or "program".
  [[nodiscard]] std::string method() const;

 private:
  std::shared_ptr<const Plan> plan_;
};

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
