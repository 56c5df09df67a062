// A value of several lines (code, a table) is shown as lines below its statement. A value of one line stays one line.
#include <catch2/catch.hpp>

#include "app/views/editor/line_notes.h"
#include "tests/gui/app.h"

using namespace tessera;

TEST_CASE("code stands in the sheet line by line") {
  App app;
  clipboard() = "code((4,8):(8,1), c)\ncomposition((6,2):(8,2), (4,3):(3,1))";
  app.key('V', true);
  app.settle();
  panes::NoteCache cache;
  const auto notes = panes::notesOf(*app.session.evaluation().snapshot(), cache);
  REQUIRE(notes.count(1) == 1);
  CHECK(notes.at(1).value.find("static inline int offset(int i, int j) {\n  return i * 8 + j;\n}") !=
        std::string::npos);
  REQUIRE(notes.count(2) == 1);
  CHECK(notes.at(2).value == "((2,2),3):((24,2),8)");
}
