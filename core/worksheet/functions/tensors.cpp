// Tensors that are not in memory, and the methods of layouts: L.with_shape(4, 8), make_tile(...).
#include <fmt/format.h>

#include <array>

#include "core/notation/cute/algebra/composition.h"
#include "core/worksheet/functions/tiled_values.h"
#include "core/worksheet/functions/typed.h"

namespace tessera {
namespace {

// ---- tensors without memory

Result<Value> ofCoordinates(const Call& c, std::size_t k, Result<cute::Layout> layout, cute::IntTuple start) {
  cute::Tensor tensor;
  TESSERA_TRY(tensor.layout, c.at(k, std::move(layout)));
  tensor.offset = std::move(start);
  tensor.engine = {.kind = cute::Engine::Kind::Arith, .text = "ArithTuple()"};
  TESSERA_TRY(cute::AnyLayout made, c.at(k, cute::layoutOf(tensor)));
  return std::visit([](auto& l) { return Value(std::move(l)); }, made);
}
Result<Value> identityTensor(const Call& c) {
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(0));
  const std::vector<cute::IntTuple> zeros(shape.leafCount(), cute::IntTuple(0));
  return ofCoordinates(c, 0, cute::makeIdentityLayout(shape), withLeaves(shape, zeros));
}
Result<Value> coordTensor(const Call& c) {
  TESSERA_TRY(const cute::Layout layout, c.layout(0));
  if (!layout.hasBasis()) return c.wrong(0, "a layout to coordinates, (4,8):(1@0,1@1)");
  return ofCoordinates(c, 0, layout, cute::IntTuple(0));
}
Result<Value> countingTensor(const Call& c) {
  TESSERA_TRY(const cute::Layout layout, c.layout(0));
  cute::Engine engine{.kind = cute::Engine::Kind::Counting, .text = "counting_iter(0)"};
  engine.bound = true;
  return wrapped(cute::ComposedLayout::make({}, cute::IntTuple::staticLeaf(0), layout, std::move(engine)));
}
// make_tensor(POINTER, L), make_tensor(POINTER, shape, stride): the layout; make_tensor<T>(L): registers.
Result<Value> tensorCall(const Call& c) {
  const std::size_t first = c.templateArgs.empty() ? 1 : 0;
  if (c.count() == first) return c.wrong(0, "a pointer and a layout");
  if (c.count() == first + 1) {
    if (!isTupleLike(c[first])) return c[first];
    TESSERA_TRY(cute::IntTuple shape, c.tuple(first));
    return wrapped(c.at(first, cute::Layout::compact(std::move(shape))));
  }
  TESSERA_TRY(cute::IntTuple shape, c.tuple(first));
  TESSERA_TRY(cute::IntTuple stride, c.tuple(first + 1));
  return wrapped(cute::Layout::make(std::move(shape), std::move(stride)));
}

// ---- methods of a layout

Result<Value> withShape(const Call& c) {
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 0));
  cute::IntTuple shape;
  if (c.count() == 2) {
    TESSERA_TRY(shape, c.tuple(1));
  } else {
    std::vector<cute::IntTuple> modes;
    for (std::size_t k = 1; k < c.count(); ++k) {
      TESSERA_TRY(cute::IntTuple mode, c.tuple(k));
      modes.push_back(std::move(mode));
    }
    shape = cute::IntTuple::tuple(std::move(modes));
  }
  TESSERA_TRY(const cute::Layout compact, c.at(1, cute::Layout::compact(shape)));
  return valueOfTensor(tensor, c.at(1, withLayout(tensor, composition(tensor.layout, compact))));
}
Result<Value> flatCoord(const Call& c) {
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 0));
  TESSERA_TRY(const i64 value, c.integer(1));
  return valued(c.at(1, flatCoordinate(tensor.layout, value)));
}
Result<Value> hierCoord(const Call& c) {
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 0));
  TESSERA_TRY(const i64 value, c.integer(1));
  return valued(c.at(1, idx2crd(cute::IntTuple(value), tensor.layout.shape(), tensor.layout.stride())));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"make_tensor", "make_tensor(POINTER, L) or make_tensor<T>(L)", "the layout: an address is not part of a layout", 1,
     3, tensorCall, false, 0b1},
    {"make_identity_tensor", "make_identity_tensor(shape)", "the tensor whose elements are their own coordinates", 1, 1,
     identityTensor},
    {"make_coord_tensor", "make_coord_tensor(L)", "the tensor of the coordinates that L gives, (4,8):(1@0,1@1)", 1, 1,
     coordTensor},
    {"make_counting_tensor", "make_counting_tensor(L)", "the tensor whose elements are their own offsets", 1, 1,
     countingTensor},
    {"make_tile", "make_tile(32, (8,2):(1,16), _)", "a tile for each mode: a shape or a tiler", 1, 64, tileCall},
    {"with_shape", "L.with_shape(4, 8)", "L read over another shape", 2, 64, withShape},
    {"get_flat_coord", "L.get_flat_coord(i)", "one number for each mode, at which L is i", 2, 2, flatCoord},
    {"get_hier_coord", "L.get_hier_coord(i)", "the coordinate at which L is i", 2, 2, hierCoord},
});

}  // namespace

// make_tile(32, (8,2,2):(1,16,8), _): a tuple, or a tiler if it holds a layout.
Result<Value> tileCall(const Call& c) {
  bool tuples = true;
  for (std::size_t k = 0; k < c.count(); ++k) tuples = tuples && isTupleLike(c[k]);
  if (tuples) return tupleCall(c);
  cute::Tiler tiler;
  for (std::size_t k = 0; k < c.count(); ++k) {
    if (const auto* nested = std::get_if<cute::Tiler>(&c[k])) {
      tiler.entries.push_back({cute::TilerEntry::Kind::Nested, {}, false, *nested});
    } else if (isTupleLike(c[k])) {
      TESSERA_TRY(const cute::IntTuple shape, c.tuple(k));
      TESSERA_TRY(const cute::Tiler one, c.at(k, tilerOfShape(cute::IntTuple::tuple({shape}))));
      tiler.entries.push_back(one.entries.front());
    } else {
      TESSERA_TRY(const cute::Layout layout, c.layout(k));
      tiler.entries.push_back({cute::TilerEntry::Kind::Layout, layout, false, {}});
    }
  }
  return Value(std::move(tiler));
}

std::span<const Function> tensorFunctions() { return kFunctions; }

}  // namespace tessera
