// The Axe family as notations.
//
//     S[(4,8):(8,1)]                       Elements(4,8), lex -> Memory; an unbound layout has the shape of its iters
//     S[(8,4):(4@lane,1@lane)] over (32)   Elements(32), lex -> Hardware; lane < 32 by the hardware's bound
//     shard(..)                            Elements -> Devices, and the memory of each
//     mesh (2,2):(1,2)                     Elements -> Devices
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/map/map.h"
#include "core/notation/axe/layout.h"
#include "core/notation/axe/mesh.h"

namespace tessera::axe {

// TVM's swizzle, and a layout composed with one.
//
//     per_element M, swizzle_len B, atom_len S >= B:    a -> (f(a >> M) << M) + a mod 2^M
//     inner:  f(x) = x xor ((x & ((2^B - 1) << S)) >> S)         outer:  f(x) = x xor ((x & (2^B - 1)) << S)
//
// The inner form is CuTe's Sw<B,M,S>. fp16 rows of 128 bytes: (3,3,3), addr(i,j) = 64 i + 8 ((j/8) xor i) + j mod 8.
// Law: it is an involution (B <= S), so it permutes each block of 2^(M+B+S) addresses.
struct Swizzle {
  i64 perElement = 0;  // M
  i64 swizzleLen = 0;  // B
  i64 atomLen = 0;     // S
  bool inner = true;
  bool operator==(const Swizzle&) const = default;
  // Requires 0 <= M, 0 <= B <= S, M + B + S <= 60.
  [[nodiscard]] static Result<Swizzle> create(i64 perElement, i64 swizzleLen, i64 atomLen, bool inner = true);
  [[nodiscard]] i64 apply(i64 address) const;  // address >= 0
  [[nodiscard]] i64 period() const;            // 2^(M+B+S)
  [[nodiscard]] Expr apply(const Expr& address) const;
};
[[nodiscard]] std::string print(const Swizzle& swizzle);  // "Swizzle(3, 3, 3)"

// The swizzle applied to the memory axis of a tile that has no other axis.
struct Composed {
  Swizzle swizzle;
  Layout tile;
  bool operator==(const Composed&) const = default;
  [[nodiscard]] static Result<Composed> create(Swizzle swizzle, Layout tile);
};
[[nodiscard]] Result<i64> addressOf(const Composed& layout, const std::vector<i64>& shape,
                                    const std::vector<i64>& coordinate);
[[nodiscard]] Result<Map> toMap(const Composed& layout, const std::vector<i64>& shape);
[[nodiscard]] std::string print(const Composed& layout);  // "Swizzle(3, 3, 3) o S[(8,64):(64,1)]"

}  // namespace tessera::axe

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
