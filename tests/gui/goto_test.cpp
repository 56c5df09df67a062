// Ctrl+F: the meaning of its text, the matches in the pictures, and the message if there are none.
#include "app/views/find/go_to.h"
#include "app/views/find/go_to_query.h"
#include "tests/gui/app.h"
#include "tests/support/run_document.h"

using namespace tessera;
using panes::GoTo;
using Kind = panes::GoTo::Kind;

TEST_CASE("a coordinate, an offset, a byte, a thread, a bank, or text") {
  const std::pair<const char*, GoTo> cases[] = {{"(3,5)", {Kind::Coordinate, {3, 5}, {}}},
                                                {" ( 3 , 5 ) ", {Kind::Coordinate, {3, 5}, {}}},
                                                {"3,5", {Kind::Coordinate, {3, 5}, {}}},
                                                {"(7)", {Kind::Coordinate, {7}, {}}},
                                                {"(1,2,3)", {Kind::Coordinate, {1, 2, 3}, {}}},
                                                {"offset 0x1a0", {Kind::Offset, {416}, {}}},
                                                {"Byte 416", {Kind::Byte, {416}, {}}},
                                                {"thread 12", {Kind::Thread, {12}, {}}},
                                                {"lane 3", {Kind::Thread, {3}, {}}},
                                                {"T12", {Kind::Thread, {12}, {}}},
                                                {"t12 v3", {Kind::Thread, {12, 3}, {}}},
                                                {"T12 V3", {Kind::Thread, {12, 3}, {}}},
                                                {"thread 12 value 3", {Kind::Thread, {12, 3}, {}}},
                                                {"bank 7", {Kind::Bank, {7}, {}}},
                                                {"", {}},
                                                {"7", {}},
                                                {"(3,5", {}},
                                                {"(3,5):(1,3)", {}},
                                                {"(3,-5)", {}},
                                                {"offset", {}},
                                                {"offset zz", {}},
                                                {"offset 99999999999999999999", {}},
                                                {"threads 3", {}},
                                                {"t", {}},
                                                {"T12 W3", {}},
                                                {"show A as grid", {}}};
  for (const auto& [text, expected] : cases) {
    INFO(text);
    const GoTo got = panes::goToOf(text);
    CHECK(got.kind == expected.kind);
    CHECK(got.numbers == expected.numbers);
  }
}

namespace {

std::vector<std::shared_ptr<const Outcome>> sheet(const std::string& text) {
  std::vector<std::shared_ptr<const Outcome>> all;
  for (Outcome& o : runDocument(text)) all.push_back(std::make_shared<const Outcome>(std::move(o)));
  return all;
}

const Cell cellAt(const std::vector<std::shared_ptr<const Outcome>>& all, const panes::Place& p) {
  return all.at(p.outcome)->figure->grids.at(p.grid).cells->cell(p.row, p.col);
}

}  // namespace

TEST_CASE("every offset and coordinate is found where a walk over the cells finds it") {
  const auto all = sheet(
      "show (4,8):(8,1) as grid\nshow Sw<2,0,3> o 0 o (8,8):(8,1) as grid\nshow (4,(2,3)):(1,(4,20)) as grid\n"
      "show f16[6,10]{1,0:T(4,2)} as tensor\n");
  i64 last = 0;
  for (const auto& o : all) REQUIRE(o->figure);
  for (i64 offset = 0; offset < 130; ++offset) {
    std::vector<std::size_t> walked;
    for (std::size_t k = 0; k < all.size(); ++k) {
      bool has = false;
      for (const Grid& g : all[k]->figure->grids)
        for (i64 r = 0; r < g.rows; ++r)
          for (i64 c = 0; c < g.cols; ++c) has |= g.cells->cell(r, c).label == std::to_string(offset);
      if (has) walked.push_back(k);
    }
    INFO("offset " << offset);
    const auto found = panes::placesOf(panes::goToOf("offset " + std::to_string(offset)), all);
    REQUIRE(found.ok() == !walked.empty());
    if (!found.ok()) continue;
    last = offset;
    REQUIRE(found->size() == walked.size());
    for (std::size_t k = 0; k < walked.size(); ++k) {
      CHECK((*found)[k].outcome == walked[k]);
      CHECK(cellAt(all, (*found)[k]).label == std::to_string(offset));
    }
    // Two bytes an element where the picture says so: the array.
    const auto byte = panes::placesOf(panes::goToOf("byte " + std::to_string(2 * offset + 1)), all);
    REQUIRE(byte.ok() == (walked.back() == 3));
    if (byte.ok()) CHECK(cellAt(all, byte->back()).label == std::to_string(offset));
  }
  CHECK(last > 60);
  for (i64 r = 0; r < 4; ++r)
    for (i64 c = 0; c < 6; ++c) {
      const auto found = panes::placesOf(panes::goToOf("(" + std::to_string(r) + "," + std::to_string(c) + ")"), all);
      REQUIRE(found.ok());
      REQUIRE(found->size() == 4);
      CHECK(cellAt(all, (*found)[0]).label == std::to_string(8 * r + c));
      for (const auto& p : *found) CHECK((std::pair(p.row, p.col) == std::pair(r, c)));
    }
}

