// Pictures of an HLO module: boxes that do not overlap, and counts of reads.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/show/show.h"
#include "core/hlo/cost/waste.h"
#include "core/hlo/notation.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"
#include "render/draw/draw.h"
#include "render/draw/hlo/layered.h"
#include "render/figure/linked.h"

using namespace tessera;

namespace {

const std::string kModule =
    "hlo m {\nENTRY e {\n  x = f32[4,8] parameter(0)\n  y = f32[8] parameter(1)\n"
    "  b = f32[4,8] broadcast(y), dimensions={1}\n  s = f32[2,8] slice(x), slice={[1:3], [0:8]}\n"
    "  ROOT r = f32[4,8] add(x, b)\n}\n}";

Value partOf(const char* name) {
  const auto listing = hlo::readBlock(kModule);
  REQUIRE(listing.ok());
  auto part = hlo::findPart(*listing, name);
  REQUIRE(part.has_value());
  return Value(Layout(*std::move(part)));
}

const Grid& gridNamed(const Figure& figure, const std::string& name) {
  for (const Grid& g : figure.grids)
    if (g.name == name) return g;
  FAIL("no grid " << name);
  return figure.grids.front();
}
// Of operand `k`.
std::string labelAt(const Figure& figure, std::size_t k, i64 row, i64 col) {
  return gridNamed(figure, "operand " + std::to_string(k)).cells->cell(row, col).label;
}

Result<Figure> readsOf(const Value& part, std::vector<std::string> words = {}) {
  DrawOptions options;
  options.arguments = std::move(words);
  return draw(part, "reads", options);
}

Value partOfText(const std::string& text, const char* name) {
  const auto listing = hlo::readBlock(text);
  REQUIRE(listing.ok());
  auto part = hlo::findPart(*listing, name);
  REQUIRE(part.has_value());
  return Value(Layout(*std::move(part)));
}

}  // namespace

TEST_CASE("boxes of a layered graph do not overlap, and every edge leads down") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    unsigned state = seed * 2654435761U;
    const auto next = [&](unsigned n) { return (state = state * 1664525U + 1013904223U) / 65536U % n; };
    LayeredGraph graph;
    const std::size_t count = 2 + next(14);
    for (std::size_t b = 0; b < count; ++b) graph.boxes.push_back({0, 0, 40.0 + next(200), 42});
    for (std::size_t b = 1; b < count; ++b)
      for (unsigned k = 0; k < 1 + next(3); ++k) graph.edges.push_back({next(static_cast<unsigned>(b)), b, {}});
    layOut(graph);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b) {
        const Rect &p = graph.boxes[a], &q = graph.boxes[b];
        CHECK((p.x + p.w <= q.x || q.x + q.w <= p.x || p.y + p.h <= q.y || q.y + q.h <= p.y));
      }
    for (const LayeredEdge& e : graph.edges)
      for (std::size_t k = 0; k + 1 < e.way.size(); ++k) CHECK(e.way[k].second <= e.way[k + 1].second);
  }
}

TEST_CASE("each cell of the reads view says how often its element is read") {
  const auto wide = draw(partOf("b"), "reads");
  REQUIRE(wide.ok());
  for (i64 c = 0; c < 8; ++c) CHECK(labelAt(*wide, 0, 0, c) == "4");
  const auto slice = draw(partOf("s"), "reads");
  REQUIRE(slice.ok());
  for (i64 r = 0; r < 4; ++r) CHECK(labelAt(*slice, 0, r, 3) == (r == 1 || r == 2 ? "1" : "0"));
  DrawOptions options;
  options.arguments = {"nonsense"};
  CHECK_FALSE(draw(partOf("e"), "reads", options).ok());
}

TEST_CASE("a tile of the output leaves what it reads") {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"tile", "[1:3,2:5]"},
                                                {"tile", "[1:3", "2:5]"},
                                                {"tile", "[", "1:3", ",", "2", ":5", "]"},
                                                {"tile", "[0,0]", "tile", "[1:3,2:5]"}}) {
    const auto sum = readsOf(partOf("r"), words);
    REQUIRE(sum.ok());
    for (i64 r = 0; r < 4; ++r)
      for (i64 c = 0; c < 8; ++c) CHECK(labelAt(*sum, 0, r, c) == (r >= 1 && r < 3 && c >= 2 && c < 5 ? "1" : "0"));
    REQUIRE(sum->tile.has_value());
    CHECK(sum->tile->now == "[1:3,2:5]");
  }
  const auto wide = readsOf(partOf("b"), {"tile", "[1:4,2:5]"});
  REQUIRE(wide.ok());
  for (i64 c = 0; c < 8; ++c) CHECK(labelAt(*wide, 0, 0, c) == (c >= 2 && c < 5 ? "3" : "0"));
  const auto whole = readsOf(partOf("b"), {"tile", "[1:4,2:5]", "whole"});
  REQUIRE(whole.ok());
  CHECK(labelAt(*whole, 0, 0, 0) == "4");
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"tile"}, {"tile", "[1:3]"}, {"tile", "[1:9,0:1]"}, {"tile", "1:3,0:1"}, {"tiles"}})
    CHECK_FALSE(readsOf(partOf("r"), wrong).ok());
}

