// Cover: how one instruction covers a tile, decided in one place. core/analysis/access/access.cpp evaluates it with
// numbers, core/analysis/access/access_map.cpp the same two formulas with expressions.
//
// Every lane takes a run of `elements` along the contiguous dimension. Coordinates are (other, start): across the runs
// and along them; `alongRow` tells which of the two is the row.
//
//     vectors    run t (lane t % 32 of warp t / 32) of a tile with v = length / elements runs side by side:
//                    other = t / v,  start = t % v * elements;  with .column or .row against the contiguous dimension
//                    other = t % others,  start = t / others * elements
//     matrices   of r rows each, `down` of them vertically and `across` horizontally in a block:
//                    other = (block * down + m % down) * r + row,  start = (block * across + m / down) * elements
//                with m = lane / r, row = lane % r
//
//     matrices   blocks (down x across), the first that divides the tile
//         1      1x1
//         2      2x1, 1x2
//         4      2x2, 1x4, 4x1
//
// Worked: ldmatrix.x4 on 64x64 halves: runs of 8, block 2x2 = 16x16; lane 19 of block (1, 2) has m = 2, row 3:
// other = (1*2 + 0)*8 + 3 = 19, start = (2*2 + 1)*8 = 40.
//
// Law (tests/agree/access_claims_test.cpp): both evaluations begin the same lanes at the same elements, for every
// access of the atlas.
#pragma once

#include <string>

#include "core/analysis/access/access.h"
#include "core/base/arith.h"
#include "core/expr/expr.h"

namespace tessera {

struct CoveredTile {
  i64 rows = 1, columns = 1;
  bool contiguousAlongRow = true;
  int elementBits = 8;
  std::string text;  // name in messages; empty: "the tile"
};

struct Cover {
  AtlasAccess access;  // with its width in bytes
  bool alongRow = true;
  i64 elements = 1;            // per lane's run
  i64 length = 1, others = 1;  // of the tile, along the runs and across
  i64 down = 1, across = 1;    // matrices per block
  bool runsSideBySide = true;  // consecutive lanes take consecutive runs of one `other`
};
// A Diag if the instruction does not divide the tile or the element size. Contiguity and alignment are not checked.
[[nodiscard]] Result<Cover> coverOf(const AccessSpec& spec, const CoveredTile& tile);
// The access with its width in bytes, and the elements per lane. Requires: no matrices.
struct LaneRun {
  AtlasAccess access;
  i64 elements = 1;
};
[[nodiscard]] Result<LaneRun> laneRunOf(const AccessSpec& spec, int elementBits);
// Matrix rows run along the contiguous dimension, or along the rows of a tile with too few rows for them.
[[nodiscard]] bool runsAlongRow(const AccessSpec& spec, const CoveredTile& tile);

template <class Number>
struct RunStart {
  Number other, start;
};

namespace cover_detail {
[[nodiscard]] inline i64 mod(i64 a, i64 b) { return floorMod(a, b); }
[[nodiscard]] inline Expr mod(const Expr& a, i64 b) { return tessera::mod(a, b); }
}  // namespace cover_detail

// Number: i64 or Expr. `lane` counts the lanes with an address.
template <class Number>
RunStart<Number> matrixRun(const Cover& c, const Number& blockOther, const Number& blockStart, const Number& lane) {
  const i64 rows = c.access.matrixRows;
  const Number matrix = floorDiv(lane, rows), row = cover_detail::mod(lane, rows);
  return {(blockOther * c.down + cover_detail::mod(matrix, c.down)) * rows + row,
          (blockStart * c.across + floorDiv(matrix, c.down)) * c.elements};
}

template <class Number>
RunStart<Number> vectorRun(const Cover& c, const Number& t) {
  const i64 runs = c.length / c.elements;
  return c.runsSideBySide ? RunStart<Number>{floorDiv(t, runs), cover_detail::mod(t, runs) * c.elements}
                          : RunStart<Number>{cover_detail::mod(t, c.others), floorDiv(t, c.others) * c.elements};
}

}  // namespace tessera
