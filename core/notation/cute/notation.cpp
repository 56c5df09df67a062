#include "core/notation/cute/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/map/forms/f2.h"
#include "core/map/forms/swizzled.h"

namespace tessera {
namespace {

Arrow overModes(Map map, const cute::IntTuple& shape, SpaceKind to) {
  Arrow arrow;
  arrow.from = {SpaceKind::Elements, modesOf(shape), LinearOrder::Colex, 0};
  arrow.to.kind = to;
  arrow.map = std::move(map);
  return arrow;
}

// Sets the value in place; the facts of a list keep their empty names.
void setFact(LayoutFact& fact, const cute::IntTuple& tuple) {
  if (tuple.isTuple()) {
    auto& list = fact.value.emplace<LayoutFact::Tree>(tuple.children().size());
    for (std::size_t k = 0; k < list.size(); ++k) setFact(list[k], tuple.children()[k]);
  } else if (tuple.isKnown() && tuple.basis().empty()) {
    fact.value = tuple.value();
  } else {
    fact.value = print(tuple);
  }
}

}  // namespace

std::vector<Mode> cute::modesOf(const cute::IntTuple& shape) {
  std::vector<Mode> modes;
  for (int k = 0; k < shape.rank(); ++k)
    modes.push_back({"", mapped<i64>(shape.mode(k).leaves(), &cute::IntTuple::value), 0});
  return modes;
}

LayoutFact cute::factOf(std::string name, const cute::IntTuple& tuple) {
  LayoutFact fact{std::move(name), {}};
  setFact(fact, tuple);
  return fact;
}

Result<Arrow> NotationOf<cute::Layout>::arrow(const cute::Layout& layout) {
  TESSERA_TRY(Map map, toMap(layout));
  return overModes(std::move(map), layout.shape(), layout.hasBasis() ? SpaceKind::Coordinates : SpaceKind::Memory);
}

Result<Arrow> NotationOf<cute::Layout>::threadValueArrow(const cute::Layout& layout) {
  if (layout.rank() != 2 || layout.hasBasis())
    return Diag{print(layout) + " has no modes (thread, value), so it places nothing on threads",
                "a layout of two modes, ((4,8),(2,2)):((32,1),(16,8))"};
  TESSERA_TRY(Arrow arrow, NotationOf<cute::Layout>::arrow(layout));
  arrow.from.kind = SpaceKind::Hardware;
  arrow.from.modes[0].name = "thread";
  arrow.from.modes[1].name = "value";
  arrow.to.kind = SpaceKind::Elements;
  return arrow;
}

LayoutFacts NotationOf<cute::Layout>::facts(const cute::Layout& layout) {
  LayoutFacts facts;
  facts.reserve(6);
  facts.push_back(factOf("shape", layout.shape()));
  facts.push_back(factOf("stride", layout.stride()));
  facts.push_back({"rank", i64{layout.rank()}});
  facts.push_back({"depth", i64{layout.depth()}});
  if (layout.isKnown()) facts.push_back({"size", layout.size()});
  if (layout.isPlain()) facts.push_back({"cosize", layout.cosize()});
  return facts;
}

Result<Arrow> NotationOf<cute::ComposedLayout>::arrow(const cute::ComposedLayout& layout) {
  TESSERA_TRY(Map map, toMap(layout));
  const bool oneAddress = map.axes().size() == 1;
  Arrow arrow = overModes(std::move(map), layout.shape(), oneAddress ? SpaceKind::Memory : SpaceKind::Coordinates);
  arrow.to.elementBits = layout.engine().elementBits;
  return arrow;
}

std::optional<std::string> NotationOf<cute::ComposedLayout>::missingElements(const cute::ComposedLayout& layout) {
  if (!layout.needsElementType()) return std::nullopt;
  const Diag missing = layout.elementTypeMissing();
  return missing.message + "; " + missing.hint;
}

Result<Arrow> NotationOf<cute::Swizzle>::arrow(const cute::Swizzle& swizzle) {
  return Diag{"a swizzle alone has no extent, so it is not a map", "S o L, with the layout that it is applied to",
              print(swizzle) + " o 1024:1"};
}

LayoutFacts NotationOf<cute::Swizzle>::facts(const cute::Swizzle& s) {
  return {{"swizzle", LayoutFact::Tree{{"", i64{s.bits()}}, {"", i64{s.base()}}, {"", i64{s.shift()}}}}};
}

}  // namespace tessera

