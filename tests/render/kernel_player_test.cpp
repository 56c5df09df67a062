// The player of a kernel's run and the paths to a finding, on a small trace written by hand: every cell agrees with the
// trace, find is the inverse of cell, all that a picture has lies inside it, and wrong words are refused.
#include "render/draw/code/kernel_player.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>

#include "core/code/index_code.h"
#include "render/draw/code/run_memory.h"
#include "render/draw/links.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"
#include "tests/support/approved.h"

using namespace tessera;
using code::RunTrace;

namespace {

void addStep(RunTrace& t, std::uint32_t warp, std::uint32_t group, std::uint32_t mask, std::uint32_t instruction,
             std::uint32_t states) {
  t.steps.push_back({warp, group, mask, instruction, states, t.accesses.size()});
  t.total = static_cast<i64>(t.steps.size());
}
void addTouch(RunTrace& t, int memory, int lane, i64 offset, bool write) {
  t.accesses.push_back({memory, lane, 4, write, offset, t.contents.size()});
  for (int b = 0; b < 4; ++b) t.contents.push_back(static_cast<std::uint8_t>(offset / 4 + b));
}

// Two warps of 40 threads reverse 40 words through shared memory; thread 39 reads what thread 0 wrote, with no barrier.
RunTrace smallTrace() {
  RunTrace t;
  t.blocks = 2;
  t.threads = 40;
  t.memories = {{"A", false, 0, 160, {5, 8}, 4, {}}, {"shared", true, -1, 160, {}, 0, {{"tile", 0}}}};
  t.instructions = {{"ld.global.f32 %f1, [%rd6];", 2, 11, -1, false},
                    {"st.shared.f32 [%r7], %f1;", 2, 12, -1, false},
                    {"@%p1 ld.shared.f32 %f2, [%r11];", 4, 14, -1, false},
                    {"bar.sync 0;", 3, 13, -1, true}};
  t.states = {{{0, ~0U}, {0, 0xffU}}, {{~0U, ~0U}, {0, 0xffU}}};
  for (std::uint32_t w = 0; w < 2; ++w) {
    const std::uint32_t lanes = w == 0 ? ~0U : 0xffU;
    addStep(t, w, lanes, lanes, 0, w);
    for (int l = 0; l < (w == 0 ? 32 : 8); ++l) addTouch(t, 0, l, 4 * (32 * w + l), false);
    addStep(t, w, lanes, lanes, 1, w);
    for (int l = 0; l < (w == 0 ? 32 : 8); ++l) addTouch(t, 1, l, 4 * (32 * w + l), true);
    if (w == 0) addStep(t, w, lanes, lanes, 3, 0);
  }
  addStep(t, 1, 0xffU, 0xf0U, 2, 1);
  for (int l = 4; l < 8; ++l) addTouch(t, 1, l, 4 * (39 - 32 - l), false);
  RunTrace::Meeting m;
  m.at = {0, 39, {{0, 1}, {1, 1}, {2, 1}}, 2, 5};
  m.other = RunTrace::Path{0, 0, {{0, 1}, {1, 1}}, 1, 1};
  m.memory = 1;
  m.bytes = 4;
  t.meetings = {m};
  return t;
}

Layout runLayout(const RunTrace& trace, int* asked = nullptr) {
  code::IndexCode code;
  code.word = "kernel";
  code.text =
      "__global__ void k(const float* A) {\n\ttile[t] = A[t];\n\tif (t < 32) __syncthreads();\n\tuse(tile[39 - "
      "t]);\n}\n";
  code::IndexValue load;
  load.kind = code::IndexValue::Kind::Access;
  load.name = "A";
  load.line = 2;
  code.values = std::make_shared<std::vector<code::IndexValue>>(std::vector{load});
  auto facts = std::make_shared<code::RunFacts>();
  facts->verdict = "race: one";
  facts->costs.resize(1);
  facts->findings = {{4, 2, "thread 39 reads tile+0, written by thread 0: no synchronization orders them"},
                     {4, 2, "another one"}};
  facts->trace = [trace, asked](i64 block) -> Result<TracePtr> {
    if (asked != nullptr) ++*asked;
    if (block > 1) return Diag{fmt::format("there is no block {}", block)};
    RunTrace own = trace;
    own.block = std::max<i64>(block, 0);
    return std::make_shared<const RunTrace>(own);
  };
  code.run = facts;
  return Layout(code);
}

Figure playerOf(const Layout& layout, std::vector<std::string> words) {
  DrawOptions options;
  options.name = "K";
  options.arguments = std::move(words);
  auto figure = drawKernelPlayer(layout, options);
  INFO((figure ? "" : figure.error().message));
  REQUIRE(figure.ok());
  return *std::move(figure);
}
const Grid& gridNamed(const Figure& figure, const std::string& name) {
  for (const Grid& g : figure.grids)
    if (g.name == name) return g;
  FAIL("no grid " << name);
  return figure.grids.front();
}
bool says(const Figure& figure, const std::string& text) {
  for (const Mark& m : figure.marks)
    if (m.text.find(text) != std::string::npos) return true;
  for (const FigureBadge& b : figure.badges)
    if (b.text.find(text) != std::string::npos) return true;
  return false;
}

// Every mark and cell is inside the picture, and no two texts are over each other.
void checkVisible(const Figure& f) {
  std::vector<Rect> texts;
  for (const Mark& m : f.marks) {
    const Rect r = extentOf(m);
    INFO(m.text << " at " << r.x << ", " << r.y);
    CHECK(r.x >= -0.5);
    CHECK(r.y >= -0.5);
    CHECK(r.x + r.w <= f.width + 0.5);
    CHECK(r.y + r.h <= f.height + 0.5);
    if (m.kind != Mark::Kind::Text || m.text.empty()) continue;
    for (const Rect& o : texts)
      CHECK((r.x + r.w <= o.x + 0.5 || o.x + o.w <= r.x + 0.5 || r.y + r.h <= o.y + 2 || o.y + o.h <= r.y + 2));
    texts.push_back(r);
  }
  for (const Grid& g : f.grids) {
    const Rect b = g.bounds();
    const Margins margins = headerMargins(g);
    INFO(g.name);
    CHECK(b.x - margins.left >= -0.5);
    CHECK(b.y - margins.top >= -0.5);
    CHECK(b.x + b.w <= f.width + 0.5);
    CHECK(b.y + b.h <= f.height + 0.5);
    for (const Rect& o : texts)
      CHECK((b.x + b.w <= o.x || o.x + o.w <= b.x || b.y + b.h <= o.y + 2 || o.y + o.h <= b.y));
  }
}

}  // namespace

