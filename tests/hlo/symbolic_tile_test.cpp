// Symbolic tiles against the enumerated image of every small tile: each answer is right for every tile, and every
// refused map has no tile.
#include "core/hlo/tiles/symbolic_tile.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "hlo/images.h"
#include "hlo/random_module.h"
#include "hlo/tiles.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::TileSide;

namespace {

Map mapOf(const std::string& text) {
  const auto map = indexing::parse(text);
  INFO(text);
  REQUIRE(map.ok());
  return map->map;
}

struct Count {
  int right = 0, nothing = 0, none = 0, missed = 0;  // missed: refused, and yet a tile
};

void compare(const Map& map, const hlo::SymbolicTile& tile, const std::vector<TileSide>& source, Count& count,
             const std::vector<i64>& runtime = {}) {
  const Elements slow = imageOfTile(map, source, runtime);
  const hlo::TileAt fast = hlo::tileAt(tile, source, runtime);
  INFO([&] {
    std::string text = "tile";
    for (const TileSide& s : source)
      text += " " + std::to_string(s.offset) + "+" + std::to_string(s.size) + "*" + std::to_string(s.stride);
    return text + " gives " + textOf(fast);
  }());
  switch (fast.kind) {
    case hlo::TileAt::Kind::Nothing:
      REQUIRE(slow.empty());
      ++count.nothing;
      return;
    case hlo::TileAt::Kind::Tile:
      REQUIRE(boxOf(fast.sides) == slow);
      REQUIRE(fast.sides == *tileOf(slow));
      ++count.right;
      return;
    case hlo::TileAt::Kind::None:
      REQUIRE(!fast.why.empty());
      ++count.none;
      if (slow.empty() || tileOf(slow)) ++count.missed;
  }
}

// All tiles of arrays of these sizes, some of which stick out at the end, of strides up to `strides`.
void eachTile(const std::vector<i64>& sizes, i64 strides,
              const std::function<void(const std::vector<TileSide>&)>& visit, std::vector<TileSide> sides = {}) {
  if (sides.size() == sizes.size()) return visit(sides);
  const i64 n = sizes[sides.size()];
  sides.emplace_back();
  for (i64 t = 1; t <= strides; ++t)
    for (i64 o = 0; o < n; ++o)
      for (i64 s = 1; (s - 1) * t < n - o + (t == 1 ? 1 : 0); ++s) {
        if (s == 1 && t > 1) continue;
        sides.back() = {o, s, t};
        eachTile(sizes, strides, visit, sides);
      }
}
std::vector<i64> sizesOf(const Map& map) {
  std::vector<i64> sizes;
  for (const int k : map.indexDigits()) {
    const Digit& d = map.digits()[static_cast<std::size_t>(k)];
    sizes.push_back(d.lo + d.extent);
  }
  return sizes;
}

Count countAll(const std::string& text, i64 strides) {
  const Map map = mapOf(text);
  const hlo::SymbolicTile tile = hlo::symbolicTile(map);
  INFO(text << "\n" << textOf(tile));
  Count count;
  eachTile(sizesOf(map), strides, [&](const std::vector<TileSide>& source) { compare(map, tile, source, count); });
  return count;
}

}  // namespace

TEST_CASE("maps whose every tile is a tile or nothing are answered for every tile") {
  for (const char* const text : {
           "(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 4]",
           "(d0) -> (-d0 + 6), domain: d0 in [0, 6]",
           "(d0) -> (d0 * 3 + 5), domain: d0 in [0, 6]",
           "(d0) -> (), domain: d0 in [0, 6]",
           "(d0)[s0] -> (d0, s0), domain: d0 in [0, 4], s0 in [0, 6]",
           "(d0)[s0] -> (s0, d0, 2), domain: d0 in [0, 4], s0 in [1, 3]",
           "(d0, d1) -> (d0, d1 - 2), domain: d0 in [0, 1], d1 in [2, 5]",
           "(d0) -> (d0 - 2), domain: d0 in [0, 9], d0 - 2 in [0, 3]",
           "()[s0, s1] -> (s1 * 2 + s0), domain: s0 in [0, 1], s1 in [0, 8]",
           "(d0) -> (d0 floordiv 3), domain: d0 in [0, 8], d0 mod 3 in [1, 1]",
           "(d0) -> (d0 floordiv 2 - 1), domain: d0 in [2, 9], d0 mod 2 in [0, 0]",
           "(d0) -> (d0), domain: d0 in [0, 11], d0 mod 4 in [3, 3]",
           "(d0) -> (1), domain: d0 in [0, 5], d0 mod 3 in [1, 1]",
           "(d0) -> (d0 floordiv 8, d0 floordiv 8), domain: d0 in [0, 7]",
           "(d0, d1)[s0] -> (d0, d1, s0), domain: d0 in [0, 2], d1 in [0, 2], s0 in [0, 5], s0 mod 2 in [1, 1]",
       }) {
    INFO(text);
    const Count count = countAll(text, 3);
    CHECK(count.none == 0);
    CHECK(count.right > 0);
  }
}

