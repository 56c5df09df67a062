// Application and composition of values: what L(c) and f o g mean for each kind.
#include <fmt/format.h>

#include "core/map/compose.h"
#include "core/notation/axe/eval.h"
#include "core/notation/xla/address.h"
#include "core/notation/xla/translate.h"
#include "core/worksheet/functions/algebra_calls.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {
namespace {

Result<Value> indexed(Result<IntTuple> index) {
  if (!index) return index.error();
  return normalised(*std::move(index));
}

Result<Value> applySwizzle(const Swizzle& swizzle, const IntTuple& coord) {
  const IntTuple x = unwrapped(coord);
  if (!x.isKnown() || !x.basis().empty()) {
    return Diag{fmt::format("a swizzle takes one integer, not {}", print(coord)), "Sw<3,4,3>(16)", "", {}};
  }
  return Value(swizzle(x.value()));
}

// One coordinate for each Index digit, or one linear index (colexicographic, as everywhere in CuTe).
Result<Value> applyMap(const Map& map, const IntTuple& coord) {
  if (!map.params().empty())
    return Diag{"this map has parameters; it has no values without theirs", "a map without parameters", "", {}};
  const std::vector<int> digits = map.indexDigits();
  std::vector<i64> extents, point;
  for (const int d : digits) extents.push_back(map.digits()[static_cast<std::size_t>(d)].extent);
  for (const IntTuple& leaf : coord.leaves()) {
    if (!leaf.isKnown() || !leaf.basis().empty())
      return Diag{fmt::format("{} is no point", print(coord)), "integers", "", {}};
    point.push_back(leaf.value());
  }
  if (point.size() == 1 && digits.size() != 1) {
    const auto size = map.size();
    if (point[0] < 0 || (size && point[0] >= *size)) {
      return Diag{fmt::format("{} is outside this map's {} points", point[0], size ? std::to_string(*size) : "2^63"),
                  "an index inside",
                  "",
                  {}};
    }
    point = delinearize(point[0], extents, LinearOrder::Colex);
    for (std::size_t k = 0; k < point.size(); ++k) point[k] += map.digits()[static_cast<std::size_t>(digits[k])].lo;
  }
  if (point.size() != digits.size()) {
    return Diag{fmt::format("the map has {} digits, the point {}", digits.size(), point.size()),
                "one integer for each digit",
                "",
                {}};
  }
  for (std::size_t k = 0; k < point.size(); ++k) {
    const Digit& d = map.digits()[static_cast<std::size_t>(digits[k])];
    if (point[k] < d.lo || point[k] > d.lo + (d.extent - 1)) {
      const std::string range =
          d.lo == 0 ? fmt::format("[0, {})", d.extent) : fmt::format("[{}, {}]", d.lo, d.lo + (d.extent - 1));
      return Diag{fmt::format("{} is outside {}, the range of {}", point[k], range, d.name), "a point inside", "", {}};
    }
    point[k] -= d.lo;
  }
  i64 fans = 1;
  for (const int d : map.fanDigits()) {
    const i64 extent = map.digits()[static_cast<std::size_t>(d)].extent;
    if (extent > 4096 / fans) return Diag{"this point has more than 4096 values", "a map with fewer replicas", "", {}};
    fans *= extent;
  }
  std::vector<IntTuple> images;
  for (const std::vector<i64>& image : map.imageOf(point)) {
    std::vector<IntTuple> values(image.begin(), image.end());
    images.push_back(values.size() == 1 ? values.front() : IntTuple::tuple(std::move(values)));
  }
  if (images.empty())
    return Diag{fmt::format("{} is outside the map's constraints", print(coord)), "a point inside", "", {}};
  return normalised(images.size() == 1 ? images.front() : IntTuple::tuple(std::move(images)));
}

// X((2,9)): the places of this element.
Result<Value> applyAxe(const AxeLayout& layout, const IntTuple& coord) {
  std::vector<i64> point;
  for (const IntTuple& leaf : coord.leaves()) {
    if (!leaf.isKnown() || !leaf.basis().empty())
      return Diag{fmt::format("{} is no point", print(coord)), "integers", "", {}};
    point.push_back(leaf.value());
  }
  const std::vector<i64> domain = layout.domain();
  if (point.size() == 1 && domain.size() != 1) {
    TESSERA_TRY(std::vector<AxePlace> places, forward(layout.withoutShape(), point));
    return Value(AxePlaces{std::move(places)});
  }
  TESSERA_TRY(std::vector<AxePlace> places, forward(layout, point));
  return Value(AxePlaces{std::move(places)});
}

// P((2,3)): the slot of an element; P(7) counts the elements row-major.
Result<Value> applyXla(const XlaShape& shape, const IntTuple& coord) {
  TESSERA_TRY(const XlaAddressing addressing, XlaAddressing::create(shape));
  std::vector<i64> point;
  for (const IntTuple& leaf : coord.leaves()) {
    if (!leaf.isKnown() || !leaf.basis().empty())
      return Diag{fmt::format("{} is no point", print(coord)), "integers", "", {}};
    point.push_back(leaf.value());
  }
  if (point.size() == 1 && shape.rank() > 1) {
    if (point[0] < 0 || point[0] >= addressing.elements()) {
      return Diag{
          fmt::format("{} is outside [0, {}), the elements of {}", point[0], addressing.elements(), print(shape)),
          "an element",
          "",
          {}};
    }
    point = delinearize(point[0], shape.sizes(), LinearOrder::Lex);
  }
  TESSERA_TRY(const i64 slot, addressing.locate(point));
  return Value(slot);
}

}  // namespace

