// MLIR's shaped types. A dense type is XLA's array, which keeps the element type; other strides are a CuTe layout, an
// offset or an affine layout is an index formula.
//
//     tensor<128x8xf32>                                     f32[128,8]{1,0}
//     memref<4x8xf32, strided<[16, 1]>, 3>                  (4,8):(16,1)
//     memref<4x8xf32, strided<[8, 1], offset: 3>>           X(d0, d1) = 3 + d0 * 8 + d1 * 1 over (4, 8)
//     memref<64x64xf32, affine_map<(d0, d1) -> (d1, d0)>>   f32[64,64]{0,1}
//     memref<64x256xf32, #tpu.tiled<(8,128),[2,1]>>         f32[64,256]{1,0:T(8,128)}
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/expr/facts.h"
#include "core/map/compose.h"
#include "core/notation/indexing/map.h"
#include "core/notation/xla/shape.h"
#include "core/paste/xla/readers.h"
#include "core/paste/xla/sharding_parts.h"

namespace tessera::paste::xla_text {
namespace {

// XLA's name of an MLIR element type; empty if it has none.
std::string xlaType(std::string_view element) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames = {{{"i1", "pred"},
                                                                                           {"index", "s64"},
                                                                                           {"complex<f32>", "c64"},
                                                                                           {"complex<f64>", "c128"},
                                                                                           {"none", ""},
                                                                                           {"tf32", "f32"},
                                                                                           {"i128", ""}}};
  for (const auto& [mlir, name] : kNames)
    if (element == mlir) return std::string(name);
  std::string name = lowerCase(element);
  if (name.starts_with("ui") || name.starts_with("si")) name.erase(name[0] == 'u' ? 1 : 0, name[0] == 'u' ? 1 : 0);
  if (name.starts_with("si")) name.erase(1, 1);
  if (name.starts_with("i")) name[0] = 's';
  return xla::findType(name) == nullptr ? "" : name;
}

// The dimensions and the element: "128x?xf32". Returns the position after them.
Result<std::size_t> dimensions(std::string_view text, ShapedType& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    if (text[at] == '*' && text.substr(at, 2) == "*x")
      return Diag{"this type has no rank", "a ranked type such as tensor<128x8xf32>"};
    const bool scalable = text[at] == '[';
    if (scalable) ++end;
    while (end < text.size() && isDigit(text[end])) ++end;
    if (scalable && end < text.size() && text[end] == ']') ++end;
    if (end == at && text[at] == '?') ++end;
    if (end == at || end >= text.size() || text[end] != 'x') break;
    const auto size = integerText(text.substr(scalable ? at + 1 : at, end - at - (scalable ? 2 : 0)));
    if (text[at] != '?' && !size) return Diag{"a dimension does not fit 64 bits"};
    out.dims.push_back(scalable ? std::nullopt : size);
    if (out.dims.size() > 64) return Diag{"a type of more than 64 dimensions"};
    at = end + 1;
  }
  return at;
}

// The extents, with the values of --let for `?`; nullopt: one is asked.
std::optional<Ints> extents(const ShapedType& type, Bindings& out) {
  Ints sizes;
  bool all = true;
  for (std::size_t k = 0; k < type.dims.size(); ++k) {
    auto size = type.dims[k];
    if (!size) size = out.number(fmt::format("d{}", k), fmt::format("the size of dimension {}", k), "64", type.span);
    if (!size) all = false;
    sizes.push_back(size.value_or(1));
  }
  return all ? std::optional(sizes) : std::nullopt;
}

std::string orderText(const Ints& minorToMajor) { return fmt::format("{{{}", fmt::join(minorToMajor, ",")); }

// Where a type is bound: its name, its extents, and XLA's name of its elements.
struct Target {
  std::string_view name;
  const ShapedType& type;
  Ints sizes;
  std::string element;
  i64 space = 0;  // XLA's memory space
  Bindings& out;
};

// {0,1} for the minor-to-major order, and tiles, as an XLA array.
void bindArray(const Target& t, const Ints& minorToMajor, const std::string& tiles) {
  std::string attributes = tiles.empty() ? "" : "T" + tiles;
  if (t.space != 0) attributes += fmt::format("S({})", t.space);
  std::string layout = orderText(minorToMajor) + (attributes.empty() ? "" : ":" + attributes) + "}";
  if (t.sizes.empty() && attributes.empty()) layout.clear();
  t.out.bind(t.name, fmt::format("{}[{}]{}", t.element, fmt::join(t.sizes, ","), layout), t.type.span);
}

