#include "core/notation/convert.h"

#include <fmt/format.h>

#include <bit>

#include "core/layout/arrow_notation.h"
#include "core/map/compose.h"
#include "core/map/recognise.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/from_map.h"
#include "core/notation/cute/notation.h"
#include "core/notation/linear/notation.h"
#include "core/notation/tla/notation.h"
#include "core/notation/translate.h"
#include "core/notation/triton/layout.h"
#include "core/notation/xla/notation.h"
#include "core/notation/xla/translate.h"

namespace tessera {
namespace {

Result<void> wantsOneAddress(const Arrow& arrow, std::string_view what) {
  if (!arrow.map.params().empty()) return Diag{"sizes that are not known have no such form", "known sizes", "", {}};
  if (!arrow.map.guards().empty())
    return Diag{fmt::format("some coordinates are not real here (padding), which {} cannot say", what),
                "a layout without padding",
                "",
                {}};
  if (!arrow.map.fanDigits().empty())
    return Diag{fmt::format("{} is a function: several places of one element cannot be said", what),
                "a layout without replicas",
                "",
                {}};
  if (arrow.map.axes().size() != 1) {
    return Diag{fmt::format("{} gives one number, this one places on {} axes", what, arrow.map.axes().size()),
                "a layout in one memory",
                "",
                {}};
  }
  return {};
}

// The leaves of `count` modes from `first` on, as one mode.
CuteLayout joinedModes(const CuteLayout& layout, int first, int count) {
  std::vector<IntTuple> shapes, strides;
  for (int k = first; k < first + count; ++k) {
    for (const LayoutLeaf& leaf : flatLeaves(layout.mode(k))) {
      if (leaf.extent == 1 && count > 1) continue;
      shapes.emplace_back(leaf.extent);
      strides.push_back(leaf.stride);
    }
  }
  if (shapes.empty()) return layout.mode(first);
  if (shapes.size() == 1) return *CuteLayout::make(shapes[0], strides[0]);
  return *CuteLayout::make(IntTuple::tuple(std::move(shapes)), IntTuple::tuple(std::move(strides)));
}

// CuTe modes, one an Index digit, as the arrow's modes.
Result<CuteLayout> grouped(const CuteLayout& layout, const std::vector<Mode>& modes) {
  std::vector<IntTuple> shapes, strides;
  int at = 0;
  for (const Mode& mode : modes) {
    const int count = modes.size() == 1 ? layout.rank() : static_cast<int>(mode.digits.size());
    const CuteLayout joined = joinedModes(layout, at, count);
    shapes.push_back(joined.shape());
    strides.push_back(joined.stride());
    at += count;
  }
  if (shapes.size() == 1 && shapes[0].isLeaf()) return CuteLayout::make(shapes[0], strides[0]);
  return CuteLayout::make(IntTuple::tuple(std::move(shapes)), IntTuple::tuple(std::move(strides)));
}

// The arrow's formula as CuTe writes it: strides, leaves of cut digits, a swizzle and an offset around them.
Result<Layout> recognised(const Arrow& arrow) {
  TESSERA_CHECKED(wantsOneAddress(arrow, "a CuTe layout"));
  TESSERA_TRY(const auto found, cuteOf(arrow.map));
  if (const auto* plain = std::get_if<CuteLayout>(&found)) {
    TESSERA_TRY(CuteLayout layout, grouped(*plain, arrow.from.modes));
    return Layout(std::move(layout));
  }
  const auto& composed = std::get<ComposedLayout>(found);
  TESSERA_TRY(CuteLayout inner, grouped(composed.inner(), arrow.from.modes));
  TESSERA_TRY(ComposedLayout layout, ComposedLayout::make(composed.outer(), composed.offset(), std::move(inner)));
  return Layout(std::move(layout));
}

// (thread, value) of a distribution over threads.
Result<CuteLayout> threadValueOf(const Layout& layout) {
  TESSERA_TRY(const LinearLayout linear, toLinear(layout));
  return toThreadValue(linear);
}

}  // namespace

Result<CuteLayout> plainCuteOf(const Layout& layout) {
  if (const auto* cute = layout.as<CuteLayout>()) return *cute;
  if (const auto* tla = layout.as<TlaLayout>()) return tla->layout();
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  if (isDistribution(arrow)) return threadValueOf(layout);
  Result<CuteLayout> own = Diag{"", "", "", {}};
  if (const auto* axe = layout.as<AxeLayout>()) own = toCute(*axe, axeShape(*axe));
  if (const XlaShape* array = xlaShapeIn(layout)) own = toCute(*array);
  if (const auto* linear = layout.as<LinearLayout>(); linear != nullptr && !isMemory(arrow)) own = toCute(*linear);
  if (own) return own;
  const Result<Layout> found = recognised(arrow);
  if (const auto* plain = found ? found->as<CuteLayout>() : nullptr) return *plain;
  if (!own.error().message.empty()) return own;
  if (!found) return found.error();
  const std::string text = print(layout), form = print(*found);
  return Diag{text == form ? text + " has a swizzle or an offset of its own"
                           : fmt::format("{} is no plain layout but {}", text, form),
              "strides only",
              "leave the swizzle and the offset away",
              {}};
}

Result<Layout> toCute(const Layout& layout) {
  if (layout.as<CuteLayout>() != nullptr || layout.as<ComposedLayout>() != nullptr) return layout;
  Result<CuteLayout> cute = plainCuteOf(layout);
  if (cute) return Layout(*std::move(cute));
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  if (!isDistribution(arrow)) {
    if (Result<Layout> found = recognised(arrow)) return found;
  }
  return cute.error();
}

Result<AxeLayout> toAxe(const Layout& layout) {
  if (const auto* axe = layout.as<AxeLayout>()) return *axe;
  if (layout.as<AxeComposed>() != nullptr || layout.as<ComposedLayout>() != nullptr) {
    const Result<CuteLayout> plain = plainCuteOf(layout);
    if (!plain) return Diag{"a swizzle has no Axe form: D, R and O only add", "the tile without its swizzle", "", {}};
  }
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  const bool padded = arrow.map.axes().size() == 1 && arrow.map.axes()[0].name == "address";
  if ((layout.as<LinearLayout>() || layout.as<TritonLayout>()) && !padded) {
    TESSERA_TRY(const LinearLayout linear, toLinear(layout));
    TESSERA_TRY(const Arrow written, writtenArrow(linear));
    if (written.to.kind != SpaceKind::Elements) return toAxe(Layout(arrow));
    TESSERA_TRY(const AxeLayout axe, toAxe(linear));
    std::vector<i64> shape;
    for (const LinearOut& out : linear.outs()) shape.push_back(out.size);
    return shape.empty() ? axe : axe.over(std::move(shape));
  }
  TESSERA_TRY(const CuteLayout cute, plainCuteOf(layout));
  TESSERA_TRY(const AxeLayout axe, toAxe(cute));
  TESSERA_TRY(std::vector<i64> shape, axeShapeOf(cute));
  return axe.over(std::move(shape));
}

Result<LinearLayout> toLinear(const Layout& layout) {
  if (const auto* linear = layout.as<LinearLayout>()) return *linear;
  if (const auto* triton = layout.as<TritonLayout>()) return toLinear(*triton);
  if (const auto* axe = layout.as<AxeLayout>()) return toLinear(*axe, axeShape(*axe));
  if (const auto* cute = layout.as<CuteLayout>()) return toLinear(*cute);
  if (const auto* tla = layout.as<TlaLayout>()) return toLinear(tla->layout());
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  TESSERA_CHECKED(wantsOneAddress(arrow, "a linear layout"));
  TESSERA_TRY(const F2Form form, asF2(arrow.map));
  if (form.constant != 0)
    return Diag{fmt::format("a linear layout maps 0 to 0, this one to {}", form.constant),
                "a layout without an offset",
                "",
                {}};
  std::vector<LinearIn> ins;
  std::size_t column = 0;
  for (const Mode& mode : arrow.from.modes) {
    LinearIn in{
        mode.name.empty() || mode.name[0] == 'i' || mode.name[0] == 'd' ? fmt::format("dim{}", ins.size()) : mode.name,
        {}};
    for (i64 bits = std::countr_zero(static_cast<u64>(mode.extent())); bits > 0; --bits)
      in.bases.push_back({static_cast<i64>(form.matrix.columns[column++])});
    ins.push_back(std::move(in));
  }
  const int rows = form.axisBits.empty() ? 0 : form.axisBits[0];
  return LinearLayout::create(std::move(ins), {{"offset", i64{1} << rows}});
}

}  // namespace tessera