TEST_CASE("an output element lights what it reads, an operand's element who reads it") {
  const auto figure = readsOf(
      partOfText("hlo t {\nENTRY e {\n  x = f32[6,6] parameter(0)\n  y = f32[6,6] transpose(x), dimensions={1,0}\n"
                 "  c = f32[2,6] slice(y), slice={[2:4], [0:6]}\n  ROOT q = f32[2,6] negate(c)\n}\n}",
                 "c"));
  REQUIRE(figure.ok());
  const Grid &out = gridNamed(*figure, "output"), &in = gridNamed(*figure, "operand 0");
  for (i64 r = 0; r < 2; ++r)
    for (i64 c = 0; c < 6; ++c) {
      const Linked linked({{out.cells->cell(r, c).point}, &*figure, "output"}, {&*figure});
      CHECK(linked.in(*figure, in) == std::vector<Point>{in.cells->cell(r + 2, c).point});
      const Linked back({{in.cells->cell(r + 2, c).point}, &*figure, "operand 0"}, {&*figure});
      CHECK(back.in(*figure, out) == std::vector<Point>{out.cells->cell(r, c).point});
    }
}

TEST_CASE("an operand of any size is drawn, and its cells are counted when they are asked for") {
  const std::string text =
      "hlo big {\n%f (p: f32[4096,4096]) -> f32[4096,4096] {\n  %p = f32[4096,4096]{1,0} parameter(0)\n"
      "  %t = f32[4096,4096]{1,0} transpose(%p), dimensions={1,0}\n  ROOT %a = f32[4096,4096]{1,0} add(%p, %t)\n}\n"
      "ENTRY %e (x: f32[4096,4096]) -> f32[4096,4096] {\n  %x = f32[4096,4096]{1,0} parameter(0)\n"
      "  ROOT %y = f32[4096,4096]{1,0} fusion(%x), kind=kLoop, calls=%f\n}\n}";
  const auto figure = readsOf(partOfText(text, "y"), {"tile", "[0:64,64:128]"});
  REQUIRE(figure.ok());
  CHECK(labelAt(*figure, 0, 3, 70) == "1");
  CHECK(labelAt(*figure, 0, 70, 3) == "1");
  CHECK(labelAt(*figure, 0, 3, 3) == "0");
  CHECK(figure->table.at(1).at(3) == "8192 of 16777216 elements (0.0488 %)");
  const Grid& grid = gridNamed(*figure, "operand 0");
  CHECK(grid.bounds().w < 500);
  for (const Grid& g : figure->grids)
    for (const i64 at : {i64{0}, i64{1234567}, i64{16777215}}) {
      const Cell cell = g.cells->cell(at / g.cols, at % g.cols);
      CHECK(g.cells->find(cell.point, 4) == std::vector<std::pair<i64, i64>>{{at / g.cols, at % g.cols}});
    }
}

TEST_CASE("every door of a data flow and of the waste leads to a part that has reads; the worst stands first") {
  const std::string text =
      "hlo w {\nENTRY e {\n  x = f32[256,256]{1,0} parameter(0)\n  y = f32[256,256]{0,1} parameter(1)\n"
      "  a = f32[256,256]{1,0} negate(x)\n  b = f32[256,256]{1,0} add(a, y)\n  ROOT c = f32[256,256]{1,0} "
      "negate(b)\n}\n}";
  const auto listing = hlo::readBlock(text);
  REQUIRE(listing.ok());
  const auto flow = draw(Value(Layout(*listing)), "dataflow"), waste = draw(Value(Layout(*listing)), "waste");
  REQUIRE(flow.ok());
  REQUIRE(waste.ok());
  CHECK(flow->doors.size() == 3);
  CHECK(waste->doors.size() == 2);  // two of its three kernels do the same
  for (const Figure* f : {&*flow, &*waste})
    for (const FigureDoor& door : f->doors) {
      const auto part = hlo::findPart(*listing, door.to);
      REQUIRE(part.has_value());
      CHECK(draw(Value(Layout(*part)), door.view).ok());
      CHECK(door.at.x + door.at.w <= f->width + 1);
    }
  CHECK(waste->doors.front().to == "%e.%b");
  CHECK(flow->caption.find("%b wastes most: 2.36 MB requested for 524 KB (4.5 times)") != std::string::npos);
  CHECK(waste->table.at(1).at(1) == "b");
}

