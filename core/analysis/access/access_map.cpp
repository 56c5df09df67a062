#include "core/analysis/access/access_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/mapped.h"
#include "core/map/compose.h"

namespace tessera {
namespace {

struct Block {
  int matrices;
  i64 down, across;
};
// The arrangements of matrices in a tile, preferred first.
constexpr Block kBlocks[] = {{1, 1, 1}, {2, 2, 1}, {2, 1, 2}, {4, 2, 2}, {4, 1, 4}, {4, 4, 1}};

std::string named(const CoveredTile& tile) { return tile.text.empty() ? "the tile" : tile.text; }

// "ldmatrix.x4.trans" -> "ldmatrix.x1.trans".
std::string withOneMatrix(std::string name) {
  if (const std::size_t at = name.find(".x"); at != std::string::npos && at + 2 < name.size()) name[at + 2] = '1';
  return name;
}

Diag wrongElements(const AccessSpec& spec, int bits) {
  const int own = spec.elementBits == 0 ? 16 : spec.elementBits;
  const char* hint = "use ld.shared";
  if (spec.trans)
    hint = own == 16 ? "ldmatrix.m16n16.x1.trans.b8 transposes bytes (sm_100a)" : "ldmatrix.x4.trans transposes halves";
  return Diag{fmt::format("{} moves {}-bit elements, the tile has {}-bit ones", spec.text, own, bits),
              spec.elementBits == 0 ? "elements of 4 to 32 bits" : fmt::format("{}-bit elements", own), hint};
}

Diag noBlock(const AccessSpec& spec, const CoveredTile& tile, const Cover& c, const Block& first) {
  const i64 rows = spec.matrixRows, down = rows * first.down, across = c.elements * first.across;
  const bool oneFits = spec.matrices > 1 && c.others % rows == 0 && c.length % c.elements == 0;
  return Diag{
      fmt::format("{} does not divide the {}x{} tile{}", spec.text, tile.rows, tile.columns,
                  tile.text.empty() ? "" : " " + tile.text),
      fmt::format("multiples of {} rows and {} columns", c.alongRow ? down : across, c.alongRow ? across : down),
      oneFits ? fmt::format("this tile fits {}", withOneMatrix(spec.instruction))
              : fmt::format("the tile must be a multiple of {} rows of 16 bytes ({} elements)", rows, c.elements)};
}

Result<Cover> coverByMatrices(const AccessSpec& spec, const CoveredTile& tile, Cover c) {
  const int bits = tile.elementBits;
  if (spec.elementBits != 0 ? bits != spec.elementBits : bits < 4 || bits > 32) return wrongElements(spec, bits);
  // Without .trans, matrix rows must be the tile's rows.
  if (!c.alongRow && !spec.trans)
    return Diag{fmt::format("{} {} rows, but {} is contiguous down its columns", spec.text,
                            spec.direction == AccessDirection::Read ? "loads" : "stores", named(tile)),
                "a tile contiguous along its rows", fmt::format("use {}.trans, or swap the modes", spec.text)};
  c.access = spec;
  c.elements = 128 / bits;
  const auto fits = [&](const Block& b) {
    return b.matrices == spec.matrices && c.others % (spec.matrixRows * b.down) == 0 &&
           c.length % (c.elements * b.across) == 0;
  };
  const Block* block = std::ranges::find_if(kBlocks, fits);
  if (block == std::end(kBlocks))
    return noBlock(spec, tile, c, *std::ranges::find(kBlocks, spec.matrices, &Block::matrices));
  c.down = block->down;
  c.across = block->across;
  return c;
}

// The access with its width in bytes; it moves at least one element. Requires: no matrices.
Result<AtlasAccess> laneAccess(const AccessSpec& spec, int elementBits) {
  AtlasAccess access = spec;
  if (spec.width == 0) {
    TESSERA_TRY(access, vectorAccess(spec.direction, spec.space, std::max(1, elementBits / 8)));
  }
  if (8 * access.width < elementBits)
    return Diag{fmt::format("{} moves {} bytes per lane, an element has {}", spec.text, access.width, elementBits / 8),
                fmt::format("an access of at least {} bytes", elementBits / 8),
                elementBits <= 128
                    ? fmt::format("use {}.{}.b{}", access.direction == AccessDirection::Read ? "ld" : "st",
                                  name(access.space), elementBits)
                    : ""};
  return access;
}

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
  return AccessMap{c, std::move(lanes)};
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

}  // namespace

Result<Cover> coverOf(const AccessSpec& spec, const CoveredTile& tile) {
  Cover c;
  // Matrix rows run along the contiguous dimension, or along the rows of a tile with too few rows for them.
  c.alongRow = tile.contiguousAlongRow || (spec.matrices > 0 && tile.rows < 128 / tile.elementBits);
  c.length = c.alongRow ? tile.columns : tile.rows;
  c.others = c.alongRow ? tile.rows : tile.columns;
  if (spec.matrices > 0) return coverByMatrices(spec, tile, c);
  TESSERA_TRY(c.access, laneAccess(spec, tile.elementBits));
  c.elements = i64{8} * c.access.width / tile.elementBits;
  if (c.length % c.elements != 0)
    return Diag{fmt::format("{} takes {} elements, {} along the contiguous dimension of {} is not a multiple",
                            spec.text, c.elements, c.length, named(tile)),
                fmt::format("a multiple of {} elements", c.elements)};
  c.runsSideBySide = spec.order == LaneOrder::Contiguous || (spec.order == LaneOrder::AlongRow) == c.alongRow;
  return c;
}

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
  const auto extents = mapped<i64>(layout.digits(), &Digit::extent);
  const auto [ofRow, ofColumn] = std::pair(std::span(extents).first(static_cast<std::size_t>(rowDigits)),
                                           std::span(extents).subspan(static_cast<std::size_t>(rowDigits)));
  std::vector<Expr> digits = splitDigits(row, ofRow);
  std::ranges::copy(splitDigits(column, ofColumn), std::back_inserter(digits));
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
