// Find and replace: words in any case, regular expressions within lines.
#include "app/views/find/replace.h"

#include "app/widgets/keyboard.h"
#include "tests/gui/app.h"

using namespace tessera;
using namespace tessera::panes;

namespace {

std::string all(std::string text, const std::string& wanted, const std::string& with, bool regex) {
  const auto made = replacedIn(text, wanted, with, regex, {0, text.size()});
  REQUIRE(made.ok());
  if (made->count == 0) return text;
  return text.replace(made->place.begin, made->place.end - made->place.begin, made->with);
}

}  // namespace

TEST_CASE("words and regular expressions are found and replaced") {
  CHECK(all("A = 1\nAB", "a", "x", false) == "x = 1\nxB");
  CHECK(all("a.b", ".", "$1", false) == "a$1b");
  CHECK(all("(4,8):(8,1)", "(\\d+),(\\d+)", "$2,$1", true) == "(8,4):(1,8)");
  CHECK(all("ab\nab", "^a", "[$&]", true) == "[a]b\n[a]b");
  CHECK(all("x", "y*", "z", true) == "x");  // an empty match is none
  CHECK(all("", "a", "b", true).empty());
  const std::string text = "A = (4,8):(8,1)\nshow A as grid // A\n\nprove injective(A)";
  for (const char* pattern : {"A", "\\w+", "[(),]", "^.*$", "o.*e", "\\bA\\b"}) {
    INFO(pattern);
    CHECK(all(text, pattern, "$&", true) == text);
    const auto found = occurrencesIn(text, pattern, true);
    REQUIRE(found.ok());
    CHECK_FALSE(found->empty());
    std::size_t end = 0;
    for (const Span& s : *found) {
      CHECK(s.begin >= end);
      CHECK(s.end > s.begin);
      CHECK(text.substr(s.begin, s.end - s.begin).find('\n') == std::string::npos);
      end = s.end;
    }
  }
  for (const char* bad : {"(", "[", "*", "a{2,1}", "\\"}) {
    INFO(bad);
    const auto found = occurrencesIn(text, bad, true);
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().message.find("no regular expression") != std::string::npos);
  }
}

TEST_CASE("no expression takes exponential time, and lines beyond the limit have no match") {
  // With backtracking this would be 2^40 steps.
  const std::string line = std::string(40, 'a') + "!";
  CHECK(occurrencesIn(line, "(a+)+$", true)->empty());
  CHECK_FALSE(occurrencesIn("aa", "(a)\\1", true).ok());
  const std::string longLine(kMostPatternLine + 1, 'a');
  CHECK(occurrencesIn(longLine + "\na", "a", true)->size() == 1);
  CHECK(occurrencesIn(longLine, "a", false)->size() == longLine.size());
}

TEST_CASE("the window replaces one, all, and all of an expression, each in one step") {
  App app;
  const std::string text = "A = (4,8):(8,1)\nsize(A)\nshow A";
  app.session.document().reset(text);
  app.session.document().setCaret(0);
  app.state.editor.anchor = 0;
  app.settle();
  app.key('H', true);
  app.frame(3);
  REQUIRE(ui::keyboard().owner() == ui::Owner::Find);
  app.type("a");
  app.key(258);
  app.frame(2);
  app.type("L");
  CHECK(app.state.editor.find.text == "a");
  CHECK(app.state.editor.find.with == "L");
  CHECK(app.session.document().text() == text);
  app.click("replace.one");  // selects the first
  CHECK(app.session.document().text() == text);
  app.click("replace.one");
  CHECK(app.session.document().text() == "L = (4,8):(8,1)\nsize(A)\nshow A");
  app.click("replace.all");
  CHECK(app.session.document().text() == "L = (4,8):(8,1)\nsize(L)\nshow L");
  app.session.document().undo();
  CHECK(app.session.document().text() == "L = (4,8):(8,1)\nsize(A)\nshow A");
  app.click("replace.regex");
  app.key(256);  // an active field has its own text
  app.frame(2);
  app.state.editor.find.text = "\\((\\d)";
  app.state.editor.find.with = "($1$1";
  app.key('H', true);
  app.frame(3);
  CHECK(app.state.editor.find.regex);
  app.click("replace.all");
  CHECK(app.session.document().text() == "L = (44,8):(88,1)\nsize(A)\nshow A");
  app.key(256);
  app.state.editor.find.text = "(";
  app.key('H', true);
  app.frame(3);
  app.click("replace.all");
  CHECK(app.state.canvas.goTo.problem.find("no regular expression") != std::string::npos);
  app.key(256);
  CHECK_FALSE(app.state.editor.find.open);
}