TEST_CASE("a module is drawn as its entry's data flow, a part as the computation that it is in") {
  const auto listing = hlo::readBlock(kModule);
  const auto figure = draw(Value(Layout(*listing)), "");
  REQUIRE(figure.ok());
  CHECK(figure->title == "%e as dataflow");
  REQUIRE(figure->table.size() == 5);  // a head, and four operands
  CHECK(figure->table[1] == std::vector<std::string>{"%b", "broadcast", "f32[4,8]{1,0}", "0", "%y", "4"});
  CHECK(draw(partOf("s"), "")->title == "%e as dataflow");
}

namespace {

// 40 layers of six instructions, a loop of 5 trips in the middle that reads a transposed array, and an optimizer.
std::string largeText() {
  std::string text =
      "hlo big {\nbody {\n  p = (f32[256,256], f32[256,256]) parameter(0)\n"
      "  l = f32[256,256]{1,0} get-tuple-element(p), index=0\n  r = f32[256,256]{1,0} get-tuple-element(p), index=1\n"
      "  t = f32[256,256]{0,1} transpose(l), dimensions={1,0}\n  s = f32[256,256]{1,0} add(l, t)\n"
      "  ROOT o = (f32[256,256], f32[256,256]) tuple(s, r)\n}\n"
      "cond {\n  p = (f32[256,256], f32[256,256]) parameter(0)\n  ROOT c = pred[] constant(true)\n}\n"
      "ENTRY e {\n  x = f32[256,256]{1,0} parameter(0)\n";
  std::string last = "x";
  for (int k = 0; k < 40; ++k) {
    const std::string n = std::to_string(k);
    text += "  w" + n + " = f32[256,256]{1,0} parameter(" + std::to_string(k + 1) + ")\n";
    text += "  d" + n + " = f32[256,256]{1,0} dot(" + last + ", w" + n +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    text += "  e" + n + " = f32[256,256]{1,0} exponential(d" + n + ")\n  n" + n + " = f32[256,256]{1,0} negate(e" + n +
            ")\n  a" + n + " = f32[256,256]{1,0} add(n" + n + ", " + last + ")\n";
    last = "a" + n;
    if (k != 20) continue;
    text += "  i = (f32[256,256], f32[256,256]) tuple(" + last + ", w0)\n" +
            "  loop = (f32[256,256], f32[256,256]) while(i), condition=cond, body=body, "
            "backend_config={\"known_trip_count\":{\"n\":\"5\"}}\n"
            "  g = f32[256,256]{1,0} get-tuple-element(loop), index=0\n";
    last = "g";
  }
  return text + "  ROOT z = f32[256,256]{1,0} sine(" + last + ")\n}\n}";
}

Result<Figure> flowOf(const Value& value, std::vector<std::string> words = {}) {
  DrawOptions options;
  options.arguments = std::move(words);
  return draw(value, "dataflow", options);
}

// The instructions that the doors of a picture and of all groups in it lead to.
void collect(const Value& value, const std::vector<std::string>& words, std::vector<std::string>& found) {
  const auto figure = flowOf(value, words);
  REQUIRE(figure.ok());
  CHECK(figure->table.size() <= 61);
  for (const FigureDoor& door : figure->doors) {
    if (!door.to.empty())
      found.push_back(door.to);
    else if (!door.tip.empty())  // not a group around this one
      collect(value, door.words, found);
  }
}

// The words of the view of the last statement.
std::vector<std::string> wordsShownBy(const std::string& sheet) {
  Scope scope;
  std::vector<std::string> words;
  for (const Statement& statement : splitStatements(sheet)) {
    const Evaluated done = evaluate(statement, scope);
    if (const auto* shown = std::get_if<ShowRequest>(&done.request)) words = shown->arguments;
  }
  return words;
}

std::string marksOf(const Figure& figure) {
  std::string out;
  for (const Mark& m : figure.marks)
    out += m.text + " " + std::to_string(m.rect.x) + " " + std::to_string(m.rect.y) + " " + std::to_string(m.rect.w) +
           " " + std::to_string(m.rect.h) + "\n";
  return out;
}

bool meet(const Rect& a, const Rect& b) {
  return a.x + 0.5 < b.x + b.w && b.x + 0.5 < a.x + a.w && a.y + 0.5 < b.y + b.h && b.y + 0.5 < a.y + a.h;
}

void checkApart(const Figure& figure) {
  std::vector<Mark> texts;
  for (const Mark& mark : figure.marks)
    if (!mark.text.empty()) texts.push_back(mark);
  for (std::size_t a = 0; a < texts.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      INFO(texts[a].text << " and " << texts[b].text);
      CHECK_FALSE(meet(extentOf(texts[a]), extentOf(texts[b])));
    }
  for (const FigureDoor& a : figure.doors)
    for (const FigureDoor& b : figure.doors) CHECK((&a == &b || !meet(a.at, b.at)));
}

std::vector<std::filesystem::path> dumps() {
  std::vector<std::filesystem::path> found;
  const char* cases = std::getenv("TESSERA_CASES");
  for (const std::filesystem::path& folder : {std::filesystem::path(TESSERA_SOURCE_DIR "/tests/cases"),
                                              std::filesystem::path(cases == nullptr ? "" : cases) / "hlo_real"})
    if (std::filesystem::is_directory(folder))
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".hlo") found.push_back(entry.path());
  return found;
}

}  // namespace