Result<Value> applyValue(const Value& function, const IntTuple& coord) {
  if (const XlaShape* array = xlaShapeIn(function); array != nullptr && coord.hasWildcard()) {
    TESSERA_TRY(const CuteLayout layout, toCute(*array));
    return sliceValue(Value(layout), coord);
  }
  if (coord.hasWildcard()) return sliceValue(function, coord);
  if (const auto* layout = std::get_if<CuteLayout>(&function)) return indexed(layout->crd2idx(coord));
  if (const auto* composed = std::get_if<ComposedLayout>(&function)) return indexed(composed->crd2idx(coord));
  if (const auto* tla = std::get_if<TlaLayout>(&function)) return indexed(tla->layout().crd2idx(coord));
  if (const auto* swizzle = std::get_if<Swizzle>(&function)) return applySwizzle(*swizzle, coord);
  if (const auto* map = std::get_if<Map>(&function)) return applyMap(*map, coord);
  if (const auto* axe = std::get_if<AxeLayout>(&function)) return applyAxe(*axe, coord);
  if (const auto* indexing = std::get_if<IndexingMap>(&function)) {
    TESSERA_TRY(const Map map, toMap(*indexing));
    return applyMap(map, coord);
  }
  if (const XlaShape* shape = xlaShapeIn(function)) return applyXla(*shape, coord);
  if (std::holds_alternative<AxeComposed>(function) || std::holds_alternative<LinearLayout>(function) ||
      std::holds_alternative<TritonLayout>(function)) {
    TESSERA_TRY(const Map map, toMap(function));
    return applyMap(map, coord);
  }
  return Diag{fmt::format("{} is no function, it cannot be applied to {}", nounOf(function), print(coord)),
              "a layout, a swizzle or a map before the parenthesis",
              "",
              {}};
}

Result<Value> composeValues(const Value& outer, const Value& inner) {
  const auto isMap = [](const Value& v) {
    return std::holds_alternative<Map>(v) || std::holds_alternative<IndexingMap>(v);
  };
  if (isMap(outer) || isMap(inner)) {
    TESSERA_TRY(const Map first, toMap(inner));
    TESSERA_TRY(const Map second, toMap(outer));
    TESSERA_TRY(Map both, then(first, second));
    return Value(std::move(both));
  }
  for (const Value* side : {&outer, &inner}) {  // an array is its CuTe layout
    const XlaShape* array = xlaShapeIn(*side);
    if (array == nullptr) continue;
    TESSERA_TRY(CuteLayout layout, toCute(*array));
    return side == &outer ? composeValues(Value(std::move(layout)), inner)
                          : composeValues(outer, Value(std::move(layout)));
  }
  if (const auto* a = std::get_if<Swizzle>(&outer)) {
    if (const auto* axe = std::get_if<AxeLayout>(&inner)) {  // Sw<B,M,S>: a negative S moves bits up, TVM's outer form
      TESSERA_TRY(const AxeSwizzle swizzle,
                  AxeSwizzle::create(a->base(), a->bits(), std::abs(a->shift()), a->shift() >= 0));
      TESSERA_TRY(AxeComposed composed, AxeComposed::create(swizzle, *axe));
      return Value(std::move(composed));
    }
    if (const auto* b = std::get_if<Swizzle>(&inner)) {
      TESSERA_TRY(const Swizzle both, compose(*a, *b));
      return Value(both);
    }
    if (const auto* composed = std::get_if<ComposedLayout>(&inner)) {
      if (composed->swizzle() != nullptr && composed->engine() == Engine{}) {
        TESSERA_TRY(const Swizzle both, compose(*a, *composed->swizzle()));
        TESSERA_TRY(ComposedLayout layout, ComposedLayout::make(both, composed->offset(), composed->inner()));
        return Value(std::move(layout));
      }
    }
    return composeWithOffset(outer, Value(i64{0}), inner);
  }
  return compositionOf(outer, inner);
}

Result<Value> composeWithOffset(const Value& outer, const Value& offset, const Value& inner) {
  std::optional<CuteLayout> layout;
  if (const auto* plain = std::get_if<CuteLayout>(&inner)) layout = *plain;
  if (const auto* tla = std::get_if<TlaLayout>(&inner)) layout = tla->layout();
  if (!layout) {
    return Diag{fmt::format("{} cannot stand at the end of a composed layout", nounOf(inner)),
                "S o offset o L with a layout L",
                "",
                {}};
  }
  const IntTuple shift =
      std::holds_alternative<i64>(offset) ? IntTuple(std::get<i64>(offset)) : std::get<IntTuple>(offset);
  if (const auto* swizzle = std::get_if<Swizzle>(&outer)) {
    TESSERA_TRY(ComposedLayout made, ComposedLayout::make(*swizzle, shift, *std::move(layout)));
    return Value(std::move(made));
  }
  if (const auto* plain = std::get_if<CuteLayout>(&outer)) {
    TESSERA_TRY(ComposedLayout made, ComposedLayout::make(*plain, shift, *std::move(layout)));
    return Value(std::move(made));
  }
  return Diag{fmt::format("{} cannot stand before an offset", nounOf(outer)),
              "S o offset o L with a swizzle or a layout S",
              "",
              {}};
}

}  // namespace tessera
