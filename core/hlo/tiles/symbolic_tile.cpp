#include "core/hlo/tiles/symbolic_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/check.h"
#include "core/base/mapped.h"
#include "core/expr/walk.h"
#include "core/hlo/compose/map_parts.h"
#include "core/hlo/tiles/tile_part.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"

namespace tessera::hlo {
namespace {

// The map in its simplest form; run-time values keep their names.
WithoutUnused plainest(const Map& map) {
  Map once = simplified(map);
  if (once.isEmpty()) return {std::move(once), {}};
  WithoutUnused plain = withoutUnused(simplified(rescaled(once)));
  std::vector<Param> params = plain.map.params();
  for (std::size_t k = 0; k < params.size(); ++k)
    params[k].name = map.params()[static_cast<std::size_t>(plain.params[k])].name;
  auto named = Map::create(plain.map.digits(), plain.map.axes(), plain.map.guards(), std::move(params));
  LAYOUT_CHECK(named.ok(), "the same map by other names");
  plain.map = *std::move(named);
  return plain;
}

std::string unusedName(std::string name, const std::vector<Param>& params) {
  while (std::ranges::any_of(params, [&](const Param& p) { return p.name == name; })) name += "'";
  return name;
}

// o0 (a tile's offset) and the run-time values are reserved names.
bool isTaken(const std::string& name, std::size_t rank, const Map& map) {
  for (std::size_t k = 0; k < rank; ++k)
    if (name == fmt::format("o{}", k)) return true;
  return std::ranges::any_of(map.params(), [&](const Param& p) { return p.name == name; });
}

// The parameters of a tile, followed by the map's own.
class TileBuilder {
 public:
  explicit TileBuilder(const Map& map) : map_(map) {
    for (const int k : map.indexDigits())
      tile_.box.push_back({map.digit(k).lo, map.digit(k).lo + map.digit(k).extent - 1});
  }

  SymbolicTile any() {
    for (std::size_t k = 0; k < tile_.box.size(); ++k) {
      const Range r = tile_.box[k];
      const Expr o = parameter(fmt::format("o{}", k), r.lo, r.hi);
      const Expr s = parameter(fmt::format("s{}", k), 1, r.hi - r.lo + 1);
      const Expr t = parameter(fmt::format("t{}", k), 1, std::max<i64>(1, r.hi - r.lo));
      tile_.tile.push_back({o, s, t});
    }
    return done();
  }

  SymbolicTile numbers(const std::vector<TileSide>& sides) {
    for (const TileSide& s : sides)
      tile_.tile.push_back({Expr::constant(s.offset), Expr::constant(s.size), Expr::constant(s.stride)});
    return done();
  }

  SymbolicTile sized(const std::vector<TileSize>& sizes) {
    for (std::size_t k = 0; k < tile_.box.size(); ++k) {
      const i64 extent = tile_.box[k].hi - tile_.box[k].lo + 1;
      Expr size = Expr::constant(std::min(sizes[k].number, extent));
      if (sizes[k].number == 0) size = named(sizes[k].name, extent);
      const i64 least = size.isConstant() ? size.value() : 1;
      const Expr o = parameter(fmt::format("o{}", k), tile_.box[k].lo, tile_.box[k].hi - least + 1);
      tile_.tile.push_back({o, size, Expr::constant(1)});
    }
    return done();
  }

 private:
  Expr parameter(std::string name, i64 lo, i64 hi) {
    if (lo == hi) return Expr::constant(lo);
    tile_.params.push_back({std::move(name), lo, hi});
    return Expr::param(static_cast<int>(tile_.params.size()) - 1);
  }
  // One name used for several dimensions is one size.
  Expr named(const std::string& name, i64 extent) {
    auto found = std::ranges::find(tile_.params, name, &Param::name);
    if (found == tile_.params.end()) found = tile_.params.insert(found, {name, 1, extent});
    found->hi = std::min(found->hi, extent);
    return Expr::param(static_cast<int>(found - tile_.params.begin()));
  }
  SymbolicTile done() {
    for (const Param& p : map_.params()) tile_.params.push_back({unusedName(p.name, tile_.params), p.lo, p.hi});
    return std::move(tile_);
  }

