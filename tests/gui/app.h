// App: the whole window without a display, on ImGui's null backend. A test finds widgets by their registered names
// (ui::places), drives the app in milliseconds, and reads the results from the Session.
//
//     App app;
//     app.type("A = (4,8):(8,1)\nshow A as grid");
//     app.settle();
//     app.click("figure.1.export");
#pragma once

#include <imgui.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "app/desktop/system_fonts.h"
#include "app/gui/appearance.h"
#include "app/gui/frame.h"
#include "app/widgets/ui.h"
#include "tests/files/folder.h"

namespace tessera {

inline std::string& clipboard() {
  static std::string text;
  return text;
}

// A folder of this process alone, removed at its end.
inline std::filesystem::path scratch() {
  static const TestFolder folder;
  std::filesystem::create_directories(folder.path());  // a test may have removed it
  return folder.path();
}

class App {
 public:
  App() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1600, 1000};
    io.BackendFlags |=
        ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's OpenGL 3.2 has: any number of vertices
    io.SetClipboardTextFn = [](void*, const char* t) { clipboard() = t; };
    io.GetClipboardTextFn = [](void*) { return clipboard().c_str(); };
    const std::pair<ImGuiKey, int> keys[] = {
        {ImGuiKey_Tab, 258},       {ImGuiKey_LeftArrow, 263},   {ImGuiKey_RightArrow, 262}, {ImGuiKey_UpArrow, 265},
        {ImGuiKey_DownArrow, 264}, {ImGuiKey_Home, 268},        {ImGuiKey_End, 269},        {ImGuiKey_Delete, 261},
        {ImGuiKey_Backspace, 259}, {ImGuiKey_Enter, 257},       {ImGuiKey_Escape, 256},     {ImGuiKey_PageUp, 266},
        {ImGuiKey_PageDown, 267},  {ImGuiKey_KeyPadEnter, 335}, {ImGuiKey_A, 'A'},          {ImGuiKey_C, 'C'},
        {ImGuiKey_V, 'V'},         {ImGuiKey_X, 'X'},           {ImGuiKey_Y, 'Y'},          {ImGuiKey_Z, 'Z'}};
    for (const auto& [name, code] : keys) io.KeyMap[name] = code;
    frame();
  }
  ~App() { ImGui::DestroyContext(); }

  // after: seconds since the frame before, of the simulated clock.
  void frame(int n = 1, double after = 1.0 / 60) {
    for (; n > 0; --n) {
      ImGui::GetIO().DeltaTime = static_cast<float>(after);
      appearance.update(session, displayScale);
      ImGui::NewFrame();
      drawFrame(session, state, textures);
      ImGui::Render();
    }
  }
  void type(const std::string& text) {
    for (const char c : text) {
      if (c == '\n') {
        key(257);
        continue;
      }
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
      frame();
    }
  }
  void key(int code, bool ctrl = false, bool shift = false) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = ctrl;
    io.KeyShift = shift;
    io.KeysDown[code] = true;
    frame();
    io.KeysDown[code] = false;
    frame();
    io.KeyCtrl = io.KeyShift = false;
    frame();
  }
  void moveTo(float x, float y) {
    ImGui::GetIO().MousePos = {x, y};
    frame(2);
  }
  void click(const std::string& name) {
    INFO("widget " << name);
    REQUIRE(ui::places().count(name) == 1);
    const ui::Place p = ui::places().at(name);
    clickAt(p.x + p.w / 2, p.y + p.h / 2);
  }
  void clickAt(float x, float y) {
    moveTo(x, y);
    ImGui::GetIO().MouseDown[0] = true;
    frame();
    ImGui::GetIO().MouseDown[0] = false;
    frame(2);
  }
  void settle() {
    REQUIRE(session.waitUntilEvaluated(600));
    frame(3);
  }
  const Outcome& outcome(std::size_t k) {
    now_ = session.evaluation().snapshot();
    REQUIRE(k < now_->outcomes.size());
    return *now_->outcomes[k];
  }
  // Moves the mouse over a cell of the first grid of a figure.
  void hoverCell(std::size_t figure, i64 row, i64 col) {
    const ui::Place p = ui::places().at("figure." + std::to_string(figure) + ".picture");
    // Looks for the cell by walking the picture: what a person does with the mouse.
    for (float y = p.y + 2; y < p.y + p.h; y += 5)
      for (float x = p.x + 2; x < p.x + p.w; x += 5) {
        ImGui::GetIO().MousePos = {x, y};
        frame();
        if (session.hover && session.hover->row == row && session.hover->col == col) return;
      }
    FAIL("cell (" << row << ", " << col << ") was not found under the mouse");
  }

  // What this machine's user opened last is no part of a test.
  const int ownState = ::setenv("TESSERA_STATE", (scratch() / "state.json").c_str(), /*overwrite=*/0);
  Session session;
  WindowState state;
  GridTextures textures{/*gl=*/false};
  double displayScale = 1;
  std::uintptr_t fontTexture = 0;  // the one that the null renderer has; those before are gone
  Appearance appearance{ui::systemFonts(), /*maxTexture=*/8192, [this] {
                          unsigned char* pixels = nullptr;
                          int w = 0, h = 0;
                          ImFontAtlas* atlas = ImGui::GetIO().Fonts;
                          atlas->GetTexDataAsRGBA32(&pixels, &w, &h);
                          atlas->SetTexID(reinterpret_cast<ImTextureID>(++fontTexture));
                          return w > 0 && h > 0;
                        }};

 private:
  std::shared_ptr<const Snapshot> now_;
};

}  // namespace tessera
