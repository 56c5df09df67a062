// Access map: an access pattern as an arrow Hardware -> Elements: the first element of each lane, for every position at
// once and any tile size. Composed with a layout (Elements -> Memory) and the banks (Memory -> Banks) it gives the bank
// that each lane accesses: Hardware -> Banks.
//
//     (64,64) fp16, ldmatrix.x4:   (lane in [0,8), phase in [0,4), across in [0,4), down in [0,4))
//         -> row = down*16 + phase mod 2 * 8 + lane,  column = across*16 + phase floordiv 2 * 8
//
// Digits, fastest first: `lane` within its phase, `phase` within the instruction, then the positions. Phases are the
// access's (core/atlas/access.h); the sector model counts the lanes of all phases together.
// core/analysis/access/cover.h gives each lane's first element.
// Law: on a tile that core/analysis/access/access.h can enumerate, the same lanes begin at the same elements. Purpose:
// proofs over tiles of any size, and over all rows at once.
#pragma once

#include "core/analysis/access/access.h"
#include "core/layout/arrow.h"
#include "core/map/map.h"

namespace tessera {

struct AccessMap {
  Arrow lanes;           // (lane, phase, position ...) -> (row, column); guarded: lanes beyond the tile
  AtlasAccess access;    // with its width in bytes; phases.lane(digit phase, digit lane) is the lane
  i64 elements = 1;      // elements per lane
  bool alongRow = true;  // the elements of a lane run along the row
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
