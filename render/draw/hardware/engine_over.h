// The picture of an engine's access to a tile (core/analysis/access/engine_over.h).
//
//     show wgmma.m64n64k16.f16.A over S, f16            the first position
//     show wgmma.m64n64k16.f16.A over S, f16 as access 0,16      another position
//
// Left: the whole tile with the position in place. Middle: its block; each 16 bytes or element shows its core matrix
// and row (M5 r3), line and chunk (L3 c5), or thread and register (T3 V2). Right: the memory itself in the same
// colours: shared memory as lines of 32 banks in chunks of 16 bytes, tensor memory as lanes and columns; a chunk is
// labelled with its first element.
// Law: a cell of either represents exactly the elements whose EnginePlace it shows.
#pragma once

#include "core/analysis/access/engine_over.h"
#include "render/draw/draw.h"

namespace tessera {

[[nodiscard]] Result<Figure> drawEngineOver(const EngineOver& over, const DrawOptions& options);

}  // namespace tessera
