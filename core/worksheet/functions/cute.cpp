// Functions on int tuples, CuTe layouts and swizzles outside the algebra: numbers, structure, making, indexing.
#include <fmt/format.h>

#include <array>

#include "core/base/arith.h"
#include "core/layout/arrow.h"
#include "core/map/compose.h"
#include "core/notation/convert.h"
#include "core/worksheet/functions/typed.h"

namespace tessera {
namespace {

// The layout that size, rank, shape ... refer to: the inner one of a composed layout.
Result<cute::Layout> domainOf(const Call& c, std::size_t k) {
  if (const auto* composed = as<cute::ComposedLayout>(c[k])) return composed->inner();
  return c.layout(k);
}

// size<0>(L), size<1,0>(L) and size(L, 0): the mode of the layout.
Result<cute::Layout> modeOf(const Call& c, cute::Layout layout) {
  TESSERA_TRY(const std::vector<i64> path, c.numbers(1));
  for (const i64 mode : path) {
    if (mode < 0 || mode >= layout.rank()) {
      return Diag{fmt::format("mode {} of {}: it has {} mode{}, 0 to {}", mode, print(layout), layout.rank(),
                              layout.rank() == 1 ? "" : "s", layout.rank() - 1),
                  "a mode of the layout"};
    }
    layout = layout.mode(static_cast<int>(mode));
  }
  return layout;
}
Result<cute::Layout> subject(const Call& c) {
  TESSERA_TRY(cute::Layout layout, domainOf(c, 0));
  return modeOf(c, std::move(layout));
}

// A layout of another notation is answered through its arrow.
Result<std::optional<Arrow>> otherFamily(const Call& c) {
  const auto* layout = std::get_if<Layout>(&c[0]);
  if (layout == nullptr || layout->family() == NotationOf<cute::Layout>::kFamily) return std::optional<Arrow>();
  TESSERA_TRY(Arrow arrow, c.at(0, layout->arrow()));
  // Layouts from hardware or memory are measured by their elements: shape(#blocked over (128,64)) is (128,64).
  const bool holds = arrow.from.kind == SpaceKind::Hardware || arrow.from.kind == SpaceKind::Memory;
  if (holds && arrow.to.kind == SpaceKind::Elements && !arrow.to.modes.empty()) arrow.from = arrow.to;
  TESSERA_TRY(const std::vector<i64> path, c.numbers(1));  // size<0>(L), size(L, 1): of one mode
  for (const i64 mode : path) {
    const std::vector<Mode>& modes = arrow.from.modes;
    if (mode < 0 || mode >= static_cast<i64>(modes.size())) {
      return Diag{fmt::format("mode {} of {}: it has {} mode{}", mode, print(*layout), modes.size(),
                              modes.size() == 1 ? "" : "s"),
                  "a mode of the layout"};
    }
    arrow.from.modes = {modes[static_cast<std::size_t>(mode)]};
  }
  return std::optional(std::move(arrow));
}

Value shapeValue(const Space& space) {
  std::vector<cute::IntTuple> modes;
  for (const Mode& m : space.modes) {
    modes.push_back(m.digits.size() == 1
                        ? cute::IntTuple(m.digits[0])
                        : cute::IntTuple::tuple(std::vector<cute::IntTuple>(m.digits.begin(), m.digits.end())));
  }
  return normalised(modes.size() == 1 ? modes[0] : cute::IntTuple::tuple(std::move(modes)));
}

// 1 + the largest address, as bounded by the notation.
Result<i64> cosizeOfArrow(const Arrow& arrow) {
  if (arrow.map.axes().size() != 1)
    return Diag{fmt::format("a layout with {} axes has no single cosize", arrow.map.axes().size()),
                "a layout in one memory"};
  const Result<Layout> cute = toCute(Layout(arrow));
  if (const auto* plain = cute ? cute->as<cute::Layout>() : nullptr) return plain->cosize();
  TESSERA_TRY(const Map exact, overCodomain(arrow));
  for (const Map* map : {&exact, &arrow.map})
    if (map->axes()[0].extent) return *map->axes()[0].extent;
  const Facts facts = factsOf(arrow.map.axes()[0].value, environmentOf(arrow.map));
  if (!facts.fits) return Diag{"its largest address is not known", "a layout with bounded addresses"};
  return facts.interval.hi + 1;
}

}  // namespace

Result<Value> tupleCall(const Call& c) {
  std::vector<cute::IntTuple> parts;
  for (std::size_t k = 0; k < c.count(); ++k) {
    TESSERA_TRY(cute::IntTuple part, c.tuple(k));
    parts.push_back(std::move(part));
  }
  return Value(cute::IntTuple::tuple(std::move(parts)));
}

Result<Value> sizeOf(const Call& c) {
  TESSERA_TRY(const auto other, otherFamily(c));
  if (other) {
    i64 size = 1;
    for (const i64 e : extentsOf(other->from))
      if (!mulInto(size, e)) return c.at(0, Diag{"more than 2^63 coordinates", "a smaller layout"});
    return Value(size);
  }
  TESSERA_TRY(const cute::Layout layout, subject(c));
  TESSERA_CHECKED(requireKnown(layout, "size"));
  return Value(layout.size());
}
namespace {

Result<Value> cosizeOf(const Call& c) {
  TESSERA_TRY(const auto other, otherFamily(c));
  if (other) {
    return wrapped(c.at(0, cosizeOfArrow(*other)));
  }
  TESSERA_TRY(const cute::Layout layout, subject(c));
  TESSERA_CHECKED(requirePlain(layout, "cosize"));
  return Value(layout.cosize());
}
Result<Value> rankOf(const Call& c) {
  TESSERA_TRY(const auto other, otherFamily(c));
  if (other) {
    return Value(static_cast<i64>(other->from.modes.size()));
  }
  TESSERA_TRY(const cute::Layout layout, subject(c));
  return Value(static_cast<i64>(layout.rank()));
}
Result<Value> depthOf(const Call& c) {
  TESSERA_TRY(const cute::Layout layout, subject(c));
  return Value(static_cast<i64>(layout.depth()));
}
Result<Value> shapeOf(const Call& c) {
  TESSERA_TRY(const auto other, otherFamily(c));
  if (other) {
    return shapeValue(other->from);
  }
  TESSERA_TRY(const cute::Layout layout, subject(c));
  return normalised(layout.shape());
}
Result<Value> strideOf(const Call& c) {
  TESSERA_TRY(const cute::Layout layout, subject(c));
  return normalised(layout.stride());
}
// Mode k under the same swizzle and offset, as CuTe's layout<k>: L with 0 in every other mode.
Result<Value> layoutOf(const Call& c) {
  Value value = c[0];
  if (const auto* other = std::get_if<Layout>(&value); other != nullptr && !is<cute::Swizzle>(value)) {
    if (Result<Layout> cute = toCute(*other)) value = Value(*std::move(cute));
  }
  const auto* composed = as<cute::ComposedLayout>(value);
  if (composed == nullptr) {
    return wrapped(subject(c));
  }
  TESSERA_TRY(cute::Layout mode, modeOf(c, composed->inner()));
  return wrapped(
      cute::ComposedLayout::make(composed->outer(), composed->offset(), std::move(mode), composed->engine()));
}

// make_layout(shape), make_layout(shape, stride), make_layout(L0, L1, ...).
Result<Value> makeLayoutCall(const Call& c) {
  if (isTupleLike(c[0])) {
    TESSERA_TRY(cute::IntTuple shape, c.tuple(0));
    if (c.count() == 1) {
      return wrapped(cute::Layout::compact(std::move(shape)));
    }
    if (c.count() == 2 && isTupleLike(c[1])) {
      TESSERA_TRY(cute::IntTuple stride, c.tuple(1));
      return wrapped(layoutFrom(c, std::move(shape), std::move(stride)));
    }
  }
  std::vector<cute::IntTuple> shapes, strides;
  for (std::size_t k = 0; k < c.count(); ++k) {
    if (!c.isLayoutLike(k)) return c.wrong(k, "make_layout(shape, stride) or make_layout(L0, L1, ...)");
    TESSERA_TRY(const cute::Layout mode, c.layout(k));
    shapes.push_back(mode.shape());
    strides.push_back(mode.stride());
  }
  return wrapped(
      cute::Layout::make(cute::IntTuple::tuple(std::move(shapes)), cute::IntTuple::tuple(std::move(strides))));
}

Result<Value> crd2idxCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple coord, c.tuple(0));
  if (c.count() == 3) {
    TESSERA_TRY(const cute::IntTuple shape, c.tuple(1));
    TESSERA_TRY(const cute::IntTuple stride, c.tuple(2));
    return valued(crd2idx(coord, shape, stride));
  }
  if (isTupleLike(c[1])) {
    TESSERA_TRY(const cute::Layout layout, c.layout(1));
    return applyValue(Value(layout), coord);
  }
  return applyValue(c[1], coord);
}

