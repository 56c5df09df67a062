// The window names its file, offers the recent ones, and helps when a file cannot be saved or is open elsewhere.
#include <sys/stat.h>

#include "app/gui/sheets.h"
#include "tests/gui/app.h"
#include "tests/gui/state_folder.h"

using namespace tessera;
namespace fs = std::filesystem;

TEST_CASE("the title of the window is the file, with a dot for unsaved changes") {
  App app;
  CHECK(windowTitle(app.session.document()) == "untitled - Tessera");
  app.type("size((4,8))");
  CHECK(windowTitle(app.session.document()) == "untitled \u2022 - Tessera");
  REQUIRE(app.session.saveAs((scratch() / "gemm.tess").string()));
  CHECK(windowTitle(app.session.document()) == "gemm.tess - Tessera");
}

TEST_CASE("the file menu opens a recent sheet") {
  const fs::path one = scratch() / "one.tess", two = scratch() / "two.tess";
  REQUIRE(writeFileAtomically(one.string(), "size((1,1))").ok());
  REQUIRE(writeFileAtomically(two.string(), "size((2,2))").ok());
  noteRecent(one.string());
  noteRecent(two.string());
  App app;
  REQUIRE(app.session.open(two.string()));
  app.frame(2);
  app.click("menu.File");
  app.frame(2);
  app.click("command.file.recent");
  app.frame(4);
  REQUIRE(ui::places().count("recent.0") == 1);  // the open sheet is not listed
  app.click("recent.0");
  app.frame(2);
  CHECK(app.session.document().text() == "size((1,1))");
}

TEST_CASE("a file that cannot be written offers another name, and the text is kept") {
  App app;
  const fs::path sheet = scratch() / "kept.tess";
  app.type("size((4,8))");
  REQUIRE(app.session.saveAs(sheet.string()));
  ::chmod(sheet.c_str(), 0444);
  app.type(" ");
  app.key('S', true);
  app.frame(2);
  REQUIRE_FALSE(app.state.dialogs.empty());
  CHECK(app.state.dialogs.back().name == "save_failed");
  app.click("save_failed.save_as");
  app.frame(3);
  CHECK(app.state.question.ask == PathQuestion::Ask::SaveAs);
  app.type((scratch() / "another_name.tess").string());
  app.key(257);
  app.frame(2);
  CHECK(*readFile((scratch() / "another_name.tess").string()) == "size((4,8)) ");
  CHECK(*readFile(sheet.string()) == "size((4,8))");
  ::chmod(sheet.c_str(), 0644);
}

TEST_CASE("a file with unsaved text in another window says so when it is opened") {
  const StateFolder state;
  const fs::path sheet = state / "shared.tess";
  REQUIRE(writeFileAtomically(sheet.string(), "size((4,8))").ok());
  KeptSession first, second, third;
  REQUIRE(first.open(sheet.string()));
  REQUIRE(first.sheets().flush().ok());
  REQUIRE(second.open(sheet.string()));
  CHECK(second.message.find("also open in another window") != std::string::npos);
  CHECK_FALSE(second.messageIsError);
  first.document().replace(0, 0, "A = 7\n");
  first.touch();
  REQUIRE(first.sheets().flush().ok());
  REQUIRE(third.open(sheet.string()));
  CHECK(third.message.find("unsaved text") != std::string::npos);
  CHECK(third.messageIsError);
  CHECK(third.document().text() == "size((4,8))");
}

TEST_CASE("in a small window the words below and over a picture are whole") {
  CHECK(layoutOf(PaneSizes(), {900, 600}, 1).middle.size.x >= 340);
  CHECK(layoutOf({431, 300, 190}, {900, 600}, 1).left.size.x == 431);  // an edge that the user has moved
  App app;
  ImGui::GetIO().DisplaySize = {900, 600};
  app.type("show (64,64):(64,1) as grid");
  app.settle();
  const WindowLayout now = layoutOf(PaneSizes(), {900, 600}, 1);
  const auto within = [&](const std::string& name) {
    REQUIRE(ui::places().count(name) == 1);
    const ui::Place p = ui::places().at(name);
    CHECK(p.x >= now.middle.at.x);
    CHECK(p.x + p.w <= now.middle.at.x + now.middle.size.x);
  };
  within("figure.0.note");
  within("figure.0.read");
  CHECK(ui::places().at("figure.0.read").y > ui::places().at("figure.0.note").y);
  app.session.tell("Solved: rows that begin ten addresses apart. 1 of 77 tasks of the course are done");
  app.settle();
  within("toast");
}

TEST_CASE("a small window has a picture") {
  for (const auto& [w, h] : {std::pair{640.0F, 400.0F}, {800.0F, 480.0F}, {1280.0F, 720.0F}}) {
    const WindowLayout now = layoutOf(PaneSizes(), {w, h}, 1);
    INFO(w << " x " << h);
    CHECK(now.middle.size.y >= 0.6F * (h - now.top.size.y));
    CHECK(now.bottom.size.y >= 70);
  }
  App app;
  ImGui::GetIO().DisplaySize = {640, 400};
  app.type("show (8,8):(8,1) as grid");
  app.settle();
  const ui::Place p = ui::places().at("figure.0.picture");
  const WindowLayout now = layoutOf(PaneSizes(), {640, 400}, 1);
  CHECK(p.y + p.h <= now.middle.at.y + now.middle.size.y);
  CHECK(p.h >= 100);
}