TEST_CASE("a large computation is drawn as few boxes, and opening them all shows each instruction once") {
  const auto listing = hlo::readBlock(largeText());
  REQUIRE(listing.ok());
  REQUIRE(listing->module->problems.empty());
  const Value value{Layout(*listing)};
  const auto figure = flowOf(value);
  REQUIRE(figure.ok());
  CHECK(figure->width <= 1600);
  CHECK(figure->height <= 900);
  std::vector<std::string> found, expected;
  collect(value, {}, found);
  for (const hlo::Instruction& i : listing->module->computation(listing->module->entry).instructions)
    if (i.opcode != "parameter" && i.opcode != "tuple" && i.opcode != "get-tuple-element")
      expected.push_back("%e.%" + std::string(i.name));
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  CHECK(found == expected);
  for (const FigureDoor& door : figure->doors)  // as a statement
    if (door.to.empty())
      CHECK(wordsShownBy(largeText() + "\nshow big as dataflow in " + door.words.at(1)) == door.words);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"in"}, {"in", "nothing"}, {"in", "%d0"}, {"in", "%d0..%a3", "more"}, {"group"}})
    CHECK_FALSE(flowOf(value, wrong).ok());
}

TEST_CASE("the texts of a folded picture do not overlap, and its boxes neither") {
  const auto listing = hlo::readBlock(largeText());
  REQUIRE(listing.ok());
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"in", "%d0..%a20"}}) {
    const auto figure = flowOf(Value(Layout(*listing)), words);
    REQUIRE(figure.ok());
    checkApart(*figure);
    CHECK(marksOf(*figure) == marksOf(*flowOf(Value(Layout(*listing)), words)));
  }
}

TEST_CASE("the most wasteful box is that of the ranking, and a loop counts its body times its trips") {
  const auto listing = hlo::readBlock(largeText());
  REQUIRE(listing.ok());
  const hlo::Ranking ranking = hlo::rankingOf(*listing->module);
  const auto figure = flowOf(Value(Layout(*listing)));
  REQUIRE(figure.ok());
  i64 all = 0, rows = 0, loop = 0, body = 0, most = 0;
  std::string worst;
  for (const hlo::KernelWaste& k : ranking.kernels) {
    all += k.wastedInAll();
    if (listing->module->computation(k.where.computation).name == "body") body += k.wasted() * 5;
  }
  for (std::size_t r = 1; r < figure->table.size(); ++r) {
    const i64 wasted = std::stoll(figure->table[r][6]);
    rows += wasted;
    if (figure->table[r][0] == "%loop") loop = wasted;
    if (wasted > most) worst = figure->table[r][0];
    most = std::max(most, wasted);
  }
  CHECK(rows == all);
  CHECK(body > 0);
  CHECK(loop == body);
  CHECK(figure->caption.find("Most wasteful: " + worst + ",") != std::string::npos);
}

