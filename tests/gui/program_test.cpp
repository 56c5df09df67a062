// Graphene text in the window: pasted, opened, coloured.

#include "app/views/editor/highlight.h"
#include "app/views/editor/line_notes.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

const std::string kProgram =
    "%a:[4].fp32.GL %b:[4].fp32.GL #g:[1].block #t:[4].thread\n%b <- Move<<<#g,#t>>>(%a) {\n}\n";

CodeInk inkOf(const std::string& line, const std::string& word) {
  for (const CodeToken& t : highlighted(line, 0, line.size(), std::string::npos))
    if (line.substr(t.begin, t.end - t.begin) == word) return t.ink;
  return CodeInk::Plain;
}

}  // namespace

TEST_CASE("a pasted program becomes a block; undo leaves the text as it was pasted") {
  App app;
  app.type("A = 8:1\n");
  clipboard() = kProgram;
  app.key('V', true);
  app.settle();
  CHECK(app.session.document().text().find("A = 8:1\ngraphene kernel {\n  %a:[4]") == 0);
  CHECK(app.outcome(1).statement.kind == StatementKind::Block);
  CHECK(app.outcome(1).value.has_value());
  app.key('Z', true);
  CHECK(app.session.document().text() == "A = 8:1\n" + kProgram);
}

TEST_CASE("other text is pasted as it is, and so is a program inside of a block") {
  {
    App app;
    clipboard() = "B = (4,8):(8,1)";
    app.key('V', true);
    CHECK(app.session.document().text() == "B = (4,8):(8,1)");
  }
  App block;
  block.type("graphene k {\n");
  clipboard() = kProgram;
  block.key('V', true);
  CHECK(block.session.document().text() == "graphene k {\n" + kProgram);
}

TEST_CASE("a .graphene file is opened as a block of a new sheet") {
  App app;
  const TestFolder folder;
  const std::string path = folder / "tile_copy_8.graphene";
  putFile(path, kProgram);
  REQUIRE(app.session.open(path));
  app.settle();
  CHECK(app.session.document().path().empty());
  CHECK(app.outcome(0).statement.kind == StatementKind::Block);
  CHECK(app.outcome(0).statement.name.starts_with("tile_copy_"));
  CHECK(app.outcome(1).program.checked != nullptr);
}

TEST_CASE("the words of a program have the colours of code") {
  CHECK(inkOf("  for (k = 0; k < 4; k += 1) {", "for") == CodeInk::Keyword);
  CHECK(inkOf("  } else {", "else") == CodeInk::Keyword);
  CHECK(inkOf("  sync", "sync") == CodeInk::Keyword);
  CHECK(inkOf("check move", "check") == CodeInk::Keyword);
  CHECK(inkOf("check(L)", "check") == CodeInk::Function);
  CHECK(inkOf("A = wait", "wait") == CodeInk::Plain);
  // What is quoted is no word of the language, also where a row of the page begins within it.
  const std::string path = "1 \"/tmp/hlo/run.py\" hlo";
  for (const std::size_t begin : {std::size_t{0}, path.find("hlo")})
    for (const CodeToken& t : highlighted(path, begin, path.size(), std::string::npos))
      CHECK((t.ink == CodeInk::Keyword) == (t.begin == path.rfind("hlo")));
  CHECK(inkOf("%x <- Move<<<#b, #t>>>(%a)", "Move") == CodeInk::Function);
}

TEST_CASE("an error of a block stands under the line that is wrong") {
  App app;
  clipboard() = "graphene k {\n  %a:[4].fp32.GL\n  #b:[1].block\n  %c <- Init<0>()\n}\nA = 8:1";
  app.key('V', true);
  app.settle();
  panes::NoteCache cache;
  const auto notes = panes::notesOf(*app.session.evaluation().snapshot(), cache);
  CHECK(notes.count(1) == 0);
  REQUIRE(notes.count(4) == 1);
  CHECK(notes.at(4).card.find("there is no tensor %c here") == 0);
}