TEST_CASE("what no picture has is said with what they have") {
  const auto problem = [](const std::string& text, const char* wanted) {
    const auto found = panes::placesOf(panes::goToOf(wanted), sheet(text));
    REQUIRE_FALSE(found.ok());
    return found.error().message + ": " + found.error().expected + " " + found.error().hint;
  };
  const std::string grid = "show (4,8):(8,1) as grid\n", mma = "show atlas(mma.m16n8k16.f16) as instruction\n";
  CHECK(problem(grid, "(4,0)").find("4 x 8") != std::string::npos);
  CHECK(problem(grid, "offset 32").find("offsets 0 to 31") != std::string::npos);
  CHECK(problem(grid, "byte 3").find("offset 3") != std::string::npos);
  CHECK(problem(mma, "thread 32").find("threads 0 to 31") != std::string::npos);
  CHECK(problem(mma, "T3 V99").find("thread 3 has values 0 to ") != std::string::npos);
  CHECK(problem(grid, "T3").find("no picture of this sheet shows threads") != std::string::npos);
  CHECK(problem("show (64,64):(64,1) as banks fp16\n", "bank 32").find("banks 0 to 31") != std::string::npos);
  CHECK(problem("size((4,8))\n", "(1,1)").find("no picture") != std::string::npos);
}

TEST_CASE("a thread's value is found in the operand that has it") {
  const auto all = sheet("show atlas(mma.m16n8k16.f16) as instruction\n");
  const auto found = panes::placesOf(panes::goToOf("T12 V3"), all);
  REQUIRE(found.ok());
  const Cell c = cellAt(all, found->front());
  CHECK(c.label == "T12");
  CHECK(c.second == "V3");
}

TEST_CASE("Ctrl+F jumps in the pictures: scrolled to, large enough, pinned; again goes on") {
  App app;
  app.type("show (8,8):(8,1) as grid\nshow (64,64):(64,1) as grid\nshow (256,256):(256,1) as grid\n");
  app.settle();
  app.key('F', /*ctrl=*/true);
  app.type("(200,131)");
  app.key(257);
  app.frame(3);
  REQUIRE(app.session.pinned);
  CHECK(app.session.pinned->outcome == 2);
  CHECK(app.session.pinned->label == std::to_string(200 * 256 + 131));
  const ui::Place p = ui::places().at("figure.2.picture");
  CHECK(p.y >= 40);
  CHECK(p.y < 400);
  const auto& pane = app.state.canvas.panes.at("show (256,256):(256,1) as grid");
  const Grid& g = app.outcome(2).figure->grids.at(0);
  CHECK(pane.scale * g.cellWidth >= 22);
  const double x = (g.x + 131.5 * g.cellWidth - pane.x) * pane.scale,
               y = (g.y + 200.5 * g.cellHeight - pane.y) * pane.scale;
  CHECK((x > 0 && x < p.w && y > 0 && y < p.h));
  // F3 goes on, in the pictures as in the text.
  const auto replaceWith = [&](const std::string& text) {
    app.key('A', /*ctrl=*/true);
    app.type(text);
  };
  replaceWith("(5,6)");
  app.key(257);
  CHECK(app.session.pinned->outcome == 0);
  app.key(292);  // F3
  CHECK(app.session.pinned->outcome == 1);
  app.key(292, false, /*shift=*/true);
  CHECK(app.session.pinned->outcome == 0);
  CHECK(app.state.canvas.goTo.count == "1 of 3");
  replaceWith("offset 70000");
  app.key(257);
  CHECK(app.state.canvas.goTo.problem.find("0 to 65535") != std::string::npos);
  // Text: counted, round and round, both ways.
  replaceWith("as grid");
  CHECK(app.state.canvas.goTo.count == "3");
  app.key(257);
  const std::size_t first = app.session.document().caret();
  app.key(292);
  CHECK(app.session.document().caret() > first);
  app.key(292, false, true);
  CHECK(app.session.document().caret() == first);
  replaceWith("no such thing");
  app.key(257);
  CHECK(app.state.canvas.goTo.problem.find("does not occur") != std::string::npos);
  const std::string text = app.session.document().text();
  CHECK(text.find("no such") == std::string::npos);
}
