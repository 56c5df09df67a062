// An access pattern as an arrow Hardware -> Elements: which element each lane begins at, for every position at once and
// any tile size. Composed with a layout (Elements -> Memory) and the banks (Memory -> Banks) it says which bank each lane
// asks: Hardware -> Banks.
//
//     (64,64) fp16, ldmatrix.x4:   (lane in [0,8), phase in [0,4), across in [0,4), down in [0,4))
//         -> row = down*16 + phase mod 2 * 8 + lane,  column = across*16 + phase floordiv 2 * 8
//
// Digits, the fastest first: `lane` within its phase, `phase` within the instruction, then the positions. Phases are
// the access's (core/atlas/access.h); for the sector model lanes of all phases count together. Where a lane begins is
// core/analysis/cover.h.
// Law: over a tile that core/analysis/access.h can enumerate, the same lanes begin at the same elements. What this form
// is for: proofs over tiles of any size, and over all rows at once.
#pragma once

#include "core/analysis/access.h"
#include "core/layout/arrow.h"
#include "core/map/map.h"

namespace tessera {

struct AccessMap {
  Arrow lanes;           // (lane, phase, position ...) -> (row, column); a guard leaves out lanes beyond the tile
  AtlasAccess access;    // with its width in bytes; phases.lane(digit phase, digit lane) is the lane
  i64 elements = 1;      // that one lane takes
  bool alongRow = true;  // the elements of a lane run along the row
};
// A Diag when the instruction does not divide the tile or the element size, as accesses() says it. Contiguity and
// alignment are not judged here: they are questions about the layout.
[[nodiscard]] Result<AccessMap> accessMap(const AccessSpec& spec, i64 rows, i64 columns, bool alongRow,
                                          int elementBits);

// Memory -> Banks behind an address: element number -> (bank, row of 128 bytes). `from` is where the addresses come from,
// digits and guards those of its map.
[[nodiscard]] Result<Arrow> toBanks(const Space& from, const Map& domain, const Expr& element, int elementBits);
// lanes, then the layout, then the banks.
[[nodiscard]] Result<Arrow> accessBanks(const AccessMap& access, const Map& layout, int rowDigits, int elementBits);

// A layout's map read with two coordinates: its axis 0 at (row, column),
// the first rowDigits digits being the row, the first of each the fastest.
[[nodiscard]] Expr offsetAt(const Map& layout, int rowDigits, const Expr& row, const Expr& column);
struct TileExtents {
  i64 rows = 1, columns = 1;
};
// A Diag beyond 2^63 elements.
[[nodiscard]] Result<TileExtents> tileExtents(const Map& layout, int rowDigits);
// Whether offsets grow by one along the row; false: down the column. True when neither does.
[[nodiscard]] bool contiguousAlongRow(const Map& layout, int rowDigits);

}  // namespace tessera