TEST_CASE("lanes are written as ranges") {
  CHECK(lanesText(0) == "none");
  CHECK(lanesText(~0U) == "0-31");
  CHECK(lanesText(0x80000003U) == "0,1,31");
  CHECK(lanesText(0xfU | 0x100U) == "0-3,8");
}

TEST_CASE("every step of the player shows the lanes, the bytes and the last writers of that step of the trace") {
  const RunTrace trace = smallTrace();
  const Layout layout = runLayout(trace);
  for (std::size_t n = 0; n < trace.steps.size(); ++n) {
    INFO("step " << n);
    const Figure f = playerOf(layout, {"step", std::to_string(n)});
    const RunTrace::Step& now = trace.steps[n];
    const Grid& lanes = gridNamed(f, "lanes");
    REQUIRE(lanes.rows == 2);
    eachCell(lanes.rows, lanes.cols, [&](i64 row, i64 col) {
      const bool executes = row == i64{now.warp} && (now.mask >> col & 1) != 0;
      const Cell cell = lanes.cells->cell(row, col);
      CHECK((cell.paint.role == Role::Group) == executes);
      const bool idle = row == i64{now.warp} && (now.group & ~now.mask) >> col & 1;
      CHECK((cell.paint.role == Role::Padding) == idle);
      const bool waits = (trace.states[now.states][static_cast<std::size_t>(row)].waiting >> col & 1) != 0;
      CHECK((cell.paint.role == Role::Heat) == (waits && row * 32 + col < 40));
      if (cell.point.real()) CHECK(lanes.cells->find(cell.point, 4) == std::vector{std::pair{row, col}});
    });
    for (const Grid& g : f.grids) {
      if (g.name == "lanes") continue;
      const int memory = g.name == "A" ? 0 : 1;
      std::map<i64, i64> writer;
      std::map<i64, i64> touched;
      for (std::size_t k = 0; k <= n; ++k)
        for (const RunTrace::Access& a : trace.accessesOf(k)) {
          if (a.memory != memory) continue;
          const i64 thread = i64{trace.steps[k].warp} * 32 + a.lane;
          if (k == n)
            touched[a.offset / 4] = thread;
          else if (a.write)
            writer[a.offset / 4] = thread;
        }
      CHECK(g.cols == (memory == 0 ? 8 : 32));
      eachCell(g.rows, g.cols, [&](i64 row, i64 col) {
        const i64 at = row * g.cols + col;
        const Cell cell = g.cells->cell(row, col);
        INFO(g.name << " " << row << ", " << col);
        if (at >= 40) {
          CHECK(cell.paint.role == Role::None);
          return;
        }
        CHECK((cell.paint.role == Role::Group) == touched.contains(at));
        if (touched.contains(at))
          CHECK(cell.label == std::to_string(touched[at]));
        else
          CHECK(cell.label == (writer.contains(at) ? std::to_string(writer[at]) : ""));
        if (!touched.contains(at)) CHECK((cell.paint.role == Role::Shade) == writer.contains(at));
        CHECK(g.cells->find(cell.point, 4) == std::vector{std::pair{row, col}});
      });
    }
    checkVisible(f);
    REQUIRE(f.modes.size() == 3);
    CHECK(f.modes[0].name == "step");
    CHECK(f.modes[0].extent == static_cast<i64>(trace.steps.size()));
    CHECK(f.modes[0].value == static_cast<i64>(n));
    CHECK(says(f, trace.instructionOf(now).text));
  }
}