Result<cute::IntTuple> shapeArgument(const Call& c, std::size_t k) {
  if (isTupleLike(c[k])) return c.tuple(k);
  TESSERA_TRY(const cute::Layout layout, domainOf(c, k));
  return layout.shape();
}

Result<Value> idx2crdCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple index, c.tuple(0));
  TESSERA_TRY(const cute::IntTuple shape, c.count() == 2 ? shapeArgument(c, 1) : c.tuple(1));
  if (c.count() == 2) return valued(idx2crd(index, shape));
  TESSERA_TRY(const cute::IntTuple stride, c.tuple(2));
  return valued(idx2crd(index, shape, stride));
}

template <bool (*Relation)(const cute::IntTuple&, const cute::IntTuple&)>
Result<Value> relationCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple a, shapeArgument(c, 0));
  TESSERA_TRY(const cute::IntTuple b, shapeArgument(c, 1));
  return Value(Relation(a, b));
}
Result<Value> shapeDivCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple a, shapeArgument(c, 0));
  TESSERA_TRY(const cute::IntTuple b, shapeArgument(c, 1));
  return valued(shapeDiv(a, b));
}
Result<i64> quotientUp(i64 a, i64 b) {
  if (b <= 0) return Diag{"the divisor must be positive", "n >= 1"};
  return ceilDiv(a, b);
}

