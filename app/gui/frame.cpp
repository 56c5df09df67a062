#include "app/gui/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/gui/dialogs.h"
#include "app/gui/links.h"
#include "app/gui/parts.h"
#include "app/views/inspector.h"

namespace tessera {
namespace {

using ui::px;

void leftPane(Session& session, WindowState& state, ImVec2 at, ImVec2 size) {
  beginPane("##left", at, size, Role::Panel);
  Strip strip(size.x);
  using Left = WindowState::Left;
  if (ui::tab("tab.worksheet", "Worksheet", state.left == Left::Worksheet)) state.left = Left::Worksheet;
  Strip::gap();
  if (ui::tab("tab.gallery", "Gallery", state.left == Left::Gallery)) state.left = Left::Gallery;
  strip.end();
  if (state.left == Left::Worksheet) {
    findBar(session, state);
    panes::editor(session, state.editor);
    if (!state.editor.linkAsked.empty()) followLink(session, state, std::exchange(state.editor.linkAsked, {}));
  } else {
    galleryPane(session, state);
  }
  endPane();
}

void middlePane(Session& session, WindowState& state, GridTextures& textures, ImVec2 at, ImVec2 size) {
  beginPane("##middle", at, size, Role::None);
  ImGui::SetCursorScreenPos({at.x + px(16), at.y + px(4)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::BeginChild("canvas", {size.x - px(24), size.y - px(4)}, false, ImGuiWindowFlags_NoScrollWithMouse);
  // Over a picture the wheel zooms; beside it, or with Shift, it scrolls the column of pictures.
  const bool overPicture = session.hover.has_value() && !ImGui::GetIO().KeyShift;
  panes::canvas(session, state.canvas, textures);
  if (ImGui::IsWindowHovered() && !overPicture && !ImGui::IsAnyItemHovered())
    ImGui::SetScrollY(ImGui::GetScrollY() - ImGui::GetIO().MouseWheel * px(60));
  if (ImGui::GetIO().KeyShift && ImGui::IsWindowHovered())
    ImGui::SetScrollY(ImGui::GetScrollY() - ImGui::GetIO().MouseWheel * px(60));
  ImGui::EndChild();
  ImGui::PopStyleVar();
  endPane();
}

void rightPane(Session& session, ImVec2 at, ImVec2 size) {
  beginPane("##right", at, size, Role::Panel);
  Strip strip(size.x);
  ui::tab("tab.inspector", "Inspector", true);
  if (session.pinned) {
    ImGui::SameLine();
    ImGui::SetCursorScreenPos({at.x + size.x - px(70), at.y + px(5)});
    if (ui::button("inspector.unpin", "unpin")) session.pinned.reset();
  }
  strip.end();
  ImGui::SetCursorScreenPos({at.x + px(14), at.y + px(40)});
  ImGui::BeginChild("facts", {size.x - px(26), size.y - px(46)});
  panes::inspector(session);
  ImGui::EndChild();
  endPane();
}

}  // namespace

void drawFrame(Session& session, WindowState& state, GridTextures& textures) {
  ui::beginPlaces();
  runShortcuts(session, state);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float top = px(40);
  state.rightWidth = std::clamp(state.rightWidth, 200.0F, std::max(220.0F, screen.x / ui::look().scale * 0.4F));
  // The worksheet may take everything but a strip of the pictures.
  state.leftWidth =
      std::clamp(state.leftWidth, 220.0F, std::max(240.0F, screen.x / ui::look().scale - state.rightWidth - 260.0F));
  state.bottomHeight = std::clamp(state.bottomHeight, 70.0F, std::max(80.0F, screen.y / ui::look().scale * 0.6F));
  const float left = px(state.leftWidth), right = screen.x - px(state.rightWidth),
              bottom = screen.y - px(state.bottomHeight);
  topBar(session, state, screen.x, top);
  leftPane(session, state, {0, top}, {left, screen.y - top});
  middlePane(session, state, textures, {left, top}, {right - left, bottom - top});
  rightPane(session, {right, top}, {screen.x - right, bottom - top});
  bottomPane(session, state, {left, bottom}, {screen.x - left, screen.y - bottom});
  // Splitters on top of everything.
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({screen.x, screen.y - top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  (void)list;
  const auto edge = [&](const char* name, ImVec2 a, ImVec2 b, bool vertical) {
    ImGui::SetNextWindowPos(vertical ? ImVec2(a.x - px(3), a.y) : ImVec2(a.x, a.y - px(3)));
    ImGui::SetNextWindowSize(vertical ? ImVec2(px(6), b.y - a.y) : ImVec2(b.x - a.x, px(6)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::Begin(fmt::format("##{}", name).c_str(), nullptr,
                 (kFixed & ~ImGuiWindowFlags_NoBringToFrontOnFocus) | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoScrollbar);
    const float moved = ui::splitter(name, a, b, vertical) / ui::look().scale;
    ImGui::End();
    ImGui::PopStyleVar(2);
    return moved;
  };
  state.leftWidth += edge("split.left", {left, top}, {left, screen.y}, true);
  state.rightWidth -= edge("split.right", {right, top}, {right, bottom}, true);
  state.bottomHeight -= edge("split.bottom", {left, bottom}, {screen.x, bottom}, false);
  ImGui::PopStyleVar();
  panes::dialogs(session, state);
  toast(session, state, right, bottom);
  session.touch();
  textures.endFrame();
}

}  // namespace tessera