TEST_CASE("the player says what a thread accesses, who waits, and the finding of its step") {
  const Layout layout = runLayout(smallTrace());
  CHECK(says(playerOf(layout, {"1"}), "T0 writes 4 bytes at tile+0: 0x03020100"));
  CHECK(says(playerOf(layout, {"1", "thread", "9"}), "T9 writes 4 bytes at tile+36: 0x0c0b0a09"));
  CHECK(says(playerOf(layout, {"0", "thread", "9"}), "T9 reads 4 bytes at A[1,1]: 0x0c0b0a09"));
  CHECK(says(playerOf(layout, {"4"}), "w0 waits"));
  CHECK_FALSE(says(playerOf(layout, {"1"}), "w0 waits"));
  CHECK(says(playerOf(layout, {"1"}), "finding 1 at step 5"));
  const Figure met = playerOf(layout, {"finding", "1"});
  CHECK(met.modes[0].value == 5);
  CHECK(met.modes[2].value == 39);
  CHECK(says(met, "no synchronization orders them"));
  CHECK(gridNamed(met, "shared").cells->cell(0, 0).lit);
  CHECK_FALSE(gridNamed(met, "shared").cells->cell(0, 9).lit);

  CHECK(met.text.find("w1  ----####........................") != std::string::npos);
  CHECK(met.text.find("T39 reads 4 bytes at tile+0") != std::string::npos);
}

TEST_CASE("the player of a kernel refuses what is not there") {
  const Layout layout = runLayout(smallTrace());
  const std::pair<std::vector<std::string>, std::pair<const char*, const char*>> kWrong[] = {
      {{"step", "6"}, {"there is no step 6", "0 to 5"}},
      {{"block", "2"}, {"there is no block 2", ""}},
      {{"thread", "40"}, {"there is no thread 40", "0 to 39"}},
      {{"finding", "2"}, {"finding 2 is at no recorded step of this run", "another finding"}},
      {{"finding", "3"}, {"there is no finding 3", "1 to 2"}},
      {{"finding", "0"}, {"there is no finding 0", "1 to 2"}},
      {{"banana"}, {"the player view knows no \"banana\"", "step, block, thread, finding"}}};
  for (const auto& [words, message] : kWrong) {
    DrawOptions options;
    options.arguments = words;
    const auto figure = drawKernelPlayer(layout, options);
    REQUIRE_FALSE(figure.ok());
    CHECK(figure.error().message == message.first);
    CHECK(figure.error().expected == message.second);
  }
  RunTrace empty = smallTrace();
  empty.steps.clear();
  const auto none = drawKernelPlayer(runLayout(empty), {});
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().message.find("executes nothing") != std::string::npos);
}

TEST_CASE("steps beyond the budget are counted in the picture") {
  RunTrace trace = smallTrace();
  trace.total = 20'006;
  CHECK(says(playerOf(runLayout(trace), {}), "20000 more steps are not recorded"));
}