namespace tessera::cute {

namespace {

std::vector<Digit> digitsOf(const Layout& layout) {
  std::vector<Digit> digits;
  for (const LayoutLeaf& l : flatLeaves(layout))
    digits.push_back({fmt::format("i{}", digits.size()), l.extent, DigitKind::Index});
  return digits;
}

// Sum of digit * stride over the leaves with this basis path.
Expr sumOf(const std::vector<LayoutLeaf>& leaves, const std::vector<int>& path) {
  Expr sum;
  for (std::size_t k = 0; k < leaves.size(); ++k)
    if (leaves[k].stride.basis() == path) sum = sum + Expr::digit(static_cast<int>(k)) * leaves[k].stride.value();
  return sum;
}

Result<Map> coordinateMap(const Layout& layout) {
  const std::vector<LayoutLeaf> leaves = flatLeaves(layout);
  std::map<std::vector<int>, i64> extents;  // one axis per path, in lexicographic order
  bool negative = false;
  for (const LayoutLeaf& l : leaves) {
    if (l.stride.basis().empty()) continue;  // make() ensures value 0
    negative = negative || l.stride.value() < 0;
    extents.emplace(l.stride.basis(), 1).first->second += (l.extent - 1) * l.stride.value();
  }
  std::vector<Axis> axes;
  int next = 0;
  for (const auto& [path, extent] : extents) {
    for (int missing = next; path.size() == 1 && missing < path[0]; ++missing)
      axes.push_back({fmt::format("c{}", missing), Expr(), 1});
    std::string name = "c";
    for (std::size_t k = 0; k < path.size(); ++k) name += fmt::format("{}{}", k == 0 ? "" : "_", path[k]);
    next = path[0] + 1;
    axes.push_back({std::move(name), sumOf(leaves, path), negative ? std::nullopt : std::optional<i64>(extent)});
  }
  return Map::create(digitsOf(layout), std::move(axes));
}

// The largest s(x) over all x that agree with `prefix` from bit `low` up and are arbitrary below it. Because s is
// linear over xor, these values are s(prefix) xor a span, and a reduced basis of the span gives the maximum.
u64 largestBelow(const Swizzle& s, u64 prefix, int low) {
  const auto image = [&](u64 x) { return static_cast<u64>(s(static_cast<i64>(x))); };
  std::vector<u64> images;
  for (int k = 0; k < low; ++k) images.push_back(image(u64{1} << k));
  u64 best = image(prefix);
  for (const u64 v : spanBasis(images)) best = std::max(best, best ^ v);
  return best;
}

// The codomain [0, n) of s on [0, extent), exactly: 1 + the largest value. Sw<1,0,1> maps [0, 5) to itself, and [0, 7)
// to [0, 8): 6 goes to 7.
std::optional<i64> grownExtent(const Swizzle& s, i64 extent) {
  if (s.isIdentity() || extent <= 0) return extent;
  const u64 last = static_cast<u64>(extent - 1);
  u64 top = largestBelow(s, last, 0);
  for (int k = 0; k < 63; ++k) {  // the x < last: equal above bit k, 0 at k where last has 1, arbitrary below
    const u64 bit = u64{1} << k;
    if ((last & bit) != 0) top = std::max(top, largestBelow(s, last & ~(bit | (bit - 1)), k));
  }
  return top >= static_cast<u64>(INT64_MAX) ? std::nullopt : std::optional<i64>(static_cast<i64>(top + 1));
}

// The layout's value at the linear index x: colexicographic digits, the last one unreduced.
Expr throughLayout(const Expr& x, const Layout& layout) {
  const std::vector<LayoutLeaf> leaves = flatLeaves(layout);
  Expr sum;
  i64 before = 1;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    Expr digit = floorDiv(x, before);
    if (k + 1 < leaves.size()) digit = mod(digit, leaves[k].extent);
    sum = sum + digit * leaves[k].stride.value();
    before *= leaves[k].extent;
  }
  return sum;
}

}  // namespace

Expr swizzled(const Swizzle& s, const Expr& x) {
  if (s.isIdentity()) return x;
  const int from = s.base() + std::max(0, s.shift());
  const int to = s.base() + std::max(0, -s.shift());
  return x ^ (mod(floorDiv(x, i64{1} << from), i64{1} << s.bits()) * (i64{1} << to));
}

Result<Map> toMap(const Layout& layout) {
  TESSERA_CHECKED(requireKnown(layout, "a picture or a proof"));
  if (layout.hasBasis()) return coordinateMap(layout);
  const bool fromZero = layout.minOffset() == 0;
  Axis axis{"offset", sumOf(flatLeaves(layout), {}), fromZero ? std::optional<i64>(layout.cosize()) : std::nullopt};
  return Map::create(digitsOf(layout), {std::move(axis)});
}

