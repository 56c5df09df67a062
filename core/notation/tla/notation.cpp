#include "core/notation/tla/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/notation/cute/notation.h"

namespace tessera::tla {

Result<Map> toMap(const Layout& layout) {
  TESSERA_TRY(Map map, toMap(layout.layout()));
  std::vector<Guard> guards;
  const std::vector<cute::LayoutLeaf> leaves = flatLeaves(layout.layout());
  std::size_t leaf = 0;
  for (int k = 0; k < layout.layout().rank(); ++k) {
    Expr coordinate;
    i64 extent = 1;
    const std::size_t count = layout.layout().shape().mode(k).leafCount();
    for (std::size_t j = 0; j < count; ++j, ++leaf) {
      coordinate = coordinate + Expr::digit(static_cast<int>(leaf)) * extent;
      extent *= leaves[leaf].extent;
    }
    const i64 real = layout.originShape().mode(k).value();
    if (real < extent) guards.push_back({coordinate, 0, real - 1});
  }
  if (guards.empty()) return map;
  return Map::create(map.digits(), map.axes(), std::move(guards));
}

namespace {

constexpr i64 kBytesPerC0 = 32;
constexpr i64 kBytesPerFractal = 512;
constexpr i64 kRowsPerFractal = 16;

constexpr std::pair<std::string_view, Tag> kTagNames[] = {{"RowMajor", Tag::RowMajor},
                                                          {"ColumnMajor", Tag::ColumnMajor},
                                                          {"VectorLayout", Tag::Vector},
                                                          {"Vector", Tag::Vector},
                                                          {"zN", Tag::zN},
                                                          {"nZ", Tag::nZ},
                                                          {"zZ", Tag::zZ},
                                                          {"nN", Tag::nN},
                                                          {"L0C", Tag::L0C},
                                                          {"Weight4BitnZ", Tag::Weight4BitnZ}};

// The rows, then the columns; of fractals as (inner, outer).
using Blocks = std::vector<std::vector<cute::LayoutLeaf>>;

Result<void> checkSizes(i64 elementBytes, i64 rows, i64 columns) {
  if (elementBytes < 1 || elementBytes > kBytesPerC0 || kBytesPerC0 % elementBytes != 0)
    return Diag{fmt::format("there are no elements of {} bytes", elementBytes), "1, 2, 4, 8, 16 or 32 bytes"};
  if (rows < 1 || columns < 1) return Diag{fmt::format("a {} x {} matrix", rows, columns), "at least 1 x 1"};
  constexpr i64 kLargest = i64{1} << 30;
  if (rows > kLargest || columns > kLargest)
    return Diag{fmt::format("a {} x {} matrix is larger than 2^30 x 2^30", rows, columns), "fewer rows and columns"};
  return {};
}

Blocks blocksOf(Tag tag, i64 elementBytes, i64 r, i64 c) {
  const i64 h = kRowsPerFractal;
  i64 c0 = kBytesPerC0 / elementBytes;
  i64 fractal = kBytesPerFractal / elementBytes;
  switch (tag) {
    case Tag::RowMajor:
      return {{{r, c}}, {{c, 1}}};
    case Tag::ColumnMajor:
      return {{{r, 1}}, {{c, r}}};
    case Tag::L0C:
      return {{{h, h}, {ceilDiv(r, h), h * h}}, {{h, 1}, {ceilDiv(c, h), roundUp(r, h) * h}}};
    case Tag::Weight4BitnZ:  // two int4 per byte: the element size is irrelevant
      c0 = kBytesPerC0;
      fractal = kBytesPerFractal;
      [[fallthrough]];
    case Tag::nZ:
      return {{{c0, 1}, {ceilDiv(r, c0), roundUp(c, h) * c0}}, {{h, c0}, {ceilDiv(c, h), fractal}}};
    case Tag::zZ:
      return {{{h, c0}, {ceilDiv(r, h), roundUp(c, c0) * h}}, {{c0, 1}, {ceilDiv(c, c0), fractal}}};
    case Tag::nN:
      return {{{c0, 1}, {ceilDiv(r, c0), fractal}}, {{h, c0}, {ceilDiv(c, h), roundUp(r, c0) * h}}};
    default:
      return {{{h, c0}, {ceilDiv(r, h), fractal}}, {{c0, 1}, {ceilDiv(c, c0), roundUp(r, h) * c0}}};
  }
}

// One integer of at least `least` for each mode of the layout.
bool isOnePerMode(const cute::IntTuple& t, const cute::Layout& layout, i64 least) {
  return t.rank() == layout.rank() && t.depth() <= 1 &&
         everyLeaf(t, [&](const cute::IntTuple& l) { return l.isKnown() && l.value() >= least; });
}

}  // namespace

Result<Layout> Layout::make(cute::Layout layout, std::optional<cute::IntTuple> originShape) {
  TESSERA_CHECKED(requirePlain(layout, "a TLA layout"));
  TESSERA_TRY(const cute::IntTuple whole, productEach(layout.shape()));
  cute::IntTuple origin = originShape.value_or(whole.withStatic(false));
  if (!isOnePerMode(origin, layout, 0))
    return Diag{fmt::format("origin shape {} does not fit {}", print(origin), print(layout)),
                "one extent for each mode"};
  return Layout(std::move(layout), std::move(origin));
}

Result<Tag> parseTag(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  const std::string_view bare = colon == std::string_view::npos ? name : name.substr(colon + 2);
  for (const auto& [known, tag] : kTagNames)
    if (bare == known) return tag;
  return Diag{fmt::format("`{}` is not a TLA layout", name),
              "zN, nZ, zZ, nN, L0C, RowMajor, ColumnMajor or Vector",
              "",
              {0, name.size()}};
}

Result<Layout> makeLayout(Tag tag, i64 elementBytes, i64 rows, i64 columns) {
  TESSERA_CHECKED(checkSizes(elementBytes, rows, columns));
  if (tag == Tag::Vector) {
    TESSERA_TRY(cute::Layout layout, cute::Layout::make(cute::IntTuple::tuple({columns}), cute::IntTuple::tuple({1})));
    return Layout::make(std::move(layout));
  }
  const cute::IntTuple twoModes = cute::IntTuple::tuple({0, 0});
  TESSERA_TRY(cute::Layout layout, refined(twoModes, blocksOf(tag, elementBytes, rows, columns), false));
  return Layout::make(std::move(layout), cute::IntTuple::tuple({rows, columns}));
}

namespace {

Result<Layout> compactRowMajor(std::vector<i64> extents) {
  std::vector<cute::LayoutLeaf> leaves(extents.size());
  i64 running = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (extents[k] < 1) return Diag{fmt::format("extent {} is not positive", extents[k]), "at least 1"};
    leaves[k] = {extents[k], running};
    if (!mulInto(running, extents[k])) return Diag{"the size does not fit in 64 bits", "smaller extents"};
  }
  TESSERA_TRY(cute::Layout layout, ofLeaves(leaves, false));
  return Layout::make(std::move(layout));
}

}  // namespace

