// Edits of lines and names: comments, moves, copies, definitions and renames.
#include "app/views/editor/line_edits.h"

#include <map>
#include <random>

#include "app/engine/names/sheet_names.h"
#include "app/widgets/keyboard.h"
#include "core/base/chars.h"
#include "tests/gui/app.h"
#include "tests/support/run_document.h"

using namespace tessera;
using namespace tessera::panes;

namespace {

std::string applied(std::string text, const LineEdit& e) {
  REQUIRE(e.begin <= e.end);
  REQUIRE(e.end <= text.size());
  text.replace(e.begin, e.end - e.begin, e.with);
  CHECK(e.caret <= text.size());
  CHECK(e.anchor <= text.size());
  return text;
}

std::string randomText(std::mt19937& random) {
  const char* const kLines[] = {"", "  ", "A = 1", "  x", "show A", "size(A)", "B = (4,8):(8,1)"};
  std::string text;
  const int n = 1 + static_cast<int>(random() % 6);
  for (int k = 0; k < n; ++k) text += (k > 0 ? "\n" : "") + std::string(kLines[random() % 7]);
  return text;
}

// The answers of a sheet: values and verdicts, without names.
std::vector<std::string> answers(const std::string& text) {
  std::vector<std::string> all;
  for (const Outcome& o : runDocument(text))
    all.push_back(o.diag      ? "error " + o.diag->message
                  : o.value   ? print(*o.value)
                  : o.verdict ? std::to_string(static_cast<int>(o.verdict->truth))
                              : "");
  return all;
}

}  // namespace

TEST_CASE("comments come and go, and a move has a way back") {
  CHECK(applied("A = 1\nB = 2", toggleComment("A = 1\nB = 2", 0, 11)) == "// A = 1\n// B = 2");
  CHECK(applied("  a\n    b\n", toggleComment("  a\n    b\n", 0, 10)) == "  // a\n  //   b\n");
  CHECK(applied("//a\n// b", toggleComment("//a\n// b", 0, 8)) == "a\nb");
  CHECK(applied("a\n// b", toggleComment("a\n// b", 0, 6)) == "// a\n// // b");
  CHECK(applied("a\nb\nc", *moveLines("a\nb\nc", 2, 2, -1)) == "b\na\nc");
  CHECK(applied("a\nb\nc", *moveLines("a\nb\nc", 2, 2, 1)) == "a\nc\nb");
  CHECK(applied("a\nb", duplicateLines("a\nb", 0, 0)) == "a\na\nb");
  CHECK_FALSE(moveLines("a\nb", 0, 1, -1));
  CHECK_FALSE(moveLines("a\nb", 2, 2, 1));
  CHECK(lineAround("a\nbc\nd", 3).begin == 2);
  CHECK(lineAround("a\nbc\nd", 3).end == 5);
  std::mt19937 random(29);
  for (int k = 0; k < 3000; ++k) {
    const std::string text = randomText(random);
    const std::size_t anchor = random() % (text.size() + 1), caret = random() % (text.size() + 1);
    INFO(text << "|" << anchor << " " << caret);
    const LineEdit comment = toggleComment(text, anchor, caret);
    const std::string commented = applied(text, comment);
    CHECK(applied(commented, toggleComment(commented, comment.anchor, comment.caret)) == text);
    for (const int direction : {-1, 1}) {
      const auto moved = moveLines(text, anchor, caret, direction);
      if (!moved) continue;
      // A selection that ends with an empty line touches one line less afterwards.
      if (anchor != caret && applied(text, *moved)[std::max<std::size_t>(moved->caret, 1) - 1] == '\n') continue;
      const std::string there = applied(text, *moved);
      CHECK(std::ranges::count(there, '\n') == std::ranges::count(text, '\n'));
      const auto back = moveLines(there, moved->anchor, moved->caret, -direction);
      REQUIRE(back);
      CHECK(applied(there, *back) == text);
    }
  }
}