TEST_CASE("of reshapes exactly those tiles are refused that are none") {
  for (const char* const text : {
           "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]",
           "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]",
           "(d0) -> (d0 floordiv 6, (d0 floordiv 2) mod 3, d0 mod 2), domain: d0 in [0, 11]",
           "(d0, d1, d2) -> (d0 * 6 + d1 * 2 + d2), domain: d0 in [0, 1], d1 in [0, 2], d2 in [0, 1]",
           "(d0, d1) -> (d0, d1 floordiv 2, d1 mod 2), domain: d0 in [0, 1], d1 in [0, 5]",
           "(d0, d1) -> (d0 * 2 + d1 floordiv 2, d1 mod 2), domain: d0 in [0, 2], d1 in [0, 3]",
           "(d0) -> ((-d0 + 11) floordiv 4, (-d0 + 11) mod 4), domain: d0 in [0, 11]",
           "(d0, d1) -> (-(d0 * 4) - d1 + 11), domain: d0 in [0, 2], d1 in [0, 3]",
           "(d0, d1) -> (d0 * -4 + d1 + 8), domain: d0 in [0, 2], d1 in [0, 3]",
           "(d0) -> (d0 floordiv 3), domain: d0 in [0, 10]",
           "(d0)[s0] -> (d0 * 3 + s0), domain: d0 in [0, 5], s0 in [0, 2]",
           "(d0) -> (d0, d0), domain: d0 in [0, 5]",
           "(d0) -> ((-d0 + 11) mod 4, (-d0 + 11) floordiv 4), domain: d0 in [0, 11]",
           "(d0, d1) -> ((d0 * 3 + d1 + 2) mod 4, (d0 * 3 + d1 + 6) floordiv 4), domain: d0 in [0, 2], d1 in [0, 2]",
           "(d0) -> ((d0 floordiv 2) mod 2, d0 floordiv 4), domain: d0 in [0, 11]",
           "(d0)[s0] -> (d0 floordiv 4, (d0 mod 4) * 2 + s0), domain: d0 in [0, 11], s0 in [0, 1]",
           "(d0, d1) -> (d0 + d1, d1), domain: d0 in [0, 3], d1 in [0, 3]",
       }) {
    INFO(text);
    const Count count = countAll(text, 2);
    CHECK(count.missed == 0);
    CHECK(count.right > 0);
  }
}

TEST_CASE("what is said of other maps is right, and little is missed") {
  struct Row {
    const char* text;
    int mostMissed;
  };
  for (const Row& row : {
           Row{"(d0) -> (d0 mod 4), domain: d0 in [0, 11]", 40},
           Row{"(d0)[s0] -> (d0 * 2 + s0 - 1), domain: d0 in [0, 4], s0 in [0, 2], d0 * 2 + s0 in [1, 8]", 0},
           Row{"(d0)[s0] -> (d0 + s0 * 4), domain: d0 in [0, 7], s0 in [0, 2]", 20},
           Row{"(d0, d1) -> ((d0 + d1 * 3) mod 4), domain: d0 in [0, 4], d1 in [0, 2]", 700},
           Row{"(d0) -> (d0 floordiv 4, d0 mod 2), domain: d0 in [0, 11]", 70},
           Row{"(d0) -> (d0 xor 1), domain: d0 in [0, 7]", 40},
       }) {
    INFO(row.text);
    const Count count = countAll(row.text, 3);
    CHECK(count.right > 0);
    CHECK(count.missed <= row.mostMissed);
  }
}

TEST_CASE("tiles of random computations are their images") {
  Count count;
  for (u64 seed = 1; seed <= 300; ++seed) {
    const std::string text = RandomComputation(seed + 4100).text(1 + static_cast<int>(seed % 3), false);
    INFO(text);
    const hlo::Module m = hlo::readModule(text);
    const auto reached = hlo::reachedIn(m, 0, 0);
    REQUIRE(reached.ok());
    std::mt19937_64 rng(seed);
    for (const hlo::Reached& r : *reached)
      for (const hlo::ReachedMap& map : r.maps) {
        const hlo::SymbolicTile tile = hlo::symbolicTile(map.map);
        INFO(indexing::print(indexing::toIndexingMap(map.map)) << "\n" << textOf(tile));
        for (int n = 0; n < 12; ++n) {
          std::vector<TileSide> source;
          for (const i64 size : sizesOf(map.map)) {
            const i64 o = static_cast<i64>(rng() % static_cast<u64>(size));
            const i64 s = 1 + static_cast<i64>(rng() % 4);
            const i64 t = s == 1 ? 1 : 1 + static_cast<i64>(rng() % 2);
            source.push_back({o, s, t});
          }
          std::vector<i64> runtime;
          for (const Param& p : map.map.params())
            runtime.push_back(p.lo + static_cast<i64>(rng() % static_cast<u64>(p.hi - p.lo + 1)));
          compare(map.map, tile, source, count, runtime);
        }
      }
  }
  CHECK(count.right > 5000);
  CHECK(count.nothing > 100);
  CHECK(count.missed < 60);  // a kernel's taps at several places of a dilated input
  CHECK(count.none > 30);
}

