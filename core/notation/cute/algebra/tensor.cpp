#include "core/notation/cute/algebra/tensor.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/divide.h"

namespace tessera::cute {
namespace {

using Kind = Engine::Kind;

// Whether the engine is a pointer that an offset in elements can move.
bool isMovable(const Engine& engine) {
  const bool bytes = engine.kind == Kind::Smem || engine.kind == Kind::Gmem || engine.kind == Kind::Raw;
  return bytes && engine.bound && engine.elementBits > 0 && engine.elementBits % 8 == 0;
}

// a + b leaf by leaf; an integer 0 is the origin of every coordinate.
Result<IntTuple> sumOf(const IntTuple& a, const IntTuple& b) {
  if (a.isPlain() && a.value() == 0) return b;
  if (b.isPlain() && b.value() == 0) return a;
  const std::vector<IntTuple> x = a.leaves(), y = b.leaves();
  const IntTuple& longer = x.size() >= y.size() ? a : b;
  std::vector<IntTuple> sums;
  for (std::size_t k = 0; k < std::max(x.size(), y.size()); ++k) {
    const i64 first = k < x.size() ? x[k].value() : 0, second = k < y.size() ? y[k].value() : 0;
    const auto sum = checkedAdd(first, second);
    if (!sum) return Diag{"the offset does not fit in 64 bits", "smaller offsets"};
    sums.emplace_back(*sum);
  }
  return withLeaves(longer, sums);
}

bool isZero(const IntTuple& offset) {
  return everyLeaf(offset, [](const IntTuple& leaf) { return leaf.isKnown() && leaf.value() == 0; });
}

// The text with another number or tuple in its parentheses: smem_ptr[16b](0x40) -> smem_ptr[16b](0x58).
std::string renamed(const std::string& text, const std::string& inside) {
  const std::size_t open = text.rfind('(');
  return text.substr(0, open) + "(" + inside + ")";
}

Result<AnyLayout> composed(ComposedLayout::Outer outer, IntTuple offset, const Layout& layout, Engine engine) {
  TESSERA_TRY(ComposedLayout made,
              ComposedLayout::make(std::move(outer), std::move(offset), layout, std::move(engine)));
  return AnyLayout(std::move(made));
}

Result<i64> integerOf(const IntTuple& offset) {
  if (const IntTuple one = unwrapped(offset); one.isPlain()) return one.value();
  return Diag{fmt::format("the offset {} is not an integer", print(offset)), "integer strides"};
}

// counting_iter(34) o L; L alone at 0.
Result<AnyLayout> counted(const Layout& layout, i64 first) {
  if (first == 0) return AnyLayout(layout);
  Engine engine{.kind = Kind::Counting, .text = fmt::format("counting_iter({})", first)};
  engine.bound = true;
  engine.address = first;
  return composed({}, IntTuple::staticLeaf(0), layout, std::move(engine));
}

// The tensor's coordinates from `offset` on: ArithTuple(3,0) o (4):(1@1).
Result<AnyLayout> ofCoordinates(const Tensor& tensor) {
  IntTuple start = tensor.offset;
  if (start.isPlain()) {  // 0: the origin of every coordinate that a basis names
    int rank = 0;
    for (const IntTuple& stride : tensor.layout.stride().leaves())
      if (!stride.basis().empty()) rank = std::max(rank, stride.basis().front() + 1);
    if (tensor.engine.kind == Kind::None) return AnyLayout(tensor.layout);
    start = IntTuple::tuple(std::vector<IntTuple>(static_cast<std::size_t>(std::max(rank, 1)), IntTuple(0)));
  }
  Engine engine{.kind = Kind::Arith, .text = "ArithTuple" + print(start)};
  return composed({}, start, tensor.layout, std::move(engine));
}

// The pointer moved by `elements`.
Result<AnyLayout> atPointer(const Tensor& tensor, i64 elements) {
  Engine engine = tensor.engine;
  const auto bytes = checkedMul(elements, engine.elementBits / 8);
  const auto address = bytes ? checkedAdd(engine.address, *bytes) : std::nullopt;
  if (!address) return Diag{"the address does not fit in 64 bits", "a smaller offset"};
  if (elements != 0) {
    engine.address = *address;
    engine.text = renamed(engine.text, fmt::format("{:#x}", *address));
  }
  return composed(tensor.outer, IntTuple::staticLeaf(0), tensor.layout, std::move(engine));
}

// All of a mode or of several, and one number beyond them that is out of range.
Result<void> requireInside(const IntTuple& coord, const Layout& modes, std::string_view what) {
  if (coord.isTuple() && coord.rank() == modes.rank() && modes.shape().isTuple()) {
    for (int k = 0; k < coord.rank(); ++k) TESSERA_CHECKED(requireInside(coord.mode(k), modes.mode(k), what));
    return {};
  }
  if (!coord.isPlain()) return {};
  TESSERA_CHECKED(requireKnown(modes, "a partition"));
  if (coord.value() >= 0 && coord.value() < modes.size()) return {};
  return Diag{fmt::format("{} {} is outside: there are {}", what, coord.value(), modes.size()),
              modes.size() == 1 ? "0, or `_` for all" : fmt::format("0 to {}, or `_` for all", modes.size() - 1)};
}

}  // namespace

Tensor tensorOf(Layout layout) { return {std::move(layout), {}, IntTuple(0), {}}; }

Result<Tensor> tensorOf(const ComposedLayout& given) {
  const Engine& engine = given.engine();
  const bool pointer = engine.kind != Kind::None && engine.kind != Kind::Counting && engine.kind != Kind::Arith;
  if (engine.kind == Kind::Counting) return Tensor{given.inner(), {}, IntTuple(engine.address), {}};
  if (!pointer || isMovable(engine)) return Tensor{given.inner(), given.outer(), given.offset(), engine};
  if (given.isTensor()) return tensorOf(given.inner());  // without an address, values count from the start
  if (engine.kind == Kind::Smem) {
    TESSERA_TRY(const ComposedLayout onElements, asPositionIndependentSwizzleLayout(given));
    return Tensor{onElements.inner(), onElements.outer(), onElements.offset(), {}};
  }
  return Diag{fmt::format("{} has no address that a partition could move", print(given)),
              "a swizzle on elements, Sw<3,3,3> o 0 o L, or a pointer with an address"};
}

Result<Tensor> withLayout(const Tensor& tensor, Result<Layout> layout) {
  if (!layout) return layout.error();
  return Tensor{*std::move(layout), tensor.outer, tensor.offset, tensor.engine};
}

Result<Tensor> slice(const IntTuple& coord, const Tensor& tensor) {
  TESSERA_CHECKED(requireKnown(tensor.layout, "a slice"));
  TESSERA_TRY(Layout rest, slice(coord, tensor.layout));
  std::vector<IntTuple> leaves = coord.leaves();
  std::ranges::replace_if(
      leaves, [](const IntTuple& l) { return l.isWildcard(); }, IntTuple(0));
  TESSERA_TRY(const IntTuple start, tensor.layout.crd2idx(withLeaves(coord, leaves)));
  Tensor out = tensor;
  TESSERA_TRY(out.offset, sumOf(tensor.offset, start));
  out.layout = std::move(rest);
  return out;
}

Result<AnyLayout> layoutOf(const Tensor& tensor) {
  if (tensor.engine.kind == Kind::Arith || (tensor.layout.hasBasis() && tensor.outer.index() == 0))
    return ofCoordinates(tensor);
  if (tensor.offset.isTuple() && isZero(tensor.offset) && tensor.outer.index() == 0) return AnyLayout(tensor.layout);
  TESSERA_TRY(const i64 offset, integerOf(tensor.offset));
  if (isMovable(tensor.engine)) return atPointer(tensor, offset);
  if (tensor.outer.index() == 0) return counted(tensor.layout, offset);
  return composed(tensor.outer, IntTuple(offset), tensor.layout, {});
}

IntTuple wildcards(int n) {
  return IntTuple::tuple(std::vector<IntTuple>(static_cast<std::size_t>(n), IntTuple::wildcard()));
}

IntTuple padded(const IntTuple& coord, int n) {
  std::vector<IntTuple> modes = coord.children();
  while (static_cast<int>(modes.size()) < n) modes.push_back(IntTuple::wildcard());
  return IntTuple::tuple(std::move(modes));
}

Result<Layout> zippedDivide(const Layout& a, const Division& b) {
  return std::visit([&](const auto& tiler) { return zippedDivide(a, tiler); }, b);
}

Result<Tensor> innerPartition(const Tensor& tensor, const Division& tiler, const IntTuple& coord) {
  TESSERA_TRY(const Tensor tiled, withLayout(tensor, zippedDivide(tensor.layout, tiler)));
  const Layout tiles = tiled.layout.mode(1);
  const IntTuple at = coord.isTuple() ? padded(coord, tiles.rank()) : coord;
  TESSERA_CHECKED(requireInside(at, tiles, "tile"));
  return slice(IntTuple::tuple({wildcards(tiled.layout.mode(0).rank()), at}), tiled);
}

Result<Tensor> outerPartition(const Tensor& tensor, const Division& tiler, const IntTuple& coord) {
  TESSERA_TRY(const Tensor tiled, withLayout(tensor, zippedDivide(tensor.layout, tiler)));
  const Layout tile = tiled.layout.mode(0);
  const IntTuple at = coord.isTuple() ? padded(coord, tile.rank()) : coord;
  TESSERA_CHECKED(requireInside(at, tile, "the place in a tile"));
  return slice(IntTuple::tuple({at, wildcards(tiled.layout.mode(1).rank())}), tiled);
}

Result<IntTuple> flatCoordinate(const Layout& layout, i64 value) {
  TESSERA_CHECKED(requirePlain(layout, "the coordinate of a value"));
  TESSERA_TRY(const IntTuple coord, idx2crd(IntTuple(value), layout.shape(), layout.stride()));
  std::vector<IntTuple> flat;
  for (int k = 0; k < layout.rank(); ++k) {
    TESSERA_TRY(const Layout compact, Layout::compact(layout.mode(k).shape()));
    const IntTuple& mode = layout.shape().isLeaf() ? coord : coord.mode(k);
    TESSERA_TRY(const IntTuple index, compact.crd2idx(mode));
    flat.push_back(unwrapped(index));
  }
  return layout.shape().isLeaf() ? flat.front() : IntTuple::tuple(std::move(flat));
}

}  // namespace tessera::cute
