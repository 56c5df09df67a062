// Mosaic's layouts on a TPU. A vector register has 8 sublanes x 128 lanes of 32 bits.
//
//     #tpu.vpad<"16,{0,0},(16,128)">   bit width, offsets of the first element, tile, and the implicit dimension
//         element (r, c) of a register: row q = r * t1/128 + c mod t1 / 128 of tile c / t1; with p = 32 / bits,
//         sublane = (c / t1) * (8 / tiles) + q / p, lane = c mod 128, part of the word = q mod p
//         an offset * means that all positions hold the value: a symbol of the map
//     #tpu.tiled<(8,128)(2,1),[2,1]>   memory tiles, outermost first, and the strides of tiles
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/chars.h"
#include "core/paste/xla/readers.h"

namespace tessera::paste::xla_text {
namespace {

constexpr i64 kSublanes = 8, kLanes = 128, kWordBits = 32;

struct VectorLayout {
  i64 bits = 32;
  std::optional<i64> offset[2];  // nullopt: replicated
  i64 tile[2] = {8, 128};
  std::string implicit;
};

Result<VectorLayout> readVpad(std::string_view text) {
  Cursor in(text);
  VectorLayout v;
  TESSERA_TRY(v.bits, in.integer("the bit width"));
  TESSERA_CHECKED(in.expect(",", "after the bit width"));
  TESSERA_CHECKED(in.expect("{", "before the offsets"));
  for (int k = 0; k < 2; ++k) {
    if (k == 1) TESSERA_CHECKED(in.expect(",", "between the offsets"));
    if (in.accept('*')) continue;
    TESSERA_TRY(v.offset[k], in.integer("an offset"));
  }
  TESSERA_CHECKED(in.expect("}", "after the offsets"));
  TESSERA_CHECKED(in.expect(",", "before the tile"));
  TESSERA_CHECKED(in.expect("(", "before the tile"));
  TESSERA_TRY(v.tile[0], in.integer("the rows of the tile"));
  TESSERA_CHECKED(in.expect(",", "in the tile"));
  TESSERA_TRY(v.tile[1], in.integer("the columns of the tile"));
  TESSERA_CHECKED(in.expect(")", "after the tile"));
  if (in.accept(',')) v.implicit = std::string(stripped(text.substr(in.position())));
  return v;
}

Result<void> checkVpad(const VectorLayout& v) {
  if (v.bits < 1 || v.bits > kWordBits || kWordBits % v.bits != 0)
    return Diag{fmt::format("a TPU vector has no elements of {} bits", v.bits), "32, 16, 8, 4, 2 or 1 bits"};
  const i64 capacity = kSublanes * kLanes * (kWordBits / v.bits);
  if (v.tile[0] < 1 || v.tile[1] < kLanes || v.tile[1] % kLanes != 0 || v.tile[0] > capacity || v.tile[1] > capacity ||
      capacity % (v.tile[0] * v.tile[1]) != 0)
    return Diag{fmt::format("tiles of ({},{}) do not fill a register of {} elements", v.tile[0], v.tile[1], capacity),
                "a tile such as (8,128)"};
  return {};
}

Result<bool> bindVpad(std::string_view name, const VectorLayout& v, Span span, Bindings& out) {
  TESSERA_CHECKED(checkVpad(v));
  const i64 parts = kWordBits / v.bits, tiles = kSublanes * kLanes * parts / (v.tile[0] * v.tile[1]);
  const i64 columns = v.tile[1] * tiles;
  const std::string row = v.offset[0] ? fmt::format("(d0 + {})", *v.offset[0]) : "s0";
  const std::string column = v.offset[1] ? fmt::format("(d1 + {})", *v.offset[1]) : v.offset[0] ? "s0" : "s1";
  const std::string q = fmt::format("({} mod {} * {} + {} mod {} floordiv {})", row, v.tile[0], v.tile[1] / kLanes,
                                    column, v.tile[1], kLanes);
  std::string symbols, domain = fmt::format("d0 in [0, {}], d1 in [0, {}]", v.tile[0] - 1, columns - 1);
  for (int k = 0, s = 0; k < 2; ++k) {
    if (v.offset[k]) continue;
    symbols += fmt::format("{}s{}", symbols.empty() ? "" : ", ", s);
    domain += fmt::format(", s{} in [0, {}]", s++, (k == 0 ? v.tile[0] : columns) - 1);
  }
  if (!symbols.empty()) symbols = "[" + symbols + "]";
  out.note(fmt::format("({}): the results are the register's row and column, sublane, lane and part of the 32-bit word",
                       name.empty() ? "X" : name));
  if (!symbols.empty()) out.note("an offset * is a symbol: every position along that dimension holds the value");
  if (!v.implicit.empty())
    out.note(fmt::format("implicit dimension {}: the vector has one dimension less than the register", v.implicit));
  out.bind(name,
           fmt::format("(d0, d1){} -> ({} floordiv {}, {} floordiv {}, {} mod {} floordiv {} * {} + {} floordiv {}, {} "
                       "mod {}, {} mod {}), domain: {}",
                       symbols, row, v.tile[0], column, columns, column, columns, v.tile[1], kSublanes / tiles, q,
                       parts, column, kLanes, q, parts, domain),
           span);
  return true;
}

// One tile alone, as an array of one tile.
Result<bool> bindTile(std::string_view name, const Tiled& tiled, Span span, Bindings& out) {
  std::string tiles, dims, order;
  for (const auto& tile : tiled.tiles) tiles += fmt::format("({})", fmt::join(tile, ","));
  for (std::size_t k = 0; k < tiled.tiles[0].size(); ++k)
    order = fmt::format("{}{}{}", k, order.empty() ? "" : ",", order);
  dims = fmt::format("{}", fmt::join(tiled.tiles[0], ","));
  const i64 packed = tiled.tiles.size() > 1 ? tiled.tiles[1][0] : 1;
  const std::string_view type = packed == 2 ? "bf16" : packed == 4 ? "s8" : "f32";
  out.note(fmt::format("#tpu.tiled has no array: one tile is shown, with elements of {}; a memref<..> has both", type));
  out.bind(name, fmt::format("{}[{}]{{{}:T{}}}", type, dims, order, tiles), span);
  return true;
}

Result<std::vector<i64>> integerList(Cursor& in, char close) {
  std::vector<i64> list;
  while (!in.accept(close)) {
    TESSERA_TRY(const i64 one, in.integer());
    list.push_back(one);
    if (!in.accept(',') && in.peek() != close)
      return in.fail("a list of integers is not closed", std::string(1, close));
  }
  return list;
}

}  // namespace

Result<Tiled> readTiled(std::string_view inside) {
  Cursor in(inside);
  Tiled out;
  while (in.accept('(')) {
    TESSERA_TRY(std::vector<i64> tile, integerList(in, ')'));
    if (tile.empty()) return in.fail("a tile has sizes", "(8,128)");
    for (const i64 size : tile)
      if (size < 1) return in.fail("a tile has sizes of at least 1", "(8,128)");
    out.tiles.push_back(std::move(tile));
  }
  if (out.tiles.empty()) return in.fail("#tpu.tiled begins with its tiles", "(8,128),[1,1]");
  if (in.accept(',') && in.accept('[')) {
    TESSERA_TRY(out.strides, integerList(in, ']'));
  }
  return out;
}

bool isMosaic(std::string_view head) { return head == "#tpu.vpad" || head == "#tpu.tiled"; }

Result<bool> bindMosaic(std::string_view name, std::string_view head, std::string_view inside, Span span,
                        Bindings& out) {
  if (head == "#tpu.tiled") {
    TESSERA_TRY(const Tiled tiled, placedIn(span, readTiled(inside)));
    return bindTile(name, tiled, span, out);
  }
  if (stripped(inside) == "none") return true;  // a scalar
  TESSERA_TRY(const VectorLayout layout, placedIn(span, readVpad(inside)));
  return placedIn(span, bindVpad(name, layout, span, out));
}

}  // namespace tessera::paste::xla_text
