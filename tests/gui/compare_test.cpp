// Two pictures side by side, and their differences.
#include "app/widgets/keyboard.h"
#include "render/figure/compared.h"
#include "render/ink/ink.h"
#include "tests/gui/app.h"
#include "tests/support/run_document.h"

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
  const auto c = compared(a, b);
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
  CHECK(compared(a, a).text == "None of 128 cells differs.");
}

TEST_CASE("pictures of different shapes say so, and share what they share") {
  const Figure a = figureOf("show (8,16):(16,1) as grid");
  const auto other = compared(a, figureOf("show (4,4):(4,1) as grid"));
  CHECK(other.text.find("8 x 16 against 4 x 4") != std::string::npos);
  CHECK(other.alone == other.cells);
  // An array's picture of the same tensor, cut another way: by point.
  const auto memory = compared(a, figureOf("show (8,16):(16,1) as memory"));
  CHECK(memory.differing + memory.alone <= memory.cells);
  // Beyond what is looked at, it says so.
  const auto large =
      compared(figureOf("show (4096,4096):(4096,1) as grid"), figureOf("show (4096,4096):(1,4096) as grid"));
  CHECK_FALSE(large.all);
  CHECK(large.text.find("of the first 131072 cells") != std::string::npos);
}

TEST_CASE("two pictures are compared side by side with one zoom, and blinked") {
  App app;
  app.session.document().reset("show (8,16):(16,1) as grid\nshow Sw<2,0,3> o 0 o (8,16):(16,1) as grid\n");
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

TEST_CASE("two compared pictures are exported as one: beside each other, with what differs lit; CSV has the cells") {
  const Figure a = figureOf("show (8,16):(16,1) as grid"), b = figureOf("show Sw<2,0,3> o 0 o (8,16):(16,1) as grid");
  const FigureComparison c = compared(a, b);
  const Figure both = besideEachOther(a, b);
  REQUIRE(both.grids.size() == 2);
  CHECK(both.caption.find(c.text) == 0);
  // Cell by cell what each of the two is; lit are those that a plain walk finds to differ.
  i64 lit = 0;
  for (i64 row = 0; row < 8; ++row)
    for (i64 col = 0; col < 16; ++col) {
      const Cell x = a.grids[0].cells->cell(row, col), y = b.grids[0].cells->cell(row, col);
      CHECK(both.grids[0].cells->cell(row, col).label == x.label);
      CHECK(both.grids[1].cells->cell(row, col).label == y.label);
      CHECK(both.grids[0].cells->cell(row, col).lit == (x.label != y.label));
      CHECK(both.grids[1].cells->cell(row, col).lit == (x.label != y.label));
      lit += x.label != y.label;
    }
  CHECK(lit == c.differing);
  CHECK(static_cast<i64>(both.table.size()) == c.differing + 1);
  CHECK(both.table[1] == std::vector<std::string>{a.grids[0].name, "0", "8", "8", "9"});
  for (const char* format : {"svg", "png", "pdf", "tex", "txt", "json", "csv"}) {
    INFO(format);
    const auto bytes = ink(comparisonFor(format, a, b), format);
    REQUIRE(bytes.ok());
    CHECK(bytes->size() > 100);
  }
  const auto csv = ink(comparisonFor("csv", a, b), "csv");
  CHECK(std::count(csv->begin(), csv->end(), '\n') == c.differing + 1);
  CHECK(csv->rfind("grid,row,column,A,B\n", 0) == 0);
}

TEST_CASE("nothing of one compared picture lies over the other, for every pair of views") {
  std::vector<Figure> figures;
  for (const char* line :
       {"show (8,16):(16,1) as grid", "show (8,16):(16,1) as memory", "show Sw<2,0,3> o 0 o (8,16):(16,1) as flow",
        "show Sw<3,3,3> o 0 o (8,64):(64,1) as banks fp16 ldmatrix.x4", "show (4,128):(128,1) as grid",
        "show Sw<3,3,3> as f2", "show bf16[6,20]{1,0:T(8,128)(2,1)} as tiles", "show (2048,2048):(2048,1) as grid"})
    figures.push_back(figureOf(line));
  for (const Figure& a : figures)
    for (const Figure& b : figures) {
      INFO(a.title << " " << a.subtitle << " and " << b.title << " " << b.subtitle);
      const Figure both = besideEachOther(a, b);
      REQUIRE(both.grids.size() == a.grids.size() + b.grids.size());
      for (std::size_t k = 0; k < a.grids.size(); ++k)
        for (std::size_t j = a.grids.size(); j < both.grids.size(); ++j) {
          const Rect x = both.grids[k].bounds(), y = both.grids[j].bounds();
          CHECK((x.x + x.w < y.x || x.y + x.h < y.y));
        }
      for (const Grid& g : both.grids) {
        CHECK(g.bounds().x + g.bounds().w <= both.width + 1e-6);
        CHECK(g.bounds().y + g.bounds().h <= both.height + 1e-6);
      }
    }
}

TEST_CASE("Export while two pictures are compared writes both into one file") {
  const std::filesystem::path file = scratch() / "both.svg";
  std::filesystem::remove(file);
  App app;
  app.session.document().reset("show (8,16):(16,1) as grid\nshow Sw<2,0,3> o 0 o (8,16):(16,1) as grid\n");
  app.settle();
  app.click("figure.0.compare");
  app.click("figure.1.compare");
  app.frame(2);
  for (const bool button : {true, false}) {
    if (button) {
      app.click("compare.export");
    } else {
      app.key('E', true);
    }
    app.frame(2);
    REQUIRE(ui::keyboard().owner() == ui::Owner::Path);
    CHECK(app.state.question.path == "comparison.svg");
    app.key('A', true);
    app.type(file.string());
    app.click("dialog.accept");
    app.frame(2);
    const auto svg = readFile(file.string());
    REQUIRE(svg.ok());
    CHECK(svg->find(">A<") != std::string::npos);
    CHECK(svg->find(">B<") != std::string::npos);
    CHECK(svg->find("cells differ") != std::string::npos);
    std::filesystem::remove(file);
  }
  // The next export is one picture again.
  app.key(256);
  app.frame(2);
  app.click("figure.0.export");
  app.frame(2);
  CHECK(app.state.question.path == "8-16-16-1-as-grid.svg");
  app.key('A', true);
  app.type(file.string());
  app.click("dialog.accept");
  app.frame(2);
  const auto svg = readFile(file.string());
  REQUIRE(svg.ok());
  CHECK(svg->find("cells differ") == std::string::npos);
}
