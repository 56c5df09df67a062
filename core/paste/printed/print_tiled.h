// TiledMMA and TiledCopy as CuTe C++ and its Python DSL print them, rebuilt.
//
//     TiledMMA                                            ThrLayoutVMNK = (_32,_2,_2,_1):(_1,_32,_64,_0)
//       ThrLayoutVMNK:  (_32,_2,_2,_1):(_1,_32,_64,_0)    PermutationMNK = (_32,_32,_16)
//       PermutationMNK: (_32,_32,_16)                     ...
//     MMA_Atom                                       ->   X = make_tiled_mma(mma.m16n8k16.f32.f16.f16.f32,
//       LayoutA_TV: ((_4,_8),(_2,_2,_2)):(...)                               (2,2,1):(1,2,0), (32,32,16))
//
// The report names no instruction: the atom is the row of the atlas whose A, B and C are the same functions; of several
// (they differ in types only) the first with fp16 operands and an fp32 accumulator, with a note.
//
// Law: the rebuilt value has the report's threads and the atom's layouts, or X is the report's own layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/paste/bindings.h"
#include "core/paste/printed/print_lines.h"

namespace tessera::paste {

// Whether the text is such a report.
[[nodiscard]] bool isTiledReport(std::string_view text);
// Binds the report's names, then X.
void bindTiledReport(std::string_view text, Bindings& bindings);

// MMA_Atom<..SM80_..>: how the worksheet builds a TiledMMA of these parts.
[[nodiscard]] std::string tiledMmaText(std::string_view atom, std::string_view atomLayout, std::string_view tile);

}  // namespace tessera::paste
