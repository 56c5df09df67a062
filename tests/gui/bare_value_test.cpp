// A value alone on its line is drawn through its default view, as if it were shown; scripts see no difference.
#include "app/engine/help/next_steps.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

void openSheet(App& app, const std::string& sheet) {
  app.session.document().reset(sheet);
  app.session.touch();
  app.settle();
}

std::vector<double> numbersOf(const Figure& f) {
  std::vector<double> all = {f.width, f.height};
  for (const Grid& g : f.grids) {
    all.insert(all.end(), {g.x, g.y, g.cellWidth, g.cellHeight, double(g.rows), double(g.cols)});
    if (g.cells && g.rows > 0 && g.cols > 0)
      for (const unsigned char c : g.cells->cell(g.rows - 1, g.cols - 1).label) all.push_back(c);
  }
  for (const Mark& m : f.marks) all.insert(all.end(), {m.rect.x, m.rect.y, m.rect.w, m.rect.h, m.size});
  return all;
}

}  // namespace

TEST_CASE("a bare value has the picture of its show") {
  for (const char* value :
       {"(4,8):(8,1)", "Sw<3,3,3> o (64,64):(64,1)", "(4,8)", "((2,2),3)", "f32[3,5]{1,0:T(2,2)}", "ldmatrix.x4",
        "mma.m16n8k16.f16", "S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8)",
        "composition((6,2):(8,2), (4,3):(3,1))", "shard((64,128), mesh (2,2):(1,2), S0, R) over (64,128)",
        "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]", "make_tiled_mma(mma.m16n8k16.f16, (2,2,1))"}) {
    INFO(value);
    App app;
    openSheet(app, std::string(value) + "\nshow " + value);
    REQUIRE(app.outcome(1).figure);
    REQUIRE(app.outcome(0).figure);
    CHECK(numbersOf(*app.outcome(0).figure) == numbersOf(*app.outcome(1).figure));
    CHECK(app.outcome(0).value);
    CHECK_FALSE(app.outcome(0).show);  // no line asks for it
    CHECK(ui::places().count("figure.0.picture") == 1);
  }
}

TEST_CASE("a name alone on its line shows its value; another view is one choice away") {
  App app;
  openSheet(app, "S = Sw<3,3,3> o (64,64):(64,1)\nS");
  REQUIRE(app.outcome(1).figure);
  CHECK_FALSE(app.outcome(0).figure);
  CHECK(app.outcome(1).figure->title.starts_with("S"));
  app.click("figure.1.view");
  app.click("figure.1.view.memory");
  app.frame(3);
  CHECK(app.state.canvas.panes.begin()->second.look.view == "memory");
}

TEST_CASE("no picture of numbers, texts, coordinates and wrong lines") {
  for (const char* line : {"size((4,8))", "4", "true", "shape((4,8):(8,1))",
                           "wavefronts((64,64):(64,1), ldmatrix.x4, fp16)", "nothing_here", "injective((4,8):(8,1))"}) {
    INFO(line);
    App app;
    openSheet(app, line);
    CHECK_FALSE(app.outcome(0).figure);
  }
}

TEST_CASE("a pasted layout is drawn") {
  App app;
  app.click("editor");
  clipboard() = "Sw<3,3,3> o (64,64):(64,1)";
  app.key('V', true);
  app.settle();
  REQUIRE(app.outcome(0).figure);
}

TEST_CASE("the engine's scripts see no picture of a bare value") {
  Scope scope;
  for (const Statement& s : splitStatements("(4,8):(8,1)")) {
    for (const auto which :
         {EngineOptions::Figures::None, EngineOptions::Figures::Asked, EngineOptions::Figures::All}) {
      EngineOptions options;
      options.figures = which;
      const Outcome o = runStatement(s, scope, options);
      CHECK_FALSE(o.figure);
      CHECK(textOf(o) == "(4,8):(8,1)");
    }
  }
}

TEST_CASE(
    "a line of another tool is drawn as if it were pasted; the error stays, with the statements to write instead") {
  for (const char* line :
       {"s[r * 32 + (c ^ (r & 7))]", "smem[row * 72 + col]", "int idx = row * 64 + col",
        "using A = Layout<Shape<_8, Int<64>>, Stride<_64, _1>>", "cute.make_layout((4, 8), stride=(8, 1))"}) {
    INFO(line);
    App app;
    openSheet(app, line);
    const Outcome& o = app.outcome(0);
    REQUIRE(o.figure);
    CHECK(o.figure->caption.starts_with("Read as "));
    REQUIRE(o.diag);
    const std::vector<NextStep> steps = nextSteps(o);
    REQUIRE_FALSE(steps.empty());
    CHECK(steps.front().label == "write it as statements of the worksheet");
    app.session.document().reset(steps.front().statement);
    app.session.touch();
    app.settle();
    const auto now = app.session.evaluation().snapshot();
    for (const auto& each : now->outcomes) CHECK_FALSE(each->diag);
  }
}

TEST_CASE("a misspelt name or call is no line of another tool") {
  for (const char* line : {"Sx", "compositon((4,8), (2,2))", "A = (4,8:(8,1)", "(4,8:(8,1)", "prove injectiv(A)",
                           "show (4,8):(8,1) as gird", "x = 3 +"}) {
    INFO(line);
    App app;
    openSheet(app, line);
    CHECK_FALSE(app.outcome(0).figure);
  }
}
