#include "core/analysis/access/access_map.h"

#include <array>

#include "core/analysis/access/cover.h"
#include "core/base/arith.h"
#include "core/map/compose.h"

namespace tessera {
namespace {

// The lane number, from the first two digits.
Expr laneOf(const LanePhases& phases) {
  const Expr lane = Expr::digit(0) * phases.laneStride;
  return phases.count == 1 ? lane : Expr::digit(1) * phases.countStride + lane;
}

Result<AccessMap> mapOf(const Cover& c, std::vector<Digit> digits, const RunStart<Expr>& run,
                        std::vector<Guard> guards) {
  TESSERA_TRY(Map map, Map::create(std::move(digits),
                                   {{"row", c.alongRow ? run.other : run.start, std::nullopt},
                                    {"column", c.alongRow ? run.start : run.other, std::nullopt}},
                                   std::move(guards)));
  Arrow lanes = arrowOf(withSimplerValues(map), SpaceKind::Hardware, LinearOrder::Colex, SpaceKind::Elements);
  return AccessMap{std::move(lanes), c.access, c.elements, c.alongRow};
}

Result<AccessMap> matrixMap(const Cover& c) {
  const LanePhases& phases = c.access.phases;
  return mapOf(c,
               {{"lane", phases.lanes},
                {"phase", phases.count},
                {"start", c.length / (c.elements * c.across)},
                {"other", c.others / (c.access.matrixRows * c.down)}},
               matrixRun<Expr>(c, Expr::digit(3), Expr::digit(2), laneOf(phases)), {});
}

Result<AccessMap> vectorMap(const Cover& c) {
  const LanePhases& phases = c.access.phases;
  const auto total = checkedMul(c.length / c.elements, c.others);
  if (!total) return Diag{"the tile has more than 2^63 vectors", "a smaller tile"};
  const Expr t = Expr::digit(2) * kWarpLanes + laneOf(phases);
  std::vector<Guard> guards;
  if (*total % kWarpLanes != 0) guards.push_back({t, 0, *total - 1});
  return mapOf(c, {{"lane", phases.lanes}, {"phase", phases.count}, {"warp", ceilDiv(*total, kWarpLanes)}},
               vectorRun<Expr>(c, t), std::move(guards));
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
  TESSERA_TRY(const Cover cover, coverOf(spec, {rows, columns, alongRow, elementBits, ""}));
  return spec.matrices > 0 ? matrixMap(cover) : vectorMap(cover);
}

Result<Arrow> toBanks(const Space& from, const Map& domain, const Expr& element, int elementBits) {
  const Expr bit = element * i64{elementBits};
  TESSERA_TRY(const Map banks, Map::create(domain.digits(),
                                           {{"bank", mod(floorDiv(bit, 8 * kBankBytes), kBanks), kBanks},
                                            {"row", floorDiv(bit, 8 * kBankBytes * kBanks), std::nullopt}},
                                           domain.guards(), domain.params()));
  return Arrow{from, withSimplerValues(banks), Space{SpaceKind::Banks, {}, LinearOrder::Lex, 0}};
}

Result<Arrow> accessBanks(const AccessMap& access, const Map& layout, int rowDigits, int elementBits) {
  const std::vector<Axis>& at = access.lanes.map.axes();
  return toBanks(access.lanes.from, access.lanes.map, offsetAt(layout, rowDigits, at[0].value, at[1].value),
                 elementBits);
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
    if (!mulInto(extent, layout.digits()[k].extent))
      return Diag{"the tile has more than 2^63 elements", "a smaller tile"};
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