  const Map& map_;
  SymbolicTile tile_;
};

// The map's values and guards in coordinates; its parameters follow the tile's.
struct Coordinates {
  MapOfTile of;
  std::vector<Expr> values;
  std::vector<Guard> guards;
};
Coordinates coordinatesOf(const Map& map, const SymbolicTile& tile) {
  Coordinates all;
  const std::size_t own = tile.params.size() - map.params().size();
  std::vector<Expr> params;
  for (std::size_t k = 0; k < map.params().size(); ++k) params.push_back(Expr::param(static_cast<int>(own + k)));
  all.of.box = coordinateBox(map);
  all.of.box.params.clear();
  for (const Param& p : tile.params) {
    all.of.box.params.push_back({p.lo, p.hi});
    all.of.paramNames.push_back(p.name);
  }
  std::size_t index = 0;
  for (const Digit& d : map.digits()) {
    all.of.names.push_back(d.name);
    all.of.isFan.push_back(d.kind == DigitKind::Fan);
    all.of.ranges.push_back(d.kind == DigitKind::Index
                                ? tile.tile[index++]
                                : Progression{Expr::constant(d.lo), Expr::constant(d.extent), Expr::constant(1)});
  }
  const ProgressionArithmetic can(all.of.box);
  const auto here = [&](const Expr& e) { return can.simple(substitute(inCoordinates(e, map.digits()), {}, params)); };
  for (const Axis& a : map.axes()) all.values.push_back(here(a.value));
  for (const Guard& g : map.guards()) all.guards.push_back({here(g.value), g.lo, g.hi});
  return all;
}

struct NumberedPart {
  PartOfMap map;
  std::vector<int> values;
};
// Groups values and guards that share digits, in value order; last, the groups that only decide whether the image is
// empty.
std::vector<NumberedPart> numberedParts(const Coordinates& all) {
  const auto digitsIn = [](const auto& list, auto of) {
    return mapped<std::vector<int>>(list, [&](const auto& one) { return leavesIn(std::invoke(of, one), Op::Digit); });
  };
  const auto values = digitsIn(all.values, std::identity()), guards = digitsIn(all.guards, &Guard::value);
  const std::vector<std::size_t> leader = leadersOf(all.of.ranges.size(), {&values, &guards});
  std::vector<std::optional<std::size_t>> numbers(leader.size());  // by leader
  std::vector<NumberedPart> parts;
  const auto at = [&](int digit) -> NumberedPart& {
    auto& number = numbers[leader[static_cast<std::size_t>(digit)]];
    if (!number) {
      number = parts.size();
      parts.emplace_back();
    }
    return parts[*number];
  };
  for (std::size_t v = 0; v < values.size(); ++v) {
    NumberedPart& part = values[v].empty() ? parts.emplace_back() : at(values[v][0]);
    part.map.values.push_back(all.values[v]);
    part.values.push_back(static_cast<int>(v));
  }
  std::vector<Guard> ofNumbers;
  for (std::size_t g = 0; g < guards.size(); ++g)
    (guards[g].empty() ? ofNumbers : at(guards[g][0]).map.guards).push_back(all.guards[g]);
  for (std::size_t d = 0; d < leader.size(); ++d)
    if (numbers[leader[d]]) at(static_cast<int>(d)).map.digits.push_back(static_cast<int>(d));
  if (!ofNumbers.empty()) parts.push_back({{{}, std::move(ofNumbers), {}}, {}});
  return parts;
}

SymbolicTile built(const Map& map, std::vector<int> runtime, SymbolicTile tile) {
  tile.map = map;
  tile.runtime = std::move(runtime);
  if (map.isEmpty()) {
    tile.empty = true;
    return tile;
  }
  const Coordinates all = coordinatesOf(map, tile);
  const std::vector<int> index = map.indexDigits();
  for (NumberedPart& one : numberedParts(all)) {
    WaysOfPart ways = waysOf(all.of, one.map);
    SymbolicTile::Part part{std::move(one.values), {}, std::move(ways.ways), std::move(ways.why)};
    for (const int d : one.map.digits)
      if (const auto k = std::ranges::find(index, d); k != index.end())
        part.from.push_back(static_cast<int>(k - index.begin()));
    tile.parts.push_back(std::move(part));
  }
  return tile;
}

bool holds(const Conditions& where, const std::vector<i64>& params) {
  return std::ranges::all_of(where, [&](const Guard& g) {
    const i64 value = evaluate(g.value, {}, params);
    return value >= g.lo && value <= g.hi;
  });
}

// The elements of a side that are in the range; nullopt: none.
std::optional<TileSide> cut(TileSide side, const Range& to) {
  const auto last = checkedMul(side.size - 1, side.stride);
  if (side.offset < to.lo) {
    const i64 skipped = ceilDiv(to.lo - side.offset, side.stride);
    if (skipped >= side.size) return std::nullopt;
    side.offset += skipped * side.stride;
    side.size -= skipped;
  }
  if (side.offset > to.hi) return std::nullopt;
  if (!last || (side.size - 1) > (to.hi - side.offset) / side.stride)
    side.size = (to.hi - side.offset) / side.stride + 1;
  if (side.size == 1) side.stride = 1;
  return side;
}

// Why a part has no answer for a tile.
std::string whyNot(const SymbolicTile& tile, const SymbolicTile::Part& part) {
  std::string out = part.why;
  for (std::size_t k = 0; k < part.ways.size() && k < 4; ++k)
    out += (k > 0         ? "; or "
            : out.empty() ? "it is a tile if "
                          : "; it is a tile if ") +
           textOf(part.ways[k].where, tile.params);
  return out.empty() ? "none of its cases holds for any tile" : out;
}

}  // namespace

bool SymbolicTile::Part::is() const {
  return std::ranges::any_of(ways, [](const Way& w) { return !w.nothing; });
}

bool SymbolicTile::is() const { return !empty && std::ranges::all_of(parts, &Part::is); }

std::string SymbolicTile::why() const {
  if (empty) return "nothing is read";
  const auto bad = std::ranges::find(parts, false, &Part::is);
  if (bad == parts.end()) return "";
  return bad->why.empty() ? "none of its cases holds for any tile" : bad->why;
}

SymbolicTile symbolicTile(const Map& map) {
  WithoutUnused plain = plainest(map);
  return built(plain.map, std::move(plain.params), TileBuilder(plain.map).any());
}

Result<SymbolicTile> symbolicTile(const Map& map, const std::vector<TileSize>& sizes) {
  const std::size_t rank = map.indexDigits().size();
  if (sizes.size() != rank)
    return Diag{fmt::format("the tile has {}, the array {}", counted(sizes.size(), "size"), counted(rank, "dimension")),
                "a size for each dimension"};
  for (const TileSize& s : sizes)
    if (s.number < 1 && s.name.empty())
      return Diag{fmt::format("a tile cannot have {} elements", s.number), "sizes from 1, or names"};
  for (const TileSize& s : sizes)
    if (s.number == 0 && isTaken(s.name, rank, map))
      return Diag{fmt::format("{} is not a size: it is {}", s.name,
                              s.name[0] == 'o' ? "where the tile begins" : "a run-time value"),
                  "another name: T"};
  WithoutUnused plain = plainest(map);
  return built(plain.map, std::move(plain.params), TileBuilder(plain.map).sized(sizes));
}

TileAt tileWith(const SymbolicTile& tile, const std::vector<i64>& params) {
  if (tile.empty) return {TileAt::Kind::Nothing, {}, ""};
  TileAt answer{TileAt::Kind::Tile, std::vector<TileSide>(tile.map.axes().size()), ""};
  for (const SymbolicTile::Part& part : tile.parts) {
    const auto way =
        std::ranges::find_if(part.ways, [&](const SymbolicTile::Way& w) { return holds(w.where, params); });
    if (way == part.ways.end()) {
      answer.kind = TileAt::Kind::None;
      if (answer.why.empty()) answer.why = whyNot(tile, part);
      continue;  // another part may be empty
    }
    if (way->nothing) return {TileAt::Kind::Nothing, {}, ""};
    for (std::size_t k = 0; k < part.dimensions.size(); ++k) {
      const SymbolicTile::Dimension& d = way->dimensions[k];
      TileSide side{evaluate(d.is.offset, {}, params), evaluate(d.is.size, {}, params),
                    evaluate(d.is.stride, {}, params)};
      if (side.size == 1) side.stride = 1;
      const auto inside = d.within ? cut(side, *d.within) : side;
      if (!inside) return {TileAt::Kind::Nothing, {}, ""};
      answer.sides[static_cast<std::size_t>(part.dimensions[k])] = *inside;
    }
  }
  if (answer.kind == TileAt::Kind::None) answer.sides.clear();
  return answer;
}

TileAt tileAt(const SymbolicTile& tile, const std::vector<TileSide>& source, const std::vector<i64>& runtime) {
  if (tile.empty) return {TileAt::Kind::Nothing, {}, ""};
  LAYOUT_CHECK(source.size() == tile.box.size(), "a side for each dimension");
  std::vector<i64> params;
  std::vector<TileSide> sides;
  for (std::size_t k = 0; k < source.size(); ++k) {
    const auto side = cut(source[k], tile.box[k]);
    if (!side) return {TileAt::Kind::Nothing, {}, ""};
    const Progression& p = tile.tile[k];  // a constant where there is no choice
    if (p.offset.op() == Op::Param) params.push_back(side->offset);
    if (p.size.op() == Op::Param) params.push_back(side->size);
    if (p.stride.op() == Op::Param) params.push_back(side->stride);
    sides.push_back(*side);
  }
  auto left = mapped<i64>(tile.runtime, [&](int k) { return runtime.at(static_cast<std::size_t>(k)); });
  params.insert(params.end(), left.begin(), left.end());
  LAYOUT_CHECK(params.size() == tile.params.size(), "a tile by any numbers, and every run-time value");
  const TileAt answer = tileWith(tile, params);
  if (answer.kind != TileAt::Kind::None) return answer;
  const SymbolicTile numbers = built(tile.map, tile.runtime, TileBuilder(tile.map).numbers(sides));
  const TileAt closer = tileWith(numbers, left);
  return closer.kind == TileAt::Kind::None ? answer : closer;
}

}  // namespace tessera::hlo
