// The Axe family as notations.
//
//     S[(4,8):(8,1)]                       Elements(4,8), lex -> Memory: an unbound layout has the shape of its iters
//     S[(8,4):(4@lane,1@lane)] over (32)   Elements(32), lex -> Hardware, lane < 32 by the hardware's bound
//     shard(..)                            Elements -> Devices and memory of each
//     mesh (2,2):(1,2)                     Elements -> Devices
#pragma once

#include "core/layout/layout.h"
#include "core/notation/axe/layout.h"
#include "core/notation/axe/mesh.h"
#include "core/notation/axe/swizzle.h"

namespace tessera {

template <>
struct NotationOf<axe::Layout> {
  static std::string_view kind(const axe::Layout&) { return "axe"; }
  static std::string_view noun(const axe::Layout&) { return "an Axe layout"; }
  static Result<Arrow> arrow(const axe::Layout& layout);
};

template <>
struct NotationOf<axe::Composed> {
  static std::string_view kind(const axe::Composed&) { return "axe"; }
  static std::string_view noun(const axe::Composed&) { return "a swizzled Axe layout"; }
  static Result<Arrow> arrow(const axe::Composed& layout);
  static Result<axe::Composed> withElements(const axe::Composed& layout, int) { return layout; }
};

template <>
struct NotationOf<axe::Mesh> {
  static std::string_view kind(const axe::Mesh&) { return "mesh"; }
  static std::string_view noun(const axe::Mesh&) { return "a mesh"; }
  static Result<Arrow> arrow(const axe::Mesh& mesh);
  static constexpr std::string_view kFamily = "axe";
};

}  // namespace tessera

namespace tessera::axe {

// The bound shape, else the extents of the shard iters: (8,1,4) of S[(8,1,4):(4,4,1)].
[[nodiscard]] std::vector<i64> naturalShape(const Layout& layout);

}  // namespace tessera::axe
