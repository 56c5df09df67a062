// A number that is dragged: the text, its pictures and its verdicts follow, in one undo step.
#include "app/views/editor/number_drag.h"

#include "tests/gui/app.h"

using namespace tessera;
using namespace tessera::panes;

namespace {

const char* const kSheet = "N = 64\nA = (8,N):(64,1)\nshow A as grid\nprove injective(A)\nshow (8,16):(16,1) as grid\n";

void open(App& app) {
  app.session.document().reset(kSheet);
  app.session.document().setCaret(8);
  app.state.editor.caret.used = true;
  app.settle();
  app.frame(3);
}

ImVec2 pointOf(const App& app, std::size_t byte) {
  const Place p = app.state.editor.layout.place(byte);
  const ui::Place e = ui::places().at("editor");
  return {e.x + 54 + p.x + 4, e.y + 6 + static_cast<float>(p.y) + 10};
}

void press(App& app, bool down) {
  ImGui::GetIO().MouseDown[0] = down;
  app.frame();
}

// Alt and a drag from the byte, by so many points.
void drag(App& app, std::size_t byte, std::initializer_list<int> stops) {
  const ImVec2 at = pointOf(app, byte);
  app.moveTo(at.x, at.y);
  ImGui::GetIO().KeyAlt = true;
  press(app, true);
  for (const int by : stops) app.moveTo(at.x + static_cast<float>(by), at.y + 3);
  ImGui::GetIO().KeyAlt = false;
  press(app, false);
  app.frame();
}

}  // namespace

TEST_CASE("a dragged number changes the text, the picture and the verdict; one undo restores them") {
  App app;
  open(app);
  const std::string before = kSheet;
  const std::size_t stride = before.find("64,1)");
  // From 64 down to 8, past everything between.
  drag(app, stride, {-30, -120, -6 * 56});
  CHECK(app.session.document().text() == std::string(before).replace(stride, 2, "8"));
  app.settle();
  CHECK(app.outcome(2).figure->subtitle.find("(8,64):(8,1)") != std::string::npos);
  CHECK(app.outcome(3).verdict->truth == Truth::Refuted);
  app.key('Z', true);
  CHECK(app.session.document().text() == before);
  CHECK_FALSE(app.session.document().canUndo());
}

TEST_CASE("a drag that comes back leaves no step, and one to the left of zero stays there") {
  App app;
  open(app);
  const std::string before = kSheet;
  drag(app, before.find("64,1)"), {60, 240, 0});
  CHECK(app.session.document().text() == before);
  CHECK_FALSE(app.session.document().canUndo());
  drag(app, before.find("64,1)"), {-3000});
  CHECK(app.session.document().text().find("(8,N):(0,1)") != std::string::npos);
}

TEST_CASE("without Alt a drag selects, as ever") {
  App app;
  open(app);
  const ImVec2 at = pointOf(app, std::string(kSheet).find("64,1)"));
  app.moveTo(at.x, at.y);
  press(app, true);
  app.moveTo(at.x + 40, at.y);
  press(app, false);
  CHECK(app.session.document().text() == kSheet);
  CHECK(app.state.editor.hasSelection(app.session.document()));
}

TEST_CASE("a constant has a slider, and the pictures that use it follow while it is dragged") {
  App app;
  open(app);
  REQUIRE(ui::places().count("constant.1.slider") == 1);
  CHECK(ui::places().count("constant.2.slider") == 0);
  const ui::Place track = ui::places().at("constant.1.slider");
  const float y = track.y + track.h / 2;
  app.moveTo(track.x + track.w * static_cast<float>(shareOf(64)), y);
  press(app, true);
  for (const i64 size : {32, 16, 8}) {
    app.moveTo(track.x + track.w * static_cast<float>(shareOf(size)), y);
    CHECK(app.session.document().text().starts_with("N = " + std::to_string(size) + "\n"));
    REQUIRE(app.session.waitUntilEvaluated(60));
    app.frame();
    // The picture is there in the frame after the answer, and does not flash.
    CHECK(app.state.canvas.panes.at("show A as grid").drawn == app.session.evaluation().snapshot()->outcomes[2]);
    CHECK(ui::places().count("figure.2.flash") == 0);
  }
  press(app, false);
  app.key('Z', true);
  CHECK(app.session.document().text() == kSheet);
}

TEST_CASE("a picture keeps its camera while the numbers of its own line are dragged") {
  App app;
  open(app);
  const std::string before = kSheet, line = "show (8,16):(16,1) as grid";
  auto& panes = app.state.canvas.panes;
  panes.at(line).moved = true;
  panes.at(line).scale = 3;
  drag(app, before.find("16,1)"), {12});
  app.settle();
  app.frame(3);
  const std::string now = "show (8,16):(18,1) as grid";
  REQUIRE(panes.count(now) == 1);
  CHECK(panes.at(now).scale == 3);
  CHECK(panes.at(now).moved);
}

