// Application and composition of values: L(c) and f o g for each kind.
#include <fmt/format.h>

#include "core/map/compose.h"
#include "core/notation/axe/eval.h"
#include "core/notation/convert.h"
#include "core/worksheet/functions/algebra_calls.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {
namespace {

Result<Value> indexed(Result<cute::IntTuple> index) {
  if (!index) return index.error();
  return normalised(*std::move(index));
}

Result<Value> applySwizzle(const cute::Swizzle& swizzle, const cute::IntTuple& coord) {
  const cute::IntTuple x = unwrapped(coord);
  if (!x.isKnown() || !x.basis().empty()) {
    return Diag{fmt::format("a swizzle takes one integer, not {}", print(coord)), "Sw<3,4,3>(16)", "", {}};
  }
  return Value(swizzle(x.value()));
}

Diag outside(i64 value, i64 lo, i64 extent, const std::string& of) {
  const std::string range = lo == 0 ? fmt::format("[0, {})", extent) : fmt::format("[{}, {}]", lo, lo + (extent - 1));
  return Diag{fmt::format("{} is outside {}, the range of {}", value, range, of), "a point inside", "", {}};
}

// The coordinate as one number per mode. Accepts one number per mode, one per digit, or one linear index in the
// layout's own order.
Result<std::vector<i64>> digitsFor(const Arrow& arrow, const cute::IntTuple& coord) {
  const std::vector<Mode>& modes = arrow.from.modes;
  std::vector<i64> point;
  for (const cute::IntTuple& leaf : coord.leaves()) {
    if (!leaf.isKnown() || !leaf.basis().empty())
      return Diag{fmt::format("{} is no point", print(coord)), "integers", "", {}};
    point.push_back(leaf.value());
  }
  if (point.size() == 1 && modes.size() != 1) {
    const auto size = sizeOf(arrow);
    if (point[0] < 0 || (size && point[0] >= *size)) {
      return Diag{fmt::format("{} is outside the {} points of {}", point[0], size ? std::to_string(*size) : "2^63",
                              print(arrow)),
                  "an index inside",
                  "",
                  {}};
    }
    point = delinearize(point[0], extentsOf(arrow.from), arrow.from.order);
    for (std::size_t k = 0; k < point.size(); ++k) point[k] += modes[k].lo;
  }
  const std::vector<int> index = arrow.map.indexDigits();
  if (point.size() == index.size() && point.size() != modes.size()) {  // one number per leaf
    std::vector<i64> digits(arrow.map.digits().size(), 0);
    for (std::size_t k = 0; k < index.size(); ++k) {
      const Digit& d = arrow.map.digits()[static_cast<std::size_t>(index[k])];
      if (point[k] < 0 || point[k] >= d.extent) return outside(point[k], 0, d.extent, d.name);
      digits[static_cast<std::size_t>(index[k])] = point[k];
    }
    return digits;
  }
  if (point.size() != modes.size()) {
    return Diag{fmt::format("the layout has {} dimension{}, the point {}", modes.size(), modes.size() == 1 ? "" : "s",
                            point.size()),
                "one integer for each dimension",
                "",
                {}};
  }
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (point[k] < modes[k].lo || point[k] - modes[k].lo >= modes[k].extent())
      return outside(point[k], modes[k].lo, modes[k].extent(),
                     modes[k].name.empty() ? fmt::format("dimension {}", k) : modes[k].name);
  }
  return digitsAt(arrow, point);
}

// Every value at the coordinate: a number for one axis, a tuple for several; a list of them if there are replicas.
Result<Value> applyArrow(const Arrow& arrow, const cute::IntTuple& coord) {
  if (!arrow.map.params().empty())
    return Diag{"this map has parameters; it has no values without theirs", "a map without parameters", "", {}};
  TESSERA_TRY(const std::vector<i64> digits, digitsFor(arrow, coord));
  i64 fans = 1;
  for (const int d : arrow.map.fanDigits()) {
    const i64 extent = arrow.map.digits()[static_cast<std::size_t>(d)].extent;
    if (extent > 4096 / fans) return Diag{"this point has more than 4096 values", "a map with fewer replicas", "", {}};
    fans *= extent;
  }
  std::vector<i64> point;
  for (const int d : arrow.map.indexDigits()) point.push_back(digits[static_cast<std::size_t>(d)]);
  std::vector<cute::IntTuple> images;
  for (const std::vector<i64>& image : arrow.map.imageOf(point)) {
    std::vector<cute::IntTuple> values(image.begin(), image.end());
    images.push_back(values.size() == 1 ? values.front() : cute::IntTuple::tuple(std::move(values)));
  }
  if (images.empty())
    return Diag{fmt::format("{} is outside the map's constraints", print(coord)), "a point inside", "", {}};
  return normalised(images.size() == 1 ? images.front() : cute::IntTuple::tuple(std::move(images)));
}

// X((2,9)): the places of this element.
Result<Value> applyAxe(const axe::Layout& layout, const cute::IntTuple& coord) {
  std::vector<i64> point;
  for (const cute::IntTuple& leaf : coord.leaves()) {
    if (!leaf.isKnown() || !leaf.basis().empty())
      return Diag{fmt::format("{} is no point", print(coord)), "integers", "", {}};
    point.push_back(leaf.value());
  }
  if (point.size() == 1) {
    TESSERA_TRY(std::vector<axe::Place> places, forward(layout.withoutShape(), point));
    return Value(axe::Places{std::move(places)});
  }
  TESSERA_TRY(std::vector<axe::Place> places, forward(layout.withoutShape(), axe::naturalShape(layout), point));
  return Value(axe::Places{std::move(places)});
}

}  // namespace

