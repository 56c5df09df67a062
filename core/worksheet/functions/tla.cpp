// CATLASS TLA. Elements are given in bytes, zN<2>(rows, columns), or by type, MakeLayout<half, zN>(rows, columns).
#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/notation/tla/notation.h"
#include "core/worksheet/functions/functions.h"
#include "core/worksheet/functions/typed.h"

namespace tessera {

template <>
constexpr auto kReader<tla::Layout> = [](const Call& c, std::size_t k) -> Result<tla::Layout> {
  if (const auto* tla = as<tla::Layout>(c[k])) return *tla;
  TESSERA_TRY(cute::Layout layout, c.layout(k));
  return tla::Layout::make(std::move(layout));
};

namespace {

struct ElementType {
  std::string_view names;
  i64 bytes;
};
// The types of 1, 2, 4 and 8 bytes, each between blanks.
constexpr std::array<ElementType, 4> kTypes = {{
    {" int8_t uint8_t fp8 ", 1},
    {" half half_t fp16 float16_t bfloat16_t bf16 int16_t uint16_t ", 2},
    {" float fp32 int32_t uint32_t ", 4},
    {" double int64_t ", 8},
}};

Result<i64> elementBytes(const Call& c, std::string_view text) {
  for (const ElementType& type : kTypes)
    if (type.names.find(fmt::format(" {} ", text)) != std::string_view::npos) return type.bytes;
  Call number = c;
  number.templateArgs = {std::string(text)};
  if (auto n = number.templateIntegers()) return n->front();
  return Diag{fmt::format("'{}' is not an element type", text), "half, float, int8_t ... or the bytes of an element"};
}

Result<Value> made(const Call& c, std::string_view tagName, i64 bytes, std::size_t first) {
  TESSERA_TRY(const tla::Tag tag, tla::parseTag(tagName));
  const bool vector = tag == tla::Tag::Vector && c.count() == first + 1;
  if (!vector && c.count() != first + 2) {
    return Diag{fmt::format("{} takes rows and columns", c.function), "rows, columns"};
  }
  TESSERA_TRY(const i64 rows, c.integer(first));
  i64 columns = rows;
  if (!vector) {
    TESSERA_TRY(columns, c.integer(first + 1));
  }
  return wrapped(tla::makeLayout(tag, bytes, vector ? 1 : rows, columns));
}

// zN<2>(rows, columns); the bytes default to 2.
Result<Value> tagCall(const Call& c) {
  i64 bytes = 2;
  if (c.templateArgs.size() > 1) return Diag{fmt::format("{} takes one element type", c.function), "zN<2>(32, 48)"};
  if (c.templateArgs.size() == 1) {
    TESSERA_TRY(bytes, elementBytes(c, c.templateArgs.front()));
  }
  return made(c, c.function, bytes, 0);
}

// MakeLayout<T, Tag>(rows, columns), MakeLayout(shape, stride), MakeLayout(shape, stride, originShape).
Result<Value> makeLayoutCall(const Call& c) {
  if (c.templateArgs.size() == 2) {
    TESSERA_TRY(const i64 bytes, elementBytes(c, c.templateArgs[0]));
    return made(c, c.templateArgs[1], bytes, 0);
  }
  if (!c.templateArgs.empty()) {
    return Diag{"MakeLayout takes an element type and a tag", "MakeLayout<half, zN>(32, 48)"};
  }
  if (c.count() < 2) {
    return Diag{"MakeLayout takes a shape and a stride", "MakeLayout(MakeShape(4, 8), MakeStride(8, 1))"};
  }
  TESSERA_TRY(cute::IntTuple shape, c.tuple(0));
  TESSERA_TRY(cute::IntTuple stride, c.tuple(1));
  TESSERA_TRY(cute::Layout layout, layoutFrom(c, std::move(shape), std::move(stride)));
  if (c.count() == 2) {
    return wrapped(tla::Layout::make(std::move(layout)));
  }
  TESSERA_TRY(cute::IntTuple origin, c.tuple(2));
  return wrapped(tla::Layout::make(std::move(layout), std::move(origin)));
}

Result<tla::Layout> tileOf(const tla::Layout& layout, const cute::IntTuple& tile,
                           const std::optional<cute::IntTuple>& coord) {
  return coord ? tla::tileLayout(layout, tile, *coord) : tla::tileLayout(layout, tile);
}

Result<Value> crd2offsetCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple coord, c.tuple(0));
  if (c.count() == 2) {
    TESSERA_TRY(const cute::Layout layout, c.layout(1));
    return wrapped(tla::crd2offset(coord, layout));
  }
  TESSERA_TRY(cute::IntTuple shape, c.tuple(1));
  TESSERA_TRY(cute::IntTuple stride, c.tuple(2));
  TESSERA_TRY(const cute::Layout layout, cute::Layout::make(std::move(shape), std::move(stride)));
  return wrapped(tla::crd2offset(coord, layout));
}