TEST_CASE("sizes of a slider: monotone, and every size is at its own share") {
  i64 last = 0;
  for (int k = 0; k <= 1000; ++k) {
    const i64 size = sizeAtShare(k / 1000.0, 64);
    CHECK(size >= last);
    last = size;
  }
  CHECK(last == kSliderMost);
  for (i64 size = 1; size <= kSliderMost; size = nextSize(size, 1)) CHECK(sizeAtShare(shareOf(size), 64) == size);
  CHECK(shareOf(5) > shareOf(4));
  CHECK(shareOf(5) < shareOf(6));
  CHECK(sizeAtShare(shareOf(1 << 20), 1 << 20) == 1 << 20);
  CHECK(boundConstant("N = 64")->value == 64);
  CHECK(boundConstant("  N = 64 // rows")->span.begin == 6);
  for (const char* none : {"N = 64 + 1", "N = -1", "show 64", "N == 64", "f(x) = 64", "N = 0x10", "// N = 4", "N ="})
    CHECK_FALSE(boundConstant(none));
}

TEST_CASE("the sizes that a statement gives are found, and nothing else") {
  const auto found = [](std::string_view line) {
    std::string text;
    for (const GivenSize& g : givenSizes(line)) {
      CHECK(line.substr(g.number.span.begin, g.number.span.end - g.number.span.begin) ==
            std::to_string(g.number.value));
      text += g.name + "=" + std::to_string(g.number.value) + " ";
    }
    return text;
  };
  CHECK(found("run gemm with M=8, stages = 3 compare cublas") == "M=8 stages=3 ");
  CHECK(found("run gemm with M=8 N=16 order=col K=4 seed 3") == "M=8 N=16 K=4 ");
  CHECK(found("show gemm as player, step 17, block 3, thread 5, M 256, addresses") == "M=256 ");
  CHECK(found("show gemm as player M 2 N 3") == "M=2 N=3 ");
  CHECK(found("} over (tid = 128, warp = 4) with N = 64") == "tid=128 warp=4 N=64 ");
  for (const char* none :
       {"run gemm", "run gemm seed 3", "N = 64", "S(i, j) = i * 8 + j over (4, 8)", "show S as grid", "",
        "// run gemm with M=8", "show T as spec 1", "run within M=8", "with", "run gemm with M=", "run gemm with M=1.5",
        "run gemm with M=0x10", "show K as player, finding 1", "over (", "show X as player,", "run gemm with =8"})
    CHECK(found(none) == "");
}

TEST_CASE("each size of a run has a slider below its line, and dragging one changes only that size") {
  App app;
  const std::string sheet =
      "graphene scale {\n%x:[M,8].fp32.GL %y:[M,8].fp32.GL #g:[M].block #t:[8].thread\n%y <- Move<<<#g,#t>>>(%x) {\n"
      "@b = #g.indices() @i = #t.indices()\n%u = %x[@b,@i] %v = %y[@b,@i]\n%v <- Move(%u)\n}\n}\n"
      "run scale with M=16 by emulator\nshow scale as player, M 4\n";
  app.session.document().reset(sheet);
  app.settle();
  app.frame(4);
  REQUIRE(ui::places().count("size.9.M") == 1);
  REQUIRE(ui::places().count("size.10.M") == 1);
  CHECK(ui::places().count("size.1.M") == 0);
  // It is below its line, and above the next one.
  const ui::Place track = ui::places().at("size.9.M"), next = ui::places().at("size.10.M");
  CHECK(track.y > pointOf(app, sheet.find("run scale")).y);
  CHECK(track.y + track.h < pointOf(app, sheet.find("show scale")).y + 10);
  CHECK(next.y > pointOf(app, sheet.find("show scale")).y);
  const auto slide = [&](const std::string& name, i64 from, i64 to) {
    const ui::Place at = ui::places().at(name);
    app.moveTo(at.x + at.w * static_cast<float>(shareOf(from)), at.y + at.h / 2);
    press(app, true);
    app.moveTo(at.x + at.w * static_cast<float>(shareOf(to)), at.y + at.h / 2);
    press(app, false);
    app.settle();
    app.frame(3);
  };
  slide("size.9.M", 16, 64);
  std::string now = sheet;
  now.replace(now.find("M=16"), 4, "M=64");
  CHECK(app.session.document().text() == now);
  slide("size.10.M", 4, 2);
  now.replace(now.find("M 4"), 3, "M 2");
  CHECK(app.session.document().text() == now);
  CHECK_FALSE(app.outcome(1).diag);
  CHECK_FALSE(app.outcome(2).diag);
  app.key('Z', true);
  app.key('Z', true);
  CHECK(app.session.document().text() == sheet);
}
