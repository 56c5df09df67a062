// The ranking beside a data flow, and the page of a kernel: what they say is what the command line says.
#include <fmt/format.h>

#include "app/engine/module/waste_lines.h"
#include "app/views/pictures/picture.h"
#include "core/hlo/cost/tile_traffic.h"
#include "core/hlo/cost/why.h"
#include "core/hlo/listing.h"
#include "render/draw/hlo/ranking_rows.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

// A product, a transposition fused with a broadcast, and a loop that adds.
const std::string kKernels =
    "hlo m {\n"
    "%turn (a: f32[256,512], b: f32[512]) -> f32[512,256] {\n  %a = f32[256,512]{1,0} parameter(0)\n"
    "  %b = f32[512]{0} parameter(1)\n  %t = f32[512,256]{1,0} transpose(%a), dimensions={1,0}\n"
    "  %w = f32[512,256]{1,0} broadcast(%b), dimensions={0}\n  ROOT %s = f32[512,256]{1,0} add(%t, %w)\n}\n"
    "%body (p: (s32[], f32[64,64])) -> (s32[], f32[64,64]) {\n  %p = (s32[], f32[64,64]) parameter(0)\n"
    "  %i = s32[] get-tuple-element(%p), index=0\n  %v = f32[64,64] get-tuple-element(%p), index=1\n"
    "  %one = s32[] constant(1)\n  %n = s32[] add(%i, %one)\n"
    "  %vv = f32[64,64] dot(%v, %v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  ROOT %o = (s32[], f32[64,64]) tuple(%n, %vv)\n}\n"
    "%cond (q: (s32[], f32[64,64])) -> pred[] {\n  %q = (s32[], f32[64,64]) parameter(0)\n"
    "  %k = s32[] get-tuple-element(%q), index=0\n  %five = s32[] constant(5)\n"
    "  ROOT %less = pred[] compare(%k, %five), direction=LT\n}\n"
    "ENTRY %main (x: f32[256,512], y: f32[512], z: f32[64,64]) -> (f32[512,512], f32[64,64]) {\n"
    "  %x = f32[256,512]{1,0} parameter(0)\n  %y = f32[512]{0} parameter(1)\n  %z = f32[64,64] parameter(2)\n"
    "  %turned = f32[512,256]{1,0} fusion(%x, %y), kind=kInput, calls=%turn, "
    "metadata={op_name=\"jit(f)/turn\" source_file=\"model.py\" source_line=12}\n"
    "  %product = f32[512,512]{1,0} dot(%turned, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  %zero = s32[] constant(0)\n  %start = (s32[], f32[64,64]) tuple(%zero, %z)\n"
    "  %loop = (s32[], f32[64,64]) while(%start), condition=%cond, body=%body\n"
    "  %last = f32[64,64] get-tuple-element(%loop), index=1\n"
    "  ROOT %r = (f32[512,512], f32[64,64]) tuple(%product, %last)\n}\n}\n";

void openSheet(App& app, const std::string& text) {
  app.session.document().reset(text, "", /*saved=*/false);
  app.session.touch();
  app.settle();
}

panes::Pane& paneOf(App& app) {
  for (auto& [key, pane] : app.state.canvas.panes)
    if (pane.drawn && pane.drawn->figure) return pane;
  FAIL("no picture");
  return app.state.canvas.panes.begin()->second;
}
const Figure& figureOf(App& app) { return *paneOf(app).drawn->figure; }
panes::RowsState& rowsOf(App& app) { return paneOf(app).sight.rows; }

const hlo::Module& moduleOf(App& app) {
  const auto* listing = as<hlo::Listing>(*app.outcome(0).value);
  REQUIRE(listing != nullptr);
  return *listing->module;
}

void doubleClick(App& app, const std::string& name) {
  const ui::Place p = ui::places().at(name);
  app.moveTo(p.x + 30, p.y + p.h / 2);
  for (int k = 0; k < 2; ++k) {
    ImGui::GetIO().MouseDown[0] = true;
    app.frame();
    ImGui::GetIO().MouseDown[0] = false;
    app.frame();
  }
  app.frame(2);
}