TEST_CASE("a small data flow highlights the first kernel of the ranking, and a loop by its body") {
  const std::string text =
      "hlo w {\nbody {\n  q = f32[256,256]{1,0} parameter(0)\n  t = f32[256,256]{0,1} transpose(q), dimensions={1,0}\n"
      "  ROOT s = f32[256,256]{1,0} add(q, t)\n}\ncond {\n  p = f32[256,256] parameter(0)\n  ROOT c = pred[] "
      "constant(true)\n}\nENTRY e {\n  x = f32[256,256]{1,0} parameter(0)\n  n = f32[256,256]{0,1} copy(x)\n"
      "  m = f32[256,256]{1,0} add(n, x)\n  ROOT l = f32[256,256]{1,0} while(m), condition=cond, body=body, "
      "backend_config={\"known_trip_count\":{\"n\":\"9\"}}\n}\n}";
  const auto listing = hlo::readBlock(text);
  REQUIRE(listing.ok());
  const auto figure = flowOf(Value(Layout(*listing)));
  REQUIRE(figure.ok());
  CHECK(figure->caption.find("%l wastes most") != std::string::npos);
  const auto inside = flowOf(partOfText(text, "l"));
  REQUIRE(inside.ok());
  CHECK(inside->title == "%body as dataflow");
  const hlo::KernelWaste first = hlo::rankingOf(*listing->module).kernels.front();
  CHECK(inside->caption.find("%" + std::string(listing->module->at(first.where).name) + " wastes most") !=
        std::string::npos);
}

TEST_CASE("folded pictures of every dump: at most 60 boxes, on a page, without overlapping texts") {
  std::size_t folded = 0;
  for (const std::filesystem::path& path : dumps()) {
    INFO(path.string());
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    const auto listing = hlo::readListing("m", text.str());
    if (!listing.ok()) continue;
    const auto figure = flowOf(Value(Layout(*listing)));
    if (!figure.ok() || figure->table.front().front() != "group") continue;
    ++folded;
    CHECK(figure->table.size() <= 61);
    CHECK(figure->width <= 1600);
    CHECK(figure->height <= 1000);
    checkApart(*figure);
  }
  CHECK(folded > 5);
}

TEST_CASE("the page of a kernel: its words, and what is refused") {
  const std::string text =
      "hlo m {\nf {\n  p = f32[8,16] parameter(0)\n  ROOT n = f32[8,16] negate(p)\n}\nENTRY e {\n"
      "  x = f32[8,16] parameter(0)\n  k = f32[8,16] fusion(x), kind=kLoop, calls=f\n"
      "  t = f32[16,8] transpose(k), dimensions={1,0}\n  ROOT s = f32[16] slice(x), slice={[0:16], [0:1]}\n}\n}";
  const auto listing = hlo::readBlock(text);
  REQUIRE(listing.ok());
  const Value module = Value(Layout(*listing)), kernel = partOfText(text, "k");
  const auto page = [](const Value& value, std::vector<std::string> words) {
    DrawOptions options;
    options.arguments = std::move(words);
    return draw(value, "kernel", options);
  };
  REQUIRE(page(module, {}).ok());
  CHECK(page(module, {"k"})->title == "%k as kernel");
  CHECK(page(module, {"%e.%k", "tile", "2x4"})->table.at(1).at(10) == "2x4");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"tile", "2x4"},
                                                {"tile", "[2", "4]"},
                                                {"tile", "[2,4]"},
                                                {"tile", "1x1", "tile", "2x4"}}) {
    const auto drawn = page(kernel, words);
    REQUIRE(drawn.ok());
    CHECK(drawn->table.at(1).at(10) == "2x4");
  }
  // The sliders' places take precedence over the words.
  DrawOptions slid;
  slid.arguments = {"tile", "2x4"};
  slid.fixed = {{0, 0}, {1, 99}};
  CHECK(draw(kernel, "kernel", slid)->table.at(1).at(10) == "1x16");
  const auto refused = [&](const Value& value, std::vector<std::string> words, const std::string& says) {
    const auto drawn = page(value, std::move(words));
    REQUIRE_FALSE(drawn.ok());
    INFO(drawn.error().message);
    CHECK(drawn.error().message.find(says) != std::string::npos);
  };
  refused(kernel, {"k"}, "does not understand \"k\"");
  refused(kernel, {"tile"}, "does not understand \"tile\"");
  refused(kernel, {"tile", "wide"}, "does not understand \"wide\"");
  refused(kernel, {"tile", "2x4x8"}, "2x4x8 is no tile of [8,16]");
  refused(kernel, {"tile", "9x4"}, "9x4 is no tile of [8,16]");
  refused(module, {"q"}, "q");
  refused(module, {"x"}, "reads no memory as a kernel of its own");
  refused(module, {"k", "t"}, "does not understand \"t\"");
  // A narrow page has the same words and stays inside its width.
  DrawOptions narrow;
  narrow.width = 320;
  const auto drawn = draw(kernel, "kernel", narrow);
  REQUIRE(drawn.ok());
  CHECK(drawn->width <= 340);
}
