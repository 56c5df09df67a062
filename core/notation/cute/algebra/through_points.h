// The layout through given points: G with G(y) == i for each pair (y, i); if several points share y, G(y) is one of
// their i. Used by left_inverse.
//
//     (0,0) (2,1) (5,2) (7,3)        G = (2,4):(0,1): the digit y / 2 is 0 1 2 3
//     (0,0) (2,1) (4,2) (3,3) (5,4) (7,5)      G = (2,4):(2,1): y / 2, and 2 more where y is odd
//
// A layout reads the digits of y along a chain of periods 1 | P_1 | P_2 ..., and adds digit * stride. For one chain the
// strides are the integer solutions of a linear system. Chains with the fewest periods are tried first, then the
// smallest. A chain is abandoned once the points below twice its last period contradict each other: their digits no
// longer change.
// longer change.
//
// Law: the result passes through every point. `complete`: all chains were tried, so no result means that none exists.
#pragma once

#include <optional>
#include <vector>

#include "core/notation/cute/layout.h"

namespace tessera::cute {

struct Point {
  i64 y = 0;
  i64 i = 0;
  bool operator==(const Point&) const = default;
};

struct ThroughPoints {
  std::optional<Layout> layout;
  bool complete = true;
};
// Requires y >= 0.
[[nodiscard]] ThroughPoints layoutThrough(std::vector<Point> points);

}  // namespace tessera::cute
