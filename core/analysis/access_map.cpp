#include "core/analysis/access_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"

namespace tessera {
namespace {

struct Block {
  i64 down = 1, across = 1;  // matrices
};

Result<AccessMap> matrixMap(const AccessSpec& spec, i64 length, i64 others, bool alongRow, int bits) {
  if (spec.trans ? bits != 16 : bits < 4 || bits > 32) {
    return Diag{fmt::format("{} moves 16-bit elements, the tile has {}-bit ones", spec.text, bits),
                spec.trans ? "16-bit elements" : "elements of 4 to 32 bits",
                "use ld.shared",
                {}};
  }
  if (!alongRow && !spec.trans) {
    return Diag{fmt::format("{} loads rows, but the tile is contiguous down its columns", spec.text),
                "a tile contiguous along its rows",
                fmt::format("use {}.trans, or swap the modes", spec.text),
                {}};
  }
  const i64 run = 128 / bits;
  const std::vector<Block> shapes = spec.matrices == 1   ? std::vector<Block>{{1, 1}}
                                    : spec.matrices == 2 ? std::vector<Block>{{2, 1}, {1, 2}}
                                                         : std::vector<Block>{{2, 2}, {1, 4}, {4, 1}};
  const auto fits = std::find_if(shapes.begin(), shapes.end(), [&](const Block& b) {
    return others % (8 * b.down) == 0 && length % (run * b.across) == 0;
  });
  if (fits == shapes.end()) {
    return Diag{fmt::format("{} does not divide the tile of {} rows of {} elements", spec.text, others, length),
                fmt::format("multiples of {} rows and {} elements", 8 * shapes[0].down, run * shapes[0].across),
                "",
                {}};
  }
  const Expr lane = Expr::digit(0), phase = Expr::digit(1), start = Expr::digit(2), other = Expr::digit(3);
  const Expr o = other * (8 * fits->down) + mod(phase, fits->down) * 8 + lane;
  const Expr s = start * (run * fits->across) + floorDiv(phase, fits->down) * run;
  TESSERA_TRY(Map map,
              Map::create({{"lane", 8},
                           {"phase", spec.matrices},
                           {"start", length / (run * fits->across)},
                           {"other", others / (8 * fits->down)}},
                          {{"row", alongRow ? o : s, std::nullopt}, {"column", alongRow ? s : o, std::nullopt}}));
  return AccessMap{std::move(map), run, 16, alongRow};
}

Result<AccessMap> vectorMap(const AccessSpec& spec, i64 length, i64 others, bool alongRow, int bits) {
  const int width = spec.width != 0 ? spec.width : std::max(1, bits / 8);
  if (8 * width < bits) {
    return Diag{fmt::format("{} moves {} bytes a lane, an element has {}", spec.text, width, bits / 8),
                fmt::format("an access of at least {} bytes", bits / 8),
                "",
                {}};
  }
  const i64 elements = i64{8} * width / bits;
  if (length % elements != 0) {
    return Diag{fmt::format("{} takes {} elements, {} along the contiguous dimension is no multiple", spec.text,
                            elements, length),
                fmt::format("a multiple of {} elements", elements),
                "",
                {}};
  }
  const i64 vectors = length / elements;
  const auto total = checkedMul(vectors, others);
  if (!total) return Diag{"the tile has more than 2^63 vectors", "a smaller tile", "", {}};
  WarpAccess one;
  one.kind = spec.kind;
  one.width = width;
  const PhaseShape phases = phaseShape(one);
  const i64 warps = ceilDiv(*total, kWarpLanes);
  const Expr t = Expr::digit(2) * kWarpLanes + Expr::digit(1) * phases.lanesPerPhase + Expr::digit(0);
  const bool vectorsFirst = spec.order == LaneOrder::Contiguous || (spec.order == LaneOrder::AlongRow) == alongRow;
  const Expr other = vectorsFirst ? floorDiv(t, vectors) : mod(t, others);
  const Expr start = (vectorsFirst ? mod(t, vectors) : floorDiv(t, others)) * elements;
  std::vector<Guard> guards;
  if (*total % kWarpLanes != 0) guards.push_back({t, 0, *total - 1});
  TESSERA_TRY(Map map, Map::create({{"lane", phases.lanesPerPhase}, {"phase", phases.phases}, {"warp", warps}},
                                   {{"row", alongRow ? other : start, std::nullopt},
                                    {"column", alongRow ? start : other, std::nullopt}},
                                   std::move(guards)));
  return AccessMap{std::move(map), elements, width, alongRow};
}

// The digits of one coordinate: leaf k is (x floordiv product before) mod extent, the last without mod.
void split(const Map& layout, std::size_t first, std::size_t last, const Expr& x, std::vector<Expr>& digits) {
  i64 before = 1;
  for (std::size_t k = first; k < last; ++k) {
    const i64 extent = layout.digits()[k].extent;
    const Expr high = floorDiv(x, before);
    digits[k] = k + 1 == last ? high : mod(high, extent);
    before *= extent;
  }
}

}  // namespace

Result<AccessMap> accessMap(const AccessSpec& spec, i64 rows, i64 columns, bool alongRow, int elementBits) {
  if (spec.matrices > 0 && rows < 128 / elementBits) alongRow = true;
  const i64 length = alongRow ? columns : rows, others = alongRow ? rows : columns;
  return spec.matrices > 0 ? matrixMap(spec, length, others, alongRow, elementBits)
                           : vectorMap(spec, length, others, alongRow, elementBits);
}

Expr offsetAt(const Map& layout, int rowDigits, const Expr& row, const Expr& column) {
  std::vector<Expr> digits(layout.digits().size());
  split(layout, 0, static_cast<std::size_t>(rowDigits), row, digits);
  split(layout, static_cast<std::size_t>(rowDigits), digits.size(), column, digits);
  return substitute(layout.axes()[0].value, digits);
}

Result<TileExtents> tileExtents(const Map& layout, int rowDigits) {
  std::array<i64, 2> extents{1, 1};
  for (std::size_t k = 0; k < layout.digits().size(); ++k) {
    i64& extent = extents[k < static_cast<std::size_t>(rowDigits) ? 0 : 1];
    const auto next = checkedMul(extent, layout.digits()[k].extent);
    if (!next) return Diag{"the tile has more than 2^63 elements", "a smaller tile", "", {}};
    extent = *next;
  }
  return TileExtents{extents[0], extents[1]};
}

bool contiguousAlongRow(const Map& layout, int rowDigits) {
  const auto extents = tileExtents(layout, rowDigits);
  if (!extents) return true;
  const auto at = [&](i64 row, i64 column) {
    return evaluate(offsetAt(layout, rowDigits, Expr::constant(row), Expr::constant(column)), {});
  };
  if (extents->columns > 1 && at(0, 1) - at(0, 0) == 1) return true;
  return !(extents->rows > 1 && at(1, 0) - at(0, 0) == 1);
}

}  // namespace tessera
