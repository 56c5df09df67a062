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
