// The window at every scale and size: its letters are visible, and its panes do not overlap.
#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "app/desktop/offscreen.h"
#include "app/desktop/system_fonts.h"
#include "app/gui/panes/pane.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

constexpr int kEqual = '=', kMinus = '-';

// Everything that is drawn with a texture uses one that the renderer has.
bool lettersAreThere(const App& app) {
  bool any = false;
  const ImDrawData* drawn = ImGui::GetDrawData();
  for (int k = 0; k < drawn->CmdListsCount; ++k)
    for (const ImDrawCmd& c : drawn->CmdLists[k]->CmdBuffer)
      any = any || reinterpret_cast<std::uintptr_t>(c.GetTexID()) == app.fontTexture;
  return any;
}

bool overlap(const Area& a, const Area& b) {
  return a.shown() && b.shown() && a.at.x < b.at.x + b.size.x && b.at.x < a.at.x + a.size.x &&
         a.at.y < b.at.y + b.size.y && b.at.y < a.at.y + a.size.y;
}

// Pixels that are lighter than the ground by far: letters, lines.
int lightPixels(const std::vector<unsigned char>& rgba) {
  int n = 0;
  for (std::size_t k = 0; k + 3 < rgba.size(); k += 4) n += rgba[k] > 150 && rgba[k + 1] > 150 && rgba[k + 2] > 150;
  return n;
}

}  // namespace

TEST_CASE("larger and smaller, again and again: the scale stays within its bounds and the letters are there") {
  App app;
  app.type("A = (4,8):(8,1)\nshow A as grid");
  app.settle();
  for (int k = 0; k < 14; ++k) app.key(kEqual, true);
  CHECK(app.session.preferences.scale == 3);
  CHECK(lettersAreThere(app));
  for (int k = 0; k < 14; ++k) app.key(kMinus, true);
  CHECK(app.session.preferences.scale == 0.75);
  CHECK(lettersAreThere(app));
  while (app.session.preferences.scale < 1) app.key(kEqual, true);
  CHECK(app.session.preferences.scale == 1);  // the same steps up and down
  CHECK(ui::look().scale == 1);
  app.type("!");
  CHECK(app.session.document().text() == "A = (4,8):(8,1)\nshow A as grid!");
}

TEST_CASE("however large the letters and narrow the pane, every button over a picture can be pressed") {
  App app;
  app.type("show Sw<2,3,3> o (16,32):(32,1) as banks fp16 ldmatrix.x4");
  app.settle();
  for (const double scale : {1.0, 1.75, 2.5, 3.0}) {
    INFO(scale);
    app.session.preferences.scale = scale;
    app.frame(4);
    const ui::Place editor = ui::places().at("editor");
    std::vector<ui::Place> buttons;
    for (const char* name : {"view", "phase", "play", "fit", "only", "compare", "export"}) {
      INFO(name);
      REQUIRE(ui::places().count(std::string("figure.0.") + name) == 1);
      const ui::Place b = ui::places().at(std::string("figure.0.") + name);
      CHECK(b.x >= editor.x + editor.w);
      CHECK(b.x + b.w <= 1600);
      for (const ui::Place& other : buttons)
        CHECK((b.x >= other.x + other.w || other.x >= b.x + b.w || b.y >= other.y + other.h || other.y >= b.y + b.h));
      buttons.push_back(b);
    }
  }
}

TEST_CASE("the scale changes while a dialog is open, and with the keys of the number pad") {
  App app;
  app.key('S', true, true);
  app.key(334, true);
  CHECK(app.session.preferences.scale > 1);
  CHECK(app.state.question.ask == PathQuestion::Ask::SaveAs);
  app.key(333, true);
  CHECK(app.session.preferences.scale == 1);
  app.key(kEqual, true, /*shift=*/true);
  CHECK(app.session.preferences.scale > 1);
}

TEST_CASE("a window is moved between displays of any scale") {
  App app;
  app.type("show (4,8):(8,1) as grid");
  app.settle();
  for (const double scale : {2.0, 0.75, 3.0, 1.0, 1.25, 0.0, -1.0, 1e9, std::nan(""), 1.0}) {
    INFO(scale);
    app.displayScale = scale;
    app.frame(2);
    CHECK(lettersAreThere(app));
    CHECK(ui::look().scale >= 0.5F);
    CHECK(ui::look().scale <= 6.0F);
  }
}

TEST_CASE("the letters fit into the graphics card's largest texture, and are the right size") {
  App app;
  for (const int most : {1024, 2048, 4096, 16384}) {
    for (const double scale : {0.75, 1.0, 2.0, 3.0, 6.0}) {
      INFO(most << " at " << scale);
      const std::string note = ui::loadFonts(ui::look().fonts, ui::systemFonts(), scale, most);
      const ImFontAtlas* atlas = ImGui::GetIO().Fonts;
      if (scale <= 3 || most >= 4096) CHECK(note.find("too small") == std::string::npos);
      if (note.find("too small") == std::string::npos) {
        CHECK(atlas->TexWidth <= most);
        CHECK(atlas->TexHeight <= most);
        CHECK(ui::look().fonts.sans->FindGlyphNoFallback('a') != nullptr);
      }
      CHECK(std::abs(static_cast<double>(ui::look().fonts.sans->FontSize) - 13 * 1.21 * scale) <= 1);
    }
  }
}

