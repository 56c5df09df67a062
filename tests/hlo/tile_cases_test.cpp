// The rows about tiles of tests/cases/xla.jsonl: symbolic_tile tile_propagation reshape_tile grouped_indexing
// epilogue_map tile_constraint tiled_computation flat_tilings. Tiles are compared as sets of elements inside their
// arrays.
//
// If XLA has no tile (expected null, "unimplemented", accept false), ours is compared with the enumerated image
// instead, here and in symbolic_tile_test.cpp; it answers some of these. If XLA's tile is not the image, the test says
// so. The case is all-gather with a tile on two devices: XLA gives the part on the first device; ours is refused.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/tiles/symbolic_tile.h"
#include "core/notation/indexing/map.h"
#include "hlo/tiles.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::TileAt;
using hlo::TileSide;
using nlohmann::json;

namespace {

std::vector<json> rowsOf(const std::string& kind) {
  std::ifstream in(TESSERA_SOURCE_DIR "/tests/cases/xla.jsonl");
  std::vector<json> found;
  for (std::string line; std::getline(in, line);)
    if (json c = json::parse(line); c["kind"] == kind) found.push_back(std::move(c));
  REQUIRE(!found.empty());
  return found;
}

Map mapOfText(const std::string& text) {
  INFO(text);
  const auto map = indexing::parse(text);
  if (!map) FAIL(map.error().message);
  return map->map;
}

// "(d0, d1) -> (d0 * d1)" with a range for each name, evaluated.
struct Formulas {
  Map map;
  Formulas(std::string text, const std::vector<std::pair<std::string, Range>>& ranges) {
    for (std::size_t k = 0; k < ranges.size(); ++k)
      text += (k == 0 ? ", domain: " : ", ") + ranges[k].first + " in [" + std::to_string(ranges[k].second.lo) + ", " +
              std::to_string(ranges[k].second.hi) + "]";
    map = mapOfText(text);
  }
  // Coordinates of all variables, in the order of the ranges.
  Element at(const Element& values) const {
    Element digits, params;
    for (std::size_t k = 0; k < map.digits().size(); ++k) digits.push_back(values[k] - map.digits()[k].lo);
    params.assign(values.begin() + static_cast<std::ptrdiff_t>(map.digits().size()), values.end());
    return map.at(digits, params);
  }
};

std::string domainOf(const json& list) {
  std::string text;
  for (const auto& d : list) text += (text.empty() ? ", domain: " : ", ") + d.get<std::string>();
  return text;
}

hlo::Module moduleOf(const json& c) {
  hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  return m;
}
// Without the word ENTRY the last computation is meant.
int entryOf(const hlo::Module& m) { return m.entry >= 0 ? m.entry : static_cast<int>(m.computations.size()) - 1; }
hlo::Where rootOf(const hlo::Module& m) {
  return {entryOf(m), m.computations[static_cast<std::size_t>(entryOf(m))].root};
}
const hlo::Instruction& at(const hlo::Module& m, hlo::Where w) {
  return m.computations[static_cast<std::size_t>(w.computation)].instructions[static_cast<std::size_t>(w.instruction)];
}
std::vector<i64> sizesOfShape(const xla::Shape& s) { return s.isArray() ? s.sizes() : s.elements().at(0).sizes(); }
std::vector<i64> operandSizes(const hlo::Module& m, hlo::Where w, std::size_t k) {
  return sizesOfShape(m.shapeOf(at(m, {w.computation, at(m, w).operands.at(k)})));
}
hlo::Where find(const hlo::Module& m, const std::string& name) {
  for (std::size_t c = 0; c < m.computations.size(); ++c)
    for (std::size_t i = 0; i < m.computations[c].instructions.size(); ++i)
      if (m.computations[c].instructions[i].name == name &&
          (m.computations.size() == 1 || static_cast<int>(c) != m.entry))
        return {static_cast<int>(c), static_cast<int>(i)};
  const hlo::Computation& entry = m.computations[static_cast<std::size_t>(entryOf(m))];
  for (std::size_t i = 0; i < entry.instructions.size(); ++i)
    if (entry.instructions[i].name == name) return {entryOf(m), static_cast<int>(i)};
  FAIL(name);
  return {};
}

// Of a side what lies in [0, size); nullopt: nothing.
std::optional<TileSide> inside(TileSide s, i64 size) {
  while (s.size > 0 && s.offset < 0) {
    s.offset += s.stride;
    --s.size;
  }
  while (s.size > 0 && s.offset + (s.size - 1) * s.stride >= size) --s.size;
  if (s.size < 1) return std::nullopt;
  if (s.size == 1) s.stride = 1;
  return s;
}
std::optional<std::vector<TileSide>> insideOf(const std::vector<TileSide>& tile, const std::vector<i64>& sizes) {
  std::vector<TileSide> cut;
  for (std::size_t k = 0; k < tile.size(); ++k) {
    const auto s = inside(tile[k], sizes[k]);
    if (!s) return std::nullopt;
    cut.push_back(*s);
  }
  return cut;
}

// Ours is that tile, or nothing where there is none of it.
void sameTile(const TileAt& ours, const std::optional<std::vector<TileSide>>& expected) {
  INFO(textOf(ours));
  if (!expected) {
    REQUIRE(ours.kind == TileAt::Kind::Nothing);
    return;
  }
  REQUIRE(ours.kind == TileAt::Kind::Tile);
  REQUIRE(ours.sides == *expected);
}

i64 drawn(std::mt19937_64& rng, i64 lo, i64 hi) {
  const u64 draw = rng();
  return lo + static_cast<i64>(draw % static_cast<u64>(hi - lo + 1));
}

// Some tiles of the map beside their images.
void rightTiles(const Map& map, const std::vector<i64>& sizes, int& answered) {
  const hlo::SymbolicTile tile = hlo::symbolicTile(map);
  INFO(indexing::print(indexing::toIndexingMap(map)) << "\n" << textOf(tile));
  std::mt19937_64 rng(5);
  for (int n = 0; n < 20; ++n) {
    std::vector<TileSide> source;
    for (const i64 size : sizes) {
      const i64 o = drawn(rng, 0, size - 1), s = drawn(rng, 1, std::min<i64>(size, 6));
      const i64 t = drawn(rng, 1, 2);
      source.push_back({o, s, s == 1 ? 1 : t});
    }
    std::vector<i64> runtime;
    for (const Param& p : map.params()) runtime.push_back(drawn(rng, p.lo, p.hi));
    const auto whole = insideOf(source, sizes);
    const Elements slow = imageOfTile(map, *whole, runtime);
    const TileAt fast = tileAt(tile, source, runtime);
    INFO(textOf(fast));
    if (fast.kind == TileAt::Kind::Nothing) REQUIRE(slow.empty());
    if (fast.kind == TileAt::Kind::Tile) REQUIRE(boxOf(fast.sides) == slow);
    answered += fast.kind != TileAt::Kind::None;
  }
}

// XLA's "d0 in [1, 1] && d2 in [6, 6] || ..." at tile sizes.
bool meets(const std::string& constraints, const std::string& names,
           const std::vector<std::pair<std::string, Range>>& in, const Element& sizes) {
  if (constraints.empty()) return true;
  const auto split = [](const std::string& text, const std::string& by) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t to = text.find(by); to != std::string::npos; to = text.find(by, from)) {
      parts.push_back(text.substr(from, to - from));
      from = to + by.size();
    }
    parts.push_back(text.substr(from));
    return parts;
  };
  for (const std::string& all : split(constraints, "||")) {
    bool good = true;
    for (const std::string& one : split(all, "&&")) {
      const std::size_t bounds = one.find(" in [");
      const i64 lo = std::stoll(one.substr(bounds + 5)), hi = std::stoll(one.substr(one.find(',', bounds) + 1));
      const i64 value = Formulas(names + " -> (" + one.substr(0, bounds) + ")", in).at(sizes)[0];
      good = good && value >= lo && value <= hi;
    }
    if (good) return true;
  }
  return false;
}

