// Frame time against tensor size: 2^10 to 2^40 cells in the same window, software or hardware rasteriser, 1920x1080,
// off screen. The `moving` runs change the view every frame, so the grid is sampled again. The `still` runs redraw the
// same view.
#include <backends/imgui_impl_opengl3.h>
#include <benchmark/benchmark.h>
#include <epoxy/gl.h>
#include <fmt/format.h>
#include <imgui.h>

#include <chrono>
#include <cmath>

#include "app/desktop/offscreen.h"
#include "app/desktop/system_fonts.h"
#include "app/gui/frame.h"
#include "app/widgets/ui.h"

using namespace tessera;

namespace {

struct Stage {
  Stage() {
    auto made = Offscreen::create(1920, 1080);
    if (!made.ok()) return;
    offscreen = *std::move(made);
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {1920, 1080};
    ui::loadFonts(ui::look().fonts, ui::systemFonts(), 1);
    ui::applyStyle(Theme::Dark, 1);
    ImGui_ImplOpenGL3_Init("#version 330");
  }
  std::unique_ptr<Offscreen> offscreen;
};

Stage& stage() {
  static Stage* const kStage = new Stage;
  return *kStage;
}

// rasterises: false stops at the list of triangles, which a graphics card draws in a millisecond.
void windowFrame(Stage& s, Session& session, WindowState& window, GridTextures& textures, bool rasterises = true) {
  ImGui::GetIO().DeltaTime = 1.0F / 60;
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  drawFrame(session, window, textures);
  ImGui::Render();
  if (!rasterises) return;
  s.offscreen->bind();
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glFinish();
}

double baseline = 0;  // milliseconds of the smallest tensor in this run

// Frame n of a run: where the picture is looked at from.
using Look = void (*)(panes::Pane& pane, int n);

void frames(benchmark::State& state, const std::string& document, Look look) {
  Stage& s = stage();
  if (!s.offscreen) {
    state.SkipWithError("no EGL");
    return;
  }
  Session session;
  WindowState window;
  GridTextures textures(/*gl=*/true);
  window.editor.focused = false;
  session.document().replace(0, 0, document);
  session.waitUntilEvaluated(30);
  const auto frame = [&] { windowFrame(s, session, window, textures); };
  for (int k = 0; k < 4; ++k) frame();
  double ms = 0;
  int n = 0;
  for (auto _ : state) {
    for (auto& [text, pane] : window.canvas.panes) {
      look(pane, n);
    }
    const auto start = std::chrono::steady_clock::now();
    frame();
    ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ++n;
  }
  ms /= n;
  if (baseline == 0) baseline = ms;
  state.counters["ms"] = ms;
  state.counters["ratio_to_2^10"] = baseline > 0 ? ms / baseline : 0;
}

}  // namespace

// The same cells on screen for every size: 24 points a cell.
static std::string square(const benchmark::State& state) {
  return fmt::format("show Sw<3,3,3> o ({0},{0}):({0},1) as grid", i64{1} << (state.range(0) / 2));
}
static void StillFrame(benchmark::State& state) {
  frames(state, square(state), [](panes::Pane& pane, int) {
    pane.moved = true;
    pane.scale = 0.92;
    pane.x = pane.y = 0;
  });
}
static void MovingFrame(benchmark::State& state) {
  frames(state, square(state), [](panes::Pane& pane, int n) {
    pane.moved = true;
    pane.scale = 0.92;
    pane.x = (n % 50) * 3.0;
    pane.y = 0;
  });
}
// 168 million elements of a tiled XLA array: zooming in from the whole, 12 % a frame; panning from far and from near.
constexpr const char* kTensor = "show bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)} as tensor";
static void TensorZoom(benchmark::State& state) {
  frames(state, kTensor, [](panes::Pane& pane, int n) {
    pane.moved = true;
    pane.scale = 0.005 * std::pow(1.12, n % 60);
    pane.x = 70'000;
    pane.y = 9'000;
  });
}
static void TensorPanFar(benchmark::State& state) {
  frames(state, kTensor, [](panes::Pane& pane, int n) {
    pane.moved = true;
    pane.scale = 0.02;
    pane.x = n * 400.0;
    pane.y = 1'000;
  });
}
static void TensorPanNear(benchmark::State& state) {
  frames(state, kTensor, [](panes::Pane& pane, int n) {
    pane.moved = true;
    pane.scale = 1.5;
    pane.x = 70'000 + n * 9.0;
    pane.y = 9'000 + n * 5.0;
  });
}
// A number is dragged: from the mouse to the frame with the new picture and verdict, n x n elements.
static void DragToPicture(benchmark::State& state) {
  Stage& s = stage();
  if (!s.offscreen) return state.SkipWithError("no EGL");
  Session session;
  WindowState window;
  GridTextures textures(/*gl=*/true);
  const std::string size = std::to_string(state.range(0));
  session.document().reset(fmt::format("A = ({0},{0}):({0},1)\nshow A as grid\nprove injective(A)\n", size));
  session.waitUntilEvaluated(30);
  for (int k = 0; k < 4; ++k) windowFrame(s, session, window, textures);
  panes::NumberDrag& drag = window.editor.drag;
  const std::size_t stride = session.document().text().find(":(") + 2;
  panes::beginDrag(drag, *integerAt(session.document().text(), stride), 0);
  const auto shown = [&] {
    const auto now = session.evaluation().snapshot();
    const auto pane = window.canvas.panes.find("show A as grid");
    return now->complete && now->text == session.document().text() && pane != window.canvas.panes.end() &&
           pane->second.drawn == now->outcomes[1];
  };
  double worst = 0, all = 0;
  int n = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    panes::dragTo(drag, session, static_cast<float>(6 * (1 + n++ % 40)), /*sizes=*/false);
    do windowFrame(s, session, window, textures, state.range(1) != 0);
    while (!shown());
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    worst = std::max(worst, ms);
    all += ms;
  }
  drag.active = false;
  state.counters["ms"] = all / n;
  state.counters["worst_ms"] = worst;
}
BENCHMARK(DragToPicture)->ArgsProduct({{16, 64, 256}, {0, 1}})->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK(StillFrame)->Arg(10)->Arg(20)->Arg(30)->Arg(40)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK(MovingFrame)->Arg(10)->Arg(20)->Arg(30)->Arg(40)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK(TensorZoom)->Iterations(60)->Unit(benchmark::kMillisecond);
BENCHMARK(TensorPanFar)->Iterations(60)->Unit(benchmark::kMillisecond);
BENCHMARK(TensorPanNear)->Iterations(60)->Unit(benchmark::kMillisecond);