std::pair<float, float> onScreen(App& app, const Rect& at) {
  const panes::Pane& pane = paneOf(app);
  const ui::Place p = ui::places().at("figure.1.picture");
  return {p.x + static_cast<float>((at.x + 12 - pane.x) * pane.scale),
          p.y + static_cast<float>((at.y + 9 - pane.y) * pane.scale)};
}

// Whether some text of the figure contains the words.
bool says(const Figure& figure, const std::string& words) {
  std::string all;
  for (const Mark& m : figure.marks) all += m.text + " ";
  return all.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("the table beside a data flow has the lines of hlo --worst") {
  App app;
  openSheet(app, kKernels + "show m as dataflow\n");
  const Figure& figure = figureOf(app);
  REQUIRE(figure.rows != nullptr);
  const hlo::Module& m = moduleOf(app);
  const hlo::Ranking ranking = hlo::rankingOf(m);
  REQUIRE(ranking.kernels.size() >= 4);
  REQUIRE(figure.rows->rows() == static_cast<i64>(ranking.kernels.size()));
  for (std::size_t k = 0; k < ranking.kernels.size(); ++k) {
    const hlo::KernelWaste& kernel = ranking.kernels[k];
    const std::string line = wasteText(m, static_cast<int>(k) + 1, kernel);
    const auto text = [&](std::size_t column) { return figure.rows->text(static_cast<i64>(k), column); };
    INFO(line);
    CHECK(line.find(text(1).substr(1) + "  ") != std::string::npos);
    CHECK(line.find(text(3)) != std::string::npos);
    CHECK(line.find(text(4)) != std::string::npos);
    CHECK(text(2) == std::to_string(kernel.runs));
    if (!text(6).empty()) CHECK(line.find(text(6)) != std::string::npos);
    // Each kernel has a box: its own, or that of the loop around it.
    REQUIRE(figure.rows->box(static_cast<i64>(k)) >= 0);
    const FigureDoor& box = figure.doors[static_cast<std::size_t>(figure.rows->box(static_cast<i64>(k)))];
    CHECK((box.to == figure.rows->door(static_cast<i64>(k)).to) == (kernel.where.computation == m.entry));
  }
  CHECK(ui::places().count("figure.1.rows") == 1);
  CHECK(ui::places().count("figure.1.rows.0") == 1);
}

TEST_CASE("a click on a row marks its box, the arrows move on, and Enter opens the kernel; back returns") {
  App app;
  openSheet(app, kKernels + "show m as dataflow\n");
  app.click("figure.1.rows.0");
  CHECK(rowsOf(app).selected == 0);
  app.frame();
  REQUIRE(ui::places().count("figure.1.marked") == 1);
  const ui::Place marked = ui::places().at("figure.1.marked"), picture = ui::places().at("figure.1.picture");
  CHECK(marked.x >= picture.x - 4);
  CHECK(marked.y + marked.h <= picture.y + picture.h + 4);
  app.key(264);  // down
  CHECK(rowsOf(app).selected == 1);
  app.key(265);
  CHECK(rowsOf(app).selected == 0);
  const std::string first = figureOf(app).rows->text(0, 1);
  app.key(257);  // Enter
  app.frame(2);
  CHECK(figureOf(app).title == first + " as kernel");
  CHECK(figureOf(app).rows == nullptr);
  app.click("figure.1.back");
  app.frame(2);
  CHECK(figureOf(app).title == "%main as dataflow");
  CHECK(rowsOf(app).selected == 0);
  CHECK(app.session.document().text() == kKernels + "show m as dataflow\n");
}

TEST_CASE("a double click on a kernel of a loop opens the loop, and then the kernel; back goes one step at a time") {
  App app;
  openSheet(app, kKernels + "show m as dataflow\n");
  i64 inner = -1;
  for (i64 k = 0; k < figureOf(app).rows->rows(); ++k)
    if (figureOf(app).rows->text(k, 1) == "%vv") inner = k;
  REQUIRE(inner >= 0);
  CHECK(figureOf(app).rows->text(inner, 2) == "5");
  const std::string row = fmt::format("figure.1.rows.{}", inner);
  doubleClick(app, row);
  CHECK(figureOf(app).title == "%body as dataflow");
  doubleClick(app, row);
  CHECK(figureOf(app).title == "%vv as kernel");
  app.click("figure.1.back");
  app.frame(2);
  CHECK(figureOf(app).title == "%body as dataflow");
  app.click("figure.1.back");
  app.frame(2);
  CHECK(figureOf(app).title == "%main as dataflow");
  // The link in the row leads to the kernel's page at once.
  app.click(row);
  app.click(row + ".page");
  app.frame(2);
  CHECK(figureOf(app).title == "%vv as kernel");
}

TEST_CASE("a box under the mouse and its row mark each other; a click on the box selects the row") {
  App app;
  openSheet(app, kKernels + "show m as dataflow\n");
  const Figure figure = figureOf(app);
  const auto found = std::find_if(figure.doors.begin(), figure.doors.end(),
                                  [](const FigureDoor& d) { return d.to == "%main.%turned"; });
  REQUIRE(found != figure.doors.end());
  CHECK(found->view == "kernel");
  const auto [x, y] = onScreen(app, found->at);
  app.moveTo(x, y);
  CHECK(rowsOf(app).pointed == static_cast<int>(found - figure.doors.begin()));
  app.clickAt(x, y);
  app.frame(2);
  CHECK(figureOf(app).title == "%turned as kernel");
  CHECK(figure.rows->text(rowsOf(app).selected, 1) == "%turned");
  app.click("figure.1.back");
  app.frame(2);
  const ui::Place row = ui::places().at(fmt::format("figure.1.rows.{}", rowsOf(app).selected == 0 ? 1 : 0));
  app.moveTo(row.x + 20, row.y + 8);
  app.frame(2);
  CHECK(ui::places().count("figure.1.pointed") == 1);
}

TEST_CASE("a click on a head sorts, a second one turns the order round") {
  App app;
  openSheet(app, kKernels + "show m as dataflow\n");
  const auto order = [&](std::size_t column) {
    std::vector<double> numbers;
    for (const int row : rowsOf(app).order) numbers.push_back(figureOf(app).rows->number(row, column));
    return numbers;
  };
  app.click("figure.1.rows.times");
  std::vector<double> times = order(5);
  CHECK(std::is_sorted(times.rbegin(), times.rend()));
  app.click("figure.1.rows.times");
  times = order(5);
  CHECK(std::is_sorted(times.begin(), times.end()));
  app.click("figure.1.rows.kernel");
  std::vector<std::string> names;
  for (const int row : rowsOf(app).order) names.push_back(figureOf(app).rows->text(row, 1));
  CHECK(std::is_sorted(names.begin(), names.end()));
  app.click("figure.1.rows.rank");
  CHECK(rowsOf(app).order.front() == 0);
}

TEST_CASE("the page has the numbers of hlo --worst and the sentences of why") {
  App app;
  openSheet(app, kKernels + "show m as kernel turned\n");
  const hlo::Module& m = moduleOf(app);
  const auto part = hlo::findPart(*as<hlo::Listing>(*app.outcome(0).value), "turned");
  const hlo::Where where{part->computation, part->instruction};
  const auto kernel = hlo::wasteOf(m, where);
  const auto why = hlo::whyOf(m, where);
  const Figure& figure = figureOf(app);
  CHECK(says(figure, hlo::textOf(*kernel)));
  CHECK(says(figure, kernel->plan));
  CHECK(says(figure, "model.py:12"));
  for (const hlo::OperandWaste& w : kernel->operands) {
    CHECK(says(figure, hlo::bytesText(*w.asked)));
    CHECK(says(figure, hlo::bytesText(*w.needed)));
    const auto row =
        std::find_if(figure.table.begin(), figure.table.end(), [&](const auto& line) { return line[1] == w.name; });
    REQUIRE(row != figure.table.end());
    CHECK((*row)[5] == std::to_string(*w.asked));
    CHECK((*row)[6] == std::to_string(*w.needed));
  }
  std::string words;
  for (const Mark& mark : figure.marks) words += mark.text + " ";
  const std::vector<std::string> sentences = hlo::sentencesOf(m, *why);
  REQUIRE(sentences.size() > 3);
  for (std::size_t k = 2; k < sentences.size(); ++k) {
    const std::string sentence = sentences[k].substr(sentences[k].find_first_not_of(' '));
    INFO(sentence);
    CHECK(words.find(sentence) != std::string::npos);
  }
  // The source line is copied by a click.
  const auto source =
      std::find_if(figure.doors.begin(), figure.doors.end(), [](const FigureDoor& d) { return !d.copies.empty(); });
  REQUIRE(source != figure.doors.end());
  const auto [x, y] = onScreen(app, {source->at.x + 70, source->at.y, 10, 10});
  app.clickAt(x, y);
  CHECK(clipboard() == "model.py:12");
}

TEST_CASE("the sliders choose the tile; the numbers are those of tileTraffic; keep writes the line that draws it") {
  App app;
  openSheet(app, kKernels + "show m as dataflow\n");
  app.click("figure.1.rows.0");
  app.key(257);
  app.frame(2);
  REQUIRE(figureOf(app).title == "%product as kernel");
  const auto tileNow = [&] {
    std::vector<i64> tile;
    for (const FigureMode& mode : figureOf(app).modes)
      tile.push_back(std::stoll(mode.values[static_cast<std::size_t>(mode.value)]));
    return tile;
  };
  CHECK(tileNow() == std::vector<i64>{128, 128});
  REQUIRE(ui::places().count("figure.1.d0.slider") == 1);
  const hlo::Module& m = moduleOf(app);
  const auto part = hlo::findPart(*as<hlo::Listing>(*app.outcome(0).value), "product");
  const hlo::Where where{part->computation, part->instruction};
  const auto kernel = hlo::wasteOf(m, where);
  const auto plan = hlo::planOf(m, where);
  for (const float at : {0.02F, 0.5F, 0.98F}) {
    const ui::Place slider = ui::places().at("figure.1.d0.slider");
    app.clickAt(slider.x + slider.w * at, slider.y + slider.h / 2);
    app.frame(2);
    const auto traffic = hlo::tileTraffic(m, *kernel, *plan, tileNow());
    REQUIRE(traffic.ok());
    INFO(tileNow()[0]);
    for (std::size_t k = 0; k < traffic->operands.size(); ++k)
      CHECK(figureOf(app).table.at(k + 1).at(12) == std::to_string(*traffic->operands[k].asked));
    CHECK(says(figureOf(app), hlo::bytesText(traffic->asked()) + " requested"));
  }
  CHECK(tileNow()[0] == 512);
  const Figure kept = figureOf(app);
  app.click("figure.1.keep");
  app.settle();
  const std::string text = app.session.document().text();
  CHECK(text.find("show m.%main.%product as kernel tile 512x128") != std::string::npos);
  const auto line = app.outcome(2);
  REQUIRE(line.figure.has_value());
  CHECK(line.figure->table == kept.table);
}

TEST_CASE("a table of thousands of kernels draws only the visible rows, and its last row is reached by sorting") {
  std::string text = "hlo m {\nENTRY %e (x: f32[64,64]) -> f32[64,64] {\n  %x = f32[64,64] parameter(0)\n";
  std::string last = "x";
  for (int k = 0; k < 3000; ++k) {
    const std::string name = "n" + std::to_string(k);
    text += "  %" + name + " = f32[64,64] transpose(%" + last + "), dimensions={1,0}\n";
    last = name;
  }
  text += "  ROOT %r = f32[64,64] negate(%" + last + ")\n}\n}\nshow m as dataflow\n";
  App app;
  openSheet(app, text);
  REQUIRE(figureOf(app).rows->rows() == 3001);
  const auto drawn = [] {
    int rows = 0;
    for (const auto& [name, place] : ui::places()) rows += name.starts_with("figure.1.rows.") ? 1 : 0;
    return rows;
  };
  CHECK(drawn() < 60);
  app.click("figure.1.rows.rank");
  CHECK(rowsOf(app).order.front() == 3000);
  CHECK(ui::places().count("figure.1.rows.3000") == 1);
  CHECK(drawn() < 60);
  // The wheel over the table scrolls the table and not the column.
  const ui::Place table = ui::places().at("figure.1.rows");
  app.moveTo(table.x + 40, table.y + 60);
  ImGui::GetIO().MouseWheel = -3;
  app.frame();
  ImGui::GetIO().MouseWheel = 0;
  app.frame(10);
  CHECK(ui::places().count("figure.1.rows.3000") == 0);
  CHECK(ui::places().at("figure.1.rows").y == table.y);
}

TEST_CASE("picture and table are in sight at both sizes, and each column or the tooltip has every value") {
  for (const ImVec2 size : {ImVec2(900, 600), ImVec2(1400, 900), ImVec2(2200, 1200)}) {
    App app;
    ImGui::GetIO().DisplaySize = size;
    openSheet(app, kKernels + "show m as dataflow\n");
    app.frame(4);
    INFO(size.x << " x " << size.y);
    const ui::Place picture = ui::places().at("figure.1.picture"), table = ui::places().at("figure.1.rows");
    for (const ui::Place& p : {picture, table}) {
      const WindowLayout layout = layoutOf(app.state.shown.sizes, size, 1);
      CHECK(p.x >= layout.middle.at.x);
      CHECK(p.x + p.w <= layout.middle.at.x + layout.middle.size.x);
      CHECK(p.y + p.h <= layout.middle.at.y + layout.middle.size.y);
    }
    const bool beside = table.x >= picture.x + picture.w, below = table.y >= picture.y + picture.h;
    CHECK((beside || below));
    CHECK(picture.h >= 60);
    CHECK(ui::places().count("figure.1.rows.0") == 1);
    for (const char* column : {"rank", "kernel", "requested", "times"}) {
      const std::string name = std::string("figure.1.rows.") + column;
      REQUIRE(ui::places().count(name) == 1);
      CHECK(ui::places().at(name).x + ui::places().at(name).w <= table.x + table.w + 12);
    }
  }
}

TEST_CASE("a module without kernels and an unfinished ranking say so") {
  App app;
  openSheet(app,
            "hlo m {\nENTRY %e (x: f32[4]) -> f32[4] {\n  ROOT %x = f32[4] parameter(0)\n}\n}\nshow m as dataflow\n");
  REQUIRE(figureOf(app).rows != nullptr);
  CHECK(figureOf(app).rows->note() == "No instruction of this module reads memory.");
  CHECK(ui::places().count("figure.1.rows.note") == 1);
  CHECK(ui::places().count("figure.1.rows.0") == 0);
  app.key(264);
  app.key(257);
  CHECK(figureOf(app).title == "%e as dataflow");
  const auto listing = *as<hlo::Listing>(*app.outcome(0).value);
  hlo::Ranking partial;
  partial.why = "out of budget (5 s of work)";
  partial.missing = 1200;
  const auto rows = hlo::rankingRows(listing, std::make_shared<hlo::Ranking>(partial), 0, {});
  CHECK(rows->note() == "1200 instructions not examined: out of budget (5 s of work).");
  CHECK(rows->rows() == 0);
}
