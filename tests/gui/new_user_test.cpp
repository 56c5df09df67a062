// Problems of new users: a typed picture is in sight, a click leaves nothing selected, a click uses a search result or
// mends a claim without a type, and a program's finding lights from its claim.
#include "tests/gui/app.h"
#include "tests/gui/move_program.h"

using namespace tessera;

namespace {

// Of a picture's height the part that lies in the column.
double seenPart(App& app, std::size_t figure) {
  app.frame(8);
  const std::string name = "figure." + std::to_string(figure) + ".picture";
  if (ui::places().count(name) == 0) return 0;
  const ui::Place p = ui::places().at(name);
  const float top = 40, bottom = ui::places().at("tab.claims").y;
  return static_cast<double>((std::min(p.y + p.h, bottom) - std::max(p.y, top)) / p.h);
}

}  // namespace

TEST_CASE("a picture that is typed comes into sight, and pictures of before stay where they are until then") {
  App app;
  app.type("S = (64,64):(64,1)\nshow S as grid\n");
  app.settle();
  CHECK(seenPart(app, 1) > 0.9);
  app.type("show ldmatrix.x4 over S\n");
  app.settle();
  app.type("show S as memory");
  app.settle();
  CHECK(seenPart(app, 3) > 0.9);
  app.type("\n// A comment moves nothing.");
  app.settle();
  CHECK(seenPart(app, 3) > 0.9);
}

TEST_CASE("opening a sheet shows it from its top") {
  App app;
  std::string sheet = "S = (64,64):(64,1)\n";
  for (const char* view : {"grid", "memory", "flow"}) sheet += std::string("show S as ") + view + "\n";
  app.session.document().reset(sheet);
  app.settle();
  CHECK(seenPart(app, 1) > 0.9);
}

TEST_CASE("what a link has written is not selected: the next key does not replace it") {
  App app;
  app.type("A = (64,64):(64,1)\nprove conflict_free(A, ldmatrix.x4, fp16)");
  app.settle();
  app.click("claim.1.step.1");
  app.settle();
  CHECK_FALSE(app.state.editor.hasSelection(app.session.document()));
  const std::string written = app.session.document().text();
  app.type("\nsize(A)");
  CHECK(app.session.document().text() == written + "\nsize(A)");
}

TEST_CASE("a search says what it found in its line, and a click uses it") {
  App app;
  app.type("S = (64,64):(64,1)\nfind swizzle for S where conflict_free(ldmatrix.x4, fp16)");
  app.settle();
  app.frame(8);
  REQUIRE(app.state.editor.notes.shown.count(2) == 1);
  CHECK(app.state.editor.notes.shown.at(2).value == "Sw<3,3,3> o 0 o (64,64):(64,1), and 4 more");
  app.click("figure.1.use");
  app.settle();
  CHECK(app.outcome(2).statement.text == "S_swizzled = Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(app.outcome(3).verdict->truth == Truth::Proved);
}

TEST_CASE("a claim without its type is mended by a click") {
  App app;
  app.type("S = (64,64):(64,1)\nprove conflict_free(S, ldmatrix.x4)");
  app.settle();
  REQUIRE(app.outcome(1).diag);
  app.click("tab.problems");
  app.frame(2);
  app.click("problem.1.step.0");
  app.settle();
  CHECK(app.outcome(1).statement.text == "prove conflict_free(S, ldmatrix.x4, fp16)");
  CHECK(app.outcome(1).verdict->truth == Truth::Refuted);
}

TEST_CASE("the finding of a program lights from its claim, and the next step is its player") {
  App app;
  app.session.document().replace(0, 0, moveProgram("@gn, @gm") + "prove move");
  app.settle();
  REQUIRE(app.outcome(1).verdict->truth == Truth::Refuted);
  app.click("claim.1.step.0");
  app.settle();
  CHECK(app.outcome(2).statement.text == "show move as player");
  CHECK(app.outcome(2).figure);
  const ui::Place row = ui::places().at("claim.1");
  app.moveTo(row.x + 40, row.y + row.h / 2);
  CHECK_FALSE(app.session.pointedClaim.empty());
  app.click("claim.1.show");
  CHECK_FALSE(app.session.litPoints.empty());
}

TEST_CASE("the claim that has the caret says why it holds") {
  App app;
  app.session.document().replace(0, 0, "prove injective((4,8):(8,1))\nprove injective((4,2):(1,2))");
  app.settle();
  app.click("claim.0");
  app.settle();
  REQUIRE(ui::places().count("claim.0.why") == 1);
  CHECK(ui::places().count("claim.1.why") == 0);
  const ui::Place why = ui::places().at("claim.0.why"), next = ui::places().at("claim.1");
  CHECK(why.h > 0);
  CHECK(next.y >= why.y + why.h);  // nothing overlaps it
  app.click("claim.1");
  app.settle();
  CHECK(ui::places().count("claim.0.why") == 0);
  CHECK(ui::places().count("claim.1.why") == 1);
}