// MakeLayoutFmap<half>(batch, c1, h, w) and MakeLayoutFilter.
template <Result<tla::Layout> (*Make)(i64, i64, i64, i64, i64)>
Result<Value> tensorCall(const Call& c) {
  if (c.templateArgs.size() != 1) return Diag{fmt::format("{} takes one element type", c.function)};
  TESSERA_TRY(const i64 bytes, elementBytes(c, c.templateArgs.front()));
  std::array<i64, 4> n{};
  for (std::size_t k = 0; k < n.size(); ++k) {
    TESSERA_TRY(n[k], c.integer(k));
  }
  return wrapped(Make(bytes, n[0], n[1], n[2], n[3]));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"zN", "zN<2>(rows, columns)", "fractals row-major inside, column-major outside; 2 = bytes of an element", 2, 2,
     tagCall},
    {"nZ", "nZ<2>(rows, columns)", "fractals column-major inside, row-major outside", 2, 2, tagCall},
    {"zZ", "zZ<2>(rows, columns)", "fractals row-major inside and outside", 2, 2, tagCall},
    {"nN", "nN<2>(rows, columns)", "fractals column-major inside and outside", 2, 2, tagCall},
    {"L0C", "L0C<4>(rows, columns)", "the accumulator's 16x16 fractals", 2, 2, tagCall},
    {"RowMajor", "RowMajor<2>(rows, columns)", "(r,c):(c,1)", 2, 2, tagCall},
    {"ColumnMajor", "ColumnMajor<2>(rows, columns)", "(r,c):(1,r)", 2, 2, tagCall},
    {"Vector", "Vector<2>(n)", "(n):(1)", 1, 2, tagCall},
    {"VectorLayout", "VectorLayout<2>(n)", "(n):(1)", 1, 2, tagCall},
    {"Weight4BitnZ", "Weight4BitnZ<1>(rows, columns)", "packed int4 weights", 2, 2, tagCall},
    {"MakeShape", "MakeShape(4, 8)", "a shape", 1, 1000, tupleCall},
    {"MakeStride", "MakeStride(8, 1)", "a stride", 1, 1000, tupleCall},
    {"MakeCoord", "MakeCoord(1, 5)", "a coordinate", 1, 1000, tupleCall},
    {"MakeLayout", "MakeLayout<half, zN>(rows, columns) or MakeLayout(shape, stride)", "a TLA layout", 1, 3,
     makeLayoutCall},
    {"MakeLayoutFmap", "MakeLayoutFmap<half>(batch, c1, h, w)", "feature map (N, C1, H, W, C0)", 4, 4,
     tensorCall<tla::makeFmap>},
    {"MakeLayoutFilter", "MakeLayoutFilter<half>(c1, kh, kw, cout)", "filter in L1", 4, 4, tensorCall<tla::makeFilter>},
    {"MakeLayoutTile", "MakeLayoutTile(L, (rows, columns))", "the layout of a tile of L; strides are kept", 2, 3,
     typed<kWholeCall, tileOf>, true},
    {"GetTileLayout", "GetTileLayout(L, tile, coord)", "the layout of the tile at coord", 2, 3,
     typed<kWholeCall, tileOf>, true},
    {"crd2offset", "crd2offset(coord, L)", "the element's offset", 2, 3, crd2offsetCall},
    {"origin_shape", "origin_shape(L)", "the shape of the real data, without padding", 1, 1,
     typed<kWholeCall, &tla::Layout::originShape>},
});

}  // namespace

std::span<const Function> tlaFunctions() { return kFunctions; }

}  // namespace tessera
