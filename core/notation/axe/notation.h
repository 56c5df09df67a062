// The Axe family as notations.
//
//     S[(4,8):(8,1)]                       Elements(4,8), lex -> Memory: unbound, a layout has the shape of its iters
//     S[(8,4):(4@lane,1@lane)] over (32)   Elements(32), lex -> Hardware, lane below 32 where hardware says so
//     shard(..)                            Elements -> Devices and memory of each
//     mesh (2,2):(1,2)                     Elements -> Devices
#pragma once

#include "core/layout/layout.h"
#include "core/notation/axe/layout.h"
#include "core/notation/axe/mesh.h"
#include "core/notation/axe/swizzle.h"

namespace tessera {

template <>
struct NotationOf<AxeLayout> {
  static std::string_view kind(const AxeLayout&) { return "axe"; }
  static std::string_view noun(const AxeLayout&) { return "an Axe layout"; }
  static Result<Arrow> arrow(const AxeLayout& layout);
};

template <>
struct NotationOf<AxeComposed> {
  static std::string_view kind(const AxeComposed&) { return "axe"; }
  static std::string_view noun(const AxeComposed&) { return "a swizzled Axe layout"; }
  static Result<Arrow> arrow(const AxeComposed& layout);
};

template <>
struct NotationOf<Mesh> {
  static std::string_view kind(const Mesh&) { return "mesh"; }
  static std::string_view noun(const Mesh&) { return "a mesh"; }
  static Result<Arrow> arrow(const Mesh& mesh);
};

// The bound shape, else the extents of the shard iters (those of extent 1 left out, (1) when nothing is left).
[[nodiscard]] std::vector<i64> axeShape(const AxeLayout& layout);

}  // namespace tessera
