#include "core/analysis/access/cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

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
  const Block* block = std::find_if(std::begin(kBlocks), std::end(kBlocks), fits);
  if (block == std::end(kBlocks))
    return noBlock(spec, tile, c, *std::find_if(std::begin(kBlocks), std::end(kBlocks), [&](const Block& b) {
                     return b.matrices == spec.matrices;
                   }));
  c.down = block->down;
  c.across = block->across;
  return c;
}

}  // namespace

bool runsAlongRow(const AccessSpec& spec, const CoveredTile& tile) {
  return tile.contiguousAlongRow || (spec.matrices > 0 && tile.rows < 128 / tile.elementBits);
}

Result<LaneRun> laneRunOf(const AccessSpec& spec, int elementBits) {
  AtlasAccess access = spec;
  if (spec.width == 0) {
    TESSERA_TRY(access, vectorAccess(spec.direction, spec.space, std::max(1, elementBits / 8)));
  }
  if (8 * access.width < elementBits)
    return Diag{fmt::format("{} moves {} bytes a lane, an element has {}", spec.text, access.width, elementBits / 8),
                fmt::format("an access of at least {} bytes", elementBits / 8),
                elementBits <= 128
                    ? fmt::format("use {}.{}.b{}", access.direction == AccessDirection::Read ? "ld" : "st",
                                  name(access.space), elementBits)
                    : ""};
  return LaneRun{access, i64{8} * access.width / elementBits};
}

Result<Cover> coverOf(const AccessSpec& spec, const CoveredTile& tile) {
  Cover c;
  c.alongRow = runsAlongRow(spec, tile);
  c.length = c.alongRow ? tile.columns : tile.rows;
  c.others = c.alongRow ? tile.rows : tile.columns;
  if (spec.matrices > 0) return coverByMatrices(spec, tile, c);
  TESSERA_TRY(const LaneRun run, laneRunOf(spec, tile.elementBits));
  c.access = run.access;
  c.elements = run.elements;
  if (c.length % c.elements != 0)
    return Diag{fmt::format("{} takes {} elements, {} along the contiguous dimension of {} is no multiple", spec.text,
                            c.elements, c.length, named(tile)),
                fmt::format("a multiple of {} elements", c.elements)};
  c.runsSideBySide = spec.order == LaneOrder::Contiguous || (spec.order == LaneOrder::AlongRow) == c.alongRow;
  return c;
}

}  // namespace tessera