Result<Layout> makeFmap(i64 elementBytes, i64 batch, i64 c1, i64 height, i64 width) {
  TESSERA_CHECKED(checkSizes(elementBytes, 1, 1));
  return compactRowMajor({batch, c1, height, width, kBytesPerC0 / elementBytes});
}

Result<Layout> makeFilter(i64 elementBytes, i64 c1, i64 kh, i64 kw, i64 cout) {
  TESSERA_CHECKED(checkSizes(elementBytes, 1, std::max<i64>(cout, 1)));
  return compactRowMajor({c1, kh, kw, cout < 1 ? cout : roundUp(cout, kRowsPerFractal), kBytesPerC0 / elementBytes});
}

Result<Layout> tileLayout(const Layout& layout, const cute::IntTuple& tile, std::optional<cute::IntTuple> at) {
  const cute::Layout& whole = layout.layout();
  const cute::IntTuple coord =
      at ? *std::move(at) : cute::IntTuple::tuple(std::vector<cute::IntTuple>(static_cast<std::size_t>(whole.rank())));
  if (!isOnePerMode(tile, whole, 1) || !isOnePerMode(coord, whole, 0))
    return Diag{fmt::format("tile {} at {} does not fit {}", print(tile), print(coord), print(whole)),
                "one extent and one coordinate for each mode"};
  std::vector<cute::IntTuple> shape, origin;
  for (int k = 0; k < whole.rank(); ++k) {
    const i64 t = tile.mode(k).value();
    const cute::IntTuple& mode = whole.shape().mode(k);
    if (mode.isTuple()) {
      if (mode.rank() != 2 || mode.depth() != 1)
        return Diag{fmt::format("mode {} of {} is not (inner, outer)", k, print(whole)), "a blocked or a plain mode"};
      shape.push_back(cute::IntTuple::tuple({mode.mode(0).value(), ceilDiv(t, mode.mode(0).value())}));
    } else {
      shape.emplace_back(t);
    }
    origin.emplace_back(std::min(t, std::max<i64>(layout.originShape().mode(k).value() - coord.mode(k).value(), 0)));
  }
  const bool leaf = whole.shape().isLeaf();
  TESSERA_TRY(cute::Layout tiled,
              cute::Layout::make(leaf ? shape[0] : cute::IntTuple::tuple(std::move(shape)), whole.stride()));
  return Layout::make(std::move(tiled), leaf ? origin[0] : cute::IntTuple::tuple(std::move(origin)));
}

