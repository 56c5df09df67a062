// The views of Axe and Triton layouts against forward: a cell shows where its element is.
#include "render/draw/placed/placed.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "app/show/show.h"
#include "core/layout/layout.h"
#include "core/notation/axe/eval.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/notation.h"
#include "core/notation/cute/text/parser.h"
#include "core/notation/indexing/notation.h"
#include "core/notation/linear/notation.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/notation.h"
#include "core/worksheet/value.h"

using namespace tessera;

namespace {

Value axeValue(const std::string& text) {
  auto parsed = axe::parse(text);
  if (!parsed) FAIL(parsed.error().message);
  return Value(*parsed);
}
Figure drawn(const Value& value, std::string_view view, DrawOptions options = {}) {
  auto figure = draw(value, view, options);
  if (!figure) FAIL(figure.error().message);
  return *figure;
}
const char* const kSamples[] = {
    "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)",
    "S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8)",
    "S[(2,32,2,64):(1@gpuid,128,2@gpuid,1)] over (64,128)",
    "S[64:1@lane] over (64)",
    "S[(2,3,4):(12@lane,4@lane,1@lane)] over (2,3,4)",
};

}  // namespace

TEST_CASE("a thread-value layout is drawn as the tile that it holds") {
  struct Row {
    const char* text;
    const char* words;
    i64 rows, columns;
  };
  for (const Row& row : {Row{"((4,8),(2,2)):((32,1),(16,8))", "16x8", 16, 8},  // C of mma.m16n8
                         Row{"((4,8),(2,2)):((32,1),(16,8))", "", 16, 8},
                         Row{"((4,8),(2,2,2)):((32,1),(16,8,128))", "", 16, 16},      // A of mma.m16n8k16
                         Row{"((4,2,8),(2,2)):((64,16,1),(32,8))", "16x16", 16, 16},  // two warps of lanes 0..31
                         Row{"(32,4):(4,1)", "4x32", 4, 32}}) {
    INFO(row.text << " " << row.words);
    const cute::Layout layout = *cute::parseLayout(row.text);
    DrawOptions options;
    if (*row.words != '\0') options.arguments = {row.words};
    const Figure figure = drawn(Value(layout), "threads", options);
    const Grid& grid = figure.grids.at(0);
    REQUIRE(grid.rows == row.rows);
    REQUIRE(grid.cols == row.columns);
    const i64 threads = layout.mode(0).size();
    for (i64 t = 0; t < threads; ++t)
      for (i64 v = 0; v < layout.mode(1).size(); ++v) {
        const i64 at = layout(t + threads * v);  // colex in the tile
        const Cell cell = grid.cells->cell(at % row.rows, at / row.rows);
        const std::string lane = fmt::format("T{}", t % 32);
        CHECK(cell.label == (threads > 32 ? fmt::format("W{} {}", t / 32, lane) : lane));
        CHECK(cell.second == fmt::format("r{}", v));
      }
  }
  DrawOptions odd;
  odd.arguments = {"3x5"};
  CHECK_FALSE(draw(Value(*cute::parseLayout("((4,8),(2,2)):((32,1),(16,8))")), "threads", odd).ok());
  CHECK_FALSE(draw(Value(*cute::parseLayout("(8,8):(8,1)")), "threads", {}).ok());
  const auto views = viewsFor(Value(*cute::parseLayout("((4,8),(2,2)):((32,1),(16,8))")));
  CHECK(views.front() == "threads");
  CHECK(std::find(views.begin(), views.end(), "grid") != views.end());
}

TEST_CASE("places of the views are those of forward") {
  for (const char* text : kSamples) {
    const Value value = axeValue(text);
    const axe::Layout& layout = *as<axe::Layout>(value);
    const auto placed = Placed::of(std::get<Layout>(value));
    REQUIRE(placed.ok());
    INFO(text);
    for (i64 linear = 0; linear < layout.size(); ++linear) {
      const auto want = forward(layout, (*placed)->coordOf(linear));
      REQUIRE(want.ok());
      std::vector<axe::Place> got = (*placed)->places(linear);
      std::sort(got.begin(), got.end());
      REQUIRE(got == *want);
      REQUIRE((*placed)->linearOf((*placed)->pointOf(linear)) == linear);
    }
  }
}

TEST_CASE("a Triton layout with xors places every element where its linear layout says") {
  const auto bases =
      linear::parse("register = [[1, 1], [0, 0]], lane = [[0, 1], [2, 2], [0, 2], [0, 0]] -> dim0 4, dim1 4");
  REQUIRE(bases.ok());
  const auto placed = Placed::of(*bases);
  REQUIRE(placed.ok());
  CHECK_FALSE((*placed)->axe().has_value());
  CHECK((*placed)->replicas() == 4);
  for (i64 linear = 0; linear < 16; ++linear) {
    std::vector<axe::Place> want;
    for (i64 reg = 0; reg < 4; ++reg) {
      for (i64 lane = 0; lane < 16; ++lane) {
        if (bases->at({reg, lane}) == (*placed)->coordOf(linear)) want.push_back({{"lane", lane}, {"register", reg}});
      }
    }
    std::sort(want.begin(), want.end());
    CHECK((*placed)->places(linear) == want);
  }
}

