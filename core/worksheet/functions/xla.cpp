// XLA shapes: addresses, sizes, layout changes, bitcasts, bandwidth.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/map/forms/recognise.h"
#include "core/map/forms/swizzled.h"
#include "core/notation/convert.h"
#include "core/notation/xla/address.h"
#include "core/notation/xla/edit.h"
#include "core/worksheet/functions/typed.h"

namespace tessera {

const xla::Shape* xlaShapeIn(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  return layout == nullptr ? nullptr : xla::shapeIn(*layout);
}

template <>
constexpr auto kReader<xla::Shape> = [](const Call& c, std::size_t k) -> Result<xla::Shape> {
  if (const xla::Shape* shape = xlaShapeIn(c[k])) return *shape;
  return c.wrong(k, "an XLA shape such as f32[3,5]{1,0:T(2,2)}");
};
template <>
constexpr auto kReader<xla::Addressing> = [](const Call& c, std::size_t k) -> Result<xla::Addressing> {
  TESSERA_TRY(const xla::Shape shape, argument<xla::Shape>(c, k));
  return c.at(k, xla::Addressing::create(shape));
};
template <>
constexpr auto kReader<xla::Sizes> = [](const Call& c, std::size_t k) -> Result<xla::Sizes> {
  TESSERA_TRY(const xla::Shape shape, argument<xla::Shape>(c, k));
  return c.at(k, xla::sizesOf(shape));
};
template <>
constexpr auto kReader<xla::Instruction> =
    [](const Call& c, std::size_t k) { return held<xla::Instruction>(c, k, "an instruction line"); };

namespace {

using Ints = std::vector<i64>;
using xla::Shape;

// The address, times the size of a slot if Bytes.
template <bool Bytes>
Result<i64> scaledAddress(const Call& c, const xla::Addressing& addressing, const Ints& index) {
  TESSERA_TRY(const i64 slot, addressing.locate(index));
  const i64 bits = addressing.shape().storedBits();
  if (Bytes && bits % 8 != 0) {
    return c.at(0, Diag{fmt::format("elements of {} bits do not begin at whole bytes", bits), "bit_address(P, (i,j))"});
  }
  const auto scaled = checkedMul(slot, Bytes ? bits / 8 : bits);
  if (!scaled) return Diag{"the bit address does not fit in 63 bits", "byte_address(P, (i,j))"};
  return *scaled;
}

Result<Value> sizeOrMode(const Call& c) {
  return c.count() == 1 && c.templateArgs.empty() ? typed<0, &xla::Sizes::elements>(c) : sizeOf(c);
}
template <std::optional<i64> xla::Sizes::*Field>
Result<i64> ofHelper(const xla::Sizes& sizes) {
  if (!(sizes.*Field)) return Diag{"XLA's helper does not implement *", "bytes(P)"};
  return *(sizes.*Field);
}
std::string wasteOf(const xla::Sizes& sizes) { return fmt::format("{:.4g} %", sizes.waste); }
bool untiled(const xla::Addressing& addressing) { return xla::isUntiled(addressing.shape()); }
Ints contiguous(const xla::Addressing& addressing) {
  return xla::contiguity(addressing.expansion(), addressing.shape().sizes());
}
Result<Layout> physicalArrow(const Shape& shape) {
  TESSERA_TRY(Map map, xla::physicalMap(shape));
  return Layout(arrowOf(std::move(map), SpaceKind::Memory, LinearOrder::Lex, SpaceKind::Elements));
}

// with_tiles(P, (8,128), (2,1)); `_` is XLA's *; with_tiles(P) has no tiles.
Result<Value> withTilesCall(const Call& c) {
  TESSERA_TRY(const Shape shape, argument<Shape>(c, 0));
  std::vector<Ints> tiles;
  for (std::size_t k = 1; k < c.count(); ++k) {
    TESSERA_TRY(const cute::IntTuple tuple, c.tuple(k));
    Ints tile;
    for (const cute::IntTuple& leaf : tuple.leaves()) {
      if (!leaf.isWildcard() && !leaf.isPlain()) return c.wrong(k, "a tile such as (8,128)");
      if (!leaf.isWildcard() && leaf.value() < 1) return c.wrong(k, "tile sizes >= 1, or _ for *");
      tile.push_back(leaf.isWildcard() ? xla::kCombine : leaf.value());
    }
    tiles.push_back(std::move(tile));
  }
  return valueOf(c, c.count() - 1, withTiles(shape, std::move(tiles)));
}
Result<std::string> bitcastText(const Shape& in, const Shape& out) {
  TESSERA_TRY(const xla::Bitcast how, decomposeBitcast(in, out));
  return print(how);
}
Result<bool> transposeFree(const Shape& in, const Shape& out, const std::optional<Ints>& wanted) {
  if (wanted) return transposeIsBitcast(in, out, *wanted);
  TESSERA_TRY(const auto found, transposeOfBitcast(in, out));
  return found.has_value();
}

Result<std::string> utilization(const Shape& shape, const Ints& sizes, const std::optional<Ints>& strides,
                                std::optional<i64> transaction) {
  TESSERA_TRY(const double rate,
              xla::bandwidthUtilization(shape, sizes, strides.value_or(Ints()), transaction.value_or(64)));
  return fmt::format("{:.6g}", rate);
}

// A compact strided layout as an XLA shape: the modes sorted by stride are the minor-to-major order.
// Strides that no formula shows are read from the table.
Result<Strided> stridedAnyhow(const Map& map) {
  Result<Strided> strided = asStrided(map);
  const auto form = strided ? Result<Swizzled>(Diag{}) : asSwizzled(map);
  if (!form || form->bits != 0) return strided;
  Strided found{form->offset, {}};
  for (const std::vector<SwizzleLeaf>& leaves : form->digits) {
    if (leaves.size() != 1) return strided;
    found.strides.push_back(leaves.front().stride);
  }
  return found;
}

Result<Value> toXlaCall(const Call& c) {
  if (const xla::Shape* shape = xlaShapeIn(c[0])) return Value(*shape);
  std::string type = "f32";
  if (c.count() == 2) {
    TESSERA_TRY(type, c.word(1));
  }
  TESSERA_TRY(const Arrow arrow, c.arrow(0));
  if (const auto fromZero = wantsCoordinatesFromZero(arrow, "an XLA shape"); !fromZero)
    return c.at(0, fromZero.error());
  TESSERA_TRY(const Arrow whole, withSimplerModes(arrow));  // one dimension per mode
  const Map& map = whole.map;
  TESSERA_TRY(const Strided strided, c.at(0, stridedAnyhow(map)));
  if (arrow.to.kind == SpaceKind::Hardware || arrow.to.kind == SpaceKind::Devices)
    return c.at(0, Diag{fmt::format("it places elements on {}, but an XLA shape is in one memory", name(arrow.to.kind)),
                        "a layout in memory"});
  if (!map.guards().empty())
    return c.at(0, Diag{"some of its coordinates have no element, but an XLA shape has one at each",
                        "a map without constraints"});
  if (strided.offset != 0 || !map.fanDigits().empty() || map.axes().size() != 1)
    return c.at(0, Diag{"an XLA shape has no offset, no replicas and one memory", "a compact layout"});
  Ints sizes, order;
  for (const Digit& d : map.digits()) {
    order.push_back(static_cast<i64>(sizes.size()));
    sizes.push_back(d.extent);
  }
  const auto key = [&](i64 k) {
    const auto i = static_cast<std::size_t>(k);
    return std::pair(sizes[i] == 1 ? i64{0} : strided.strides[i], -k);
  };
  std::ranges::sort(order, [&](i64 a, i64 b) { return key(a) < key(b); });
  i64 expected = 1;
  for (const i64 k : order) {
    const auto i = static_cast<std::size_t>(k);
    if (sizes[i] != 1 && strided.strides[i] != expected) {
      return c.at(
          0, Diag{fmt::format("mode {} has stride {} where a compact layout has {}", k, strided.strides[i], expected),
                  "a layout whose strides are the products of the smaller modes", "XLA shapes have no gaps"});
    }
    expected *= sizes[i];
  }
  xla::Layout layout;
  layout.minorToMajor = std::move(order);
  return valueOf(c, c.count() - 1, xla::Shape::array(type, sizes, std::move(layout)));
}

Result<Shape> operandOf(const xla::Instruction& line, i64 k) {
  if (k < 0 || k >= static_cast<i64>(line.operands.size()) || !line.operands[static_cast<std::size_t>(k)].shape)
    return Diag{fmt::format("the line gives no shape for operand {}", k), "an operand with its shape"};
  return *line.operands[static_cast<std::size_t>(k)].shape;
}
Result<Value> shapeCall(const Call& c) {
  if (const auto* tuple = xlaShapeIn(c[0]); tuple != nullptr && c.count() == 2) {
    TESSERA_TRY(const i64 k, c.integer(1));
    if (k < 0 || k >= static_cast<i64>(tuple->elements().size()))
      return c.at(1, Diag{fmt::format("the tuple has {} shapes", tuple->elements().size()), "an element of it"});
    return Value(tuple->elements()[static_cast<std::size_t>(k)]);
  }
  TESSERA_TRY(Shape shape, argument<Shape>(c, 0));
  if (is<xla::Instruction>(c[0]) || !shape.isArray()) return Value(Layout(std::move(shape)));
  return tupleOf(shape.sizes());  // an array alone: its extents, as for every layout
}

constexpr auto kFunctions = std::to_array<Function>({
    {"address", "address(P, (2,3))", "the slot of an element of an XLA array, all tiles applied", 2, 2,
     typed<1, &xla::Addressing::locate>},
    {"byte_address", "byte_address(P, (2,3))", "the same in bytes", 2, 2, typed<1, scaledAddress<true>>},
    {"bit_address", "bit_address(P, (2,3))", "the same in bits, for E(n)", 2, 2, typed<1, scaledAddress<false>>},
    {"index", "index(P, 17)", "the element in a slot of an XLA array; an error for padding", 2, 2,
     typed<1, &xla::Addressing::indexOf>},
    {"elements", "elements(P)", "the number of elements, without padding", 1, 1, typed<0, &xla::Sizes::elements>},
    {"size", "size(P)", "the number of elements, without padding; size(P, k): along dimension k", 1, 8, sizeOrMode},
    {"slots", "slots(P)", "the number of elements and padding, with all tiles and L applied", 1, 1,
     typed<0, &xla::Sizes::slots>},
    {"bytes", "bytes(P)", "the size of all slots in bytes", 1, 1, typed<0, &xla::Sizes::bytes>},
    {"waste", "waste(P)", "the share of padding in memory, in percent", 1, 1, typed<0, wasteOf>},
    {"sizes", "sizes(P)", "elements, slots, bytes, padding, and XLA's ArraySize if it differs", 1, 1,
     typed<0, xla::describe>},
    {"array_size", "array_size(P)", "bytes by XLA's ShapeUtil::ArraySize: the first tile only", 1, 1,
     typed<0, ofHelper<&xla::Sizes::arraySize>>},
    {"array_data_size", "array_data_size(P)", "bytes by XLA's ShapeUtil::ArrayDataSize: up to the last element", 1, 1,
     typed<0, ofHelper<&xla::Sizes::arrayDataSize>>},
    {"rank", "rank(P)", "the number of dimensions", 1, 1, typed<0, &Shape::rank>},
    {"byte_strides", "byte_strides(P)", "XLA's UnpackedByteStrides: by minor to major, tiles ignored", 1, 1,
     typed<0, xla::unpackedByteStrides>},
    {"is_untiled", "is_untiled(P)", "the tiles change no address and add no padding", 1, 1, typed<0, untiled>},
    {"contiguous", "contiguous(P)", "for each dimension, the number of elements along it in adjacent slots", 1, 1,
     typed<0, contiguous>},
    {"physical_map", "physical_map(P)", "slot -> index, guarded at padding", 1, 1, typed<0, physicalArrow>},
    {"with_layout", "with_layout(P, (0,1))", "P with another minor-to-major order", 2, 2,
     typed<1, xla::withMinorToMajor>},
    {"with_tiles", "with_tiles(P, (8,128), (2,1))", "P with other tiles; _ is XLA's *; without tiles none", 1, 9,
     withTilesCall},
    {"with_space", "with_space(P, 1)", "P in another memory space: 0 HBM, 1 VMEM, 5 host", 2, 2,
     typed<1, xla::withMemorySpace>},
    {"reorder", "reorder(P, (1,0))", "XLA's ReorderLogicalDimensions: dimensions renamed, bytes untouched", 2, 2,
     typed<1, xla::reorderDimensions>},
    {"bitcast", "bitcast(P, Q)", "XLA's decomposition: reshape, transpose, or transpose-reshape-transpose", 2, 2,
     typed<1, bitcastText>},
    {"reshape_is_bitcast", "reshape_is_bitcast(P, Q)", "the row-major reshape P -> Q moves no element", 2, 2,
     typed<1, xla::reshapeIsBitcast>},
    {"transpose_is_bitcast", "transpose_is_bitcast(P, Q, (1,0))", "the transpose P -> Q moves no element", 2, 3,
     typed<1, transposeFree>},
    {"utilization", "utilization(P, (1,16))",
     "used bytes / moved bytes for reading a tile of P; (P, sizes, strides, transaction bytes)", 2, 4,
     typed<1, utilization>},
    {"to_xla", "to_xla(L, bf16)", "a compact strided layout as an XLA shape", 1, 2, toXlaCall, false, 2},
    {"operand", "operand(LINE, 0)", "the shape of an operand of an instruction line", 2, 2, typed<1, operandOf>},
    {"shape", "shape(LINE)",
     "the shape that a line declares; shape(TUPLE, k): shape k of a tuple; the extents of an array", 1, 2, shapeCall},
});

}  // namespace

std::span<const Function> xlaFunctions() { return kFunctions; }

}  // namespace tessera
