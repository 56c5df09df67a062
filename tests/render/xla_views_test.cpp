// The views of XLA arrays: a cell agrees with the address in every view, and find is the inverse of cell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "app/show/show.h"
#include "core/notation/xla/address.h"
#include "core/worksheet/worksheet.h"
#include "render/ink/ink.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

const std::vector<std::string> kShapes = {"f32[3,5]{1,0:T(2,2)}",
                                          "f32[3,5]{0,1:T(2,2)}",
                                          "f32[2,3]{0,1}",
                                          "bf16[4,8]{1,0:T(2,4)(2,1)}",
                                          "f32[]",
                                          "u32[]{:T(128)}",
                                          "bf16[2,5,9]{1,2,0:T(2,4)(2,1)}",
                                          "f32[7]{0:T(4)L(16)}",
                                          "bf16[8,8]{1,0:T(2,4)(2,1,1,1)}",
                                          "f32[2,3,4,5]{3,2,1,0:T(2,*,2)}",
                                          "bf16[300]{0:T(256)(128)(2,1)}",
                                          "s8[5,5]{1,0:T(5,5)(2,2)}"};

// Every label of a figure's grids with its point, and each found again.
void eachCell(const Figure& figure, const std::function<void(const Cell&)>& look) {
  for (const Grid& g : figure.grids) {
    for (i64 r = 0; r < g.rows; ++r) {
      for (i64 c = 0; c < g.cols; ++c) {
        const Cell cell = g.cells->cell(r, c);
        CHECK(g.cells->paint(r, c) == cell.paint);
        look(cell);
        if (!cell.point.real()) continue;
        const auto found = g.cells->find(cell.point, 1);
        REQUIRE(found.size() == 1);
        CHECK(found[0] == std::pair(r, c));
      }
    }
  }
}

}  // namespace

TEST_CASE("tensor: every element once, with its slot; only padding beside it") {
  for (const std::string& text : kShapes) {
    INFO(text);
    const xla::Shape shape = *xla::parseShape(text);
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    const auto figure = draw(valueOf(text), "tensor", {});
    REQUIRE(figure.ok());
    std::set<i64> slots;
    eachCell(*figure, [&](const Cell& cell) {
      if (!cell.point.real()) {
        CHECK((cell.paint.role == Role::Padding || cell.paint.role == Role::None));
        return;
      }
      const auto index = delinearize(cell.point.index, shape.sizes(), LinearOrder::Colex);
      CHECK(cell.label == fmt::format("{}", addressing.linear(index)));
      slots.insert(addressing.linear(index));
    });
    CHECK(static_cast<i64>(slots.size()) == addressing.elements());
  }
}

TEST_CASE("physical: slot by slot what lies there") {
  for (const std::string& text : kShapes) {
    INFO(text);
    const xla::Shape shape = *xla::parseShape(text);
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    DrawOptions all;
    all.arguments = {"all"};
    const auto figure = draw(valueOf(text), "physical", all);
    REQUIRE(figure.ok());
    i64 slot = 0;
    eachCell(*figure, [&](const Cell& cell) {
      if (slot >= addressing.slots()) {
        CHECK(cell.paint.role == Role::None);
        return;
      }
      const auto at = addressing.at(slot++);
      CHECK((cell.paint.role == Role::Padding) == at.padding);
      CHECK(cell.label == (at.padding ? "" : fmt::format("{}", fmt::join(at.index, ","))));
    });
    CHECK(slot == addressing.slots());
  }
}

TEST_CASE("tiles: (2,1) shows both elements of a word") {
  DrawOptions all;
  all.arguments = {"all"};
  const auto figure = draw(valueOf("bf16[16,256]{1,0:T(8,128)(2,1)}"), "tiles", all);
  REQUIRE(figure.ok());
  REQUIRE(figure->grids.size() == 1);
  const Grid& g = figure->grids[0];
  CHECK(g.rows == 8);    // two tiles of four sublanes
  CHECK(g.cols == 256);  // two tiles of 128 lanes
  CHECK(g.rowGroup == 4);
  CHECK(g.colGroup == 128);
  CHECK(g.cells->cell(0, 0).label == "0,0");
  CHECK(g.cells->cell(0, 0).second == "1,0");
  CHECK(g.cells->cell(3, 5).label == "6,5");
  CHECK(g.cells->cell(4, 128).label == "8,128");
  CHECK(g.cells->cell(7, 255).second == "15,255");
}

