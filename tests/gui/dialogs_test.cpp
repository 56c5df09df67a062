// Dialogs: Esc cancels each, and nothing that was typed or written is lost without confirmation.
#include <fstream>
#include <sstream>

#include "app/gui/commands.h"
#include "app/gui/dialogs/file_dialogs.h"
#include "solver/prove/prove.h"
#include "tests/gui/app.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

constexpr int kEscape = 256, kEnter = 257, kTab = 258, kBackspace = 259;

std::string contentOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

fs::path folder(const char* name) {
  const fs::path p = scratch() / name;
  fs::remove_all(p);
  fs::create_directories(p);
  return p;
}

// What a path dialog's field holds is typed over.
void answerPath(App& app, const fs::path& path) {
  app.frame(3);
  app.type(path.string());
  app.key(kEnter);
  app.frame(2);
}

bool asks(const App& app, const std::string& name) {
  return !app.state.dialogs.empty() && app.state.dialogs.back().name == name;
}

}  // namespace

TEST_CASE("an export that was opened with its button is closed by Esc and stays closed") {
  App app;
  app.type("show (4,8):(8,1) as grid");
  app.settle();
  app.click("figure.0.export");
  app.frame(2);
  REQUIRE(app.state.question.ask == PathQuestion::Ask::Export);
  app.key(kEscape);
  app.frame(5);
  CHECK(app.state.question.ask == PathQuestion::Ask::None);
  app.type("!");
  CHECK(app.session.document().text() == "show (4,8):(8,1) as grid!");
}

TEST_CASE("a failed export says why, can be mended, and leaves no dead keyboard") {
  const fs::path here = folder("failed-export");
  App app;
  app.type("show (4,8):(8,1) as grid");
  app.settle();
  app.click("figure.0.export");
  answerPath(app, here / "a.xyz");
  CHECK(app.state.question.ask == PathQuestion::Ask::Export);
  CHECK_FALSE(app.state.question.problem.empty());
  for (int k = 0; k < 3; ++k) app.key(kBackspace);
  app.type("svg");
  CHECK(app.state.question.path == (here / "a.svg").string());
  app.key(kEnter);
  CHECK(fs::exists(here / "a.svg"));
  CHECK(app.state.question.ask == PathQuestion::Ask::None);
  app.click("figure.0.export");
  answerPath(app, here / "missing" / "b.svg");
  CHECK(app.state.question.ask == PathQuestion::Ask::Export);
  app.click("dialog.cancel");
  app.type("!");
  CHECK(app.session.document().text() == "show (4,8):(8,1) as grid!");
  // What went wrong last time is not what a new dialog begins with.
  app.key('S', true, true);
  CHECK(app.state.question.problem.empty());
}

TEST_CASE("the questions to the solver come as one file, or as a file each") {
  const fs::path here = folder("questions");
  App app;
  app.type(
      "prove injective((3,5):(5,1)) by z3\nprove equal((4,8):(8,1), (4,8):(1,4)) by z3\nprove injective((4,8):(8,1))");
  app.settle();
  app.click("claims.smt2");
  CHECK(app.state.question.path == "claims.smt2");  // one file, as the web page downloads it
  answerPath(app, here / "all.smt2");
  CHECK(app.state.question.ask == PathQuestion::Ask::None);
  const std::string all = contentOf(here / "all.smt2");
  const auto count = [&](const std::string& what) {
    int n = 0;
    for (std::size_t at = all.find(what); at != std::string::npos; at = all.find(what, at + 1)) ++n;
    return n;
  };
  // Without Z3 there is one more about the first claim.
  CHECK(count("(check-sat)\n") == (haveZ3() ? 2 : 3));
  CHECK(count("(reset)\n") == count("(check-sat)\n") - 1);
  CHECK(all.rfind("; line 1, injective_1.smt2\n; injective((3,5):(5,1))\n", 0) == 0);
  CHECK(count("(reset)\n; line 2, equal_1_1.smt2\n; equal((4,8):(8,1), (4,8):(1,4))\n") == 1);

  app.click("claims.smt2");
  answerPath(app, here);
  CHECK(all.find(contentOf(here / "line1_injective_1.smt2")) != std::string::npos);
  CHECK(all.find(contentOf(here / "line2_equal_1_1.smt2")) != std::string::npos);
  // Both ask before they replace files.
  app.click("claims.smt2");
  answerPath(app, here / "all.smt2");
  CHECK(asks(app, "replace"));
  app.key(kEscape);
  app.key(kEscape);
  app.click("claims.smt2");
  answerPath(app, here);
  CHECK(asks(app, "replace"));
}

