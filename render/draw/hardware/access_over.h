// The picture of an access over a tile (core/analysis/access_over.h).
//
//     show ldmatrix.x4 over S                     the position with the most bank conflicts, else the first
//     show ldmatrix.x4 over S as access 16,32     another position;  thread 5, quad 2: only what that one holds
//
// Left, the whole tile with the position in its place. Right, its block, matrix by matrix: T is the lane that receives the
// element, V the register value; in front of each row the lane that supplies its address. Below, the banks that the
// position asks for, phase by phase. Every cell is a point of the tile, so that it lights in S's other pictures.
// Law: a cell at (r, c) says (T, V) exactly when AccessStep::held has (T, V) at (r, c).
#pragma once

#include "core/analysis/access_over.h"
#include "render/draw/draw.h"

namespace tessera {

[[nodiscard]] Result<Figure> drawAccessOver(const AccessOver& over, const DrawOptions& options);

}  // namespace tessera
