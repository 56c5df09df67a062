// Names of bodies: what a rename reaches, and that it changes no answer.
#include "app/engine/names/local_names.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "app/engine/engine.h"
#include "app/engine/kernel/kernel_value.h"
#include "app/engine/names/sheet_names.h"
#include "app/views/editor/line_edits.h"
#include "core/base/chars.h"
#include "core/worksheet/value.h"

using namespace tessera;
using namespace tessera::panes;

namespace {

std::string replaced(std::string text, const LineEdit& edit) {
  return text.replace(edit.begin, edit.end - edit.begin, edit.with);
}

// Whether each statement holds, and whether it has an error.
std::string standing(const std::string& text) {
  std::string out;
  Scope scope;
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  for (const Statement& s : splitStatements(text)) {
    if (s.kind == StatementKind::Run) continue;
    const Outcome o = runStatement(s, scope, options);
    out += o.diag ? "error\n" : o.verdict ? std::string(name(o.verdict->truth)) + "\n" : "said\n";
  }
  return out;
}

// The words of a text that a rename at this byte changes, with the line of each: "3 5 9".
std::string linesOf(const std::string& text, std::size_t byte) {
  std::string out;
  for (const Span& use : usesOf(text, byte))
    out += (out.empty() ? "" : " ") +
           std::to_string(std::count(text.begin(), text.begin() + static_cast<long>(use.begin), '\n') + 1);
  return out;
}

const std::string kSheet = R"x(s = 3
row = (4,8):(8,1)
graphene move {
  %s : [M,16].fp16.SH   // %s and s
  %o : [M,16].fp16.SH
  #b : [1].block  #t : [16].thread
  %o <- Move<<<#b, #t>>>(%s) {
    @row = #t.indices()
    for (k = 0; k < M; k += 1) {
      %x = %s[k, @row]  %y = %o[k, @row]
      %y <- Move(%x)
    }
  }
}
prove move
show move as player, M 4
address(move.%s, (0,s))
C = cuda {
  __shared__ float tile[32][33];
  int row = tid / 32, col = tid % 32;
  tile[row][col] = A[tid];  // row by row
} over (tid = 1024) with LD = 33
accesses(C.tile)
size(row) + s
task "the row": size(row) == 32 {
  hint "row has 4 rows"
  answer row = (4,8):(8,1)
  wrong "row = (4,8)" -> "row = (4,7)"
}
)x";

std::size_t placeIn(const std::string& what) {
  REQUIRE(kSheet.find(what) != std::string::npos);
  return kSheet.find(what);
}

}  // namespace

TEST_CASE("a name of the sheet is not renamed in bodies, which have their own") {
  CHECK(linesOf(kSheet, 0) == "1 17 24");                                // s, not %s
  CHECK(linesOf(kSheet, placeIn("s))\nC =")) == "1 17 24");              // from a use
  CHECK(linesOf(kSheet, placeIn("row = (4,8)")) == "2 24 25 27 28 28");  // not @row, no row of the code, no text
  CHECK(linesOf(kSheet, placeIn("C = cuda")) == "18 23");
  CHECK(linesOf(kSheet, placeIn("move {")) == "3 15 16 17");
}

TEST_CASE("a name of a body is renamed in its body, and where other statements take it from there") {
  CHECK(linesOf(kSheet, placeIn("s : [M,16]")) == "4 7 10 17");
  CHECK(linesOf(kSheet, placeIn("%s, (0,s)") + 1) == "4 7 10 17");
  CHECK(linesOf(kSheet, placeIn("row = #t")) == "8 10 10");
  CHECK(linesOf(kSheet, placeIn("k = 0")) == "9 9 9 10 10");
  CHECK(linesOf(kSheet, placeIn("M,16")) == "4 5 9 16");
  CHECK(linesOf(kSheet, placeIn("row = tid")) == "20 21");
  CHECK(linesOf(kSheet, placeIn("tile[32]")) == "19 21 23");
  CHECK(linesOf(kSheet, placeIn("LD = 33")) == "22");
  for (const char* meaning : {"Move<<<", "fp16.SH", "indices()", "__shared__", "float tile"})
    CHECK(linesOf(kSheet, placeIn(meaning)).empty());
  CHECK(definitionOf(kSheet, placeIn("@row]") + 1) == placeIn("row = #t"));
}

TEST_CASE("a rename of a name in a body is refused if the body has that name") {
  const auto refused = [](const std::string& at, const std::string& name) {
    const auto edit = renamed(kSheet, placeIn(at), name);
    return edit.ok() ? "" : edit.error().message;
  };
  CHECK(refused("s : [M,16]", "o") == "move already has %o");
  CHECK(refused("s : [M,16]", "row").empty());  // @row and the sheet's row are other names
  CHECK(refused("row = tid", "col") == "C already has col");
  CHECK(refused("tid / 32", "n").find("name of the thread") != std::string::npos);
  CHECK(refused("row = tid", "lane").find("name of the thread") != std::string::npos);
  CHECK(refused("Move<<<", "x") == "the caret is not at a name that this sheet binds");
  CHECK(refused("s : [M,16]", "1x") == "'1x' is not a name");
}

TEST_CASE("a rename of any name leaves every answer of a sheet as it was") {
  addKernels();
  std::vector<std::string> sheets = {kSheet};
  for (const char* lesson : {"16_axe_forward", "23_graphene_four_orders", "24_graphene_tiles", "26_graphene_quad_pairs",
                             "27_graphene_ldmatrix", "28_graphene_named", "34_your_own_swizzle"}) {
    std::ifstream in(TESSERA_SOURCE_DIR "/assets/gallery/" + std::string(lesson) + ".tess");
    sheets.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  std::size_t renames = 0, local = 0;
  for (const std::string& text : sheets) {
    const std::string before = standing(text);
    const std::vector<Statement> statements = splitStatements(text);
    std::set<std::size_t> done;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!isNameStart(text[at]) || (at > 0 && isNamePart(text[at - 1]))) continue;
      const std::vector<Span> uses = usesOf(text, at);
      if (uses.empty() || !done.insert(uses.front().begin).second) continue;
      const auto edit = renamed(text, at, "fresh_name");
      if (!edit.ok()) continue;  // a name of the thread
      ++renames;
      local += localAt(text, statements, at).has_value() ? 1 : 0;
      const std::string after = replaced(text, *edit);
      INFO(text.substr(at, 20) << "\n" << after);
      REQUIRE(standing(after) == before);
      // And back: the old text.
      const auto back =
          renamed(after, edit->caret, text.substr(uses.front().begin, uses.front().end - uses.front().begin));
      REQUIRE(back.ok());
      CHECK(replaced(after, *back) == text);
    }
  }
  CHECK(renames > 80);
  CHECK(local > 40);
}