TEST_CASE("a cell of the threads view names its lane, and find is its inverse") {
  const Figure figure = drawn(axeValue(kSamples[0]), "threads");
  REQUIRE(figure.grids.size() == 1);
  const Grid& grid = figure.grids[0];
  CHECK(grid.rows == 8);
  CHECK(grid.cols == 16);
  CHECK(grid.cells->cell(2, 9).label == "W6,10 T8");
  CHECK(grid.cells->cell(2, 9).second == "r1");
  for (i64 r = 0; r < grid.rows; ++r) {
    for (i64 c = 0; c < grid.cols; ++c) {
      const Cell cell = grid.cells->cell(r, c);
      CHECK(grid.cells->find(cell.point, 4) == std::vector<std::pair<i64, i64>>{{r, c}});
      CHECK(grid.cells->paint(r, c) == cell.paint);
    }
  }
}

TEST_CASE("the forward view has the numbers of the paper's example") {
  DrawOptions options;
  options.arguments = {"2", "9"};
  const Figure figure = drawn(axeValue(kSamples[0]), "forward", options);
  std::set<std::string> texts;
  for (const Mark& m : figure.marks) texts.insert(m.text);
  for (const char* text : {"41", "8 @ lane", "1 @ warp", "lane 8", "warp 6", "{lane: 8, reg: 1, warp: 6}",
                           "{lane: 8, reg: 1, warp: 10}"}) {
    CHECK(texts.count(text) == 1);
  }
  options.arguments = {"8", "0"};
  CHECK_FALSE(draw(axeValue(kSamples[0]), "forward", options).ok());
  const Figure back = drawn(axeValue(kSamples[0]), "backward");
  CHECK(std::any_of(back.marks.begin(), back.marks.end(), [](const Mark& m) { return m.text == "(5,13)"; }));
}

TEST_CASE("a panel of the mesh view holds what forward puts on its device") {
  for (const char* text : {"S[(2,32,128):(1@gpuid,128,1)] + R[2:2@gpuid] over (64,128)",
                           "S[(2,32,2,64):(1@gpuid,64,2@gpuid,1)] over (64,128)",
                           "S[(2,2,16,128):(2@gpuid,1@gpuid,128,1)] over (64,128)"}) {
    const Value value = axeValue(text);
    const axe::Layout& layout = *as<axe::Layout>(value);
    const Figure figure = drawn(value, "mesh");
    REQUIRE(figure.grids.size() == 4);
    for (const Grid& grid : figure.grids) {
      const i64 device = std::stoll(grid.name.substr(grid.name.find(' ') + 1));
      for (i64 row = 0; row < 64; ++row) {
        for (i64 col = 0; col < 128; col += 16) {
          const i64 r = row / (64 / grid.rows), c = col / (128 / grid.cols);
          const auto places = forward(layout, {row, col});
          REQUIRE(places.ok());
          const bool here = std::any_of(places->begin(), places->end(), [&](const axe::Place& p) {
            const auto at = p.find("gpuid");
            return (at == p.end() ? 0 : at->second) == device;
          });
          REQUIRE((grid.cells->cell(r, c).paint.role == Role::Group) == here);
        }
      }
    }
  }
}

TEST_CASE("a sharded tensor of 2^40 elements is drawn without visiting them") {
  const Value value = axeValue("S[(4,262144,2,524288):(2@gpuid,524288,1@gpuid,1)] over (1048576,1048576)");
  const Figure mesh = drawn(value, "mesh"), threads = drawn(value, "threads"), steps = drawn(value, "forward");
  CHECK(mesh.grids.size() == 8);
  CHECK(threads.grids[0].rows == 1048576);
  CHECK(threads.grids[0].cells->cell(1048575, 1048575).label == "D7");
}

TEST_CASE("values name their views") {
  const auto has = [](const Value& v, std::string_view view) {
    const auto views = viewsFor(v);
    return std::find(views.begin(), views.end(), view) != views.end();
  };
  CHECK(viewsFor(axeValue(kSamples[0])).front() == "threads");
  CHECK(viewsFor(axeValue(kSamples[2])).front() == "mesh");
  CHECK_FALSE(has(axeValue(kSamples[0]), "mesh"));
  CHECK_FALSE(has(axeValue("S[64:1]"), "threads"));
  CHECK(has(axeValue("S[64:1]"), "grid"));
}
