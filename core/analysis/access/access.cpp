#include "core/analysis/access/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/access/access_map.h"
#include "core/atlas/atlas.h"
#include "core/base/chars.h"
#include "core/base/work_budget.h"

namespace tessera {
namespace {

bool dropSuffix(std::string& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.resize(text.size() - suffix.size());
  return true;
}

// ld and st without a width: one element of the tile.
std::optional<AtlasAccess> elementAccess(std::string_view name) {
  const bool load = name.starts_with("ld."), shared = name.ends_with(".shared");
  if (name != fmt::format("{}.{}", load ? "ld" : "st", shared ? "shared" : "global")) return std::nullopt;
  return AtlasAccess{load ? AccessDirection::Read : AccessDirection::Write,
                     shared ? MemorySpace::Shared : MemorySpace::Global, 0};
}

Diag noAccess(std::string_view text, std::string hint) {
  return Diag{
      fmt::format("'{}' is not an access that the bank model supports", text),
      "ldmatrix.x1 .x2 .x4 (.trans), stmatrix, ld.shared.v4, st.shared.v4, ld.shared, cp.async16, ld.global.v4 ...",
      std::move(hint)};
}

// Requires the element run of one lane to be contiguous and aligned; returns its byte address.
Result<i64> vectorAddress(const Tile& tile, const AccessSpec& spec, TileCoord at, i64 elements, bool alongRow) {
  const i64 first = tile.offset(at.row, at.column);
  for (i64 j = 1; j < elements; ++j) {
    const i64 row = alongRow ? at.row : at.row + j, column = alongRow ? at.column + j : at.column;
    const i64 step = tile.offset(row, column) - first;
    if (step != j)
      return Diag{fmt::format("{} needs {} contiguous bytes at ({},{}): ({},{}) is {} elements away, not {}", spec.text,
                              elements * tile.elementBits() / 8, at.row, at.column, row, column, step, j),
                  fmt::format("{} contiguous elements", elements),
                  fmt::format("{} allows accesses of {} bytes", tile.text(), vectorBytes(tile))};
  }
  const i64 width = elements * tile.elementBits() / 8, bit = first * tile.elementBits();
  if (bit % (8 * width) != 0)
    return Diag{
        fmt::format("{} at ({},{}): byte {} is not a multiple of {}", spec.text, at.row, at.column, bit / 8, width),
        fmt::format("rows that start at multiples of {} bytes", width),
        fmt::format("{} allows accesses of {} bytes; pad rows to a multiple of {} bytes", tile.text(),
                    vectorBytes(tile), width)};
  return bit / 8;
}

TileCoord coordinate(const Cover& c, i64 other, i64 start) {
  return c.alongRow ? TileCoord{other, start} : TileCoord{start, other};
}

TileAccess begun(const Cover& c) {
  TileAccess access;
  static_cast<AtlasAccess&>(access.warp) = c.access;
  access.elements = c.elements;
  access.alongRow = c.alongRow;
  return access;
}

// Lane's run begins at `at`.
Result<void> place(TileAccess& access, const Tile& tile, const AccessSpec& spec, const Cover& c, int lane,
                   TileCoord at) {
  TESSERA_TRY(const i64 address, vectorAddress(tile, spec, at, c.elements, c.alongRow));
  access.warp.addresses[static_cast<std::size_t>(lane)] = address;
  access.lanes[static_cast<std::size_t>(lane)] = at;
  return {};
}

Result<std::vector<TileAccess>> matrixAccesses(const Tile& tile, const AccessSpec& spec, const Cover& c) {
  const i64 high = c.down * c.access.matrixRows, wide = c.across * c.elements;
  std::array<RunStart<i64>, kWarpLanes> inBlock;
  for (int lane = 0; lane < c.access.phases.active(); ++lane)
    inBlock[static_cast<std::size_t>(lane)] = matrixRun<i64>(c, 0, 0, lane);
  std::vector<TileAccess> out;
  for (i64 other = 0; other < c.others; other += high)
    for (i64 start = 0; start < c.length; start += wide) {
      TileAccess access = begun(c);
      access.position = coordinate(c, other, start);
      for (int lane = 0; lane < c.access.phases.active(); ++lane) {
        const RunStart<i64>& in = inBlock[static_cast<std::size_t>(lane)];
        TESSERA_CHECKED(place(access, tile, spec, c, lane, coordinate(c, other + in.other, start + in.start)));
      }
      out.push_back(access);
    }
  return out;
}

Result<std::vector<TileAccess>> vectorAccesses(const Tile& tile, const AccessSpec& spec, const Cover& c) {
  const i64 total = c.length / c.elements * c.others;
  std::vector<TileAccess> out;
  out.reserve(static_cast<std::size_t>(total / kWarpLanes + 1));
  for (i64 first = 0; first < total; first += kWarpLanes) {
    TileAccess access = begun(c);
    for (int lane = 0; lane < kWarpLanes && first + lane < total; ++lane) {
      const RunStart<i64> run = vectorRun<i64>(c, first + lane);
      TESSERA_CHECKED(place(access, tile, spec, c, lane, coordinate(c, run.other, run.start)));
    }
    access.position = access.lanes[0];
    out.push_back(access);
  }
  return out;
}

}  // namespace

Result<AccessSpec> parseAccess(std::string_view text) {
  std::string body;
  for (char c : text.substr(0, 128))
    if (c != ' ') body += lowerCase(c);
  AccessSpec spec;
  spec.text = std::string(text.substr(0, 128));
  if (dropSuffix(body, ".column") || dropSuffix(body, ".col"))
    spec.order = LaneOrder::DownColumn;
  else if (dropSuffix(body, ".row"))
    spec.order = LaneOrder::AlongRow;
  if (const auto element = elementAccess(body)) {
    static_cast<AtlasAccess&>(spec) = *element;
    return spec;
  }
  const Result<AtlasRow> row = findInstruction(body);
  if (!row) return noAccess(text, body.empty() ? "" : row.error().hint);
  const AtlasAccess* access = accessOf(*row);
  if (access == nullptr) return noAccess(text, fmt::format("the lanes of {} address no memory", row->name));
  if (access->matrices > 0 && spec.order != LaneOrder::Contiguous)
    return Diag{fmt::format("{} chooses its own lanes", row->name), "the name without .row and .column",
                "ld, st and cp.async go along a row or down a column"};
  static_cast<AtlasAccess&>(spec) = *access;
  spec.instruction = row->name;
  return spec;
}

Result<AccessSpec> sideOf(const AccessSpec& copy, AccessDirection direction, MemorySpace space) {
  AccessSpec side = copy;
  side.direction = direction;
  side.space = space;
  if (copy.width == 0) return side;
  if (const auto row = findInstruction(copy.instruction); row) {
    const AtlasAccess* access = accessOf(*row, space);
    if (access != nullptr && access->direction == direction) {
      static_cast<AtlasAccess&>(side) = *access;
      return side;
    }
  }
  TESSERA_TRY(static_cast<AtlasAccess&>(side), vectorAccess(direction, space, copy.width));
  return side;
}

Result<std::vector<TileAccess>> accesses(const Tile& tile, const AccessSpec& spec) {
  spend(tile.rows() * tile.columns() / 8 + 1);
  Result<Cover> cover =
      coverOf(spec, {tile.rows(), tile.columns(), tile.contiguousDimension() == 1, tile.elementBits(), tile.text()});
  if (!cover) {
    Diag diag = cover.error();
    if (diag.hint.empty()) diag.hint = fmt::format("accesses of {} bytes fit", vectorBytes(tile));
    return diag;
  }
  return spec.matrices > 0 ? matrixAccesses(tile, spec, *cover) : vectorAccesses(tile, spec, *cover);
}

TileBankReport bankReport(std::span<const TileAccess> list) {
  TileBankReport total;
  i64 mostExcess = 0;
  for (const TileAccess& access : list) {
    auto report = bankReport(access.warp);
    if (!report) continue;  // unreachable: accesses are aligned by construction
    ++total.instructions;
    total.wavefronts += report->wavefronts;
    total.ideal += report->ideal;
    total.excess += report->excess;
    total.conflictDegree = std::max(total.conflictDegree, report->conflictDegree);
    if (report->excess > mostExcess) {
      mostExcess = report->excess;
      total.worst = access;
    }
  }
  if (total.worst) {
    total.conflict = worstConflict(total.worst->warp);
    std::string lanes;
    for (std::size_t i = 0; i < total.conflict->load.words.size() && i < 4; ++i) {
      const auto& word = total.conflict->load.words[i];
      const TileCoord at = total.worst->lanes[static_cast<std::size_t>(word.lanes.front())];
      lanes += fmt::format("{}lane {} at ({},{})", i == 0 ? "" : ", ", word.lanes.front(), at.row, at.column);
    }
    const std::size_t words = total.conflict->load.words.size();
    if (words > 4) lanes += fmt::format(" and {} more", words - 4);
    total.text =
        fmt::format("at ({},{}), phase {}: bank {} must deliver {} words: {}", total.worst->position.row,
                    total.worst->position.column, total.conflict->phase, total.conflict->load.bank, words, lanes);
  }
  return total;
}

Result<TileBankReport> bankReport(const Tile& tile, std::span<const AccessSpec> specs) {
  std::vector<TileAccess> all;
  for (std::size_t s = 0; s < specs.size(); ++s) {
    if (specs[s].space == MemorySpace::Global)
      return Diag{fmt::format("{} does not touch shared memory", specs[s].text), "an access to shared memory",
                  "global memory has sectors, not banks: use sectors"};
    TESSERA_TRY(std::vector<TileAccess> list, accesses(tile, specs[s]));
    for (TileAccess& a : list) {
      a.spec = s;
      all.push_back(a);
    }
  }
  return bankReport(all);
}

Result<TileSectorReport> tileSectors(const Tile& tile, const AccessSpec& spec) {
  TESSERA_TRY(std::vector<TileAccess> list, accesses(tile, spec));
  TileSectorReport total;
  i64 mostExtra = 0;
  for (const TileAccess& access : list) {
    std::vector<std::optional<i64>> addresses;
    for (i64 a : access.warp.addresses) addresses.push_back(a == kInactive ? std::nullopt : std::optional<i64>(a));
    TESSERA_TRY(SectorReport report, sectorReport(addresses, access.warp.width));
    ++total.instructions;
    total.sectors += report.sectors;
    total.lines += report.lines;
    total.idealSectors += report.idealSectors;
    if (report.sectors - report.idealSectors > mostExtra) {
      mostExtra = report.sectors - report.idealSectors;
      total.worst = access;
    }
  }
  return total;
}

Result<std::vector<std::vector<TileCoord>>> heldAfter(const Tile& tile, const AccessSpec& spec,
                                                      const TileAccess& access) {
  constexpr i64 kRowBits = 128;  // of a matrix
  std::vector<std::vector<TileCoord>> held(kWarpLanes);
  if (spec.matrices == 0) {
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      for (i64 j = 0; j < access.elements && access.warp.addresses[lane] != kInactive; ++j)
        held[lane].push_back(access.element(lane, j));
    return held;
  }
  // One operand of a matrix copy is in memory, one in registers; both count bits.
  TESSERA_TRY(const AtlasRow row, findInstruction(spec.instruction));
  const bool load = spec.direction == AccessDirection::Read;
  TESSERA_TRY(const AtlasOperand inMemory, findOperand(row, load ? "src" : "dst"));
  TESSERA_TRY(const AtlasOperand inRegisters, findOperand(row, load ? "dst" : "src"));
  TESSERA_TRY(const cute::Layout memory, threadValue(inMemory));
  TESSERA_TRY(const cute::Layout registers, threadValue(inRegisters));
  std::vector<std::size_t> laneOfRow(static_cast<std::size_t>(columnsOf(inMemory)));
  for (int lane = spec.phases.active() - 1; lane >= 0; --lane)
    laneOfRow[static_cast<std::size_t>(memory(lane) / kRowBits)] = static_cast<std::size_t>(lane);
  for (int lane = 0; lane < kWarpLanes; ++lane)
    for (i64 bit = 0; bit < registers.mode(1).size(); bit += tile.elementBits()) {
      const i64 at = registers(lane + kWarpLanes * bit);
      held[static_cast<std::size_t>(lane)].push_back(
          access.element(laneOfRow[static_cast<std::size_t>(at / kRowBits)], at % kRowBits / tile.elementBits()));
    }
  return held;
}

}  // namespace tessera
