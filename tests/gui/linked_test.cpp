// Pictures are linked: one point lights in every picture of the sheet, and the inspector shows everything known about
// it.
#include <set>

#include "app/session/gallery.h"
#include "app/views/inspector/inspector.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

using Places = std::set<std::pair<i64, i64>>;

// What grid `name` of a statement's figure lights now.
Places lit(App& app, std::size_t outcome, const std::string& name = "") {
  const Figure& figure = *app.outcome(outcome).figure;
  const Lights lights = app.state.canvas.lights.in(figure);
  Places places;
  for (std::size_t k = 0; k < figure.grids.size(); ++k) {
    if (!name.empty() && figure.grids[k].name != name) continue;
    if (k >= lights.grids.size()) continue;
    for (const Point& p : lights.grids[k])
      for (const auto& at : figure.grids[k].cells->find(p, 1000)) places.insert(at);
  }
  return places;
}

Hover cellOf(App& app, std::size_t outcome, const std::string& grid, i64 row, i64 col) {
  const Outcome& o = app.outcome(outcome);
  for (const Grid& g : o.figure->grids) {
    if (g.name != grid) continue;
    const Cell cell = g.cells->cell(row, col);
    return {cell.point,    outcome, grid, row, col, cell.label, app.session.evaluation().snapshot()->outcomes[outcome],
            pointsOf(cell)};
  }
  FAIL("no grid " << grid);
  return {};
}

std::string factNamed(const std::vector<panes::Fact>& facts, const std::string& name) {
  for (const auto& f : facts)
    if (f.name == name) return f.value;
  return "missing";
}

}  // namespace

TEST_CASE("a hovered element lights its address, its word and bank, and the lane of an instruction") {
  App app;
  app.session.document().reset(
      "S = (64,64):(64,1)\nshow S as grid\nshow S as memory\nshow S as banks fp16 ldmatrix.x4\n"
      "show atlas(mma.m16n8k16.f16) as instruction");
  app.settle();
  app.hoverCell(1, 2, 3);
  app.frame();
  CHECK(lit(app, 1) == Places{{2, 3}});
  CHECK(lit(app, 2).size() == 1);
  CHECK(lit(app, 3, "memory") == Places{{2, 1}});  // byte 262, word 65: the third row of 128 bytes, bank 1
  CHECK(lit(app, 3, "phases") == Places{{0, 1}});
  CHECK(lit(app, 4, "C") == Places{{0, 4}, {0, 5}, {8, 4}, {8, 5}});  // lane 2, that asks for row 2
}

TEST_CASE("a pinned word of the banks lights its two elements, and not its column") {
  App app;
  app.type("S = (64,64):(64,1)\nshow S as grid\nshow S as banks fp16 ldmatrix.x4");
  app.settle();
  app.session.pinned = cellOf(app, 2, "memory", 2, 1);
  app.frame(2);
  CHECK(lit(app, 1) == Places{{2, 2}, {2, 3}});
  CHECK(lit(app, 2, "memory") == Places{{2, 1}});
  CHECK(lit(app, 2, "phases") == Places{{0, 1}});
}

TEST_CASE("the result of a composition lights A at B(i), in the operation and in A's own picture") {
  App app;
  app.type("A = (6,2):(8,2)\nB = (4,3):(3,1)\nR = composition(A, B)\nshow R as algebra\nshow A as grid");
  app.settle();
  app.session.pinned = cellOf(app, 3, "R", 1, 2);  // B(1,2) = 5: A's (5,0)
  app.frame(2);
  CHECK(lit(app, 3, "B") == Places{{1, 2}});
  CHECK(lit(app, 3, "A") == Places{{5, 0}});
  CHECK(lit(app, 4) == Places{{5, 0}});
}

TEST_CASE("the inspector says element, byte, word, bank, phase, wavefront, lane and register in every view") {
  App app;
  app.type(
      "S = (64,64):(64,1)\nshow S as grid\nshow S as memory\nshow S as banks fp16 ldmatrix.x4\n"
      "prove conflict_free(S, ldmatrix.x4, fp16)");
  app.settle();
  const auto now = app.session.evaluation().snapshot();
  std::vector<Hover> cells = {cellOf(app, 1, "", 2, 3), cellOf(app, 3, "memory", 2, 1)};
  const auto at = app.outcome(2).figure->grids[0].cells->find(cells[0].point, 1).front();
  cells.push_back(cellOf(app, 2, "", at.first, at.second));
  for (const Hover& cell : cells) {
    const auto facts = panes::factsAt(*now, cell);
    const bool word = cell.grid == "memory";
    INFO("outcome " << cell.outcome);
    CHECK(factNamed(facts, "coordinate") == (word ? "(2, 2)" : "(2, 3)"));
    CHECK(factNamed(facts, "offset") == (word ? "130" : "131"));
    CHECK(factNamed(facts, "byte") == (word ? "130 * 2 = 260" : "131 * 2 = 262"));
    CHECK(factNamed(facts, "word") == (word ? "260 / 4 = 65" : "262 / 4 = 65"));
    CHECK(factNamed(facts, "bank") == "65 mod 32 = 1");
    CHECK(factNamed(facts, "phase") == "0");
    CHECK(factNamed(facts, "wavefront") == "3 of 8: bank 1 has 8 words");
    CHECK(factNamed(facts, "requested by lane") == "2");
    CHECK(factNamed(facts, "goes to lane") == "9");  // row 2 of matrix 0, half 2 or 3: 2 * 4 + 1
    CHECK(factNamed(facts, "register") == "0");
    CHECK(factNamed(facts, "elements") == (word ? "(2, 2) (2, 3)" : "missing"));
  }
}

