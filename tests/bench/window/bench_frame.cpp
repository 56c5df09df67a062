// Frame time against tensor size: 2^10 to 2^40 cells at the same window, software or hardware rasteriser, 1920x1080,
// off screen. The `moving` runs change the view every frame, so that the grid is sampled again; `still` ones redraw
// what is there.
#include <backends/imgui_impl_opengl3.h>
#include <benchmark/benchmark.h>
#include <epoxy/gl.h>
#include <fmt/format.h>
#include <imgui.h>

#include <chrono>

#include "app/gui/frame.h"
#include "app/gui/ui.h"
#include "render/gl/offscreen.h"

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
    ui::loadFonts(ui::look().fonts, 1);
    ui::applyStyle(Theme::Dark, 1);
    ImGui_ImplOpenGL3_Init("#version 330");
  }
  std::unique_ptr<Offscreen> offscreen;
};

Stage& stage() {
  static Stage* const kStage = new Stage;
  return *kStage;
}

double baseline = 0;  // milliseconds of the smallest tensor in this run

void frames(benchmark::State& state, bool moving) {
  Stage& s = stage();
  if (!s.offscreen) {
    state.SkipWithError("no EGL");
    return;
  }
  const i64 side = i64{1} << (state.range(0) / 2);
  Session session;
  WindowState window;
  GridTextures textures(/*gl=*/true);
  window.editor.focused = false;
  session.document().replace(0, 0, fmt::format("show Sw<3,3,3> o ({0},{0}):({0},1) as grid", side));
  session.waitUntilEvaluated(30);
  ImGuiIO& io = ImGui::GetIO();
  const auto frame = [&] {
    io.DeltaTime = 1.0F / 60;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    drawFrame(session, window, textures);
    ImGui::Render();
    s.offscreen->bind();
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glFinish();
  };
  for (int k = 0; k < 4; ++k) frame();
  // The same cells on screen for every size: 24 points a cell.
  double ms = 0;
  int n = 0;
  for (auto _ : state) {
    for (auto& [text, pane] : window.canvas.panes) {
      pane.moved = true;
      pane.scale = 0.92;
      pane.x = moving ? (n % 50) * 3.0 : 0;
      pane.y = 0;
    }
    const auto start = std::chrono::steady_clock::now();
    frame();
    ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ++n;
  }
  ms /= n;
  if (state.range(0) == 10) baseline = ms;
  state.counters["ms"] = ms;
  state.counters["ratio_to_2^10"] = baseline > 0 ? ms / baseline : 0;
}

}  // namespace

static void StillFrame(benchmark::State& state) { frames(state, false); }
static void MovingFrame(benchmark::State& state) { frames(state, true); }
BENCHMARK(StillFrame)->Arg(10)->Arg(20)->Arg(30)->Arg(40)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK(MovingFrame)->Arg(10)->Arg(20)->Arg(30)->Arg(40)->Iterations(40)->Unit(benchmark::kMillisecond);