std::vector<std::string> coordinateNames(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < n; ++k) names.push_back(fmt::format("d{}", k));
  return names;
}

Ints compactStrides(const Ints& sizes) {
  Ints strides(sizes.size(), 1);
  for (std::size_t k = sizes.size(); k-- > 1;)
    strides[k - 1] = checkedMul(strides[k], std::max<i64>(sizes[k], 1)).value_or(INT64_MAX);
  return strides;
}

// The minor-to-major order in which the strides are compact; nullopt: there are gaps.
std::optional<Ints> compactOrder(const Ints& sizes, const Ints& strides) {
  Ints order;
  for (std::size_t k = sizes.size(); k-- > 0;) order.push_back(static_cast<i64>(k));
  std::ranges::stable_sort(
      order, [&](i64 a, i64 b) { return strides[static_cast<std::size_t>(a)] < strides[static_cast<std::size_t>(b)]; });
  i64 expected = 1;
  for (const i64 k : order) {
    const auto i = static_cast<std::size_t>(k);
    if (sizes[i] != 1 && strides[i] != expected) return std::nullopt;
    expected = checkedMul(expected, std::max<i64>(sizes[i], 1)).value_or(INT64_MAX);
  }
  return order;
}

void bindStrided(const Target& t, const Ints& strides, i64 offset) {
  const auto order = compactOrder(t.sizes, strides);
  if (offset == 0 && order && !t.element.empty()) return bindArray(t, *order, "");
  if (!t.element.empty()) t.out.note(fmt::format("offsets count elements of {}", t.type.element));
  if (offset == 0) {
    const std::string text =
        t.sizes.empty() ? "1:0" : fmt::format("({}):({})", fmt::join(t.sizes, ","), fmt::join(strides, ","));
    t.out.bind(t.name, text, t.type.span);
    return;
  }
  std::string body = std::to_string(offset);
  for (std::size_t k = 0; k < strides.size(); ++k) body += fmt::format(" + d{} * {}", k, strides[k]);
  if (strides.empty()) {
    t.out.bind(t.name, fmt::format("() -> ({})", offset), t.type.span);
    return;
  }
  t.out.formula(t.name, coordinateNames(strides.size()), body, t.sizes, t.type.span);
}

// strided<[8, ?], offset: ?>
Result<void> strided(const Target& t, std::string_view text) {
  Cursor in(text.substr(8));
  Ints strides;
  bool asked = false;
  const auto value = [&](const std::string& name, std::string_view asks, std::string_view example) -> Result<i64> {
    if (!in.accept('?')) return in.integer("a stride");
    const auto given = t.out.number(name, asks, example, t.type.span);
    asked = asked || !given;
    return given.value_or(0);
  };
  TESSERA_CHECKED(in.expect("[", "before the strides"));
  while (!in.accept(']')) {
    const std::size_t k = strides.size();
    TESSERA_TRY(const i64 one, value(fmt::format("stride{}", k), fmt::format("the stride of dimension {}", k), "1"));
    strides.push_back(one);
    if (!in.accept(',') && in.peek() != ']') return in.fail("the list of strides is not closed", "]");
  }
  i64 offset = 0;
  if (in.accept(',') && in.acceptWord("offset") && in.accept(':')) {
    if (in.peek() == '?' && t.out.given().let("offset") == nullptr) {
      t.out.note("the offset is known at run time only and taken as 0; --let offset=N gives it");
    } else {
      TESSERA_TRY(offset, value("offset", "the offset", "0"));
    }
  }
  if (strides.size() != t.sizes.size())
    return Diag{fmt::format("{} strides for {} dimensions", strides.size(), t.sizes.size()),
                "a stride for each dimension", "", t.type.span};
  if (!asked) bindStrided(t, strides, offset);
  return {};
}

