// The functions of CuTe's Python DSL, pycute and tensor-layouts, as text of the worksheet.
//
//     zipped_divide(target, tiler)            "zipped_divide({0}, {1})"
//     cute.slice_(src, coord)                 "slice({1}, {0})"
//     cute.size(L, mode=[0])                  "size<0>({0})"
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/paste/python/evaluator.h"

namespace tessera::paste::python {

// nullopt: no such function. A Diag names the argument that is missing or that no parameter has.
[[nodiscard]] Result<std::optional<Item>> cuteFunction(const Invocation& made);
// Whether the name is one of them, or a constructor of an operation or atom.
[[nodiscard]] bool isCuteFunction(std::string_view name);

// tiled_mma, tiled_copy, operations, atoms, make_smem_layout_atom; nullopt: none of these.
[[nodiscard]] Result<std::optional<Item>> cuteAtom(const Invocation& made);
// The worksheet's name of an operation: mma.m16n8k16.f32.f16.f16.f32, ldmatrix.x4; "" if it has none.
[[nodiscard]] std::string operationName(const Item& operation);

}  // namespace tessera::paste::python
