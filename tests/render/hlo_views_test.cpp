// Pictures of an HLO module: boxes that do not overlap, and counts of what is read.
#include <catch2/catch.hpp>

#include "core/hlo/notation.h"
#include "render/draw/draw.h"
#include "render/draw/hlo/layered.h"

using namespace tessera;

namespace {

const std::string kModule =
    "hlo m {\nENTRY e {\n  x = f32[4,8] parameter(0)\n  y = f32[8] parameter(1)\n"
    "  b = f32[4,8] broadcast(y), dimensions={1}\n  s = f32[2,8] slice(x), slice={[1:3], [0:8]}\n"
    "  ROOT r = f32[4,8] add(x, b)\n}\n}";

Value partOf(const char* name) {
  const auto listing = hlo::readBlock(kModule);
  REQUIRE(listing.ok());
  auto part = hlo::findPart(*listing, name);
  REQUIRE(part.has_value());
  return Value(Layout(*std::move(part)));
}

std::string labelAt(const Figure& figure, std::size_t grid, i64 row, i64 col) {
  return figure.grids.at(grid).cells->cell(row, col).label;
}

}  // namespace

TEST_CASE("boxes of a layered graph do not overlap, and every edge leads down") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    unsigned state = seed * 2654435761U;
    const auto next = [&](unsigned n) { return (state = state * 1664525U + 1013904223U) / 65536U % n; };
    LayeredGraph graph;
    const std::size_t count = 2 + next(14);
    for (std::size_t b = 0; b < count; ++b) graph.boxes.push_back({0, 0, 40.0 + next(200), 42});
    for (std::size_t b = 1; b < count; ++b)
      for (unsigned k = 0; k < 1 + next(3); ++k) graph.edges.push_back({next(static_cast<unsigned>(b)), b, {}});
    layOut(graph);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b) {
        const Rect &p = graph.boxes[a], &q = graph.boxes[b];
        CHECK((p.x + p.w <= q.x || q.x + q.w <= p.x || p.y + p.h <= q.y || q.y + q.h <= p.y));
      }
    for (const LayeredEdge& e : graph.edges)
      for (std::size_t k = 0; k + 1 < e.way.size(); ++k) CHECK(e.way[k].second <= e.way[k + 1].second);
  }
}

TEST_CASE("each cell of the reads view says how often its element is read") {
  const auto wide = draw(partOf("b"), "reads");
  REQUIRE(wide.ok());
  for (i64 c = 0; c < 8; ++c) CHECK(labelAt(*wide, 0, 0, c) == "4");
  const auto slice = draw(partOf("s"), "reads");
  REQUIRE(slice.ok());
  for (i64 r = 0; r < 4; ++r) CHECK(labelAt(*slice, 0, r, 3) == (r == 1 || r == 2 ? "1" : "0"));
  DrawOptions options;
  options.arguments = {"nonsense"};
  CHECK_FALSE(draw(partOf("e"), "reads", options).ok());
}

TEST_CASE("a module is drawn as its entry's data flow, a part as the computation that it is in") {
  const auto listing = hlo::readBlock(kModule);
  const auto figure = draw(Value(Layout(*listing)), "");
  REQUIRE(figure.ok());
  CHECK(figure->title == "%e as dataflow");
  REQUIRE(figure->table.size() == 5);  // a head, and four operands
  CHECK(figure->table[1] == std::vector<std::string>{"%b", "broadcast", "f32[4,8]{1,0}", "0", "%y", "4"});
  CHECK(draw(partOf("s"), "")->title == "%e as dataflow");
}