TEST_CASE("a name leads to its last binding above, and a rename changes no answer") {
  const std::string text =
      "A = (4,8):(8,1) // A\n"
      "AB = A\n"
      "S(A, c) = A * 8 + c over (4, 8)\n"
      "prove injective(A)\n"
      "A = composition(A, (2,4):(1,4))\n"
      "size(A)\n"
      "prove equal(S, AB)\n";
  const auto at = [&](const std::string& what) { return text.find(what); };
  CHECK(definitionOf(text, at("A\nS(")) == 0);
  CHECK(definitionOf(text, at("A)\nA =")) == 0);
  CHECK(definitionOf(text, at("A)\nprove equal")) == at("A = comp"));
  CHECK(definitionOf(text, at("A, (2,4)")) == 0);
  CHECK(definitionOf(text, at("S, AB")) == at("S(A"));
  CHECK_FALSE(definitionOf(text, at("size")));
  CHECK_FALSE(definitionOf(text, at("// A") + 3));
  // The first A: its binding, AB, the claim, and the right side of the new binding.
  CHECK(usesOf(text, 0).size() == 4);
  const auto before = answers(text);
  for (const char* name : {"A = (4", "AB = ", "S(A", "A = comp", "A)\nprove equal"}) {
    INFO(name);
    const auto edit = renamed(text, at(name), "fresh");
    REQUIRE(edit.ok());
    const std::string after = applied(text, *edit);
    INFO(after);
    CHECK(answers(after) == before);
    CHECK(after.substr(edit->caret, 5) == "fresh");
  }
  CHECK_FALSE(renamed(text, 0, "AB").ok());
  CHECK_FALSE(renamed(text, 0, "1x").ok());
  CHECK_FALSE(renamed(text, 0, "").ok());
  CHECK_FALSE(renamed(text, at("size"), "fresh").ok());
}

TEST_CASE("the keys of lines and names work in the window") {
  App app;
  app.session.document().reset("A = (4,8):(8,1)\nB = 7\nsize(A)");
  app.settle();
  const auto text = [&] { return app.session.document().text(); };
  const auto caret = [&](const std::string& what) {
    panes::placeCaret(app.session, app.state.editor, text().find(what));
    app.frame(2);
  };
  caret("B = 7");
  app.key('/', true);
  CHECK(text() == "A = (4,8):(8,1)\n// B = 7\nsize(A)");
  app.key('/', true);
  app.key(264, true, true);
  CHECK(text() == "A = (4,8):(8,1)\nsize(A)\nB = 7");
  app.key(265, true, true);
  app.key('D', true);
  CHECK(text() == "A = (4,8):(8,1)\nB = 7\nB = 7\nsize(A)");
  app.key('Z', true);
  CHECK(text() == "A = (4,8):(8,1)\nB = 7\nsize(A)");
  caret("A)");
  app.key(301);
  CHECK(app.session.document().caret() == 0);
  app.key(291);
  app.frame(3);
  REQUIRE(ui::keyboard().owner() == ui::Owner::Dialog);
  app.type("L");
  app.key(257);
  app.frame(2);
  CHECK(text() == "L = (4,8):(8,1)\nB = 7\nsize(L)");
  app.key('Z', true);
  CHECK(text() == "A = (4,8):(8,1)\nB = 7\nsize(A)");
}

TEST_CASE("three clicks select a line, and Ctrl with a click goes to the definition") {
  App app;
  app.session.document().reset("A = (4,8):(8,1)\nsize(A)\nB = 7");
  app.session.document().setCaret(3);
  app.state.editor.caret.used = true;
  app.settle();
  const ui::Place editor = ui::places().at("editor");
  const auto point = [&](std::size_t byte) {
    const Place p = app.state.editor.layout.place(byte);
    app.moveTo(editor.x + 54 + p.x + 3, editor.y + 6 + static_cast<float>(p.y) + 10);
  };
  const auto click = [&] {
    ImGui::GetIO().MouseDown[0] = true;
    app.frame();
    ImGui::GetIO().MouseDown[0] = false;
    app.frame();
  };
  const std::size_t use = app.session.document().text().find("A)\n");
  point(use);
  click();
  click();
  click();
  CHECK(app.state.editor.anchor == 16);
  CHECK(app.session.document().caret() == 24);
  app.frame(60);
  ImGui::GetIO().KeyCtrl = true;
  click();
  ImGui::GetIO().KeyCtrl = false;
  app.frame();
  CHECK(app.session.document().caret() == 0);
  CHECK(app.state.editor.anchor == 0);
}
