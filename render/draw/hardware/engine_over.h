// The picture of what an engine does with a tile (core/analysis/engine_over.h).
//
//     show wgmma.m64n64k16.f16.A over S, f16            the first position
//     show wgmma.m64n64k16.f16.A over S, f16 as access 0,16      another
//
// Left, the whole tile with the position in its place. In the middle its block: which core matrix and row of it (M5 r3), or
// line and chunk (L3 c5), or thread and register (T3 V2) each 16 bytes or each element are. Right, the memory itself in the
// same colours: shared memory as lines of 32 banks in chunks of 16 bytes, tensor memory as lanes and columns; a chunk says
// the element that it begins with.
// Law: a cell of either stands for exactly the elements whose EnginePlace it shows.
#pragma once

#include "core/analysis/engine_over.h"
#include "render/draw/draw.h"

namespace tessera {

[[nodiscard]] Result<Figure> drawEngineOver(const EngineOver& over, const DrawOptions& options);

}  // namespace tessera
