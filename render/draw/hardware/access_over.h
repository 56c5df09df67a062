// The picture of an access over a tile (core/analysis/access/access_over.h).
//
//     show ldmatrix.x4 over S                     the position with the most bank conflicts, else the first
//     show ldmatrix.x4 over S as access 16,32     another position;  thread 5, quad 2: isolates their elements
//
// Left: the whole tile with the position in place. Right: its block, matrix by matrix: T is the lane that receives the
// element, V the register value, and before each row is the lane that supplies its address. Below: the banks that the
// position accesses, phase by phase. Every cell is a point of the tile and lights in S's other pictures.
// Law: a cell at (r, c) shows (T, V) exactly if AccessStep::held has (T, V) at (r, c).
#pragma once

#include "core/analysis/access/access_over.h"
#include "render/draw/draw.h"

namespace tessera {

[[nodiscard]] Result<Figure> drawAccessOver(const AccessOver& over, const DrawOptions& options);

}  // namespace tessera
