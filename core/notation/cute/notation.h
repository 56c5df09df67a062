// The CuTe family as notations: layouts, composed layouts and tensors, swizzles.
//
//     (4,8):(8,1)              Elements(4,8), colex -> Memory; read as (thread, value) if the other side is hardware
//     (4,5):(1@1,1@0)          Elements -> Coordinates
//     Sw<3,3,3> o smem_ptr[16b](unset) o ...   Elements -> Memory of 16-bit elements
//     Sw<3,4,3>                no arrow: it has no extent
#pragma once

#include "core/layout/layout.h"
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

}  // namespace tessera::cute
