// The CuTe family as notations: layouts, composed layouts and tensors, swizzles.
//
//     (4,8):(8,1)              Elements(4,8), colex -> Memory; (thread, value) if compared with a hardware layout
//     (4,5):(1@1,1@0)          Elements -> Coordinates
//     Sw<3,3,3> o smem_ptr[16b](unset) o ...   Elements -> Memory of 16-bit elements
//     Sw<3,4,3>                no arrow: it has no extent
#pragma once

#include <variant>

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/map/forms/swizzled.h"
#include "core/map/map.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera {

template <>
struct NotationOf<cute::Layout> {
  static std::string_view kind(const cute::Layout&) { return "layout"; }
  static std::string_view noun(const cute::Layout&) { return "a layout"; }
  static Result<Arrow> arrow(const cute::Layout& layout);
  static Result<Arrow> threadValueArrow(const cute::Layout& layout);
  static LayoutFacts facts(const cute::Layout& layout);
  static constexpr std::string_view kFamily = "cute";
  static Result<cute::Layout> withElements(const cute::Layout& layout, int) { return layout; }
};

template <>
struct NotationOf<cute::ComposedLayout> {
  static std::string_view kind(const cute::ComposedLayout& l) { return l.isTensor() ? "tensor" : "layout"; }
  static std::string_view noun(const cute::ComposedLayout&) { return "a composed layout"; }
  static Result<Arrow> arrow(const cute::ComposedLayout& layout);
  static LayoutFacts facts(const cute::ComposedLayout& l) { return NotationOf<cute::Layout>::facts(l.inner()); }
  static constexpr std::string_view kFamily = "cute";
  static Result<cute::ComposedLayout> withElements(const cute::ComposedLayout& layout, int bits) {
    return layout.withElements(bits);
  }
  static std::optional<std::string> missingElements(const cute::ComposedLayout& layout);
  static std::string baseAddress(const cute::ComposedLayout& layout) { return layout.baseAddress(); }
};

template <>
struct NotationOf<cute::Swizzle> {
  static std::string_view kind(const cute::Swizzle&) { return "swizzle"; }
  static std::string_view noun(const cute::Swizzle&) { return "a swizzle"; }
  static Result<Arrow> arrow(const cute::Swizzle& swizzle);
  static LayoutFacts facts(const cute::Swizzle& swizzle);
  static constexpr std::string_view kFamily = "cute";
  static Result<cute::Swizzle> withElements(const cute::Swizzle& swizzle, int bits) {
    return swizzle.onBytes() ? cute::onElements(swizzle, bits) : swizzle;
  }
};

}  // namespace tessera

namespace tessera::cute {

// The top-level modes of a shape, each with its leaves, first fastest. Requires known extents.
[[nodiscard]] std::vector<Mode> modesOf(const IntTuple& shape);
// (4,(2,3)) as a list of numbers; a leaf that is not a plain integer is given as text.
[[nodiscard]] LayoutFact factOf(std::string name, const IntTuple& tuple);

// Lowering: every CuTe notation as a Map.
//
//     (4,8):(8,1)                  (i0, i1) -> (offset: i0 * 8 + i1)
//     (4,5):(1@1,1@0)              (i0, i1) -> (c0: i1, c1: i0)
//     Sw<1,0,3> o 0 o (4,8):(8,1)  x xor ((x floordiv 8) mod 2) with x = i0 * 8 + i1
//
// One Index digit per leaf mode, in flattened order (i0 fastest, because CuTe is colexicographic). One axis "offset",
// whose extent is the cosize or the swizzle's larger codomain; no extent if values may be negative.
// Law: toMap(composition(a, b)) == toMap(b).then(toMap(a)) as tables.
[[nodiscard]] Result<Map> toMap(const Layout& layout);
[[nodiscard]] Result<Map> toMap(const ComposedLayout& layout);
// A swizzle has no intrinsic extent; swizzle.period() is the smallest extent that shows it completely.
[[nodiscard]] Result<Map> toMap(const Swizzle& swizzle, i64 extent);

// The swizzle of an address: x xor ((x floordiv 2^from) mod 2^bits) * 2^to.
[[nodiscard]] Expr swizzled(const Swizzle& swizzle, const Expr& x);

// fromMap: the CuTe layout of a map, if there is one.
//
//     (i, j) -> i*8 + j, 4 x 8                              (4,8):(8,1)
//     (i, j) -> (i floordiv 2)*8 + i mod 2 + j*2            ((2,2),4):((1,8),2)      two leaves in one mode
//     (i, j) -> i*64 + ((j floordiv 8) xor i)*8 + j mod 8   Sw<3,3,3> o 0 o (8,64):(64,1)
//     (i) -> i*4 + 3                                        Sw<0,0,0> o 3 o 5:4      an offset needs a composed layout
//
// One mode per Index digit, in order; a split digit becomes a nested mode, its leaves fastest first.
// Law: toMap(fromMap(m)) and m agree at every point, by colex linear index.
// Refused: maps that asSwizzled (core/map/forms/swizzled.h) refuses, Fan digits (a CuTe coordinate has one place) and
// guards (a CuTe layout has no padding).
[[nodiscard]] Result<std::variant<Layout, ComposedLayout>> fromMap(const Map& map);
// The same of a recognised form. A Diag: it does not fit in 64 bits.
[[nodiscard]] Result<std::variant<Layout, ComposedLayout>> fromForm(const Swizzled& form);

}  // namespace tessera::cute
