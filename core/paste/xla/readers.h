// The parts of the XLA dialect: each reads what it knows of a text and binds it. `false`: the text has nothing of that
// kind.
//
//     readModule       HloModule ... ENTRY main { ... }        hlo jit_f { ... }, X = jit_f.%root
//     readLines        %a = f32[8]{0} add(...), Shape: ...     instruction lines, reports of lacking memory, buffers
//     readSharding     {devices=[2,2]<=[4]}, NamedSharding     an Axe layout from tile to device
//     readMlir         %0 = stablehlo.add ..., memref<..>      types, affine maps, Mosaic's layouts
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/paste/bindings.h"

namespace tessera::paste::xla_text {

// A Diag of a reader of a piece, placed at the piece.
template <typename T>
[[nodiscard]] Result<T> placedIn(Span span, Result<T> result) {
  if (!result) result.error().span = span;
  return result;
}

[[nodiscard]] bool beginsModule(std::string_view text);
// Whether a computation begins in the text: not the head of a module alone.
[[nodiscard]] bool hasComputation(std::string_view text);
// (d0, d1) -> (d1, d0), the whole text: an affine map without affine_map<> and without a domain.
[[nodiscard]] bool isBareMap(std::string_view text);
[[nodiscard]] Result<bool> readModule(std::string_view text, Bindings& out);

[[nodiscard]] Result<bool> readLines(std::string_view text, Bindings& out);

// All shardings of the text, in order; those inside `sharding={...}` get the name of their line.
[[nodiscard]] Result<bool> readShardings(std::string_view text, Bindings& out);

[[nodiscard]] Result<bool> readMlir(std::string_view text, Bindings& out);

// ---- MLIR's types and attributes (mlir_types.cpp)

// tensor<128x?xf32, ATTR>, memref<4x8xf32, strided<[8,1], offset: ?>, 3>, vector<8x128xf32>.
struct ShapedType {
  std::string kind;                      // "tensor" "memref" "vector"
  std::vector<std::optional<i64>> dims;  // nullopt: `?`
  std::string element;                   // "f32"
  std::vector<std::string> attributes;
  Span span;
};
// The type at the cursor; nullopt, with the cursor unmoved, if none begins there.
[[nodiscard]] Result<std::optional<ShapedType>> readShapedType(Cursor& in);

// #map = affine_map<...>: the text of an alias without its #.
using Aliases = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] Result<void> bindType(std::string_view name, const ShapedType& type, const Aliases& aliases,
                                    Bindings& out);
// affine_map<...>, affine_set<...>, #xla.indexing_map<"...">, #tpu.vpad<...>, #tpu.tiled<...>: false for another
// attribute.
[[nodiscard]] Result<bool> bindAttribute(std::string_view name, std::string_view text, Span span, Bindings& out);
// #tpu.vpad<"32,{*,128},(8,128)"> and #tpu.tiled<(8,128),[1,1]> (mosaic.cpp): the head without <>, the text inside.
[[nodiscard]] bool isMosaic(std::string_view head);
[[nodiscard]] Result<bool> bindMosaic(std::string_view name, std::string_view head, std::string_view inside, Span span,
                                      Bindings& out);
// The attribute of that kind at the cursor, for bindAttribute; empty, with the cursor unmoved, if none begins there.
[[nodiscard]] std::string_view acceptAttribute(Cursor& in);

// (d0, d1)[s0] -> (d0 * s0, d1), the inside of affine_map<>.
struct AffineMap {
  std::vector<std::string> dims, symbols, results;
  std::string constraints;  // of affine_set: "d0 - 1 >= 0, d1 == 0"
};
[[nodiscard]] Result<AffineMap> readAffine(std::string_view inside);

// #tpu.tiled<(8,128)(2,1),[2,1]>: tiles, outermost first, and the strides of the tiles in tiles.
struct Tiled {
  std::vector<std::vector<i64>> tiles;
  std::vector<i64> strides;
};
[[nodiscard]] Result<Tiled> readTiled(std::string_view inside);

// The pieces between commas that are outside brackets, strings and <>.
[[nodiscard]] std::vector<std::string> splitCommas(std::string_view text);

}  // namespace tessera::paste::xla_text