TEST_CASE("tiles of given sizes are the tiles of any size at these sizes") {
  int compared = 0;
  for (const char* const text : {
           "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]",
           "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]",
           "(d0)[s0] -> (d0 * 2 + s0 - 1), domain: d0 in [0, 4], s0 in [0, 2], d0 * 2 + s0 in [1, 8]",
           "(d0, d1) -> (-d1 + 3, d0), domain: d0 in [0, 2], d1 in [0, 3]",
           "(d0) -> (d0 floordiv 2), domain: d0 in [1, 9], d0 mod 2 in [1, 1]",
       }) {
    const Map map = mapOf(text);
    const hlo::SymbolicTile any = hlo::symbolicTile(map);
    eachTile(sizesOf(map), 1, [&](const std::vector<TileSide>& source) {
      std::vector<hlo::TileSize> numbers, names;
      std::vector<i64> offsets, values;
      for (std::size_t k = 0; k < source.size(); ++k) {
        const Range box = any.box[k];
        if (source[k].offset < box.lo || source[k].offset + source[k].size - 1 > box.hi) return;
        numbers.push_back({source[k].size, ""});
        names.push_back({0, "T" + std::to_string(k)});
        if (source[k].size < box.hi - box.lo + 1) offsets.push_back(source[k].offset);
        values.push_back(source[k].size);  // a name precedes its offset
        values.push_back(source[k].offset);
      }
      const auto sized = hlo::symbolicTile(map, numbers), named = hlo::symbolicTile(map, names);
      REQUIRE(sized.ok());
      REQUIRE(named.ok());
      const hlo::TileAt expected = hlo::tileAt(any, source);
      for (const hlo::TileAt& is : {hlo::tileWith(*sized, offsets), hlo::tileWith(*named, values)}) {
        INFO(text << "\n" << textOf(*named) << "\n" << textOf(is) << "\n" << textOf(expected));
        REQUIRE(is.kind == expected.kind);
        REQUIRE(is.sides == expected.sides);
        ++compared;
      }
    });
  }
  CHECK(compared > 200);
}

TEST_CASE("symbolic tiles, worked by hand") {
  const auto text = [](const std::string& map, const std::vector<hlo::TileSize>& sizes) {
    const auto tile = hlo::symbolicTile(mapOf(map), sizes);
    return tile ? textOf(*tile) : tile.error().message;
  };
  CHECK(textOf(hlo::symbolicTile(mapOf("(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 4]"))) ==
        "offsets [o1, o0], sizes [s1, s0], strides [t1, t0]");
  CHECK(text("(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 7]", {{0, "T"}}) ==
        "offsets [o0, 0], sizes [T, 8], strides [1, 1]");
  CHECK(text("(d0) -> (d0 floordiv 8), domain: d0 in [0, 31]", {{5, ""}}) ==
        "offsets [o0 floordiv 8], sizes [(o0 + 4) floordiv 8 - o0 floordiv 8 + 1], strides [1]");
  CHECK(text("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]", {{2, ""}, {2, ""}}) ==
        "no tile: none of its cases holds for any tile");
  CHECK(text("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]", {{0, "T"}, {4, ""}}) ==
        "offsets [o0 * 4], sizes [T * 4], strides [1]");
  CHECK(text("(d0) -> (d0, d0), domain: d0 in [0, 7]", {{4, ""}}) ==
        "no tile: d0 moves several numbers together, which is not a box");
  CHECK(text("(d0) -> (d0), domain: d0 in [0, 7]", {{4, ""}, {4, ""}}) ==
        "the tile has 2 sizes, the array 1 dimension");
  CHECK(text("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]", {{4, ""}, {0, "o0"}}) ==
        "o0 is not a size: it is where the tile begins");
  CHECK(text("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 7], rt0 in [0, 3]", {{0, "rt0"}}) ==
        "rt0 is not a size: it is a run-time value");
  // The second part of a concatenation [3,4] + [5,4]: what is said holds of tiles inside of it.
  const hlo::SymbolicTile second =
      hlo::symbolicTile(mapOf("(d0, d1) -> (d0 - 3, d1), domain: d0 in [3, 7], d1 in [0, 3]"));
  CHECK(textOf(second, {8, 4}) == "offsets [o0 - 3, o1], sizes [s0, s1], strides [t0, t1]; of tiles inside [3:8,0:4]");
  // A run-time value keeps its name, whichever others are omitted.
  CHECK(textOf(hlo::symbolicTile(
            mapOf("(d0, d1){rt0, rt1} -> (d0, d1 + rt1), domain: d0 in [0, 2], d1 in [0, 3], rt0 in "
                  "[0, 0], rt1 in [0, 4]"))) == "offsets [o0, o1 + rt1], sizes [s0, s1], strides [t0, t1]");
  const hlo::SymbolicTile whole = hlo::symbolicTile(mapOf("(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 4]"));
  CHECK(textOf(whole, {3, 5}) == textOf(whole));
}