TEST_CASE("in brief a long row shows the ends of each tile: the whole grid's cells, headers and points") {
  const Value q = valueOf("bf16[16,256]{1,0:T(8,128)(2,1)}");
  DrawOptions all, brief;
  all.arguments = {"all"};
  brief.arguments = {"brief"};
  for (const char* view : {"tensor", "physical", "tiles"}) {
    INFO(view);
    const auto whole = draw(q, view, all), part = draw(q, view, brief);
    REQUIRE(part.ok());
    const Grid &w = whole->grids[0], &b = part->grids[0];
    CHECK(b.cols < w.cols);
    int gaps = 0;
    for (i64 c = 0; c < b.cols; ++c) {
      if (b.cells->cell(0, c).label == "\u2026") {
        ++gaps;
        continue;
      }
      i64 same = -1;  // the slow way: by the header, in the same tile
      for (i64 k = 0; k < w.cols; ++k)
        if (w.cells->cell(2, k).label == b.cells->cell(2, c).label) same = k;
      REQUIRE(same >= 0);
      CHECK(b.cells->colHeader(c) == w.cells->colHeader(same));
      const Point point = b.cells->cell(2, c).point;
      CHECK(point == w.cells->cell(2, same).point);
      CHECK(b.cells->find(point, 1) == std::vector<std::pair<i64, i64>>{{2, c}});
    }
    CHECK(gaps >= 1);
    CHECK_THAT(part->caption, Catch::Matchers::Contains("are left out"));
  }
  CHECK(draw(q, "tiles", {})->grids[0].cols == 20);
  CHECK(draw(q, "tensor", {})->grids[0].cols == 256);
}

TEST_CASE("address: the last boxes are the slot and the byte; a hovered element is shown") {
  for (const std::string& text : kShapes) {
    INFO(text);
    const xla::Shape shape = *xla::parseShape(text);
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    for (i64 n = 0; n < addressing.elements(); n += 1 + addressing.elements() / 7) {
      const std::vector<i64> index = delinearize(n, shape.sizes(), LinearOrder::Colex);
      DrawOptions options;
      options.hover = Point{pointDomain(shape.sizes()), n};
      const auto figure = draw(valueOf(text), "address", options);
      REQUIRE(figure.ok());
      const auto& rows = figure->table;
      CHECK(rows[rows.size() - 2][1] == fmt::format("{}", addressing.linear(index)));
      i64 sum = 0;
      for (const auto& row : rows)
        if (row[0] == "digit \u00d7 stride") sum += std::stoll(row[1]);
      CHECK(sum == addressing.linear(index));
      CHECK(figure->marks.front().rect.y >= 0);
    }
  }
  DrawOptions words;
  words.arguments = {"2", "3"};
  const auto figure = draw(valueOf("f32[3,5]{1,0:T(2,2)}"), "address", words);
  CHECK(figure->caption == "Element (2,3) is in slot 17 of 24, at byte 68.");
  words.arguments = {"3", "0"};
  CHECK_FALSE(draw(valueOf("f32[3,5]"), "address", words).ok());
  words.arguments = {"rainbow"};
  CHECK_FALSE(draw(valueOf("f32[3,5]"), "address", words).ok());
}

TEST_CASE("a word's second element is found in its word") {
  const auto figure = draw(valueOf("bf16[4,8]{1,0:T(2,4)(2,1)}"), "tiles", {});
  REQUIRE(figure.ok());
  const Grid& g = figure->grids.at(0);
  const Point lower{pointDomain({4, 8}), linearize(std::vector<i64>{1, 5}, std::vector<i64>{4, 8}, LinearOrder::Colex)};
  CHECK(g.cells->find(lower, 1) == std::vector<std::pair<i64, i64>>{{0, 5}});
}

TEST_CASE("168 million elements: every view draws, the page is small") {
  const Value value = valueOf("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)S(1)}");
  for (const char* view : {"tensor", "physical", "tiles"}) {
    const auto figure = draw(value, view, {});
    REQUIRE(figure.ok());
    const auto bytes = ink(*figure, "svg", {});
    REQUIRE(bytes.ok());
    CHECK(bytes->size() < 20'000'000);
    REQUIRE(figure->badges.size() == 5);
    CHECK(figure->badges.at(0).text == "S(1) VMEM (TPU)");
    CHECK(figure->badges.at(2).text == "T(8,128)(2,1)");
    CHECK_THAT(*bytes, Catch::Matchers::Contains("VMEM"));
  }
}