TEST_CASE("the source marks the lines of both threads, their accesses, and where they meet") {
  int asked = 0;
  const RunTrace trace = smallTrace();
  const Layout layout = runLayout(trace, &asked);
  const auto drawn = drawSource(layout, {});
  REQUIRE(drawn.ok());
  CHECK(asked > 0);
  checkVisible(*drawn);
  CHECK(says(*drawn, "thread 39 of block 0"));
  CHECK(says(*drawn, "thread 0 of block 0"));
  CHECK(says(*drawn, "They meet at tile+0"));
  // The marks: boxes of the two colours; the first one beside lines 2 and 4, the second beside line 2.
  std::map<int, std::vector<double>> boxes;
  std::map<std::string, double> rows;
  for (const Mark& m : drawn->marks) {
    if (m.kind == Mark::Kind::Rectangle && m.rect.w == 7) boxes[static_cast<int>(m.fill.role)].push_back(m.rect.y);
    if (m.kind == Mark::Kind::Text && m.text.size() == 1) rows[m.text] = m.rect.y + m.rect.h / 2;
  }
  REQUIRE(boxes.size() == 2);
  CHECK(boxes[static_cast<int>(Role::Accent)].size() == 2);
  CHECK(boxes[static_cast<int>(Role::Unknown)].size() == 1);
  CHECK(std::abs(boxes[static_cast<int>(Role::Unknown)][0] - rows["2"]) < 10);
  CHECK(std::abs(boxes[static_cast<int>(Role::Accent)][1] - rows["4"]) < 10);
  // The cell.
  const Grid& grid = gridNamed(*drawn, "shared");
  CHECK(grid.cells->cell(0, 0).lit);
  CHECK(grid.cells->cell(0, 0).label == "39");
  CHECK_FALSE(grid.cells->cell(0, 1).lit);
  // A click on the message opens its step.
  const auto door =
      std::find_if(drawn->doors.begin(), drawn->doors.end(), [](const FigureDoor& d) { return d.view == "player"; });
  REQUIRE(door != drawn->doors.end());
  CHECK(door->words == std::vector<std::string>{"finding", "1"});
  // The second finding was not seen in the run: no marks; a third one does not exist.
  DrawOptions second;
  second.arguments = {"finding", "2"};
  const auto unseen = drawSource(layout, second);
  REQUIRE(unseen.ok());
  CHECK(unseen->grids.empty());
  second.arguments = {"3"};
  CHECK(drawSource(layout, second).error().message == "there is no finding 3");
}

TEST_CASE("pictures of a run are as they were approved") {
  const Layout layout = runLayout(smallTrace());
  const auto source = drawSource(layout, {});
  REQUIRE(source.ok());
  const std::pair<const char*, Figure> kPictures[] = {{"kernel_player", playerOf(layout, {"4"})},
                                                      {"kernel_player_finding", playerOf(layout, {"finding", "1"})},
                                                      {"kernel_source_paths", *source}};
  for (const auto& [name, figure] : kPictures) testing::checkApproved(figure, name, {"svg", "txt", "csv"});
}

TEST_CASE("in a pane, the part of a kernel's memory has the thread's access and the cells of the whole") {
  const RunTrace trace = smallTrace();
  const Layout layout = runLayout(trace);
  int parts = 0, lit = 0;
  for (std::size_t step = 0; step < trace.steps.size(); ++step) {
    for (const i64 thread : {0, 13, 31, 36, 39}) {
      DrawOptions options;
      options.arguments = {"step", std::to_string(step), "thread", std::to_string(thread)};
      options.width = 520;
      const auto drawnPicture = drawKernelPlayer(layout, options);
      REQUIRE(drawnPicture);
      const Grid &part = gridNamed(*drawnPicture, "shared part"), &whole = gridNamed(*drawnPicture, "shared");
      CHECK(part.cols == 8);
      CHECK(whole.cols == 32);
      ++parts;
      bool inPart = false, inWhole = false;
      eachCell(part.rows, part.cols, [&](i64 row, i64 col) {
        const Cell cell = part.cells->cell(row, col);
        inPart = inPart || cell.lit;
        if (!cell.point.real()) return;  // beyond the memory
        const auto at = whole.cells->find(cell.point, 2);
        REQUIRE(at.size() == 1);
        const Cell same = whole.cells->cell(at[0].first, at[0].second);
        CHECK((same.label == cell.label && same.paint == cell.paint && same.lit == cell.lit));
      });
      eachCell(whole.rows, whole.cols, [&](i64 row, i64 col) { inWhole = inWhole || whole.cells->cell(row, col).lit; });
      CHECK(inPart == inWhole);
      lit += inPart ? 1 : 0;
    }
  }
  CHECK(parts == static_cast<int>(5 * trace.steps.size()));
  CHECK(lit >= 5);
  // Wide enough for all labels: the whole.
  DrawOptions wide;
  wide.width = 1160;
  const auto all = drawKernelPlayer(layout, wide);
  REQUIRE(all);
  CHECK(std::ranges::none_of(all->grids, [](const Grid& g) { return g.name == "shared part"; }));
}