Result<Value> applyValue(const Value& function, const cute::IntTuple& coord) {
  if (coord.hasWildcard()) return sliceValue(function, coord);
  if (const auto* layout = as<cute::Layout>(function)) return indexed(layout->crd2idx(coord));
  if (const auto* composed = as<cute::ComposedLayout>(function)) return indexed(composed->crd2idx(coord));
  if (const auto* tla = as<tla::Layout>(function)) return indexed(tla->layout().crd2idx(coord));
  if (const auto* swizzle = as<cute::Swizzle>(function)) return applySwizzle(*swizzle, coord);
  const auto* layout = std::get_if<Layout>(&function);
  if (layout == nullptr) {
    return Diag{fmt::format("{} is no function, it cannot be applied to {}", nounOf(function), print(coord)),
                "a layout, a swizzle or a map before the parenthesis",
                "",
                {}};
  }
  TESSERA_TRY(const Arrow arrow, layout->arrow());
  if (const auto* axe = as<axe::Layout>(function); axe != nullptr && arrow.to.kind != SpaceKind::Memory)
    return applyAxe(*axe, coord);  // places by name
  return applyArrow(arrow, coord);
}

Result<Value> composeValues(const Value& outer, const Value& inner) {
  const auto isMap = [](const Value& v) { return is<Arrow>(v) || is<indexing::IndexingMap>(v); };
  if (isMap(outer) || isMap(inner)) {
    TESSERA_TRY(const Arrow first, arrowOf(inner));
    TESSERA_TRY(const Arrow second, arrowOf(outer));
    Arrow both = first;
    TESSERA_TRY(both.map, then(first.map, second.map));
    both.to = second.to;
    return Value(Layout(std::move(both)));
  }
  // A layout of another notation is its CuTe layout; S o X of an Axe tile stays an Axe layout.
  const auto isCute = [](const Value& v) {
    return is<cute::Layout>(v) || is<cute::ComposedLayout>(v) || is<tla::Layout>(v) || is<cute::Swizzle>(v);
  };
  for (const Value* side : {&outer, &inner}) {
    const auto* layout = std::get_if<Layout>(side);
    if (layout == nullptr || isCute(*side) || (side == &inner && is<axe::Layout>(inner) && is<cute::Swizzle>(outer)))
      continue;
    TESSERA_TRY(Layout cute, toCute(*layout));
    return side == &outer ? composeValues(Value(std::move(cute)), inner) : composeValues(outer, Value(std::move(cute)));
  }
  if (const auto* a = as<cute::Swizzle>(outer)) {
    if (a->onBytes() && is<axe::Layout>(inner)) {
      return Diag{fmt::format("{} acts on bytes, and this layout counts elements", print(*a)),
                  "the element type",
                  fmt::format("({} over f16) o {}", print(*a), print(inner)),
                  {}};
    }
    if (const auto* axe = as<axe::Layout>(inner)) {  // Sw<B,M,S>: a negative S moves bits up, TVM's outer form
      TESSERA_TRY(const axe::Swizzle swizzle,
                  axe::Swizzle::create(a->base(), a->bits(), std::abs(a->shift()), a->shift() >= 0));
      TESSERA_TRY(axe::Composed composed, axe::Composed::create(swizzle, *axe));
      return Value(std::move(composed));
    }
    if (const auto* b = as<cute::Swizzle>(inner)) {
      TESSERA_TRY(const cute::Swizzle both, compose(*a, *b));
      return Value(both);
    }
    if (const auto* composed = as<cute::ComposedLayout>(inner)) {
      if (composed->swizzle() != nullptr && composed->engine() == cute::Engine{}) {
        TESSERA_TRY(const cute::Swizzle both, compose(*a, *composed->swizzle()));
        TESSERA_TRY(cute::ComposedLayout layout,
                    cute::ComposedLayout::make(both, composed->offset(), composed->inner()));
        return Value(std::move(layout));
      }
    }
    return composeWithOffset(outer, Value(i64{0}), inner);
  }
  return compositionOf(outer, inner);
}

Result<Value> composeWithOffset(const Value& outer, const Value& offset, const Value& inner) {
  std::optional<cute::Layout> layout;
  if (const auto* plain = as<cute::Layout>(inner)) layout = *plain;
  if (const auto* tla = as<tla::Layout>(inner)) layout = tla->layout();
  if (!layout) {
    return Diag{fmt::format("{} cannot be at the end of a composed layout", nounOf(inner)),
                "S o offset o L with a layout L",
                "",
                {}};
  }
  const cute::IntTuple shift =
      std::holds_alternative<i64>(offset) ? cute::IntTuple(std::get<i64>(offset)) : std::get<cute::IntTuple>(offset);
  if (const auto* swizzle = as<cute::Swizzle>(outer)) {
    TESSERA_TRY(cute::ComposedLayout made, cute::ComposedLayout::make(*swizzle, shift, *std::move(layout)));
    return Value(std::move(made));
  }
  if (const auto* plain = as<cute::Layout>(outer)) {
    TESSERA_TRY(cute::ComposedLayout made, cute::ComposedLayout::make(*plain, shift, *std::move(layout)));
    return Value(std::move(made));
  }
  return Diag{fmt::format("{} cannot come before an offset", nounOf(outer)),
              "S o offset o L with a swizzle or a layout S",
              "",
              {}};
}

}  // namespace tessera