TEST_CASE("every dimension has one part to play, and the figure says which") {
  using Part = FigureMode::Part;
  const auto parts = [](const Figure& figure) {
    std::string s;
    for (const FigureMode& m : figure.modes)
      s += fmt::format("{}{}{} ", m.name, "RCF="[static_cast<int>(m.part)],
                       m.part == Part::Fixed ? fmt::format("{}", m.value) : "");
    return s;
  };
  const Value p = valueOf("f32[3,4,6,5]{3,2,1,0:T(2,2)}");
  CHECK(parts(*draw(p, "tensor", {})) == "pF zF yR xC ");
  CHECK(parts(*draw(valueOf("f32[3,4,6,5]{0,1,2,3}"), "tensor", {})) == "pR zC yF xF ");
  CHECK(parts(*draw(valueOf("f32[3,4]"), "tensor", {})).empty());
  CHECK(parts(*draw(valueOf("f32[9,1024,2048]"), "tensor", {})) == "z=0 yR xC ");  // a huge plane is alone
  DrawOptions options;
  options.arguments = {"rows", "p", "cols", "x", "y", "1", "coord"};
  const auto figure = draw(p, "tensor", options);
  REQUIRE(figure.ok());
  CHECK(parts(*figure) == "pR zF y=1 xC ");
  CHECK(figure->grids.size() == 4);
  CHECK(figure->grids[3].name == "z = 3");
  CHECK(figure->grids[3].cells->cell(2, 4).label == "2,3,1,4");
  options.fixed = {{1, 2}};  // the window's slider beats the line's words
  options.arguments = {"z", "1", "coord"};
  CHECK(draw(p, "tensor", options)->grids[0].cells->cell(0, 0).label == "0,2,0,0");
  options.fixed = {};
  options.arguments = {"rows", "y", "y", "1"};
  CHECK(parts(*draw(p, "tensor", options)) == "pF zF yR xC ");
  options.arguments = {"rows", "y", "cols", "y"};
  CHECK(parts(*draw(p, "tensor", options)) == "pF zF yR xC ");
  // The same words for layouts, whose modes are m0, m1 ...
  options.arguments = {"rows", "m2", "cols", "m0", "m3", "4", "coord"};
  const auto grid = draw(valueOf("(4,2,3,5):(1,4,8,24)"), "grid", options);
  REQUIRE(grid.ok());
  CHECK(parts(*grid) == "mode 0C mode 1F mode 2R mode 3=4 ");
  CHECK(grid->grids.size() == 2);
  CHECK(grid->grids[1].cells->cell(2, 3).label == "(3,1,2,4)");
  options.arguments = {"m3", "5"};
  CHECK(draw(valueOf("(4,2,3,5):(1,4,8,24)"), "grid", options).error().message ==
        "mode 3 cannot be fixed at 5: its extent is 5");
}

TEST_CASE("tuples and instruction lines draw each array; what holds none is refused") {
  CHECK(draw(valueOf("(f32[2,3]{0,1}, (s8[4], token[]))"), "", {})->grids.size() == 2);
  CHECK(draw(valueOf("a.1 = f32[2]{0} add(f32[2]{0} %b, f32[2]{0} %c)"), "physical", {})->grids.size() == 3);
  CHECK_FALSE(draw(valueOf("token[]"), "", {}).ok());
  CHECK_FALSE(draw(valueOf("f32[0,4]"), "", {}).ok());
  CHECK_FALSE(draw(valueOf("f32[3,?]"), "tiles", {}).ok());
  DrawOptions words;
  words.arguments = {"z", "1", "coord"};
  const auto slice = draw(valueOf("f32[2,3,5]{2,1,0:T(2,2)}"), "tensor", words);
  REQUIRE(slice.ok());
  REQUIRE(slice->grids.size() == 1);
  CHECK(slice->grids[0].cells->cell(2, 3).label == "1,2,3");
  words.arguments = {"z", "2"};
  CHECK(draw(valueOf("f32[2,3,5]"), "tensor", words).error().message == "z cannot be fixed at 2: its extent is 2");
  words.arguments = {"rainbow"};
  CHECK(draw(valueOf("f32[3,5]"), "tensor", words).error().message == "this view knows no \"rainbow\"");
}
