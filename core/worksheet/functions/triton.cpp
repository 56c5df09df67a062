// Triton's layouts, linear layouts, and translation between notations.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "core/base/arith.h"
#include "core/notation/convert.h"
#include "core/notation/inverse.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/notation.h"
#include "core/worksheet/functions/calls.h"

namespace tessera {

Result<linear::Layout> linearOf(const Call& c, std::size_t k) {
  if (const Layout* layout = heldLayout(c[k])) return c.at(k, toLinear(*layout));
  return c.at(k, Diag{fmt::format("{} is not a linear layout", nounOf(c[k])),
                      "a Triton attribute over a shape, bases, an Axe or CuTe layout with power-of-two sizes"});
}

namespace {

const triton::Layout* memdescIn(const Value& value) {
  const auto* triton = as<triton::Layout>(value);
  return triton != nullptr && triton->memdesc ? triton : nullptr;
}

bool isInside(const std::vector<i64>& coord, const std::vector<i64>& shape) {
  if (coord.size() != shape.size()) return false;
  for (std::size_t k = 0; k < coord.size(); ++k)
    if (coord[k] < 0 || coord[k] >= shape[k]) return false;
  return true;
}

}  // namespace

std::optional<Result<axe::Places>> memdescPlaces(const Value& value, const std::vector<i64>& coord) {
  const triton::Layout* memdesc = memdescIn(value);
  if (memdesc == nullptr || (!isView(*memdesc) && toLinear(*memdesc).ok())) return std::nullopt;
  const Result<Map> map = memoryMap(*memdesc);
  if (!map) return map.error();
  if (!isInside(coord, memdesc->shape)) {
    return Diag{fmt::format("({}) is not a coordinate of ({})", fmt::join(coord, ","), fmt::join(memdesc->shape, ",")),
                "one number for each dimension, below its extent"};
  }
  axe::Place place;
  const std::vector<i64> at = map->at(coord);
  for (std::size_t k = 0; k < at.size(); ++k) place[map->axes()[k].name] = at[k];
  return axe::Places{{std::move(place)}};
}

bool outsideOfView(const Value& value, const std::vector<i64>& coord) {
  const triton::Layout* memdesc = memdescIn(value);
  return memdesc != nullptr && isView(*memdesc) && !isInside(coord, memdesc->shape);
}

std::optional<i64> memdescSize(const Value& value) {
  const triton::Layout* memdesc = memdescIn(value);
  std::optional<i64> size;
  if (memdesc != nullptr && memoryMap(*memdesc).ok()) size = 1;
  for (std::size_t k = 0; size && k < memdesc->shape.size(); ++k) size = checkedMul(*size, memdesc->shape[k]);
  return size;
}

namespace {

Result<Value> toLinearCall(const Call& c) {
  if (const auto* axe = as<axe::Layout>(c[0]); axe != nullptr && c.count() == 2) {
    TESSERA_TRY(const std::vector<i64> shape, c.integers(1));
    return valueOf(c, 0, toLinear(*axe, shape));
  }
  if (const auto* triton = as<triton::Layout>(c[0]); triton != nullptr && c.count() == 2) {
    TESSERA_TRY(const std::vector<i64> shape, c.integers(1));
    return valueOf(c, 0, toLinear(*triton->encoding, shape));
  }
  if (c.count() == 2) {  // a thread-value layout of a tile: to_linear(TV, (16,8))
    TESSERA_TRY(const cute::Layout layout, c.layout(0));
    TESSERA_TRY(const std::vector<i64> shape, c.integers(1));
    return valueOf(c, 0, threadValueToLinear(layout, shape));
  }
  return wrapped(linearOf(c, 0));
}

// "; no Sw<B,M,S> ... the closest ..." if the table of a layout in memory decides that no layout equals it.
std::string closestText(const Layout& layout) {
  const Result<Arrow>& arrow = layout.arrow();
  if (!arrow || !isMemory(*arrow)) return "";
  const auto table = valueTable(*arrow);
  if (!table) return "";
  const TableForms forms = formsOfTable(*table);
  return forms.forms.empty() ? "; " + noneText(*table, forms.swizzles) : "";
}

// A register layout becomes (thread, value) -> colex index of the tile; any other layout maps memory.
Result<Value> toCuteCall(const Call& c) {
  TESSERA_TRY(Layout layout, c.at(0, layoutOf(c[0])));
  if (c.count() == 2) {
    const auto* axe = as<axe::Layout>(c[0]);
    if (axe == nullptr) return c.wrong(0, "an Axe layout, when a shape is given");
    TESSERA_TRY(std::vector<i64> shape, c.integers(1));
    TESSERA_TRY(axe::Layout bound, c.at(1, axe->over(std::move(shape))));
    layout = Layout(std::move(bound));
  }
  Result<Layout> found = toCute(layout);
  if (!found) found.error().message += closestText(layout);
  return valueOf(c, 0, std::move(found));
}

template <bool HardwareView>
Result<std::string> dumpOf(const linear::Layout& linear) {
  return triton::dumpLayout(linear, HardwareView);
}

std::string basesOf(const linear::Layout& linear) {
  std::string text = toString(linear);
  if (!text.empty() && text.front() == '\n') text.erase(0, 1);
  return text;
}

// The place of each element of a shared layout: (dim0, dim1) -> offset.
Result<Value> memoryMapCall(const Call& c) {
  const auto* triton = as<triton::Layout>(c[0]);
  if (triton == nullptr) return c.wrong(0, "a Triton layout of shared memory");
  if (isDistributed(*triton->encoding))
    return valueOf(c, 0, Result<Arrow>(memoryMap(*triton->encoding, triton->shape).error()));
  return valueOf(c, 0, NotationOf<triton::Layout>::arrow(*triton));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"to_linear", "to_linear(ATTRIBUTE over (128,64))",
     "the bases: the target of each bit of register, lane, warp and block", 1, 2, toLinearCall},
    {"to_cute", "to_cute(X)", "X as a CuTe layout; a register layout as (thread, value) -> index in the tile", 1, 2,
     toCuteCall},
    {"bases", "bases(X)", "the bases as the compiler dumps them", 1, 1, typed<0, basesOf>},
    {"dump", "dump(X)", "triton-tensor-layout's text: the holder of each element", 1, 1, typed<0, dumpOf<false>>},
    {"dump_hw", "dump_hw(X)", "the same, seen from the hardware", 1, 1, typed<0, dumpOf<true>>},
    {"memory_map", "memory_map(SHARED over (64,64))", "(dim0, dim1) -> offset of a shared layout", 1, 1, memoryMapCall},
    {"compose", "compose(INNER, OUTER)", "x -> OUTER(INNER(x)), linear", 2, 2, typed<1, linear::compose>, true},
    {"invert", "invert(L)", "the linear layout with R(L(x)) = x", 1, 1, typed<0, linear::invert>, true},
    {"pseudoinvert", "pseudoinvert(L)", "R with L(R(x)) = x for a surjective L", 1, 1, typed<0, linear::pseudoinvert>,
     true},
    {"invert_and_compose", "invert_and_compose(B, A)", "C with A(C(x)) = B(x): a conversion of layouts", 2, 2,
     typed<1, linear::invertAndCompose>, true},
});

}  // namespace

std::span<const Function> tritonFunctions() { return kFunctions; }

}  // namespace tessera
