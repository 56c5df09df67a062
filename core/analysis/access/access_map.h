// Cover: how one instruction covers a tile, decided in one place. core/analysis/access/access.cpp evaluates it with
// numbers, access_map.cpp the same two formulas with expressions (AccessMap below).
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
#include "core/layout/arrow.h"
#include "core/map/map.h"

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

// Access map: an access pattern as an arrow Hardware -> Elements: the first element of each lane, for every position at
// once and any tile size. Composed with a layout (Elements -> Memory) and the banks (Memory -> Banks) it gives the bank
// that each lane accesses: Hardware -> Banks.
//
//     (64,64) fp16, ldmatrix.x4:   (lane in [0,8), phase in [0,4), across in [0,4), down in [0,4))
//         -> row = down*16 + phase mod 2 * 8 + lane,  column = across*16 + phase floordiv 2 * 8
//
// Digits, fastest first: `lane` within its phase, `phase` within the instruction, then the positions. Phases are the
// access's (core/atlas/access.h); the sector model counts the lanes of all phases together.
// Law: on a tile that core/analysis/access/access.h can enumerate, the same lanes begin at the same elements. Purpose:
// proofs over tiles of any size, and over all rows at once.
//
// The cover, and its lanes as an arrow; access.phases.lane(digit phase, digit lane) is the lane.
struct AccessMap : Cover {
  Arrow lanes;  // (lane, phase, position ...) -> (row, column); guarded: lanes beyond the tile
};
// A Diag if the instruction does not divide the tile or the element size, as in accesses(). Contiguity and alignment
// are not checked here: they depend on the layout.
[[nodiscard]] Result<AccessMap> accessMap(const AccessSpec& spec, i64 rows, i64 columns, bool alongRow,
                                          int elementBits);

// Memory -> Banks after an address: element number -> (bank, row of 128 bytes). `from` is the space of the addresses;
// the digits and guards are those of its map.
[[nodiscard]] Result<Arrow> toBanks(const Space& from, const Map& domain, const Expr& element, int elementBits);
// lanes, then the layout, then the banks.
[[nodiscard]] Result<Arrow> accessBanks(const AccessMap& access, const Map& layout, int rowDigits, int elementBits);

// Axis 0 of a layout's map at the coordinates (row, column): the first rowDigits digits form the row, and in each
// coordinate the first digit is fastest.
[[nodiscard]] Expr offsetAt(const Map& layout, int rowDigits, const Expr& row, const Expr& column);
struct TileExtents {
  i64 rows = 1, columns = 1;
};
// A Diag above 2^63 elements.
[[nodiscard]] Result<TileExtents> tileExtents(const Map& layout, int rowDigits);
// Whether offsets grow by one along the row; false: down the column. True if neither.
[[nodiscard]] bool contiguousAlongRow(const Map& layout, int rowDigits);

}  // namespace tessera
