// Pictures by level: every coordinate has one cell, the tile gives its position, and the cell's label equals the result
// of plain loops over the numbers in the text.
#include "render/draw/levels/levels.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "app/show/show.h"
#include "core/notation/graphene/tensor.h"
#include "core/worksheet/worksheet.h"
#include "render/draw/links.h"
#include "render/figure/figure.h"
#include "render/figure/linked.h"
#include "render/ink/ink.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

Figure levelsDrawn(const std::string& text, std::vector<std::string> words = {}) {
  DrawOptions options;
  options.arguments = std::move(words);
  auto figure = draw(valueOf(text), "levels", options);
  INFO(text << ": " << (figure ? "" : figure.error().message));
  REQUIRE(figure.ok());
  return *std::move(figure);
}

// The cells of a figure from the top left, row by row, gaps left out: by the places of the grids.
std::vector<std::vector<std::string>> wholeOf(const Figure& f) {
  std::set<double> xs, ys;
  for (const Grid& g : f.grids) xs.insert(g.x), ys.insert(g.y);
  std::vector<std::vector<std::string>> rows;
  for (const double y : ys) {
    const std::size_t first = rows.size();
    for (const double x : xs)
      for (const Grid& g : f.grids) {
        if (g.x != x || g.y != y) continue;
        rows.resize(std::max(rows.size(), first + static_cast<std::size_t>(g.rows)));
        for (i64 r = 0; r < g.rows; ++r)
          for (i64 c = 0; c < g.cols; ++c)
            rows[first + static_cast<std::size_t>(r)].push_back(g.cells->cell(r, c).label);
      }
  }
  return rows;
}

}  // namespace

TEST_CASE("figure 4 of Graphene: 2 x 2 tiles of 2 x 4 lie as 2 x 2, in each the rows and columns of its text") {
  struct Case {
    const char* text;
    i64 outer[2], inner[2];  // strides
  };
  for (const Case& c : {Case{"%A:[2,2:2,16].[2,4:1,4].fp32.GL", {2, 16}, {1, 4}},     // 4b
                        Case{"%A:[2,2:1,16].[2,4:2,4].fp32.GL", {1, 16}, {2, 4}}}) {  // 4c
    const Figure f = levelsDrawn(c.text);
    CHECK(f.grids.size() == 4);
    const auto whole = wholeOf(f);
    REQUIRE(whole.size() == 4);
    for (i64 r = 0; r < 4; ++r)
      for (i64 k = 0; k < 8; ++k)
        CHECK(whole[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)] ==
              std::to_string(r / 2 * c.outer[0] + r % 2 * c.inner[0] + k / 4 * c.outer[1] + k % 4 * c.inner[1]));
  }
  // 4d: a hierarchical dimension inside the tile, its first mode fastest.
  const auto whole = wholeOf(levelsDrawn("%A:[4,8:1,4].fp32.GL.tile([2:2],[(2,2):(1,4)])"));
  for (i64 r = 0; r < 4; ++r)
    for (i64 k = 0; k < 8; ++k) {
      const i64 row = r / 2 + 2 * (r % 2), column = k / 4 * 2 + k % 2 + k / 2 % 2 * 4;  // what the tile picks
      CHECK(whole[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)] == std::to_string(row + 4 * column));
    }
}

TEST_CASE("a tensor of tiles is drawn by level unless another view is asked for") {
  CHECK(viewsFor(valueOf("%A:[2,2:1,16].[2,4:2,4].fp32.GL")).front() == "levels");
  CHECK(viewsFor(valueOf("#warp:[4:8].[8:1].thread")).front() == "levels");
  CHECK(viewsFor(valueOf("%A:[4,8:8,1].fp32.GL")).front() == "grid");
  CHECK(viewsFor(valueOf("((2,4),(3,2)):((3,24),(1,6))")).front() == "grid");
  CHECK(draw(valueOf("%A:[2,2:1,16].[2,4:2,4].fp32.GL"), "", {})->grids.size() == 4);
  CHECK(draw(valueOf("%A:[2,2:1,16].[2,4:2,4].fp32.GL"), "grid", {}).ok());
}