// The largest value of each result over the box, plus 1.
Result<Ints> resultExtents(const AffineMap& map, const Ints& sizes) {
  std::string domain;
  for (std::size_t k = 0; k < map.dims.size(); ++k)
    domain += fmt::format("{}{} in [0, {}]", k == 0 ? "" : ", ", map.dims[k], std::max<i64>(sizes[k], 1) - 1);
  const std::string text = fmt::format("({}) -> ({}){}{}", fmt::join(map.dims, ", "), fmt::join(map.results, ", "),
                                       domain.empty() ? "" : ", domain: ", domain);
  TESSERA_TRY(const indexing::IndexingMap read, indexing::parse(text));
  TESSERA_TRY(const Map whole, indexing::toMap(read));
  Ints out;
  for (const Axis& axis : whole.axes()) {
    const Facts facts = factsOf(axis.value, environmentOf(whole));
    if (!facts.fits || facts.interval.lo < 0 || facts.interval.hi == INT64_MAX)
      return Diag{"a result of the layout map has no bound, so its extent is unknown", "results that are not negative"};
    out.push_back(facts.interval.hi + 1);
  }
  return out;
}

// The order of a map that only permutes: (d0, d1) -> (d1, d0) is {0,1}.
std::optional<Ints> permutation(const AffineMap& map) {
  if (map.results.size() != map.dims.size()) return std::nullopt;
  Ints order;
  for (std::size_t k = map.results.size(); k-- > 0;) {
    const auto dim = std::ranges::find(map.dims, map.results[k]);
    if (dim == map.dims.end()) return std::nullopt;
    order.push_back(dim - map.dims.begin());
  }
  Ints sorted = order;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() ? std::optional(order) : std::nullopt;
}

Result<void> affineLayout(const Target& t, std::string_view text) {
  TESSERA_TRY(AffineMap map, readAffine(text.substr(11, text.size() - 12)));
  if (map.dims.size() != t.sizes.size())
    return Diag{fmt::format("the layout map has {} dimensions, the type {}", map.dims.size(), t.sizes.size()),
                "a map of the type's dimensions", "", t.type.span};
  if (const auto order = permutation(map); order && !t.element.empty()) {
    bindArray(t, *order, "");
    return {};
  }
  for (std::string& symbol : map.symbols) {
    const auto value = t.out.number(symbol, "a symbol of the layout map", "1", t.type.span);
    if (!value) return {};
    for (std::string& result : map.results) result = fmt::format("({})", result);
    std::string& first = map.results[0];
    for (std::size_t at = first.find(symbol); at != std::string::npos; at = first.find(symbol, at + 1))
      if (!isNamePart(first[at - 1]) && !isNamePart(first[at + symbol.size()]))
        first.replace(at, symbol.size(), std::to_string(*value));
  }
  if (!map.symbols.empty() && map.results.size() > 1)
    return Diag{"a layout map with symbols and several results is not read", "one result", "", t.type.span};
  std::string body = map.results.empty() ? "0" : map.results[0];
  if (map.results.size() > 1) {
    TESSERA_TRY(const Ints sizes, resultExtents(map, t.sizes));
    const Ints strides = compactStrides(sizes);
    body.clear();
    for (std::size_t k = 0; k < sizes.size(); ++k)
      body += fmt::format("{}({}) * {}", k == 0 ? "" : " + ", map.results[k], strides[k]);
  }
  t.out.note("the layout map's results are counted row-major over their ranges");
  t.out.formula(t.name, map.dims, body, t.sizes, t.type.span);
  return {};
}

// Tiles in memory; strides of the tiles are those of a row-major grid, or an index formula.
Result<void> tiledLayout(const Target& t, std::string_view text) {
  TESSERA_TRY(const Tiled tiled, readTiled(text.substr(11, text.size() - 12)));
  const Ints& tile = tiled.tiles[0];
  const std::size_t rank = t.sizes.size();
  if (tile.size() > rank)
    return Diag{"the tile has more dimensions than the array", "a tile such as (8,128)", "", t.type.span};
  Ints grid = t.sizes;
  for (std::size_t k = 0; k < tile.size(); ++k) {
    i64& size = grid[rank - tile.size() + k];
    size = (size + tile[k] - 1) / tile[k];
  }
  std::string tiles;
  for (const Ints& one : tiled.tiles) tiles += fmt::format("({})", fmt::join(one, ","));
  Ints order;
  for (std::size_t k = rank; k-- > 0;) order.push_back(static_cast<i64>(k));
  Ints strides = compactStrides(grid);
  bool rowMajor = tiled.strides.empty();
  if (tiled.strides.size() == rank) {
    rowMajor = true;
    for (std::size_t k = 0; k < rank; ++k) rowMajor = rowMajor && (grid[k] == 1 || tiled.strides[k] == strides[k]);
    strides = tiled.strides;
  }
  if (!rowMajor && tiled.tiles.size() > 1)
    return Diag{"nested tiles with strides that are not row-major are not read",
                fmt::format("[{}]", fmt::join(compactStrides(grid), ",")), "", t.type.span};
  if (rowMajor && !t.element.empty()) {
    bindArray(t, order, tiles);
    return {};
  }
  const Ints within = compactStrides(tile);
  i64 slots = 1;
  for (const i64 size : tile) slots = checkedMul(slots, size).value_or(INT64_MAX);
  std::string body;
  for (std::size_t k = 0; k < rank; ++k) {
    const bool cut = k + tile.size() >= rank;
    const i64 size = cut ? tile[k + tile.size() - rank] : 1;
    body +=
        fmt::format("{}d{} floordiv {} * {}", k == 0 ? "" : " + ", k, size, checkedMul(strides[k], slots).value_or(0));
    if (cut) body += fmt::format(" + d{} mod {} * {}", k, size, within[k + tile.size() - rank]);
  }
  t.out.formula(t.name, coordinateNames(rank), body, t.sizes, t.type.span);
  return {};
}