Result<Map> toMap(const ComposedLayout& layout) {
  const Layout& inner = layout.inner();
  TESSERA_CHECKED(requireKnown(inner, "a picture or a proof"));
  if (inner.hasBasis() && layout.isTensor()) {
    TESSERA_TRY(Map map, toMap(inner));
    const std::vector<IntTuple> offsets = layout.offset().leaves();
    if (std::ranges::all_of(offsets, [](const IntTuple& o) { return o.isKnown() && o.value() == 0; })) return map;
    std::vector<Axis> axes = map.axes();
    if (!layout.offset().allKnown() || layout.offset().hasBasis() || offsets.size() != axes.size())
      return Diag{fmt::format("offset {} does not fit the coordinates of {}", print(layout.offset()), print(inner)),
                  "one number for each coordinate"};
    for (std::size_t k = 0; k < axes.size(); ++k) {
      axes[k].value = axes[k].value + offsets[k].value();
      axes[k].extent = std::nullopt;
    }
    return Map::create(map.digits(), std::move(axes));
  }
  TESSERA_CHECKED(requirePlain(inner, "a picture or a proof"));
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  const auto top = checkedAdd(offset, inner.maxOffset());
  const auto bottom = checkedAdd(offset, inner.minOffset());
  if (!top || !bottom || *top == INT64_MAX) return Diag{"offsets do not fit in 64 bits", "smaller offsets"};
  const Expr index = sumOf(flatLeaves(inner), {}) + offset;
  if (const Layout* affine = layout.outerLayout()) {
    TESSERA_CHECKED(requirePlain(*affine, "a picture or a proof"));
    if (*bottom < 0) return Diag{"the outer layout is read at negative indices", "an offset that keeps them >= 0"};
    return Map::create(digitsOf(inner), {{"offset", throughLayout(index, *affine), std::nullopt}});
  }
  const Swizzle s = layout.elementSwizzle();
  if (*bottom < 0 && !s.isIdentity())
    return Diag{fmt::format("the swizzle is applied to {}, but addresses cannot be negative", *bottom),
                "an offset that keeps them >= 0"};
  const std::optional<i64> extent = *bottom < 0 ? std::nullopt : grownExtent(s, *top + 1);
  return Map::create(digitsOf(inner), {{"offset", swizzled(s, index), extent}});
}

Result<Map> toMap(const Swizzle& swizzle, i64 extent) {
  if (extent < 1) return Diag{fmt::format("extent {} is not positive", extent), "an extent of at least 1"};
  return Map::create({{"i0", extent, DigitKind::Index}},
                     {{"offset", swizzled(swizzle, Expr::digit(0)), grownExtent(swizzle, extent)}});
}

Result<std::variant<Layout, ComposedLayout>> fromMap(const Map& map) {
  if (const auto fans = map.fanDigits(); !fans.empty())
    return Diag{fmt::format("{} is a range variable: an element has several places, but only one in CuTe",
                            map.digit(fans[0]).name),
                "a map without replicas"};
  if (!map.guards().empty())
    return Diag{"some coordinates are padding, which a CuTe layout cannot express", "a map without guards"};
  TESSERA_TRY(const Swizzled form, asSwizzled(map));
  return fromForm(form);
}

Result<std::variant<Layout, ComposedLayout>> fromForm(const Swizzled& form) {
  using Either = std::variant<Layout, ComposedLayout>;
  std::vector<std::vector<LayoutLeaf>> modes;
  for (const std::vector<SwizzleLeaf>& leaves : form.digits)
    modes.push_back(mapped<LayoutLeaf>(leaves, [](const SwizzleLeaf& leaf) {
      return LayoutLeaf{leaf.extent, leaf.extent == 1 ? 0 : leaf.stride};
    }));
  if (modes.empty()) modes = {{{1, 0}}};
  const IntTuple profile = IntTuple::tupleOrOne(std::vector<IntTuple>(modes.size()));
  TESSERA_TRY(Layout inner, refined(profile, modes, false));
  if (form.bits == 0 && form.offset == 0) return Either(std::move(inner));
  TESSERA_TRY(const Swizzle swizzle, Swizzle::make(form.bits, form.base, form.shift));
  TESSERA_TRY(ComposedLayout composed, ComposedLayout::make(swizzle, IntTuple(form.offset), std::move(inner)));
  return Either(std::move(composed));
}

}  // namespace tessera::cute