TEST_CASE("every coordinate has one cell, and every cell finds itself") {
  for (const char* text :
       {"%A:[2,2:1,16].[2,4:2,4].fp32.GL", "%A:[2,2:512,16].[2,2:128,8].[4,8:16,1].fp16.SH",
        "%A:[3:1].[2,2:3,6].[2:12].fp32.GL", "%v:[1023:1].fp32.GL.tile(128)", "%v:[10,6:6,1].fp32.GL.tile([4:1],[4:1])",
        "%A:[2,3,4:12,4,1].[2,2:24,48].fp32.GL", "%A:[16,16:16,1].[2,2:256,512].fp32.GL",
        "%A:[(2,2):(1,4)].[(2,2,2):(8,16,2)].fp32.GL", "#warp:[4:4].[(4,2):(1,16)].thread", "#warp:[4:8].[8:1].thread",
        "#warp:[32:1].thread", "#grid:[8,8:1,8].block", "zipped_divide((8,16):(16,1), (4,8))",
        "tiled_divide((8,16):(16,1), (4,8))", "flat_divide((8,16):(16,1), (4,8))", "((2,4),(3,2)):((3,24),(1,6))",
        "(2,3,4,5):(60,20,5,1)", "f32[2,3,4,5]", "Sw<1,0,3> o ((2,4),(2,2)):((1,2),(8,16))"}) {
    for (const char* reading : {"zipped", "logical"}) {
      INFO(text << " " << reading);
      const Figure f = levelsDrawn(text, {reading});
      const auto levels =
          levelsOf(std::get<Layout>(valueOf(text)), reading[0] == 'z' ? LevelReading::Zipped : LevelReading::Logical);
      REQUIRE(levels.ok());
      const Subject& s = *levels->subject;
      std::map<i64, int> times;
      bool right = true;
      for (const Grid& g : f.grids)
        for (i64 r = 0; r < g.rows; ++r)
          for (i64 c = 0; c < g.cols; ++c) {
            const Cell cell = g.cells->cell(r, c);
            ++times[cell.point.index];
            for (const Point& p : pointsOf(cell)) {
              const auto found = g.cells->find(p, 100);
              right = right && std::find(found.begin(), found.end(), std::pair(r, c)) != found.end();
            }
            if (cell.paint.role != Role::Padding)
              right = right && cell.label == std::to_string(s.valueOf(cell.point.index));
            right = right && (cell.paint.role == Role::Padding) == cell.label.empty();
            right = right && cell.paint == g.cells->paint(r, c);
          }
      CHECK(right);
      CHECK(static_cast<i64>(times.size()) == s.size);
      for (const auto& [index, n] : times) right = right && n == 1;
      CHECK(right);
      CHECK(f.width > 0);
      for (const char* ending : {"svg", "txt", "csv", "json", "tex"}) CHECK(ink(f, ending, {}).ok());
    }
  }
}

TEST_CASE("grids and numbers never meet") {
  for (const char* text : {"%A:[2,2:512,16].[2,2:128,8].[4,8:16,1].fp16.SH", "#warp:[4:4].[(4,2):(1,16)].thread",
                           "%A:[2,2,2:1,2,4].[2,2:8,16].fp32.GL", "%v:[1023:1].fp32.GL.tile(128)"}) {
    const Figure f = levelsDrawn(text);
    std::vector<Rect> boxes;
    for (const Grid& g : f.grids) boxes.push_back(g.bounds());
    for (const Mark& m : f.marks)
      if (m.kind == Mark::Kind::Text) boxes.push_back(extentOf(m));
    int met = 0;
    for (std::size_t a = 0; a < boxes.size(); ++a)
      for (std::size_t b = a + 1; b < boxes.size(); ++b)
        met += boxes[a].x < boxes[b].x + boxes[b].w - 0.1 && boxes[b].x < boxes[a].x + boxes[a].w - 0.1 &&
               boxes[a].y < boxes[b].y + boxes[b].h - 0.1 && boxes[b].y < boxes[a].y + boxes[a].h - 0.1;
    INFO(text);
    CHECK(met == 0);
  }
}

