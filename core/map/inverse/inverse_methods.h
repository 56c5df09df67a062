// The methods of core/map/inverse/inverse.h. Internal to the files of this folder.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/mapped.h"
#include "core/map/forms/recognise.h"
#include "core/map/inverse/inverse.h"

namespace tessera::back {

using Point = std::vector<i64>;  // one value per digit

[[nodiscard]] inline std::vector<i64> extentsOf(const Map& map) { return mapped<i64>(map.digits(), &Digit::extent); }

// --- strides (back_strided.cpp)
//
// Each wheel is a digit that moves one axis. value - base is decomposed from the largest stride down, which is sound
// and complete if the sorted strides nest: each stride exceeds the span of all smaller ones, so each step has one
// possible quotient. A digit that fits no wheel is free: its whole range is tried, and its contribution is subtracted
// first.
struct Wheel {
  std::size_t digit = 0;
  u64 stride = 1;  // absolute value; a negative stride counts down from the far end
  bool down = false;
};
struct Peel {             // one axis
  i64 base = 0;           // the smallest value, without free digits
  u64 span = 0;           // the largest minus the smallest
  std::vector<Wheel> by;  // largest stride first
};
struct StridedBack {
  std::vector<Strided> forms;  // one per axis
  std::vector<Peel> peels;     // one per axis
  std::vector<std::size_t> free;
};
// The strided forms of all axes; nullopt if an axis has none.
[[nodiscard]] std::optional<std::vector<Strided>> stridedForms(const Map& map);
[[nodiscard]] StridedBack stridedBack(const Map& map, std::vector<Strided> forms);
// nullopt on 64-bit overflow.
[[nodiscard]] std::optional<BackFormula> formulaOf(const Map& map, const StridedBack& back);
// nullptr if a digit is free.
[[nodiscard]] std::shared_ptr<const Inverse> stridedInverse(const Map& map, const std::vector<Strided>& forms);
// Two points with the same values if a digit moves nothing, or two strides collide: d_i*s_i == d_j*s_j. Guards are
// ignored.
[[nodiscard]] std::optional<std::pair<std::vector<i64>, std::vector<i64>>> meetingStrides(
    const Map& map, const std::vector<Strided>& forms);

// --- F2 (back_f2.cpp)
[[nodiscard]] std::shared_ptr<const Inverse> f2Inverse(const Map& map, F2Form form, F2Matrix back);
// back: a pseudo-inverse of the form's matrix; kernel: vectors that may be xored into the point, one choice per run of
// vectors that are shifts of each other.
[[nodiscard]] BackFormula formulaOf(const Map& map, const F2Form& form, const F2Matrix& back,
                                    const std::vector<u64>& kernel);
[[nodiscard]] std::vector<i64> pointOfBits(const Map& map, u64 bits);

// --- parts (back_f2.cpp): the axes without their swizzles, over the parts of the digits
//
//     Sw<3,3,3> o tiles      places -> (undo the swizzle) -> inner's places -> (by strides) -> parts -> digits
struct Undone {
  int inputs = 0;   // bits of the value under the swizzle
  F2Form form;      // the swizzle as a bit matrix
  F2Matrix matrix;  // its left inverse
};
struct Parts {
  Map inner;                                  // the same digits in parts, the axes under their swizzles
  std::vector<std::optional<Undone>> undone;  // one per axis
  std::vector<Expr> digits;                   // digit k of the map, over the digits of inner
  bool swizzled = false;
};
// nullopt: no swizzle to undo and no digit to split.
[[nodiscard]] std::optional<Parts> partsOf(const Map& map);
// Converts an inverse formula of parts.inner to one of the map.
[[nodiscard]] std::optional<BackFormula> lifted(const Parts& parts, const BackFormula& inner);
[[nodiscard]] std::shared_ptr<const Inverse> partsInverse(const Parts& parts, std::shared_ptr<const Inverse> inner);

}  // namespace tessera::back