Result<Value> chooseCall(const Call& c) {
  const auto* first = as<bool>(c[0]);
  if (first == nullptr) return c.wrong(0, "a condition, n == 64");
  return c[*first ? 1 : 2];
}

// CuTe's print_layout for a composed layout: the same table, with the composition's values.
Result<std::string> composedTable(const cute::ComposedLayout& layout) {
  const cute::Layout& inner = layout.inner();
  if (inner.rank() != 2) {
    return Diag{fmt::format("print_layout draws two modes; {} has {}", print(layout), inner.rank()), "a rank-2 layout"};
  }
  TESSERA_CHECKED(requirePlain(inner, "print_layout"));
  constexpr i64 kMaxCells = i64{1} << 20;
  if (inner.size() > kMaxCells) {
    return Diag{fmt::format("{} cells are too many for a table; the limit is {}", inner.size(), kMaxCells),
                "a smaller layout", "slice it, or show it as grid"};
  }
  const i64 rows = inner.mode(0).size(), columns = inner.mode(1).size();
  const std::size_t width = std::to_string(inner.cosize()).size() + 2;
  std::string header = "    ", rule = "    ";
  for (i64 j = 0; j < columns; ++j) {
    header += fmt::format("{:>{}} ", j, width);
    rule += "+" + std::string(width, '-');
  }
  rule += "+\n";
  std::string out = print(layout) + "\n" + header + "\n" + rule;
  for (i64 i = 0; i < rows; ++i) {
    out += fmt::format("{:>2}  ", i);
    for (i64 j = 0; j < columns; ++j) {
      TESSERA_TRY(const cute::IntTuple value,
                  layout.crd2idx(cute::IntTuple::tuple({cute::IntTuple(i), cute::IntTuple(j)})));
      out += fmt::format("|{:>{}} ", print(value), width - 1);
    }
    out += "|\n" + rule;
  }
  return out;
}

Result<Value> printLayoutCall(const Call& c) {
  if (const auto* composed = as<cute::ComposedLayout>(c[0])) return valued(composedTable(*composed));
  TESSERA_TRY(const cute::Layout layout, c.layout(0));
  return valued(printTable(layout));
}