TEST_CASE("an export over a file asks; Enter, Esc and a click beside it keep the file") {
  const fs::path here = folder("overwrite");
  std::ofstream(here / "a.svg") << "mine";
  App app;
  app.type("show (4,8):(8,1) as grid");
  app.settle();
  for (const int key : {kEnter, kEscape}) {
    app.click("figure.0.export");
    answerPath(app, here / "a.svg");
    REQUIRE(asks(app, "replace"));
    app.clickAt(20, 980);
    CHECK(asks(app, "replace"));
    app.key(key);
    CHECK(app.state.dialogs.empty());
    CHECK(contentOf(here / "a.svg") == "mine");
    CHECK(app.state.question.ask == PathQuestion::Ask::Export);  // another name can be given
    app.key(kEscape);
    CHECK(app.state.question.ask == PathQuestion::Ask::None);
  }
  app.click("figure.0.export");
  answerPath(app, here / "a.svg");
  app.click("replace.replace");
  CHECK(contentOf(here / "a.svg").size() > 500);
  CHECK(app.state.question.ask == PathQuestion::Ask::None);
}

TEST_CASE("Save as over another worksheet asks, over its own file it does not") {
  const fs::path here = folder("save-as");
  std::ofstream(here / "other.tess") << "other";
  App app;
  app.type("size((4,8))");
  app.key('S', true, true);
  answerPath(app, here / "mine.tess");
  CHECK(contentOf(here / "mine.tess") == "size((4,8))");
  app.type("2");
  app.key('S', true, true);
  answerPath(app, here / "mine.tess");
  CHECK(app.state.dialogs.empty());
  CHECK(contentOf(here / "mine.tess") == "size((4,8))2");
  app.key('S', true, true);
  answerPath(app, here / "other.tess");
  REQUIRE(asks(app, "replace"));
  app.key(kEscape);
  app.key(kEscape);
  CHECK(contentOf(here / "other.tess") == "other");
  CHECK(app.session.document().path() == (here / "mine.tess").string());
}

TEST_CASE("a new worksheet offers to save first: Enter does, and what was asked for goes on") {
  const fs::path here = folder("discard");
  App app;
  app.type("size((4,8))");
  app.key('S', true, true);
  answerPath(app, here / "mine.tess");
  app.type("2");
  app.key('N', true);
  REQUIRE(asks(app, "discard"));
  CHECK(app.session.document().text() == "size((4,8))2");
  app.key(kEnter);
  CHECK(contentOf(here / "mine.tess") == "size((4,8))2");
  CHECK(app.session.document().text().empty());
  CHECK(app.session.document().path().empty());
}

TEST_CASE("text without a file goes through Save as; cancelled there, it stays") {
  const fs::path here = folder("discard-untitled");
  App app;
  app.type("size((4,8))");
  app.key('N', true);
  app.key(kEnter);
  REQUIRE(app.state.question.ask == PathQuestion::Ask::SaveAs);
  CHECK(app.session.document().text() == "size((4,8))");
  app.key(kEscape);
  app.frame(3);
  CHECK(app.session.document().text() == "size((4,8))");
  app.key('S', true, true);  // a later Save as has nothing to go on with
  answerPath(app, here / "a.tess");
  CHECK(app.session.document().text() == "size((4,8))");
  app.type("3");
  app.session.document().reset("size((4,8))3", "", /*saved=*/false);
  app.key('N', true);
  app.key(kEnter);
  answerPath(app, here / "b.tess");
  CHECK(contentOf(here / "b.tess") == "size((4,8))3");
  CHECK(app.session.document().text().empty());
}

