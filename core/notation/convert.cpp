#include "core/notation/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/layout/hardware.h"
#include "core/map/compose.h"
#include "core/map/forms/recognise.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/notation.h"
#include "core/notation/graphene/notation.h"
#include "core/notation/inverse.h"
#include "core/notation/linear/notation.h"
#include "core/notation/tla/notation.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/notation.h"

namespace tessera {
namespace {

// (thread, value) -> index in a tile concatenates columns, so their length must be known from a shape.
Result<void> wantsTile(const Arrow& arrow) {
  const auto longer = [](const Mode& mode) { return mode.extent() > 1; };
  if (arrow.from.shaped || std::ranges::count_if(arrow.from.modes, longer) < 2) return {};
  return Diag{"reading this as (thread, value) -> index of the tile needs the tile's shape", "X over (16,8)"};
}

Result<void> wantsOneAddress(const Arrow& arrow, std::string_view what) {
  if (!arrow.map.params().empty()) return Diag{"a layout of unknown sizes has no such form", "known sizes"};
  TESSERA_CHECKED(wantsCoordinatesFromZero(arrow, what));
  if (!arrow.map.guards().empty())
    return Diag{fmt::format("some coordinates are padding, which {} cannot express", what), "a layout without padding"};
  if (!arrow.map.fanDigits().empty())
    return Diag{fmt::format("{} is a function, so it cannot give an element several places", what),
                "a layout without replicas"};
  if (arrow.map.axes().size() != 1)
    return Diag{fmt::format("{} gives one number, but this layout has {} axes", what, arrow.map.axes().size()),
                "a layout in one memory"};
  return {};
}

// The leaves of `count` modes from `first` on, as one mode.
cute::Layout joinedModes(const cute::Layout& layout, int first, int count) {
  std::vector<cute::LayoutLeaf> leaves;
  for (int k = first; k < first + count; ++k) {
    for (const cute::LayoutLeaf& leaf : flatLeaves(layout.mode(k)))
      if (leaf.extent > 1 || count == 1) leaves.push_back(leaf);
  }
  return leaves.empty() ? layout.mode(first) : *ofLeaves(leaves, false);
}

// Groups CuTe modes, one per Index digit, into the arrow's modes.
Result<cute::Layout> grouped(const cute::Layout& layout, const std::vector<Mode>& modes) {
  std::vector<cute::Layout> joined;
  int at = 0;
  for (const Mode& mode : modes) {
    const int count = modes.size() == 1 ? layout.rank() : static_cast<int>(mode.digits.size());
    joined.push_back(joinedModes(layout, at, count));
    at += count;
  }
  return cute::joined(joined);
}

// The leaves of a mode may cut it elsewhere than its digits: (2,3) as a mode of 6 = 3 * 2.
std::optional<Layout> byWholeModes(const Arrow& arrow) {
  if (!isNested(arrow)) return std::nullopt;
  const auto table = valueTable(arrow);
  if (!table) return std::nullopt;
  const TableForms forms = formsOfTable(*table);
  if (forms.forms.empty()) return std::nullopt;
  auto layout = layoutOfForm(forms.forms.front());
  return layout ? std::optional(*std::move(layout)) : std::nullopt;
}

// The arrow's formula as a CuTe layout: strides and leaves of split digits, inside a swizzle and an offset if needed.
Result<Layout> recognised(const Arrow& arrow) {
  TESSERA_CHECKED(wantsOneAddress(arrow, "a CuTe layout"));
  const auto byDigits = cute::fromMap(arrow.map);
  if (!byDigits) {
    if (auto whole = byWholeModes(arrow)) return *std::move(whole);
    return byDigits.error();
  }
  const auto& found = *byDigits;
  if (const auto* plain = std::get_if<cute::Layout>(&found)) {
    TESSERA_TRY(cute::Layout layout, grouped(*plain, arrow.from.modes));
    return Layout(std::move(layout));
  }
  const auto& composed = std::get<cute::ComposedLayout>(found);
  TESSERA_TRY(cute::Layout inner, grouped(composed.inner(), arrow.from.modes));
  TESSERA_TRY(cute::ComposedLayout layout,
              cute::ComposedLayout::make(composed.outer(), composed.offset(), std::move(inner)));
  return Layout(std::move(layout));
}

// (thread, value) of a distribution over threads.
Result<cute::Layout> threadValueOf(const Layout& layout) {
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  TESSERA_CHECKED(wantsTile(arrow));
  TESSERA_TRY(const linear::Layout linear, toLinear(layout));
  return toThreadValue(linear);
}

}  // namespace

Result<void> wantsCoordinatesFromZero(const Arrow& arrow, std::string_view what) {
  for (const Mode& mode : arrow.from.modes) {
    if (mode.lo == 0) continue;
    return Diag{fmt::format("{} starts at {}, but a coordinate of {} starts at 0",
                            mode.name.empty() ? "a coordinate" : mode.name, mode.lo, what),
                "coordinates that start at 0"};
  }
  return {};
}

Result<cute::Layout> plainCuteOf(const Layout& layout) {
  if (const auto* cute = layout.as<cute::Layout>()) return *cute;
  if (const auto* tla = layout.as<tla::Layout>()) return tla->layout();
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  if (isDistribution(arrow)) return threadValueOf(layout);
  Result<cute::Layout> own = Diag{""};
  if (const auto* axe = layout.as<axe::Layout>()) own = toCute(*axe, axe::naturalShape(*axe));
  if (const xla::Shape* array = xla::shapeIn(layout)) own = toCute(*array);
  if (const auto* linear = layout.as<linear::Layout>(); linear != nullptr && !isMemory(arrow)) own = toCute(*linear);
  if (own) return own;
  const Result<Layout> found = recognised(arrow);
  if (const auto* plain = found ? found->as<cute::Layout>() : nullptr) return *plain;
  if (!own.error().message.empty()) return own;
  if (!found) return found.error();
  const std::string text = print(layout), form = print(*found);
  return Diag{
      text == form ? text + " has a swizzle or an offset" : fmt::format("{} is not a plain layout but {}", text, form),
      "strides only", "remove the swizzle and the offset"};
}

Result<Layout> toCute(const Layout& layout) {
  if (layout.as<cute::Layout>() != nullptr || layout.as<cute::ComposedLayout>() != nullptr) return layout;
  Result<cute::Layout> cute = plainCuteOf(layout);
  if (cute) return Layout(*std::move(cute));
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  if (!isDistribution(arrow))
    if (Result<Layout> found = recognised(arrow)) return found;
  return cute.error();
}

Result<cute::Tensor> tensorOf(const Layout& layout) {
  TESSERA_TRY(const Layout cute, toCute(layout));
  if (const auto* composed = cute.as<cute::ComposedLayout>()) return cute::tensorOf(*composed);
  if (const auto* plain = cute.as<cute::Layout>()) return cute::tensorOf(*plain);
  return Diag{fmt::format("{} is not a tensor", layout.noun()), "a layout, shape:stride"};
}

namespace {

// A o offset o L with a plain L and a known offset.
std::optional<cute::ComposedLayout> composedCuteOf(const Layout& layout) {
  const Result<Layout> cute = toCute(layout);
  const auto* composed = cute ? cute->as<cute::ComposedLayout>() : nullptr;
  if (composed == nullptr || !composed->inner().isPlain() || !composed->elementOffset().ok()) return std::nullopt;
  return *composed;
}

}  // namespace

std::optional<cute::ComposedLayout> swizzledCuteOf(const Layout& layout) {
  auto composed = composedCuteOf(layout);
  if (composed && (composed->swizzle() == nullptr || *composed->elementOffset() != 0)) composed.reset();
  return composed;
}

Result<axe::Layout> toAxe(const Layout& layout) {
  if (const auto* axe = layout.as<axe::Layout>()) return *axe;
  if (const auto* tensor = layout.as<graphene::Tensor>(); tensor != nullptr && tensor->threads) return toAxe(*tensor);
  if (layout.as<axe::Composed>() != nullptr || layout.as<cute::ComposedLayout>() != nullptr) {
    const Result<cute::Layout> plain = plainCuteOf(layout);
    // Sw<0,4,3> o 8 o (8,8):(8,1), which swaps no bits, is the plain layout shifted by 8.
    if (const auto shifted = plain ? std::nullopt : composedCuteOf(layout);
        shifted && shifted->outerLayout() == nullptr && shifted->elementSwizzle().isIdentity()) {
      const cute::Layout& inner = shifted->inner();
      TESSERA_TRY(const axe::Layout axe, toAxe(inner));
      TESSERA_TRY(std::vector<i64> shape, axeShapeOf(inner));
      return axe::Layout::create(axe.shard(), axe.replica(), {{hardwareAxis("offset"), *shifted->elementOffset()}},
                                 std::move(shape));
    }
    if (!plain) return Diag{"a swizzle has no Axe form: D, R and O only add values", "the tile without its swizzle"};
  }
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  const bool padded = arrow.map.axes().size() == 1 && arrow.map.axes()[0].name == "address";
  const auto* triton = layout.as<triton::Layout>();
  const bool bases = triton != nullptr && !isView(*triton) && toLinear(*triton).ok();
  if ((layout.as<linear::Layout>() || bases) && !padded) {
    TESSERA_TRY(const linear::Layout linear, toLinear(layout));
    TESSERA_TRY(const Arrow written, writtenArrow(linear));
    if (written.to.kind != SpaceKind::Elements) return toAxe(Layout(arrow));
    TESSERA_TRY(const axe::Layout axe, toAxe(linear));
    std::vector<i64> shape = mapped<i64>(linear.outs(), &linear::Out::size);
    return shape.empty() ? axe : axe.over(std::move(shape));
  }
  const Result<cute::Layout> cute = plainCuteOf(layout);
  if (!cute) {  // a swizzle or an offset
    const auto composed = composedCuteOf(layout);
    return composed ? toAxe(Layout(*composed)) : Result<axe::Layout>(cute.error());
  }
  TESSERA_TRY(const axe::Layout axe, toAxe(*cute));
  TESSERA_TRY(std::vector<i64> shape, axeShapeOf(*cute));
  return axe.over(std::move(shape));
}

namespace {

// The bits of a function that no formula shows to be linear, from its table. Only the images of the powers of two can
// be the bases, so the first coordinate at which their xor is wrong proves that there are none.
Result<linear::Layout> linearByTable(const Arrow& arrow, const Diag& otherwise) {
  TESSERA_TRY(const Arrow whole, withWholeModes(arrow));
  const auto table = valueTable(whole.map);
  if (!table) return otherwise;
  std::vector<linear::In> ins;
  std::vector<u64> bases;
  for (const Mode& mode : whole.from.modes) {
    if (!isPowerOfTwo(mode.extent())) return otherwise;
    linear::In in{arrow.from.kind == SpaceKind::Hardware ? mode.name : fmt::format("dim{}", ins.size()), {}};
    for (i64 b = 1; b < mode.extent(); b *= 2) {
      bases.push_back(static_cast<u64>(table->values[std::size_t{1} << bases.size()]));
      in.bases.push_back({static_cast<i64>(bases.back())});
    }
    ins.push_back(std::move(in));
  }
  // From n - 1 to n, the bits up to the lowest 1 of n change.
  std::vector<u64> upTo;
  for (const u64 basis : bases) upTo.push_back(basis ^ (upTo.empty() ? 0 : upTo.back()));
  u64 word = 0, all = 0;
  for (std::size_t n = 0; n < table->values.size(); ++n) {
    if (n > 0) word ^= upTo[static_cast<std::size_t>(std::countr_zero(n))];
    const i64 value = table->values[n];
    all |= static_cast<u64>(value);
    if (value < 0 || static_cast<u64>(value) != word) {
      const std::vector<i64> at = delinearize(static_cast<i64>(n), table->extents, LinearOrder::Colex);
      return Diag{
          fmt::format("it is not linear over bits: its bases, the values at the powers of two, give {} at ({}), "
                      "but the value is {}",
                      word, fmt::join(at, ","), value),
          "a layout without carries and without an offset"};
    }
  }
  return linear::Layout::create(std::move(ins), {{"offset", i64{1} << std::bit_width(all)}});
}

}  // namespace

Result<linear::Layout> toLinear(const Layout& layout) {
  if (const auto* linear = layout.as<linear::Layout>()) return *linear;
  if (const auto* triton = layout.as<triton::Layout>()) return toLinear(*triton);
  if (const auto* axe = layout.as<axe::Layout>()) return toLinear(*axe, axe::naturalShape(*axe));
  if (const auto* cute = layout.as<cute::Layout>()) return toLinear(*cute);
  if (const auto* tla = layout.as<tla::Layout>()) return toLinear(tla->layout());
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  TESSERA_CHECKED(wantsOneAddress(arrow, "a linear layout"));
  const Result<F2Form> found = asF2(arrow.map);
  if (!found) return linearByTable(arrow, found.error());
  const F2Form& form = *found;
  if (form.constant != 0)
    return Diag{fmt::format("a linear layout maps 0 to 0, but this one maps it to {}", form.constant),
                "a layout without an offset"};
  std::vector<linear::In> ins;
  std::size_t column = 0;
  for (const Mode& mode : arrow.from.modes) {
    // A formula's variable names are not inputs: row and col would be mistaken for those of tensor memory.
    linear::In in{arrow.from.kind == SpaceKind::Hardware ? mode.name : fmt::format("dim{}", ins.size()), {}};
    for (i64 bits = std::countr_zero(static_cast<u64>(mode.extent())); bits > 0; --bits)
      in.bases.push_back({static_cast<i64>(form.matrix.columns[column++])});
    ins.push_back(std::move(in));
  }
  const int rows = form.axisBits.empty() ? 0 : form.axisBits[0];
  return linear::Layout::create(std::move(ins), {{"offset", i64{1} << rows}});
}

}  // namespace tessera