Result<i64> crd2offset(const cute::IntTuple& coord, const cute::Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "crd2offset"));
  TESSERA_TRY(const cute::IntTuple offset, layout.crd2idx(coord));
  return offset.value();
}

Result<LegacyLayout> legacyLayout(Tag tag, i64 elementBytes, i64 rows, i64 columns) {
  TESSERA_CHECKED(checkSizes(elementBytes, rows, columns));
  if (tag == Tag::RowMajor || tag == Tag::ColumnMajor || tag == Tag::Vector) {
    const auto* named = std::ranges::find(kTagNames, tag, [](const auto& row) { return row.second; });
    return Diag{fmt::format("{} is not a blocked layout", named->first), "zN, nZ, zZ, nN or L0C"};
  }
  LegacyLayout out{tag, {}, {}};
  for (const auto& mode : blocksOf(tag, elementBytes, rows, columns))
    for (const cute::LayoutLeaf& leaf : mode) {
      out.shape.push_back(leaf.extent);
      out.stride.push_back(leaf.stride.value());
    }
  return out;
}

Result<LegacyLayout> paddingLayout(bool rowMajor, i64 rows, i64 columns, i64 blockRows, i64 blockColumns) {
  TESSERA_CHECKED(checkSizes(1, rows, columns));
  TESSERA_CHECKED(checkSizes(1, blockRows, blockColumns));
  const i64 block = blockRows * blockColumns;
  const auto slab = rowMajor ? checkedMul(blockRows, roundUp(columns, blockColumns))
                             : checkedMul(roundUp(rows, blockRows), blockColumns);
  if (!slab) return Diag{"the padded matrix does not fit in 64 bits", "a smaller matrix"};
  return LegacyLayout{
      rowMajor ? Tag::RowMajor : Tag::ColumnMajor,
      {blockRows, ceilDiv(rows, blockRows), blockColumns, ceilDiv(columns, blockColumns)},
      rowMajor ? std::vector<i64>{blockColumns, *slab, 1, block} : std::vector<i64>{1, block, blockRows, *slab}};
}

Result<i64> LegacyLayout::getOffset(i64 row, i64 column) const {
  if (row < 0 || column < 0) return Diag{fmt::format("({},{}) is outside the matrix", row, column), ">= 0"};
  const bool baseOnly = tag == Tag::zZ || tag == Tag::nN;
  const std::array<i64, 4> digits = {row % shape[0], row / shape[0], column % shape[2], column / shape[2]};
  i64 offset = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    if (baseOnly && k % 2 == 0) continue;
    const auto term = checkedMul(digits[k], stride[k]);
    if (!term || !addInto(offset, *term)) return Diag{"the offset does not fit in 64 bits", "a smaller coordinate"};
  }
  return offset;
}

std::string print(const Layout& layout) {
  const Result<Layout> whole = Layout::make(layout.layout());
  const bool full = whole && whole->originShape() == layout.originShape();
  return full ? print(layout.layout())
              : fmt::format("{} origin {}", print(layout.layout()), print(layout.originShape()));
}

}  // namespace tessera::tla

namespace tessera {

Result<Arrow> NotationOf<tla::Layout>::arrow(const tla::Layout& layout) {
  TESSERA_TRY(Arrow arrow, NotationOf<cute::Layout>::arrow(layout.layout()));
  TESSERA_TRY(arrow.map, toMap(layout));
  return arrow;
}

Layout NotationOf<tla::Layout>::underlying(const tla::Layout& layout) { return layout.layout(); }

LayoutFacts NotationOf<tla::Layout>::facts(const tla::Layout& layout) {
  LayoutFacts facts = NotationOf<cute::Layout>::facts(layout.layout());
  facts.push_back(factOf("origin_shape", layout.originShape()));
  return facts;
}

}  // namespace tessera