TEST_CASE("changes are discarded only by the button that says so") {
  App app;
  app.type("size((4,8))");
  app.key('N', true);
  app.click("discard.cancel");
  CHECK(app.session.document().text() == "size((4,8))");
  app.key('N', true);
  app.clickAt(20, 980);  // beside it
  CHECK(asks(app, "discard"));
  app.key(kEscape);
  CHECK(app.session.document().text() == "size((4,8))");
  app.key('N', true);
  app.frame(2);
  app.click("discard.discard");
  CHECK(app.session.document().text().empty());
  CHECK(app.state.dialogs.empty());
}

TEST_CASE("a save that fails replaces nothing and says why") {
  const fs::path here = folder("discard-failed");
  App app;
  app.session.document().reset("size((4,8))", (here / "gone" / "a.tess").string(), /*saved=*/false);
  app.frame(2);
  app.key('N', true);
  app.key(kEnter);
  REQUIRE(asks(app, "discard"));
  CHECK_FALSE(app.state.dialogs.back().problem.empty());
  CHECK(app.session.document().text() == "size((4,8))");
}

TEST_CASE("Open asks when text is about to go, not before a file is chosen") {
  const fs::path here = folder("open");
  std::ofstream(here / "other.tess") << "rank((2,2))";
  App app;
  app.type("size((4,8))");
  app.key('O', true);
  CHECK(app.state.dialogs.empty());
  REQUIRE(app.state.question.ask == PathQuestion::Ask::Open);
  answerPath(app, here / "missing.tess");
  CHECK(app.state.dialogs.empty());
  CHECK(app.state.question.problem.find("does not exist") != std::string::npos);
  app.key('A', true);
  answerPath(app, here / "other.tess");
  REQUIRE(asks(app, "discard"));
  CHECK(app.session.document().text() == "size((4,8))");
  app.key(kEscape);
  REQUIRE(app.state.question.ask == PathQuestion::Ask::Open);  // another can be chosen
  app.key(kEnter);
  app.frame(2);
  app.click("discard.discard");
  CHECK(app.session.document().text() == "rank((2,2))");
  CHECK(app.state.question.ask == PathQuestion::Ask::None);
  CHECK_FALSE(app.state.editor.hasSelection(app.session.document()));
  app.type("1");
  CHECK(app.session.document().text() == "1rank((2,2))");
}

TEST_CASE("a gallery sheet that was changed is not replaced without a question") {
  App app;
  app.click("tab.gallery");
  app.frame(2);
  std::string first;
  for (const auto& [name, place] : ui::places())
    if (name.rfind("gallery.", 0) == 0 && place.y > 0 && place.y < 900) first = name;
  REQUIRE_FALSE(first.empty());
  app.click(first);
  app.settle();
  CHECK(app.state.dialogs.empty());
  app.type("1");
  const std::string changed = app.session.document().text();
  app.click("tab.gallery");
  app.frame(2);
  app.click(first);
  CHECK(asks(app, "discard"));
  app.key(kEscape);
  CHECK(app.session.document().text() == changed);
}

TEST_CASE("Tab goes round the choices, Enter takes one, and one that fails stays with its reason") {
  App app;
  std::string taken;
  const auto ask = [&] {
    askUser(app.state, {.name = "q",
                        .title = "Which?",
                        .text = "One of three.",
                        .choices = {{"a", "A", [&] { return taken = "a", std::string(); }},
                                    {"b", "B", [&] { return taken = "b", std::string("no"); }},
                                    {"c", "C", {}}}});
    app.frame(2);
  };
  ask();
  app.key(kEnter);
  CHECK(taken == "a");
  ask();
  app.key(kTab);
  app.key(kEnter);
  CHECK(taken == "b");
  REQUIRE(asks(app, "q"));
  CHECK(app.state.dialogs.back().problem == "no");
  app.key(kTab);
  app.key(kTab);
  CHECK(app.state.dialogs.back().marked == 0);
  app.key(kTab, false, /*shift=*/true);
  app.key(kEnter);
  CHECK(app.state.dialogs.empty());
}
