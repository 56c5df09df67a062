// Two sheets side by side in the window: opened from the menu's question, navigated by keys, closed by Esc.
#include "app/gui/panes/sheet_compare.h"

#include <fstream>

#include "app/gui/commands.h"
#include "app/gui/dialogs/file_dialogs.h"
#include "core/worksheet/value.h"
#include "tests/gui/app.h"
#include "tests/gui/state_folder.h"
#include "tests/support/run_document.h"

using namespace tessera;
namespace fs = std::filesystem;
using Kind = SheetRow::Kind;

namespace {

const std::string kMine = "A = (4,8):(8,1)\nsize(A)\nA(1,0)\nprove injective(A)\nprove size(A) == 32\n";
const std::string kTheirs = "A = (4,8):(9,1)\nsize(A)\ncosize(A)\nA(1,0)\nprove injective(A)\nprove size(A) == 32\n";

void settled(App& app) {
  app.settle();
  REQUIRE(app.state.sheets.open());
  REQUIRE(app.state.sheets.other->waitUntilEvaluated(600));
  app.frame(3);
}

std::size_t countOf(const SheetCompare& c, Kind kind) {
  std::size_t n = 0;
  for (const SheetRow& row : c.diff.rows) n += row.kind == kind;
  return n;
}

}  // namespace

TEST_CASE("two sheets are compared: lines, words and answers that differ are marked, by keys one after the other") {
  App app;
  app.session.document().reset(kMine);
  app.settle();
  compareWith(app.session, app.state, "theirs.tess", kTheirs);
  settled(app);
  SheetCompare& c = app.state.sheets;
  CHECK(ui::keyboard().owner() == ui::Owner::Sheets);
  CHECK(ui::places().count("sheets.rows") == 1);
  CHECK(c.diff.answered);
  CHECK(countOf(c, Kind::Changed) == 1);
  CHECK(countOf(c, Kind::Second) == 1);
  // A(1,0) is the same line, and 8 against 9; the proofs are the same.
  CHECK(countOf(c, Kind::Answer) == 1);
  CHECK(c.diff.sentence == "2 lines differ; 1 answer differs, in 3 places");
  REQUIRE(c.diff.places.size() == 3);
  CHECK(c.at == 0);
  app.type("n");
  CHECK(c.at == 1);
  app.type("N");
  app.type("n");
  CHECK(c.at == 0);
  app.type("p");
  CHECK(c.at == 2);
  // Blinked, each is at the other's place.
  app.type(" ");
  CHECK(c.blink);
  const bool second = c.second;
  app.type(" ");
  CHECK(c.second != second);
  app.click("sheets.only");
  CHECK(countOf(c, Kind::Answer) == 1);
  app.click("sheets.next");
  app.click("sheets.previous");
  app.click("sheets.blink");
  CHECK_FALSE(c.blink);
  // Nothing was typed, and Esc leads back.
  CHECK(app.session.document().text() == kMine);
  app.key(256);
  CHECK_FALSE(app.state.sheets.open());
  CHECK(ui::keyboard().owner() == ui::Owner::Worksheet);
  app.type("z");
  CHECK(app.session.document().text() != kMine);
}

TEST_CASE("what the comparison says is what the sheets say when they are run") {
  App app;
  app.session.document().reset(kMine);
  app.settle();
  compareWith(app.session, app.state, "theirs.tess", kTheirs);
  settled(app);
  const SheetCompare& c = app.state.sheets;
  // The slow opinion: both run from the start, their values printed.
  const auto values = [](const std::string& text) {
    std::map<int, std::string> said;
    for (const Outcome& o : runDocument(text))
      if (o.value) said[o.statement.line] = print(*o.value);
    return said;
  };
  const auto mine = values(kMine), theirs = values(kTheirs);
  for (const SheetRow& row : c.diff.rows) {
    if (row.kind != Kind::Answer) continue;
    CHECK(mine.at(static_cast<int>(row.first) + 1) != theirs.at(static_cast<int>(row.second) + 1));
    CHECK(c.diff.a.answers[static_cast<std::size_t>(row.first)] == mine.at(static_cast<int>(row.first) + 1));
    CHECK(c.diff.b.answers[static_cast<std::size_t>(row.second)] == theirs.at(static_cast<int>(row.second) + 1));
  }
  // A verdict that differs, too, and an error.
  compareWith(app.session, app.state, "other",
              "A = (4,8):(4,1)\nsize(A)\nA(1,0)\nprove injective(A)\nprove size(B) == 32\n");
  settled(app);
  bool verdict = false, error = false;
  for (const SheetRow& row : c.diff.rows) {
    if (row.kind != Kind::Answer) continue;
    const std::string& said = c.diff.b.answers[static_cast<std::size_t>(row.second)];
    verdict |= said.rfind("refuted", 0) == 0;
    error |= said.rfind("error", 0) == 0;
  }
  CHECK(verdict);
  CHECK(countOf(c, Kind::Changed) == 2);
  CHECK(error);
}