TEST_CASE("at any size and scale the panes cover the window and none overlaps another") {
  std::mt19937 random(13);
  for (int turn = 0; turn < 20000; ++turn) {
    const ImVec2 screen = {static_cast<float>(1 + random() % 4000), static_cast<float>(1 + random() % 2400)};
    const float scale = 0.75F + static_cast<float>(random() % 100) / 40;
    const PaneSizes sizes = {static_cast<float>(random() % 3000) - 500, static_cast<float>(random() % 3000) - 500,
                             static_cast<float>(random() % 3000) - 500};
    INFO(screen.x << " x " << screen.y << " at " << scale << ": " << sizes.left << " " << sizes.right << " "
                  << sizes.bottom);
    const WindowLayout l = layoutOf(sizes, screen, scale);
    const Area all[] = {l.top, l.left, l.middle, l.right, l.bottom};
    double covered = 0;
    for (const Area& a : all) {
      REQUIRE(a.size.x >= 0);
      REQUIRE(a.size.y >= 0);
      REQUIRE(a.at.x + a.size.x <= screen.x);
      REQUIRE(a.at.y + a.size.y <= screen.y);
      covered += static_cast<double>(a.size.x) * static_cast<double>(a.size.y);
      for (const Area& b : all) REQUIRE((&a == &b || !overlap(a, b)));
    }
    REQUIRE(covered == static_cast<double>(screen.x) * static_cast<double>(screen.y));
    if (screen.x / scale >= 640 && screen.y / scale >= 400) {
      REQUIRE(l.left.size.x >= 179 * scale);
      REQUIRE(l.middle.size.x >= 200 * scale);
      REQUIRE(l.middle.size.y >= 149 * scale);
    }
  }
}

TEST_CASE("frames are drawn at sizes from nothing to 4K, with everything that can be open") {
  App app;
  app.type("P = bf16[6,20]{1,0:T(8,128)(2,1)}\nshow P as tensor\nprove injective((4,8):(4,1))\noops(");
  app.settle();
  const ImVec2 sizes[] = {{640, 400}, {320, 200}, {1, 1}, {40, 900}, {900, 40}, {3840, 2160}, {0, 0}, {1600, 1000}};
  for (const ImVec2 size : sizes) {
    for (const double scale : {0.75, 1.0, 3.0}) {
      INFO(size.x << " x " << size.y << " at " << scale);
      ImGui::GetIO().DisplaySize = size;
      app.displayScale = scale;
      app.frame(2);
      for (const int command : {int('K'), int('O'), int('N'), int('F')}) {
        app.key(command, true);
        app.key(256);
        app.key(256);
      }
      app.key(290);
      app.key(256);
    }
  }
  ImGui::GetIO().DisplaySize = {1600, 1000};
  app.displayScale = 1;
  app.frame(2);
  CHECK(ui::places().count("figure.1.picture") == 1);
}

TEST_CASE("panes keep the sizes they were given through a small window, and a double click brings the first back") {
  App app;
  app.frame(2);
  const auto drag = [&](const char* name, float dx, float dy) {
    const ui::Place p = ui::places().at(name);
    app.moveTo(p.x + p.w / 2, p.y + p.h / 2);
    ImGui::GetIO().MouseDown[0] = true;
    app.frame();
    app.moveTo(p.x + p.w / 2 + dx, p.y + p.h / 2 + dy);
    ImGui::GetIO().MouseDown[0] = false;
    app.frame(2);
  };
  drag("split.left", 300, 0);
  CHECK(app.state.shown.sizes.left == Approx(730));
  CHECK(ui::places().at("editor").w == Approx(730));
  ImGui::GetIO().DisplaySize = {640, 400};
  app.frame(3);
  CHECK(ui::places().at("editor").w < 430);
  CHECK(ui::places().count("tab.inspector") == 0);
  ImGui::GetIO().DisplaySize = {1600, 1000};
  app.frame(3);
  CHECK(ui::places().at("editor").w == Approx(730));
  const ui::Place p = ui::places().at("split.left");
  for (int k = 0; k < 40; ++k) app.frame();  // not a double click with what was before
  app.clickAt(p.x + p.w / 2, p.y + p.h / 2);
  app.clickAt(p.x + p.w / 2, p.y + p.h / 2);
  app.frame(2);
  CHECK(ui::places().at("editor").w == Approx(PaneSizes().left));
}

TEST_CASE("on OpenGL without a display, too, the letters are there after every change of scale") {
  auto offscreen = Offscreen::create(1280, 800);
  if (!offscreen.ok() || !openGlProblem().empty()) {
    WARN("no OpenGL 3.3 without a display here: not checked");
    return;
  }
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().DisplaySize = {1280, 800};
  ImGui_ImplOpenGL3_Init("#version 330");
  {
    Session session;
    session.document().reset("A = (4,8):(8,1)\nshow A as grid\n// words to read in the worksheet");
    session.waitUntilEvaluated(600);
    WindowState state;
    GridTextures textures(/*gl=*/true);
    Appearance appearance = appearanceOnGl(ui::systemFonts());
    for (const double scale : {1.0, 1.1, 1.0, 0.75, 3.0, 1.5, 2.0, 1.0}) {
      session.preferences.scale = scale;
      for (int frame = 0; frame < 3; ++frame) {
        ImGui::GetIO().DeltaTime = 1.0F / 60;
        appearance.update(session, 1);
        ImGui_ImplOpenGL3_NewFrame();
        ImGui::NewFrame();
        drawFrame(session, state, textures);
        ImGui::Render();
        (*offscreen)->bind();
        glClearColor(0, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
      }
      glFinish();
      INFO("scale " << scale);
      CHECK(lightPixels((*offscreen)->pixels()) > 1000);
    }
  }
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}
