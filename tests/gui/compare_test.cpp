// Two pictures beside each other, and what differs between them.
#include "app/views/compare_figures.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

Figure figureOf(const std::string& line) {
  const auto all = runDocument(line);
  REQUIRE(all.back().figure);
  return *all.back().figure;
}

}  // namespace

TEST_CASE("what differs is what a walk over both pictures finds, and it alone is lit") {
  const Figure a = figureOf("show (8,16):(16,1) as grid"), b = figureOf("show Sw<2,0,3> o 0 o (8,16):(16,1) as grid");
  i64 walked = 0;
  const auto c = panes::compared(a, b);
  for (i64 r = 0; r < 8; ++r)
    for (i64 k = 0; k < 16; ++k) {
      const bool differs = a.grids[0].cells->cell(r, k).label != b.grids[0].cells->cell(r, k).label;
      walked += differs;
      CHECK(c.first.grids[0].cells->cell(r, k).lit == differs);
      CHECK(c.second.grids[0].cells->cell(r, k).lit == differs);
      CHECK((c.first.grids[0].cells->paint(r, k).role == Role::Faded) == !differs);
      CHECK(c.first.grids[0].cells->cell(r, k).label == a.grids[0].cells->cell(r, k).label);
    }
  CHECK(walked > 0);
  CHECK(c.differing == walked);
  CHECK(c.cells == 128);
  CHECK(c.text == std::to_string(walked) + " of 128 cells differ.");
  CHECK(panes::compared(a, a).text == "None of 128 cells differs.");
}

TEST_CASE("pictures of different shapes say so, and share what they share") {
  const Figure a = figureOf("show (8,16):(16,1) as grid");
  const auto other = panes::compared(a, figureOf("show (4,4):(4,1) as grid"));
  CHECK(other.text.find("8 x 16 against 4 x 4") != std::string::npos);
  CHECK(other.alone == other.cells);
  // An array's picture of the same tensor, cut another way: by point.
  const auto memory = panes::compared(a, figureOf("show (8,16):(16,1) as memory"));
  CHECK(memory.differing + memory.alone <= memory.cells);
  // Beyond what is looked at, it says so.
  const auto large =
      panes::compared(figureOf("show (4096,4096):(4096,1) as grid"), figureOf("show (4096,4096):(1,4096) as grid"));
  CHECK_FALSE(large.all);
  CHECK(large.text.find("of the first 131072 cells") != std::string::npos);
}

TEST_CASE("two pictures are compared side by side with one zoom, and blinked") {
  App app;
  app.type("show (8,16):(16,1) as grid\nshow Sw<2,0,3> o 0 o (8,16):(16,1) as grid\n");
  app.settle();
  app.click("figure.0.compare");
  app.click("figure.1.compare");
  app.frame(2);
  auto& compare = app.state.canvas.compare;
  REQUIRE(ui::places().count("compare.a") == 1);
  REQUIRE(ui::places().count("compare.b") == 1);
  CHECK(ui::places().count("figure.0.picture") == 0);
  CHECK(compare.result.differing > 0);
  // A zoom over one is the zoom of both; what is hovered in one lights in both.
  const ui::Place a = ui::places().at("compare.a"), b = ui::places().at("compare.b");
  CHECK((a.x + a.w < b.x || a.y + a.h < b.y));
  app.moveTo(b.x + b.w / 2, b.y + b.h / 2);
  const double scale = compare.camera.scale;
  CHECK(app.session.hover);
  ImGui::GetIO().KeyCtrl = true;
  ImGui::GetIO().MouseWheel = 3;
  app.frame();
  ImGui::GetIO().KeyCtrl = false;
  ImGui::GetIO().MouseWheel = 0;
  app.frame();
  CHECK(compare.camera.scale > scale);
  // Space blinks: the same place, the other picture.
  app.clickAt(a.x + 3, a.y + a.h - 3);
  app.type(" ");
  CHECK(compare.blink);
  app.frame();
  const bool second = compare.second;
  CHECK(ui::places().count(second ? "compare.b" : "compare.a") == 1);
  CHECK(ui::places().count(second ? "compare.a" : "compare.b") == 0);
  app.type(" ");
  CHECK(compare.second != second);
  CHECK(app.session.document().text().find("grid \n") == std::string::npos);
  app.key(256);
  app.frame(2);
  CHECK(ui::places().count("figure.0.picture") == 1);
  // A picture that is gone ends it.
  app.click("figure.1.compare");
  app.frame(2);
  CHECK(ui::places().count("compare.a") == 1);
  app.session.document().replace(0, app.session.document().text().find('\n') + 1, "");
  app.session.touch();
  app.settle();
  CHECK(ui::places().count("compare.a") == 0);
  CHECK(ui::places().count("figure.0.picture") == 1);
}