TEST_CASE("the menu asks which sheet: the saved one, a file, a lesson; a folder is refused") {
  const StateFolder folder;
  const std::string path = folder / "mine.tess", other = folder / "other.tess";
  putFile(path, "one = 1\n");
  putFile(other, "one = 2\n");
  App app;
  REQUIRE(app.session.open(path));
  app.session.document().replace(0, 3, "two");
  app.session.touch();
  app.settle();
  app.click("menu.File");
  app.click("command.file.compare");
  app.frame(2);
  REQUIRE(app.state.dialogs.size() == 1);
  REQUIRE(ui::places().count("compare_sheet.sheet.0") == 1);
  CHECK(ui::keyboard().owner() == ui::Owner::Dialog);
  // The first is what the file has; Enter takes it.
  app.key(257);
  settled(app);
  CHECK(app.state.sheets.diff.textB == "one = 1\n");
  CHECK(app.state.sheets.diff.sentence == "1 line differs, in 1 place");
  app.key(256);
  CHECK(app.session.document().text() == "two = 1\n");
  // A row is a click; the arrows move the mark.
  app.click("menu.File");
  app.click("command.file.compare");
  app.frame(2);
  app.key(264);
  app.key(257);
  app.frame(2);
  REQUIRE(app.state.sheets.open());
  app.key(256);
  app.click("menu.File");
  app.click("command.file.compare");
  app.frame(2);
  app.click("compare_sheet.sheet.1");
  app.frame(2);
  CHECK(app.state.sheets.open());
  CHECK(app.state.dialogs.empty());
  app.key(256);
  // A file.
  app.click("menu.File");
  app.click("command.file.compare");
  app.frame(2);
  app.click("compare_sheet.file");
  app.frame(2);
  CHECK(ui::keyboard().owner() == ui::Owner::Path);
  const auto typed = [&](const std::string& text) {
    app.key('A', true);
    app.type(text);
  };
  typed(folder / "nothing.tess");
  app.click("dialog.accept");
  CHECK(app.state.question.problem.find("nothing.tess") != std::string::npos);
  typed(folder / ".");
  app.click("dialog.accept");
  CHECK(app.state.question.problem.find("is a folder") != std::string::npos);
  typed(other);
  app.click("dialog.accept");
  settled(app);
  CHECK(app.state.sheets.nameB == "other.tess");
  CHECK(app.state.sheets.diff.textB == "one = 2\n");
  CHECK(app.state.question.ask == PathQuestion::Ask::None);
}

TEST_CASE("a sheet that another window has open can be looked at, and stays that window's") {
  const StateFolder folder;
  Session elsewhere;
  elsewhere.keepSheets(Journal::Pace::ByHand);
  elsewhere.document().reset("theirs = (4,8):(8,1)\n");
  REQUIRE(elsewhere.sheets().flush().ok());
  App app;
  app.session.keepSheets(Journal::Pace::ByHand);
  app.session.document().reset("mine = 1\n");
  const auto there = app.session.sheets().inOtherWindows();
  REQUIRE(there.size() == 1);
  CHECK(app.session.sheets().others().empty());
  CHECK(app.session.sheets().textOf(there[0].id) == "theirs = (4,8):(8,1)\n");
  CHECK_FALSE(app.session.sheets().textOf("nosuch"));
  // What is typed there next is seen by the next look.
  elsewhere.document().replace(0, 0, "more\n");
  REQUIRE(elsewhere.sheets().flush().ok());
  CHECK(app.session.sheets().textOf(there[0].id) == "more\ntheirs = (4,8):(8,1)\n");
  CHECK_FALSE(app.session.recover(there[0].id));
}

TEST_CASE("the comparison stands at every size and scale, and with sheets of every kind") {
  App app;
  std::string large, wide = "A = (";
  for (int k = 0; k < 5000; ++k) large += "x" + std::to_string(k) + " = " + std::to_string(k * 7) + "\n";
  for (int k = 0; k < 3000; ++k) wide += "4,";
  wide += "4)\n\xff\xfe bad bytes\n\tc\n";
  const std::vector<std::pair<std::string, std::string>> sheets = {
      {"", ""}, {"", kMine}, {kMine, ""}, {kMine, kTheirs}, {large, kMine + large}, {wide, wide + "B"}, {wide, "A"}};
  for (const auto& [mine, theirs] : sheets) {
    app.session.document().reset(mine);
    app.session.touch();
    compareWith(app.session, app.state, "a name that is so long that it does not fit over its column.tess", theirs);
    for (const double scale : {0.75, 1.0, 2.0, 3.0}) {
      for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(1920, 1080), ImVec2(300, 200), ImVec2(20, 20)}) {
        app.displayScale = scale;
        ImGui::GetIO().DisplaySize = size;
        for (const int key : {267, 269, 268, 264, int{'N'}}) {
          if (key == 'N') app.type("n ");
          if (key != 'N') app.key(key);
          const SheetCompare& c = app.state.sheets;
          REQUIRE(std::isfinite(c.scroll));
          REQUIRE(c.scroll >= 0);
          REQUIRE(c.scroll <= c.tops.back());
        }
        for (const char* name : {"sheets.next", "sheets.close"}) {
          const ui::Place p = ui::places().at(name);
          if (size.x >= 1280) CHECK(p.x + p.w <= size.x);
        }
      }
    }
  }
  app.displayScale = 1;
  ImGui::GetIO().DisplaySize = {1600, 1000};
  // Text that changes after it is followed.
  app.session.document().reset("same\n");
  compareWith(app.session, app.state, "b", "same\n");
  settled(app);
  CHECK(app.state.sheets.diff.sentence == "The sheets are the same");
  app.session.document().replace(0, 4, "other");
  app.session.touch();
  settled(app);
  CHECK(app.state.sheets.diff.sentence.rfind("2 lines differ", 0) == 0);
}
