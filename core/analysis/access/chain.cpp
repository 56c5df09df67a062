#include "core/analysis/access/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/atlas/tma.h"

namespace tessera {
namespace {

// Element k of the tile, row by row.
std::string coordinate(const Tile& tile, i64 k) {
  return fmt::format("({},{})", k / tile.columns(), k % tile.columns());
}

// How often each element of the tile is accessed.
ChainCheck eachOnce(const Tile& tile, const std::vector<TileAccess>& list) {
  std::vector<int> times(static_cast<std::size_t>(tile.rows() * tile.columns()), 0);
  for (const TileAccess& access : list)
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      for (i64 j = 0; j < access.elements && access.warp.addresses[lane] != kInactive; ++j) {
        const TileCoord at = access.element(lane, j);
        ++times[static_cast<std::size_t>(at.row * tile.columns() + at.column)];
      }
  const auto odd = std::ranges::find_if(times, [](int n) { return n != 1; });
  if (odd != times.end())
    return {"each element once", false,
            fmt::format("{} is touched {} times", coordinate(tile, odd - times.begin()), *odd)};
  return {"each element once", true,
          fmt::format("{} elements in {} access{}", times.size(), list.size(), list.size() == 1 ? "" : "es")};
}

ChainCheck noAlias(const Tile& tile) {
  std::map<i64, i64> seen;
  for (std::size_t k = 0; k < tile.offsets().size(); ++k) {
    const auto [it, fresh] = seen.emplace(tile.offsets()[k], static_cast<i64>(k));
    if (fresh) continue;
    return {"no alias", false,
            fmt::format("{} and {} share offset {}", coordinate(tile, it->second),
                        coordinate(tile, static_cast<i64>(k)), tile.offsets()[k])};
  }
  const i64 holes = tile.span() - static_cast<i64>(tile.offsets().size());
  return {"no alias", true, holes == 0 ? "no hole either" : fmt::format("{} elements of padding", holes)};
}

ChainCheck inBounds(const Tile& tile) {
  const i64 bytes = (tile.span() * tile.elementBits() + 7) / 8;
  return {"in bounds", bytes <= kSharedBytesOfBlock,
          fmt::format("{} bytes of the {} that a CTA may have", bytes, kSharedBytesOfBlock)};
}

std::string wavefrontBadge(const TileBankReport& r) {
  if (r.excess == 0) return fmt::format("{} wavefronts, the ideal", r.wavefronts);
  return fmt::format("{} wavefronts, {} would do ({}-way)", r.wavefronts, r.ideal, r.conflictDegree);
}

Result<ChainEdge> copyEdge(const Tile& global, const Tile& shared, const AccessSpec& copy) {
  ChainEdge edge{"global", "shared", copy.text, {}, {}, false};
  TESSERA_TRY(const AccessSpec read, sideOf(copy, AccessDirection::Read, MemorySpace::Global));
  TESSERA_TRY(const AccessSpec write, sideOf(copy, AccessDirection::Write, MemorySpace::Shared));
  TESSERA_TRY(const TileSectorReport sectors, tileSectors(global, read));
  TESSERA_TRY(const std::vector<TileAccess> list, accesses(shared, write));
  edge.checks = {eachOnce(shared, list), noAlias(shared), inBounds(shared)};
  const TileBankReport banks = bankReport(list);
  edge.badges.push_back(sectors.sectors == sectors.idealSectors
                            ? fmt::format("{} sectors, the ideal", sectors.sectors)
                            : fmt::format("{} sectors, {} would do", sectors.sectors, sectors.idealSectors));
  edge.badges.push_back(wavefrontBadge(banks));
  edge.costly = banks.excess > 0 || sectors.sectors > sectors.idealSectors;
  return edge;
}

constexpr const char* kHeld = "held as the mma wants it";

// (lane, value) -> coordinate within the block of one load, for the registers after the load.
struct Fragment {
  i64 rows = 0, columns = 0;
  std::vector<std::vector<TileCoord>> held;  // [lane][value]
};

// One access: the element of the tile that each lane holds, relative to the access's position.
Result<Fragment> fragmentOf(const Tile& tile, const TileAccess& access, const AccessSpec& load) {
  Fragment f;
  TESSERA_TRY(f.held, heldAfter(tile, load, access));
  for (auto& lane : f.held)
    for (TileCoord& at : lane) {
      at = {at.row - access.position.row, at.column - access.position.column};
      f.rows = std::max(f.rows, at.row + 1);
      f.columns = std::max(f.columns, at.column + 1);
    }
  return f;
}

// One load brings one operand or several adjacent ones; for each of them the same values must hold it in every lane.
ChainCheck agrees(const Fragment& f, const cute::Layout& operand, i64 rows, i64 columns, const cute::Layout& threadId) {
  const auto fails = [](std::string text) { return ChainCheck{kHeld, false, std::move(text)}; };
  const i64 values = operand.mode(1).size(), lanes = operand.mode(0).size();
  if (f.rows % rows != 0 || f.columns % columns != 0)
    return fails(
        fmt::format("one load fetches {}x{} elements, the operand is {}x{}", f.rows, f.columns, rows, columns));
  std::string chosen;
  for (i64 row = 0; row < f.rows; row += rows) {
    for (i64 column = 0; column < f.columns; column += columns) {
      std::string order;
      for (i64 v = 0; v < values; ++v) {
        const auto wants = [&](i64 t) {
          const i64 index = operand(t + lanes * v);
          return TileCoord{row + index % rows, column + index / rows};
        };
        const auto& first = f.held[static_cast<std::size_t>(threadId(0))];
        const auto at = std::ranges::find(first, wants(0)) - first.begin();
        for (i64 t = 0; t < lanes; ++t) {
          const auto& held = f.held[static_cast<std::size_t>(threadId(t))];
          const TileCoord w = wants(t);
          if (at >= static_cast<std::ptrdiff_t>(held.size()))
            return fails(fmt::format("the operand needs ({},{}) in lane {}, which does not hold it", w.row, w.column,
                                     threadId(t)));
          const TileCoord has = held[static_cast<std::size_t>(at)];
          if (has == w) continue;
          return fails(fmt::format("lane {} value {} holds ({},{}), the operand needs ({},{})", threadId(t), at,
                                   has.row, has.column, w.row, w.column));
        }
        order += fmt::format("{}{}", order.empty() ? "" : " ", at);
      }
      chosen += fmt::format("{}values {}", chosen.empty() ? "" : "; ", order);
    }
  }
  return {kHeld, true, fmt::format("{} lanes, {}", lanes, chosen)};
}

}  // namespace

bool ChainEdge::holds() const {
  return std::ranges::all_of(checks, [](const ChainCheck& c) { return c.holds; });
}

Result<Chain> makeChain(Tile global, const AccessSpec& copy, Tile shared, const AccessSpec& load, const AtlasRow& mma,
                        std::string_view operandName) {
  if (global.rows() != shared.rows() || global.columns() != shared.columns()) {
    return Diag{fmt::format("the global tile is {}x{}, the shared one {}x{}", global.rows(), global.columns(),
                            shared.rows(), shared.columns()),
                "two tiles of one shape"};
  }
  if (copy.matrices > 0)
    return Diag{fmt::format("{} does not read global memory", copy.text), "cp.async16, ld.global.v4 ..."};
  if (load.space == MemorySpace::Global || load.direction == AccessDirection::Write)
    return Diag{fmt::format("{} does not load from shared memory", load.text), "ldmatrix.x4, ld.shared.v4 ..."};
  TESSERA_TRY(const AtlasOperand operand, findOperand(mma, operandName));
  TESSERA_TRY(const int bits, elementBits(operand.element));
  if (bits != shared.elementBits()) {
    return Diag{fmt::format("operand {} of {} has {}-bit elements, the tile {}-bit ones", operand.name, mma.name, bits,
                            shared.elementBits()),
                fmt::format("elements of {} bits", bits)};
  }
  Chain chain{std::move(global), std::move(shared), copy, load, mma, std::string(operandName), {}, {}};
  TESSERA_TRY(ChainEdge first, copyEdge(chain.global, chain.shared, copy));
  chain.edges.push_back(std::move(first));

  TESSERA_TRY(const std::vector<TileAccess> loads, accesses(chain.shared, load));
  const TileBankReport banks = bankReport(loads);
  ChainEdge second{"shared",        "registers", load.text, {eachOnce(chain.shared, loads)}, {wavefrontBadge(banks)},
                   banks.excess > 0};
  chain.edges.push_back(std::move(second));

  ChainEdge third{"registers", "mma", mma.name + " " + operand.name, {}, {}, false};
  TESSERA_TRY(chain.fragment, threadValue(operand));
  TESSERA_TRY(const cute::Layout threadId, cute::parseLayout(mma.threadId));
  if (operand.space == OperandSpace::Register) {
    TESSERA_TRY(const Fragment fragment, fragmentOf(chain.shared, loads.front(), load));
    third.checks.push_back(agrees(fragment, chain.fragment, rowsOf(operand), columnsOf(operand), threadId));
  } else {
    third.checks.push_back(
        {kHeld, false,
         fmt::format("{} reads operand {} from shared memory, not from registers", mma.name, operand.name)});
  }
  chain.edges.push_back(std::move(third));
  return chain;
}

std::string print(const Chain& chain) {
  std::string out;
  for (const ChainEdge& e : chain.edges) {
    out += fmt::format("{}{} -> {} by {}: {}", out.empty() ? "" : "\n", e.from, e.to, e.by,
                       e.holds() ? "proved" : "broken");
    for (const std::string& b : e.badges) out += "; " + b;
    for (const ChainCheck& c : e.checks)
      out += fmt::format("\n  {} {}: {}", c.holds ? "holds" : "BREAKS", c.name, c.text);
  }
  return out;
}

}  // namespace tessera
