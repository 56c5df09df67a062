// After a refuted claim or an error, the next step is one click away.
#include "tests/gui/app.h"

using namespace tessera;

TEST_CASE("a bank conflict is followed to its picture and to its swizzle by clicks") {
  App app;
  app.type("A = (64,64):(64,1)\nprove conflict_free(A, ldmatrix.x4, fp16)");
  app.settle();
  REQUIRE(app.outcome(1).verdict->truth == Truth::Refuted);
  app.click("claim.1.step.1");
  app.settle();
  CHECK(app.session.document().text() ==
        "A = (64,64):(64,1)\nprove conflict_free(A, ldmatrix.x4, fp16)\n"
        "find swizzle for A where conflict_free(ldmatrix.x4, fp16)");
  CHECK(app.outcome(2).figure);
  app.click("claim.1.step.0");
  app.settle();
  CHECK(app.outcome(2).statement.text == "show A as banks fp16 ldmatrix.x4");
  CHECK(app.outcome(2).figure);
  CHECK(app.session.document().undo());  // one step back
  CHECK(app.session.document().text().find("banks") == std::string::npos);
}

TEST_CASE("a misspelt name is mended by a click in the problems") {
  App app;
  app.type("Alpha = (4,8):(8,1)\nsize(Alhpa)");
  app.settle();
  app.click("tab.problems");
  app.frame(2);
  app.click("problem.1.step.0");
  app.settle();
  CHECK(app.session.document().text() == "Alpha = (4,8):(8,1)\nsize(Alpha)");
  CHECK_FALSE(app.outcome(1).diag);
}

TEST_CASE("a step that was offered for an older text does nothing") {
  App app;
  app.type("Alpha = (4,8):(8,1)\nsize(Alhpa)");
  app.settle();
  app.click("tab.problems");
  app.frame(2);
  const ui::Place place = ui::places().at("problem.1.step.0");
  app.session.document().replace(0, app.session.document().text().size(), "size((4,8))");
  app.moveTo(place.x + 2, place.y + 2);
  ImGui::GetIO().MouseDown[0] = true;
  app.frame();
  ImGui::GetIO().MouseDown[0] = false;
  app.frame();
  CHECK(app.session.document().text() == "size((4,8))");
}

TEST_CASE("the buttons of an assumed constant step it through sizes, and the layout follows") {
  App app;
  app.type("kN = 64   // assumed: edit\nA = (8,kN):(kN,1)\nsize(A)");
  app.settle();
  CHECK(print(*app.outcome(2).value) == "512");
  app.click("constant.1.more");
  app.settle();
  CHECK(app.session.document().text().starts_with("kN = 96   // assumed: edit\n"));
  CHECK(print(*app.outcome(2).value) == "768");
  app.click("constant.1.less");
  app.click("constant.1.less");
  app.settle();
  CHECK(app.session.document().text().starts_with("kN = 48   // assumed: edit\n"));
  CHECK(app.session.document().undo());  // one step each
  CHECK(app.session.document().text().starts_with("kN = 64"));
}

TEST_CASE("Alt with an arrow steps the integer at the caret, and leaves the caret where it is") {
  App app;
  app.type("A = (8,64):(64,1)");
  app.settle();
  const auto step = [&](int arrow) {
    ImGui::GetIO().KeyAlt = true;
    app.key(arrow);
    ImGui::GetIO().KeyAlt = false;
    app.frame();
  };
  app.session.document().setCaret(9);
  step(265);
  CHECK(app.session.document().text() == "A = (8,96):(64,1)");
  step(264);
  step(264);
  CHECK(app.session.document().text() == "A = (8,48):(64,1)");
  app.session.document().setCaret(2);
  step(265);
  CHECK(app.session.document().text() == "A = (8,48):(64,1)");  // there is no integer
}

TEST_CASE("a click corrects every access to an array") {
  App app;
  app.type(
      "C = cuda { __shared__ float tile[32][32]; tile[y][x] = 1; float b = tile[x][y]; } over (x = 32, y = 32)\n"
      "prove conflict_free(C.tile)");
  app.settle();
  REQUIRE(app.outcome(1).verdict->truth == Truth::Refuted);
  app.click("claim.1.true.0");
  app.settle();
  INFO(app.session.document().text());
  CHECK(app.outcome(1).verdict->truth == Truth::Proved);
  CHECK(app.session.document().text().find("tile[y][x ^") != std::string::npos);
}