TEST_CASE("hatched is what lies beyond the extent, and nothing else") {
  const Figure f = levelsDrawn("%v:[10,6:6,1].fp32.GL.tile([4:1],[4:1])");
  const auto whole = wholeOf(f);
  REQUIRE(whole.size() == 12);
  for (i64 r = 0; r < 12; ++r) {
    REQUIRE(whole[static_cast<std::size_t>(r)].size() == 8);
    for (i64 c = 0; c < 8; ++c)
      CHECK(whole[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] ==
            (r < 10 && c < 6 ? std::to_string(6 * r + c) : ""));
  }
  CHECK(f.caption.find("addresses 0 to 59") != std::string::npos);
}

TEST_CASE("threads by group: figure 6's quad-pairs say their threads, and light them elsewhere") {
  const Figure f = levelsDrawn("#warp:[4:4].[(4,2):(1,16)].thread");
  const auto whole = wholeOf(f);
  REQUIRE(whole.size() == 2);
  for (i64 r = 0; r < 2; ++r)
    for (i64 c = 0; c < 16; ++c)
      CHECK(whole[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] == std::to_string(c + 16 * r));
  std::map<int, std::set<std::string>> groups;  // by hue
  for (const Grid& g : f.grids)
    for (i64 r = 0; r < g.rows; ++r)
      for (i64 c = 0; c < g.cols; ++c) groups[g.cells->cell(r, c).paint.group].insert(g.cells->cell(r, c).label);
  REQUIRE(groups.size() == 4);
  CHECK(groups[0] == std::set<std::string>{"0", "1", "2", "3", "16", "17", "18", "19"});
  const auto mma = draw(valueOf("atlas(mma.m16n8k16.f16)"), "instruction", {});
  const Linked linked({pointsOf(f.grids[1].cells->cell(1, 2)), &f, f.grids[1].name}, {&f, &*mma});  // thread 22
  const auto lit = linked.in(threadPoint(0).domain);
  CHECK(lit == std::vector<Point>{threadPoint(22)});
}

TEST_CASE("an element of a tile lights the element of the tensor that was declared") {
  for (const char* tiles : {"[2:1],[4:1]", "[2:2],[4:1]", "[2:2],[(2,2):(1,4)]", "[3:1],[5:1]"}) {
    const std::string declared = "%A:[4,8:1,4].fp32.GL";
    const Figure plain = *draw(valueOf(declared), "grid", {}), tiled = levelsDrawn(declared + ".tile(" + tiles + ")");
    int lit = 0;
    for (const Grid& g : tiled.grids)
      for (i64 r = 0; r < g.rows; ++r)
        for (i64 c = 0; c < g.cols; ++c) {
          const Cell cell = g.cells->cell(r, c);
          const Linked linked({pointsOf(cell), &tiled, g.name}, {&tiled, &plain});
          const std::vector<Point> there = linked.in(plain, plain.grids[0]);
          if (cell.label.empty()) {
            CHECK(there.empty());
            continue;
          }
          REQUIRE(there.size() == 1);
          const auto at = plain.grids[0].cells->find(there[0], 4);
          REQUIRE(at.size() == 1);
          CHECK(plain.grids[0].cells->cell(at[0].first, at[0].second).label == cell.label);
          ++lit;
        }
    CHECK(lit == 32);
  }
}

TEST_CASE("large tilings stay small pictures, and what has no levels is refused with what has") {
  const Figure f = levelsDrawn("%A:[128,128:131072,128].[128,128:1024,1].fp16.GL");
  CHECK(f.grids.size() == 1);
  CHECK(f.grids[0].rows == 16384);
  CHECK(f.grids[0].rowGroup == 128);
  CHECK(f.grids[0].cells->rowHeader(129) == "1.1");
  for (const char* text : {"(4,8):(8,1)", "8:1", "Sw<3,3,3>"}) {
    const auto levels = levelsOf(std::get<Layout>(valueOf(text)));
    REQUIRE_FALSE(levels.ok());
    CHECK_FALSE(levels.error().expected.empty());
  }
  DrawOptions options;
  options.arguments = {"sideways"};
  const auto figure = draw(valueOf("%A:[2,2:1,16].[2,4:2,4].fp32.GL"), "levels", options);
  REQUIRE_FALSE(figure.ok());
  CHECK(figure.error().expected.find("zipped") != std::string::npos);
}
