// Ctrl+K finds sheets, functions, instructions, views, sections of the manual and names. Enter does the expected thing.
#include "app/gui/palette.h"

#include "app/engine/help/fuzzy.h"
#include "app/gui/panes/manual.h"
#include "tests/gui/app.h"

namespace tessera {
namespace {

using Kind = PaletteEntry::Kind;

std::vector<PaletteEntry> found(App& app, const std::string& query) {
  return paletteFind(app.session, app.state, query);
}
bool has(const std::vector<PaletteEntry>& list, Kind kind) {
  return std::any_of(list.begin(), list.end(), [&](const PaletteEntry& e) { return e.kind == kind; });
}
// Ctrl+K, the words, Enter.
void ask(App& app, const std::string& words) {
  app.key('K', true);
  app.frame(2);
  app.type(words);
  app.key(257);
  app.frame(2);
}

}  // namespace

TEST_CASE("fuzzy: beginnings before middles, letters in order, words of the query all") {
  CHECK(fuzzyScore("swiz", "swizzle") > fuzzyScore("swiz", "The swizzle"));
  CHECK(fuzzyScore("swiz", "The swizzle") > fuzzyScore("wiz", "The swizzle"));
  CHECK(fuzzyScore("lp", "logical_product"));
  CHECK(fuzzyScore("LDM", "ldmatrix.x4"));
  CHECK_FALSE(fuzzyScore("xyz", "logical_product"));
  CHECK_FALSE(fuzzyScore("swiz banana", "The swizzle"));
  CHECK(fuzzyScore("the swiz", "The swizzle"));
  CHECK(fuzzyScore("", "anything") == 0);
  CHECK_FALSE(fuzzyScore("a", ""));
}

TEST_CASE("\"swiz\" finds the lesson, functions and the section of the manual") {
  App app;
  const auto list = found(app, "swiz");
  REQUIRE(!list.empty());
  CHECK(has(list, Kind::Lesson));
  CHECK(has(list, Kind::Manual));
  CHECK(has(list, Kind::Function));
  CHECK(list.front().title.find("wizzle") != std::string::npos);
}

TEST_CASE("every kind is found by what a person would type") {
  App app;
  app.session.newWorksheet();
  app.frame(2);
  app.type("MyTile = (4,8):(8,1)\n");
  app.settle();
  const std::pair<const char*, Kind> asked[] = {{"save", Kind::Command},
                                                {"compl", Kind::Function},
                                                {"injec", Kind::Claim},
                                                {"ldmatrix.x4", Kind::Instruction},
                                                {"mma m16n8k16 f16", Kind::Instruction},
                                                {"banks", Kind::View},
                                                {"verdicts", Kind::Manual},
                                                {"mytile", Kind::Name},
                                                {"transpose", Kind::Lesson}};
  for (const auto& [words, kind] : asked) {
    INFO(words);
    CHECK(has(found(app, words), kind));
  }
  CHECK(found(app, "mytile").front().kind == Kind::Name);
  CHECK(found(app, "ldmatrix.x4").front().title == "ldmatrix.x4");
}

TEST_CASE("Enter opens a lesson, and asks before unsaved text goes") {
  App app;
  app.session.newWorksheet();
  app.frame(2);
  app.type("A = (4,8):(8,1)");
  const std::string mine = app.session.document().text();
  ask(app, "f2 matrix");
  CHECK(app.session.document().text() == mine);  // asked first
  CHECK_FALSE(app.state.palette.open);
  app.session.newWorksheet();
  app.state.dialogs.clear();
  app.frame(2);
  ask(app, "f2 matrix");
  CHECK(app.session.document().text().find("A swizzle is a matrix of bits") != std::string::npos);
}

TEST_CASE("Enter inserts an instruction's picture, a view, a function; jumps to a name; opens the manual there") {
  App app;
  app.session.newWorksheet();
  app.frame(2);
  app.type("Tile = (4,8):(8,1)\nB = 2");
  app.settle();
  ask(app, "ldmatrix.x4");
  CHECK(app.session.document().text() == "Tile = (4,8):(8,1)\nB = 2\nshow atlas(ldmatrix.x4)");
  app.settle();
  ask(app, "digit flow");
  CHECK(app.session.document().text() == "Tile = (4,8):(8,1)\nB = 2\nshow atlas(ldmatrix.x4)\nshow Tile as flow");
  app.settle();
  ask(app, "tile");
  CHECK(app.session.document().caret() == 0);
  CHECK(app.state.editor.focused);
  app.key(257);
  app.key(265);
  ask(app, "logical_divide");
  CHECK(app.session.document().text().rfind("logical_divide(\n", 0) == 0);
  ask(app, "verdicts");
  CHECK(app.state.manual.open);
  app.frame(3);
  CHECK(app.state.manual.section.empty());  // scrolled there
  const auto& sections = manualSections();
  CHECK(std::find(sections.begin(), sections.end(), "Verdicts") != sections.end());
}

TEST_CASE("nothing typed lists commands and lessons; nonsense says that nothing was found") {
  App app;
  CHECK(has(found(app, ""), Kind::Command));
  CHECK(has(found(app, ""), Kind::Lesson));
  CHECK_FALSE(has(found(app, ""), Kind::Instruction));
  CHECK(found(app, "qqqqzzzz").empty());
  ask(app, "qqqqzzzz");
  CHECK(app.state.palette.open);
}

}  // namespace tessera
