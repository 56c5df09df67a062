// Tiles of operands against the elements that each tile of the output reads, collected one by one.
#include "core/hlo/tiles/tile.h"

#include <catch2/catch.hpp>

#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "hlo/images.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

hlo::OperandTile tileOf(const std::string& text, const std::vector<i64>& tile) {
  const auto map = indexing::parse(text);
  REQUIRE(map.ok());
  const auto t = hlo::operandTile(map->map, tile);
  if (!t) FAIL(t.error().message);
  return *t;
}

// The box at a tile number; nothing where the offsets' domain says that the tile reads nothing.
Elements boxAt(const hlo::OperandTile& tile, const Element& number) {
  Elements box;
  const Elements from = elementsAt(tile.offsets, number);
  if (from.empty()) return box;
  REQUIRE(from.size() == 1);
  eachCoordinate(tile.sizes, [&](const Element& at) {
    Element e = *from.begin();
    for (std::size_t k = 0; k < e.size(); ++k) e[k] += at[k] * tile.strides[k];
    box.insert(e);
  });
  return box;
}

// Elements that one tile of the output reads.
Elements readBy(const Map& map, const std::vector<i64>& sizes, const std::vector<i64>& tile, const Element& number) {
  Elements all;
  eachCoordinate(tile, [&](const Element& t) {
    Element at;
    for (std::size_t k = 0; k < t.size(); ++k) at.push_back(number[k] * tile[k] + t[k]);
    for (std::size_t k = 0; k < t.size(); ++k)
      if (at[k] >= sizes[k]) return;
    all.merge(elementsAt(map, at));
  });
  return all;
}

}  // namespace

TEST_CASE("tiles of operands, worked by hand") {
  CHECK(hlo::textOf(tileOf("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]", {8})) ==
        "sizes [1,8], strides [1,1], from (i0) -> (i0, 0), domain: i0 in [0, 3]");
  CHECK(hlo::textOf(tileOf("(d0) -> (d0 * 3 + 5), domain: d0 in [0, 31]", {4})) ==
        "sizes [4], strides [3], from (i0) -> (i0 * 12 + 5), domain: i0 in [0, 7]");
  CHECK(hlo::textOf(tileOf("(d0) -> (-d0 + 11), domain: d0 in [0, 11]", {4})) ==
        "sizes [4], strides [1], from (i0) -> (i0 * (-4) + 8), domain: i0 in [0, 2]");
  const hlo::OperandTile gaps = tileOf("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]", {2, 2});
  CHECK(!gaps.is);
  CHECK(gaps.why == "dimension 0 is read in unevenly spaced runs");
  CHECK(!tileOf("(d0) -> (d0, d0), domain: d0 in [0, 7]", {4}).is);
  CHECK(tileOf("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]", {2, 4}).sizes == std::vector<i64>{8});
  // A window that overlaps: 4 outputs of stride 2, 3 wide, are 9 in a row.
  CHECK(tileOf("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 15], s0 in [0, 2]", {4}).sizes == std::vector<i64>{9});
  CHECK(!hlo::operandTile(Map(), {4}).ok());
}

TEST_CASE("tiles of random computations hold what their tiles read") {
  int exact = 0, within = 0, none = 0;
  for (u64 seed = 1; seed <= 200; ++seed) {
    const std::string text = RandomComputation(seed + 1300).text(1 + static_cast<int>(seed % 3), false);
    INFO(text);
    const hlo::Module m = hlo::readModule(text);
    const hlo::Computation& c = m.computations.at(0);
    const auto reached = hlo::reachedIn(m, 0, 0);
    REQUIRE(reached.ok());
    const std::vector<i64> sizes = m.shapeOf(c.instructions.at(static_cast<std::size_t>(c.root))).sizes();
    std::vector<i64> tile, count;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      tile.push_back(1 + static_cast<i64>((seed * 7 + k * 3) % 4));
      count.push_back((sizes[k] + tile[k] - 1) / tile[k]);
    }
    for (const hlo::Reached& r : *reached)
      for (const hlo::ReachedMap& map : r.maps) {
        if (!map.map.params().empty()) continue;
        const auto found = hlo::operandTile(map.map, tile);
        if (!found) FAIL(found.error().message);
        INFO(indexing::print(indexing::toIndexingMap(map.map)) << "\n" << hlo::textOf(*found));
        ++(found->is ? found->exact ? exact : within : none);
        eachCoordinate(count, [&](const Element& number) {
          const Elements slow = readBy(map.map, sizes, tile, number);
          REQUIRE(elementsAt(found->reads, number) == slow);
          if (!found->is) return;
          const Elements box = boxAt(*found, number);
          if (found->exact) REQUIRE(box == slow);
          REQUIRE(std::includes(box.begin(), box.end(), slow.begin(), slow.end()));
        });
      }
  }
  CHECK(exact > 200);
  CHECK(within > 5);
  CHECK(none > 5);
}
