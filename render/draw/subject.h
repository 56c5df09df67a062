// Subject: a layout as the views see it: its meaning as a Map, and the shape from its notation.
//
//     ((2,4),(3,2)):((1,6),(2,24))    modes {2,4} {3,2}; map (i0, i1, i2, i3) -> (offset: ...)
//
// A coordinate is one number per top-level mode; a nested mode's number is split over its leaves, leftmost fastest
// (CuTe's order). The same point in every picture is the colex linear index over the top-level extents.
// Law: value(digitsOf(c)) == its map.at(the same digits).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/layout/layout.h"
#include "core/map/forms/recognise.h"
#include "core/map/map.h"
#include "core/map/tabulate.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"
#include "render/figure/figure.h"

namespace tessera {

struct Subject {
  std::string text;                        // canonical text
  std::vector<std::vector<i64>> modes;     // leaf extents of each top-level mode
  std::vector<i64> extents;                // of the top-level modes
  LinearOrder order = LinearOrder::Colex;  // which mode is fastest: the last (Lex) or the first
  i64 size = 1;
  u64 domain = 0;
  Map map;
  std::vector<int> leafDigit;  // leaf -> digit of the map (Fan digits have no leaf)
  std::shared_ptr<const PointEvaluator> evaluator;
  std::optional<cute::Swizzle> swizzle;  // the element swizzle, unless it is the identity
  std::optional<cute::Layout> inner;     // the strided part: the layout itself, or the operand of the swizzle
  i64 offset = 0;                        // added to the inner layout before the swizzle
  std::optional<cute::Layout> outer;     // A of A o offset o B
  std::vector<i64> strides;              // of the inner layout's leaves, if it is plain
  i64 least = 0, most = 0;               // bounds of axis 0 (over the swizzle's period, so possibly not attained)

  [[nodiscard]] int rank() const { return static_cast<int>(extents.size()); }
  [[nodiscard]] int axes() const { return static_cast<int>(map.axes().size()); }
  [[nodiscard]] bool hasFan() const { return leafDigit.size() != map.digits().size(); }
  // One number per top-level mode -> one per digit of the map (Fan digits 0).
  void digitsOf(const i64* coord, std::vector<i64>& digits) const;
  [[nodiscard]] i64 valueAt(const std::vector<i64>& digits, int axis = 0) const {
    return evaluator->value(digits, axis);
  }
  [[nodiscard]] std::vector<i64> coordOf(i64 index) const;  // colex
  [[nodiscard]] i64 indexOf(const std::vector<i64>& coord) const;
  [[nodiscard]] i64 valueOf(i64 index) const;
  // "10"; "3,1" for several axes; "0|4|8" for sets.
  [[nodiscard]] std::string labelAt(const std::vector<i64>& digits) const;
};

using SubjectPtr = std::shared_ptr<const Subject>;

// Returns a Diag if the layout has no arrow, unknown numbers, or more than 2^62 points. `text`: the layout's own if
// empty.
[[nodiscard]] Result<SubjectPtr> subjectOf(const Layout& layout, std::string text = {});

// Extents of the subject's leaves, in order.
[[nodiscard]] std::vector<i64> leafExtents(const Subject& subject);
// "(2,3)", rank 1: "5".
[[nodiscard]] std::string coordText(const std::vector<i64>& coord);

}  // namespace tessera