TEST_CASE("the inspector says thread, operand and register of an instruction's cell, and who holds an Axe element") {
  App app;
  app.type(
      "show atlas(mma.m16n8k16.f16) as instruction\n"
      "show S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] over (8,16) as threads");
  app.settle();
  const auto now = app.session.evaluation().snapshot();
  const auto facts = panes::factsAt(*now, cellOf(app, 0, "A", 9, 3));
  CHECK(factNamed(facts, "thread") == "5");
  CHECK(factNamed(facts, "element") == "(9, 3) of 16 x 16 f16");
  CHECK(factNamed(facts, "index") == "9 + 16 * 3 = 57");
  CHECK(factNamed(facts, "value") == "3");
  CHECK(factNamed(facts, "register") == "3 * 16 / 32 = 1");
  const auto held = panes::factsAt(*now, cellOf(app, 1, "threads", 2, 9));
  CHECK(factNamed(held, "place") == "lane 8, reg 1, warp 1");
}

TEST_CASE("pointing at a refuted claim lights its counterexample in the pictures of its layouts alone") {
  App app;
  app.type("A = ((2,2),2):((1,2),2)\nC = (8,4):(4,1)\nshow A as grid\nshow C as grid\nprove injective(A)");
  app.settle();
  REQUIRE(app.outcome(4).verdict->truth == Truth::Refuted);
  const ui::Place row = ui::places().at("claim.4");
  app.moveTo(row.x + 40, row.y + row.h / 2);
  app.frame(2);
  CHECK(lit(app, 2).size() == 2);
  CHECK(lit(app, 3).empty());  // C is another tensor
  app.moveTo(5, 5);
  app.frame(2);
  CHECK(lit(app, 2).empty());
  app.click("claim.4");  // picked: it stays
  app.moveTo(5, 5);
  app.frame(2);
  CHECK(lit(app, 2).size() == 2);
}

TEST_CASE("two shapes that are not equal light the place in each") {
  App app;
  app.type("A = (4,8):(1,4)\nB = 32:2\nshow A as grid\nshow B as grid\nprove equal(A, B)");
  app.settle();
  REQUIRE(app.outcome(4).verdict->truth == Truth::Refuted);
  app.click("claim.4.show");
  app.frame(2);
  CHECK(lit(app, 2).size() == 1);
  CHECK(lit(app, 3).size() == 1);
}

TEST_CASE(
    "every picture of every lesson can be pointed at: it lights the cell itself, and the inspector has an answer") {
  int cells = 0;
  for (const GalleryItem& item : gallery()) {
    Session session;
    REQUIRE(session.openGallery(item.path));
    REQUIRE(session.waitUntilEvaluated(600));
    const auto now = session.evaluation().snapshot();
    panes::SheetLights lights;
    for (std::size_t k = 0; k < now->outcomes.size(); ++k) {
      if (!now->outcomes[k]->figure) continue;
      const Figure& figure = *now->outcomes[k]->figure;
      for (std::size_t n = 0; n < std::min<std::size_t>(figure.grids.size(), 3); ++n) {
        const Grid& g = figure.grids[n];
        if (g.rows == 0 || g.cols == 0) continue;
        const i64 row = g.rows / 2, col = g.cols / 3;
        const Cell cell = g.cells->cell(row, col);
        if (!cell.point.real()) continue;
        INFO(item.title << ", " << now->outcomes[k]->statement.text << ", grid " << g.name);
        session.hover = Hover{cell.point, k, g.name, row, col, cell.label, now->outcomes[k], pointsOf(cell)};
        lights.look(session, *now, {});
        const Lights lit = lights.in(figure);
        REQUIRE(lit.grids.size() == figure.grids.size());
        bool itself = false;
        for (const Point& p : lit.grids[n])
          for (const auto& at : g.cells->find(p, 1000)) itself = itself || at == std::pair<i64, i64>{row, col};
        CHECK(itself);
        CHECK_FALSE(panes::factsAt(*now, *session.hover).empty());
        (void)panes::factsElsewhere(*now, *session.hover);
        ++cells;
      }
    }
  }
  CHECK(cells > 60);
}