Result<Value> makeSwizzleCall(const Call& c) {
  TESSERA_TRY(const std::vector<i64> masks, c.numbers(0));
  if (masks.size() == 3) {
    return wrapped(cute::Swizzle::make(masks[0], masks[1], masks[2]));
  }
  if (masks.size() != 2) return Diag{"make_swizzle takes two masks, or B, M and S", "make_swizzle(Y, Z)"};
  return wrapped(cute::Swizzle::fromMasks(masks[0], masks[1]));
}
Result<Value> swizzleMasks(const Call& c) {
  const auto* s = as<cute::Swizzle>(c[0]);
  if (s == nullptr) return c.wrong(0, "a swizzle, Sw<B,M,S>");
  return Value(cute::IntTuple::tuple({cute::IntTuple(s->yyyMask()), cute::IntTuple(s->zzzMask())}));
}

// CuTe's get_nonswizzle_portion and get_swizzle_portion.
Result<Value> nonswizzlePortion(const Call& c) { return wrapped(domainOf(c, 0)); }
Result<Value> swizzlePortion(const Call& c) {
  const auto* composed = as<cute::ComposedLayout>(c[0]);
  if (composed == nullptr) return wrapped(cute::Swizzle::make(0, 4, 3));
  if (const auto* swizzle = std::get_if<cute::Swizzle>(&composed->outer())) return Value(Layout(*swizzle));
  return c.wrong(0, "a layout with a swizzle");
}

constexpr auto kFunctions = std::to_array<Function>({
    {"size", "size(L) or size<k>(L)", "the number of coordinates of L", 1, 8, sizeOf},
    {"cosize", "cosize(L)", "1 + sum of (extent - 1) * |stride|", 1, 8, cosizeOf},
    {"rank", "rank(L)", "the number of modes of L", 1, 8, rankOf},
    {"depth", "depth(L)", "the nesting depth of L", 1, 8, depthOf},
    {"shape", "shape(L) or shape<k>(L)", "the extents", 1, 8, shapeOf},
    {"stride", "stride(L) or stride<k>(L)", "the strides", 1, 8, strideOf},
    {"layout", "layout<k>(L)", "mode k as a layout", 1, 8, layoutOf},
    {"get", "get<k>(L)", "mode k as a layout", 1, 8, layoutOf},
    {"make_shape", "make_shape(4, 8)", "a shape", 1, 1000, tupleCall},
    {"make_stride", "make_stride(8, 1)", "a stride", 1, 1000, tupleCall},
    {"make_coord", "make_coord(1, _)", "a coordinate", 1, 1000, tupleCall},
    {"make_tuple", "make_tuple(1, 2)", "a tuple", 1, 1000, tupleCall},
    {"make_layout", "make_layout(shape, stride) or make_layout(L0, L1)", "a layout, from its parts or its modes", 1,
     1000, makeLayoutCall},
    {"crd2idx", "crd2idx(coord, L) or crd2idx(coord, shape, stride)", "L(coord)", 2, 3, crd2idxCall},
    {"idx2crd", "idx2crd(i, shape)", "the coordinate of a linear index; the last digit is not reduced", 2, 3,
     idx2crdCall},
    {"compatible", "compatible(A, B)", "every coordinate of shape A is also a coordinate of shape B", 2, 2,
     relationCall<cute::compatible>},
    {"congruent", "congruent(A, B)", "the shapes A and B have the same tree", 2, 2, relationCall<cute::congruent>},
    {"shape_div", "shape_div(A, B)", "A / B, mode by mode, where one divides the other", 2, 2, shapeDivCall},
    {"ceil_div", "ceil_div(a, b)", "a / b rounded up", 2, 2, typed<1, quotientUp>},
    {"choose", "choose(n % 64 == 0, A, B)", "A if the condition is true, else B", 3, 3, chooseCall},
    {"print_layout", "print_layout(L)", "the table that CuTe's print_layout prints", 1, 1, printLayoutCall},
    {"make_swizzle", "make_swizzle(Y, Z)", "the swizzle that xors the bits of mask Y into those of mask Z", 0, 3,
     makeSwizzleCall},
    {"get_nonswizzle_portion", "get_nonswizzle_portion(L)", "the layout without its swizzle", 1, 1, nonswizzlePortion},
    {"get_swizzle_portion", "get_swizzle_portion(L)", "the swizzle of a layout", 1, 1, swizzlePortion},
    {"swizzle_masks", "swizzle_masks(S)", "(source mask, target mask)", 1, 1, swizzleMasks},
});

}  // namespace

std::span<const Function> cuteFunctions() { return kFunctions; }

}  // namespace tessera