struct Subject {
  Map map;
  std::vector<i64> from, to;  // sizes; `to` is empty where the row has no shape
};
Subject subjectOf(const json& c) {
  const auto operand = static_cast<std::size_t>(c.value("operand", 0));
  Subject s;
  if (c.contains("map")) {
    s.map = mapOfText(c["map"].get<std::string>() + domainOf(c["domain"]));
    for (const int k : s.map.indexDigits()) {
      const Digit& d = s.map.digits()[static_cast<std::size_t>(k)];
      s.from.push_back(d.lo + d.extent);
    }
    return s;
  }
  const hlo::Module m = moduleOf(c);
  const hlo::Where root = rootOf(m);
  const auto reads = hlo::readsThrough(m, root);
  if (!reads) FAIL(reads.error().message);
  REQUIRE(reads->at(operand).maps.size() == 1);
  s.map = reads->at(operand).maps[0];
  s.from = sizesOfShape(m.shapeOf(at(m, root)));
  s.to = operandSizes(m, root, operand);
  return s;
}

// XLA's tile of tiles that begin at 0.
int sameSymbolicTile(const json& c, const Subject& s) {
  const json& e = c["expected"];
  std::string names = "(";
  std::vector<std::pair<std::string, Range>> sizeRanges, runtimeRanges;
  for (std::size_t k = 0; k < s.from.size(); ++k) {
    names += (k > 0 ? ", d" : "d") + std::to_string(k);
    sizeRanges.push_back({"d" + std::to_string(k), {1, s.from[k]}});
  }
  names += ")";
  std::vector<std::pair<std::string, Range>> all = sizeRanges;
  std::string offsets = e["offset_map"];
  const std::vector<Param>& params = s.map.params();
  if (const std::size_t open = offsets.find('['); open != std::string::npos) {
    offsets[open] = '{';  // its run-time values
    offsets[offsets.find(']')] = '}';
    for (std::size_t k = 0; k < params.size(); ++k)
      all.push_back({"s" + std::to_string(k), {params[k].lo, params[k].hi}});
  }
  const Formulas offset(offsets, all), size(e["size_map"], sizeRanges), stride(e["stride_map"], sizeRanges);
  const hlo::SymbolicTile ours = hlo::symbolicTile(s.map);
  INFO(textOf(ours));
  std::mt19937_64 rng(11);
  int compared = 0;
  for (int n = 0; n < 300; ++n) {
    Element sizes, runtime;
    std::vector<TileSide> source;
    for (const i64 extent : s.from) {
      const i64 few = drawn(rng, 0, 3);
      sizes.push_back(few == 0 ? 1 : few == 1 ? extent : drawn(rng, 1, extent));
      source.push_back({0, sizes.back(), 1});
    }
    for (const Param& p : params) runtime.push_back(drawn(rng, p.lo, p.hi));
    if (!meets(e.value("constraints", ""), names, sizeRanges, sizes)) continue;
    Element values = sizes;
    if (all.size() > sizes.size()) values.insert(values.end(), runtime.begin(), runtime.end());
    const Element o = offset.at(values), count = size.at(sizes), step = stride.at(sizes);
    std::vector<TileSide> theirs;
    std::vector<i64> to = s.to;
    for (std::size_t k = 0; k < o.size(); ++k) {
      theirs.push_back({o[k], count[k], count[k] == 1 ? 1 : step[k]});
      if (s.to.empty()) to.push_back(INT64_MAX / 2);
    }
    INFO(Catch::StringMaker<std::vector<i64>>::convert(sizes));
    sameTile(tileAt(ours, source, runtime), insideOf(theirs, to));
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("symbolic tiles are those of the cases") {
  int rows = 0, answered = 0;
  for (const json& c : rowsOf("symbolic_tile")) {
    INFO(c["id"]);
    const Subject s = subjectOf(c);
    i64 fans = 1;
    for (const int k : s.map.fanDigits()) fans *= s.map.digits()[static_cast<std::size_t>(k)].extent;
    if (fans < 1000) rightTiles(s.map, s.from, answered);
    if (c["expected"].is_null() || c.value("brute_force", "ok") == "mismatch (see note)") continue;
    CHECK(sameSymbolicTile(c, s) > 5);
    ++rows;
  }
  CHECK(rows >= 17);
  CHECK(answered > 150);
}

namespace {

// Expected tiles speak of tid_k, ts_k and rt_k; ids from `rank` on are of what is summed over, all of it in one tile.
struct Given {
  std::vector<std::string> names;
  std::vector<std::pair<std::string, Range>> ranges;
  Element values;
  void add(const std::string& name, i64 value) {
    names.push_back(name);
    ranges.push_back({name, {0, i64{1} << 20}});
    values.push_back(value);
  }
  i64 of(const std::string& expression) const {
    std::string text;
    for (const std::string& n : names) text += (text.empty() ? "(" : ", ") + n;
    return Formulas(text + ") -> (" + expression + ")", ranges).at(values)[0];
  }
};

// What is summed over, by the number of its tile: "ts_2" of 512.
std::map<std::string, i64> summedOver(const json& tiles, std::size_t rank) {
  std::map<std::string, i64> found;
  for (const json& tile : tiles)
    for (std::size_t k = 0; k < tile["sizes"].size(); ++k) {
      const std::string size = tile["sizes"][k];
      const bool plain = size.substr(0, 3) == "ts_" && size.find(' ') == std::string::npos;
      if (plain && std::stoul(size.substr(3)) >= rank)
        found[size.substr(3)] = std::stoll(tile["upper_bounds"][k].get<std::string>());
    }
  return found;
}

void samePropagated(const json& expected, const Map& map, const std::vector<i64>& to, bool unitStrides,
                    const std::vector<i64>& from, bool exactly, const std::map<std::string, i64>& summed) {
  const hlo::SymbolicTile tile = hlo::symbolicTile(map);
  INFO(indexing::print(indexing::toIndexingMap(map)) << "\n" << textOf(tile) << "\n" << expected.dump());
  std::mt19937_64 rng(3);
  int compared = 0;
  for (int n = 0; n < 60; ++n) {
    Given given;
    std::vector<TileSide> source;
    for (std::size_t k = 0; k < from.size(); ++k) {
      const i64 ts = drawn(rng, 1, std::min<i64>(from[k], 40)), stride = unitStrides ? 1 : static_cast<i64>(k) + 1;
      const i64 tid = drawn(rng, 0, (from[k] - 1) / ts);
      source.push_back({tid * ts, ts, stride});
      given.add("tid_" + std::to_string(k), tid);
      given.add("ts_" + std::to_string(k), ts);
    }
    std::vector<i64> runtime;
    for (const Param& p : map.params()) runtime.push_back(drawn(rng, p.lo, p.hi));
    given.add("rt_1", 0);  // the slice is as long as the dimension
    given.add("rt_2", runtime.empty() ? 0 : runtime.back());
    for (const auto& [number, extent] : summed) {
      given.add("ts_" + number, extent);
      given.add("tid_" + number, 0);
    }
    std::vector<TileSide> theirs;
    std::vector<i64> bounds;
    for (std::size_t k = 0; k < to.size(); ++k) {
      const auto value = [&](const char* what) { return given.of(expected[what][k].get<std::string>()); };
      theirs.push_back({value("offsets"), value("sizes"), value("strides")});
      bounds.push_back(value("upper_bounds"));
    }
    const TileAt ours = tileAt(tile, source, runtime);
    INFO(textOf(ours));
    if (!exactly && ours.kind == TileAt::Kind::None) {
      const i64 first = source[0].offset, last = std::min(first + source[0].size, from[0]) - 1;
      CHECK(first / bounds[0] != last / bounds[0]);  // it lies on two devices
      continue;
    }
    sameTile(ours, insideOf(theirs, bounds));
    ++compared;
  }
  CHECK(compared > 20);
}

}  // namespace

TEST_CASE("tiles go through operations as in the cases") {
  int tiles = 0, refused = 0;
  for (const json& c : rowsOf("tile_propagation")) {
    INFO(c["id"]);
    INFO(c["hlo"].get<std::string>());
    const hlo::Module m = moduleOf(c);
    const hlo::Where root = rootOf(m);
    const bool reads = c["direction"] == "output_to_input";
    const auto reaches = reads ? hlo::readsOf(m, root) : hlo::usesOf(m, root, c.value("operand", 0));
    if (!reaches) FAIL(reaches.error().message);
    const std::vector<i64> out = sizesOfShape(m.shapeOf(at(m, root)));
    const std::vector<i64> from = reads ? out : operandSizes(m, root, static_cast<std::size_t>(c.value("operand", 0)));
    if (!c.contains("expected_tiles")) {
      int answered = 0;
      for (const hlo::Reach& r : *reaches)
        for (const Map& map : r.maps) rightTiles(map, from, answered);
      refused += answered > 0;
      continue;
    }
    const bool unit = c["given_tile"].get<std::string>().find("stride 1") != std::string::npos;
    REQUIRE(c["expected_tiles"].size() == reaches->size());
    for (const hlo::Reach& r : *reaches) {
      REQUIRE(r.maps.size() == 1);
      const std::vector<i64> to = reads ? operandSizes(m, root, static_cast<std::size_t>(r.slot)) : out;
      samePropagated(c["expected_tiles"][static_cast<std::size_t>(r.slot)], r.maps[0], to, unit, from,
                     at(m, root).opcode != "all-gather", summedOver(c["expected_tiles"], from.size()));
      ++tiles;
    }
  }
  CHECK(tiles > 15);
  CHECK(refused == 3);  // XLA has no tile of any, ours has some
}

TEST_CASE("tiles go through reshapes as in the cases") {
  const auto shape = [](const json& sizes) {
    std::string text;
    for (const auto& n : sizes) text += (text.empty() ? "f32[" : ",") + std::to_string(n.get<i64>());
    return text.empty() ? std::string("f32[]") : text + "]";
  };
  int accepted = 0, rejected = 0;
  for (const json& c : rowsOf("reshape_tile")) {
    INFO(c.dump());
    REQUIRE(c["direction"] == "input_to_output");
    const hlo::Module m = hlo::readModule("HloModule m\nENTRY e {\n  p = " + shape(c["input_dims"]) +
                                          " parameter(0)\n  ROOT r = " + shape(c["output_dims"]) + " reshape(p)\n}\n");
    const auto uses = hlo::usesOf(m, {0, 1}, 0);
    REQUIRE(uses.ok());
    const Map& map = uses->at(0).maps.at(0);
    const hlo::SymbolicTile tile = hlo::symbolicTile(map);
    INFO(textOf(tile));
    const std::vector<i64> in = c["input_dims"], sizes = c["tile_sizes"], strides = c["strides"];
    std::vector<i64> counts;
    for (std::size_t k = 0; k < in.size(); ++k)
      counts.push_back(c["offsets"][k] == "0" || c["offsets"][k] == "4" ? 1 : (in[k] + sizes[k] - 1) / sizes[k]);
    eachCoordinate(counts, [&](const Element& number) {
      std::vector<TileSide> source;
      for (std::size_t k = 0; k < in.size(); ++k) {
        const std::string offset = c["offsets"][k];
        source.push_back({offset.size() == 1 ? std::stoll(offset) : number[k] * sizes[k], sizes[k], strides[k]});
      }
      const TileAt is = tileAt(tile, source);
      INFO(textOf(is));
      const Elements slow = imageOfTile(map, *insideOf(source, in));
      if (!c["accept"].get<bool>()) {
        CHECK(is.kind == TileAt::Kind::None);
        CHECK(!testing::tileOf(slow));
        ++rejected;
        return;
      }
      REQUIRE(is.kind == TileAt::Kind::Tile);
      REQUIRE(boxOf(is.sides) == slow);
      ++accepted;
    });
  }
  CHECK(accepted > 100);
  CHECK(rejected >= 3);
}

namespace {

void sameMaps(const std::vector<hlo::ReachedMap>& ours, const json& expected, const std::vector<i64>& from) {
  std::vector<Map> mine, theirs;
  for (const hlo::ReachedMap& m : ours) mine.push_back(m.map);
  for (const auto& e : expected) theirs.push_back(mapOfText(e));
  CHECK(mine.size() == theirs.size());
  std::mt19937_64 rng(9);
  for (int n = 0; n < 50; ++n) {
    Element where;
    for (const i64 size : from) where.push_back(drawn(rng, 0, size - 1));
    REQUIRE(elementsAt(mine, where) == elementsAt(theirs, where));
  }
}

}  // namespace

TEST_CASE("what an instruction reads of all before it is that of the cases") {
  int compared = 0;
  for (const json& c : rowsOf("grouped_indexing")) {
    INFO(c["id"]);
    const hlo::Module m = moduleOf(c);
    const std::string target = c["target"];
    const hlo::Where from = find(m, target.substr(0, target.find(' ')));
    const auto reached = hlo::reachedFrom(m, from);
    if (!reached) FAIL(reached.error().message);
    for (const auto& [label, maps] : c["expected"].items()) {
      if (maps[0] == "UNDEFINED") continue;  // ours says more
      const std::string name = label.substr(0, label.find(' '));
      const auto found = std::find_if(reached->begin(), reached->end(), [&](const hlo::Reached& r) {
        return at(m, {from.computation, r.instruction}).name == name;
      });
      INFO(label);
      REQUIRE(found != reached->end());
      REQUIRE(found->soundness == hlo::Soundness::Exact);
      sameMaps(found->maps, maps, sizesOfShape(m.shapeOf(at(m, from))));
      ++compared;
    }
  }
  CHECK(compared > 10);
}

TEST_CASE("epilogues are those of the cases") {
  for (const json& c : rowsOf("epilogue_map")) {
    INFO(c["id"]);
    const hlo::Module m = moduleOf(c);
    const hlo::Where from = find(m, c["from"]), to = find(m, c["to"]);
    const auto goes = hlo::usesFrom(m, from);
    if (!goes) FAIL(goes.error().message);
    const auto found = std::find_if(goes->begin(), goes->end(),
                                    [&](const hlo::Reached& r) { return r.instruction == to.instruction; });
    REQUIRE(found != goes->end());
    CHECK(found->soundness == hlo::Soundness::Exact);
    sameMaps(found->maps, json::array({c["expected_map"].get<std::string>() + domainOf(c["domain"])}),
             sizesOfShape(m.shapeOf(at(m, from))));
  }
}

TEST_CASE("tilings are those of the cases") {
  for (const json& c : rowsOf("flat_tilings")) {
    INFO(c["id"]);
    const auto all = hlo::candidateTilings(c["dims"].get<std::vector<i64>>());
    REQUIRE(all.ok());
    CHECK(*all == c["expected"].get<std::vector<std::vector<i64>>>());
  }
  for (const json& c : rowsOf("tile_constraint")) {
    INFO(c["id"]);
    const hlo::Module m =
        hlo::readModule("HloModule m\nENTRY e {\n  p = " + c["bitcast"][0].get<std::string>() +
                        " parameter(0)\n  ROOT r = " + c["bitcast"][1].get<std::string>() + " bitcast(p)\n}\n");
    const auto reads = hlo::readsOf(m, {0, 1});
    REQUIRE(reads.ok());
    const hlo::Tiling tiling = hlo::tilingOf(reads->at(0).maps.at(0), sizesOfShape(m.shapeOf(at(m, {0, 1}))),
                                             c["tile_sizes"].get<std::vector<i64>>());
    INFO(tiling.why);
    CHECK((tiling.verdict == hlo::Tiling::Verdict::Yes) == c["satisfied"].get<bool>());
    CHECK(tiling.verdict != hlo::Tiling::Verdict::Unknown);
  }
}

TEST_CASE("tiled computations are those of the cases") {
  int compared = 0;
  for (const json& c : rowsOf("tiled_computation")) {
    INFO(c["id"]);
    const hlo::Module m = moduleOf(c);
    const auto body = hlo::bodyOf(m, rootOf(m));
    REQUIRE(body.ok());
    const auto reached = hlo::reachedIn(m, *body, 0);
    REQUIRE(reached.ok());
    const hlo::Computation& computation = m.computations[static_cast<std::size_t>(*body)];
    const std::vector<i64> sizes =
        sizesOfShape(m.shapeOf(computation.instructions[static_cast<std::size_t>(computation.root)]));
    const std::vector<i64> tile = c["tile_sizes"];
    std::vector<i64> counts;
    for (std::size_t k = 0; k < tile.size(); ++k) counts.push_back((sizes[k] + tile[k] - 1) / tile[k]);
    for (const json& e : c["expected"]) {
      INFO(e.dump());
      const std::string where = e["at"];
      const Range pids{e["pid_range"][0], e["pid_range"][1]};
      const Formulas offsets(e["tile_offsets"], {{"pid_0", pids}});
      const std::vector<i64> tileSizes = e["tile_sizes"], strides = e["tile_strides"];
      bool any = false;
      for (const hlo::Reached& r : *reached) {
        const hlo::Instruction& i = computation.instructions[static_cast<std::size_t>(r.instruction)];
        const bool asked = where == "root" || where == "output 0" ? r.instruction == computation.root
                           : where == "output 1"                  ? i.opcode == "abs"
                                                                  : i.opcode == "parameter" && i.name == "p0";
        for (std::size_t n = 0; asked && n < r.maps.size(); ++n) {
          const hlo::SymbolicTile symbolic = hlo::symbolicTile(r.maps[n].map);
          bool all = true;
          for (i64 pid = pids.lo; pid <= pids.hi && all; ++pid) {
            const std::vector<i64> number = delinearize(pid, counts, LinearOrder::Lex);
            std::vector<TileSide> source, theirs;
            for (std::size_t k = 0; k < tile.size(); ++k) source.push_back({number[k] * tile[k], tile[k], 1});
            const Element first = offsets.at({pid});
            for (std::size_t k = 0; k < first.size(); ++k) theirs.push_back({first[k], tileSizes[k], strides[k]});
            const TileAt is = tileAt(symbolic, source);
            const auto expected = insideOf(theirs, sizesOfShape(m.shapeOf(i)));
            all = is.kind == TileAt::Kind::Tile && expected && is.sides == *expected;
          }
          any = any || all;
        }
      }
      CHECK(any);
      ++compared;
    }
  }
  CHECK(compared > 8);
}
