// grid: the logical grid. Rows and columns are coordinates; a cell shows its value.
//
//     (4,8):(8,1)     rank 2: mode 0 down, mode 1 across; nested modes run colexicographically, with wider gaps between
//                     the inner tiles
//     12:1            rank 1: one row, wrapped into rows of a power of two if it is long
//     (4,4,3):(...)   rank 3 and more: modes 0 and 1 as rank 2, the others as facets (at most kMaxFacets, modes.h)
//
// Words after the view: address row column tile shade plain (colour); offset coord index hex (label); rows m2, cols m0,
// m1 3 (mode 1 fixed at 3).
// Law: cell(r, c).label is the map's value at the coordinate; find is the inverse of cell.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "render/draw/draw.h"
#include "render/draw/grid/colouring.h"
#include "render/draw/subject.h"

namespace tessera {

inline constexpr i64 kMaxFacets = 16;

[[nodiscard]] Result<Figure> drawGrid(const SubjectPtr& subject, const DrawOptions& options);

// For views with several grids: a common colouring, and claimed strides; cells where the strides are wrong are lit and
// show the claimed value below.
struct GridExtras {
  std::optional<AddressBlocks> blocks;
  std::vector<i64> claimedStrides;  // one per leaf
};
[[nodiscard]] Result<Figure> drawGridWith(const SubjectPtr& subject, const DrawOptions& options,
                                          const GridExtras& extras);

}  // namespace tessera
