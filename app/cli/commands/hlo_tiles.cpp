#include "app/cli/commands/hlo_tiles.h"

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/hlo/text/attributes.h"
#include "core/notation/indexing/map.h"

namespace tessera {
namespace {

Diag noTile(std::string_view text) {
  return Diag{"'" + std::string(text) + "' is not a tile", "[8,128] with a size or a name per dimension, or: any"};
}

bool isName(std::string_view word) {
  return !word.empty() && isLetter(word[0]) && std::ranges::all_of(word, isNamePart);
}

void writeSides(const hlo::SymbolicTile& tile, const hlo::SymbolicTile::Way& way, JsonWriter& json) {
  const auto list = [&](const char* name, const Expr hlo::Progression::*side) {
    json.member(name, mapped<std::string>(way.dimensions, [&](const hlo::SymbolicTile::Dimension& d) {
                  return hlo::textOf(d.is.*side, tile.params);
                }));
  };
  list("offsets", &hlo::Progression::offset);
  list("sizes", &hlo::Progression::size);
  list("strides", &hlo::Progression::stride);
  const bool cut = std::ranges::any_of(way.dimensions, [](const auto& d) { return d.within.has_value(); });
  if (!cut) return;
  json.key("within").beginArray();
  for (const hlo::SymbolicTile::Dimension& d : way.dimensions) {
    json.beginArray();
    if (d.within) json.value(d.within->lo).value(d.within->hi);
    json.endArray();
  }
  json.endArray();
}

void writeSymbolic(const hlo::SymbolicTile& tile, JsonWriter& json) {
  json.key("parts").beginArray();
  for (const hlo::SymbolicTile::Part& part : tile.parts) {
    json.beginObject().member("dimensions", part.dimensions).member("from", part.from).key("ways").beginArray();
    for (const hlo::SymbolicTile::Way& way : part.ways) {
      const auto guardText = [&](const Guard& g) { return hlo::textOf(g, tile.params); };
      json.beginObject().member("where", mapped<std::string>(way.where, guardText));
      if (way.nothing)
        json.member("nothing", true);
      else
        writeSides(tile, way, json);
      json.endObject();
    }
    json.endArray();
    if (!part.why.empty()) json.member("why", part.why);
    json.endObject();
  }
  json.endArray().key("box").beginArray();  // only tiles inside it are described; outside there is nothing
  for (const Range& r : tile.box) json.beginArray().value(r.lo).value(r.hi).endArray();
  json.endArray();
}

}  // namespace

bool TileOption::isNumbers() const {
  return !any && std::ranges::all_of(sizes, [](const hlo::TileSize& s) { return s.name.empty(); });
}

Result<TileOption> parseTileOption(std::string_view text) {
  if (text == "any") return TileOption{true, {}};
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return noTile(text);
  TileOption option;
  std::string_view rest = text.substr(1, text.size() - 2);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view word = stripped(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const auto number = hlo::wholeNumber(word);
    if (!number && !isName(word)) return noTile(text);
    option.sizes.push_back({number.value_or(0), number ? "" : std::string(word)});
  }
  return option;
}

Result<ReportedTile> reportedTile(const Map& map, const std::vector<i64>& sizesOfArray, const TileOption& option) {
  if (option.isNumbers()) {
    std::vector<i64> sizes;
    for (const hlo::TileSize& s : option.sizes) sizes.push_back(s.number);
    TESSERA_TRY(hlo::OperandTile tile, hlo::operandTile(map, sizes));
    std::string text = hlo::textOf(tile);
    return ReportedTile{std::move(tile), std::move(text)};
  }
  hlo::SymbolicTile tile;
  if (option.any) {
    tile = hlo::symbolicTile(map);
  } else {
    TESSERA_TRY(tile, hlo::symbolicTile(map, option.sizes));
  }
  std::string text = hlo::textOf(tile, sizesOfArray);
  return ReportedTile{std::move(tile), std::move(text)};
}

void write(const ReportedTile& reported, JsonWriter& json) {
  if (const auto* const tile = std::get_if<hlo::SymbolicTile>(&reported.tile)) {
    json.member("is", tile->is()).member("text", reported.text);
    if (!tile->is()) json.member("why", tile->why());
    return writeSymbolic(*tile, json);
  }
  const auto& tile = std::get<hlo::OperandTile>(reported.tile);
  json.member("is", tile.is).member("text", reported.text);
  if (!tile.is) {
    json.member("why", tile.why);
    return;
  }
  json.member("exact", tile.exact).member("sizes", tile.sizes).member("strides", tile.strides);
  json.member("offsets", indexing::print(indexing::toIndexingMap(tile.offsets)));
}

}  // namespace tessera