// #tpu.memory_space<vmem>, 3, #gpu.address_space<workgroup>
i64 memorySpace(std::string_view attribute, Bindings& out) {
  if (attribute.find("vmem") != std::string_view::npos) return 1;
  if (attribute.find("smem") != std::string_view::npos && attribute.find("tpu") != std::string_view::npos)
    out.note("the memory is the TPU's SMEM");
  if (attribute == "3" || attribute.find("workgroup") != std::string_view::npos)
    out.note("the memory is shared memory");
  return 0;
}

}  // namespace

Result<std::optional<ShapedType>> readShapedType(Cursor& in) {
  const std::size_t begin = in.start();
  ShapedType type;
  if (begin > 0 && (isNamePart(in.text()[begin - 1]) || in.text()[begin - 1] == '.'))
    return std::optional<ShapedType>();
  for (const std::string_view kind : {"tensor", "memref", "vector"})
    if (in.text().substr(begin, kind.size() + 1) == std::string(kind) + "<") type.kind = kind;
  if (type.kind.empty()) return std::optional<ShapedType>();
  in.seek(begin + type.kind.size());
  if (!in.acceptBracketed()) return in.fail("a type is not closed", ">");
  type.span = in.spanFrom(begin);
  const std::size_t open = begin + type.kind.size() + 1;
  const std::string inside = std::string(stripped(in.text().substr(open, in.position() - open - 1)));
  Result<std::size_t> after = dimensions(inside, type);
  if (!after) {
    after.error().span = type.span;
    return after.error();
  }
  const std::vector<std::string> parts = splitCommas(std::string_view(inside).substr(*after));
  if (parts.empty()) return in.failFrom(begin, "the type has no element", type.kind + "<128x8xf32>");
  type.element = parts[0];
  if (type.dims.empty() && xlaType(type.element).empty()) {  // std::vector<int>
    in.seek(begin);
    return std::optional<ShapedType>();
  }
  type.attributes.assign(parts.begin() + 1, parts.end());
  return std::optional(std::move(type));
}

Result<void> bindType(std::string_view name, const ShapedType& type, const Aliases& aliases, Bindings& out) {
  const auto sizes = extents(type, out);
  if (!sizes) return {};
  std::string element = xlaType(type.element);
  if (element.empty()) out.note(fmt::format("elements of {} have no size here; offsets count elements", type.element));
  Target target{name, type, *sizes, std::move(element), 0, out};
  std::string layout;
  for (const std::string& attribute : type.attributes) {
    std::string text = attribute;
    for (const auto& [alias, meaning] : aliases)
      if (attribute == "#" + alias) text = meaning;
    const bool isLayout =
        text.starts_with("strided<") || text.starts_with("affine_map<") || text.starts_with("#tpu.tiled<");
    if (isLayout)
      layout = text;
    else if (type.kind == "memref")
      target.space = memorySpace(text, out);
    else
      out.note(fmt::format("{} is not read; the type is taken as row-major", attribute));
  }
  if (layout.starts_with("strided<")) return placedIn(type.span, strided(target, layout));
  if (layout.starts_with("affine_map<")) return placedIn(type.span, affineLayout(target, layout));
  if (layout.starts_with("#tpu.tiled<")) return placedIn(type.span, tiledLayout(target, layout));
  bindStrided(target, compactStrides(*sizes), 0);
  return {};
}

}  // namespace tessera::paste::xla_text
