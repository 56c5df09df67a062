#include "app/gui/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/gui/dialogs/dialogs.h"
#include "app/gui/keyboard.h"
#include "app/gui/links.h"
#include "app/gui/parts.h"
#include "app/views/find/go_to.h"
#include "app/views/inspector/inspector.h"

namespace tessera {
namespace {

using ui::px;

void leftPane(Session& session, WindowState& state, ImVec2 at, ImVec2 size) {
  beginPane("##left", at, size, Role::Panel);
  Strip strip(size.x);
  using Left = ShownPanes::Left;
  if (ui::tab("tab.worksheet", "Worksheet", state.shown.left == Left::Worksheet)) state.shown.left = Left::Worksheet;
  Strip::gap();
  if (ui::tab("tab.gallery", "Gallery", state.shown.left == Left::Gallery)) state.shown.left = Left::Gallery;
  strip.end();
  if (state.shown.left == Left::Worksheet) {
    panes::goToBar(session, state.editor, state.canvas, ImGui::GetContentRegionAvail().x);
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
  panes::canvas(session, state.canvas, textures);
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

// A draggable edge between two panes; a double click restores its initial position. `size` in points.
void edge(const char* name, const Area& pane, ImVec2 a, ImVec2 b, bool vertical, float direction, float first,
          float& size) {
  if (!pane.shown()) return;
  ImGui::SetNextWindowPos(vertical ? ImVec2(a.x - px(3), a.y) : ImVec2(a.x, a.y - px(3)));
  ImGui::SetNextWindowSize(vertical ? ImVec2(px(6), b.y - a.y) : ImVec2(b.x - a.x, px(6)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::Begin(fmt::format("##{}", name).c_str(), nullptr,
               (kFixed & ~ImGuiWindowFlags_NoBringToFrontOnFocus) | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoScrollbar);
  const float moved = ui::splitter(name, a, b, vertical) / ui::look().scale;
  const bool reset = ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0);
  ImGui::End();
  ImGui::PopStyleVar(3);
  // Start from the displayed size, which in a small window differs from the preferred one.
  if (moved != 0) size = (vertical ? pane.size.x : pane.size.y) / ui::look().scale + direction * moved;
  if (reset) size = first;
}

void edges(WindowState& state, const WindowLayout& now) {
  const PaneSizes first;
  const ImVec2 left = now.middle.at, right = now.right.at, bottom = now.bottom.at;
  edge("split.left", now.left, left, {left.x, left.y + now.left.size.y}, true, 1, first.left, state.shown.sizes.left);
  edge("split.right", now.right, right, {right.x, right.y + now.right.size.y}, true, -1, first.right,
       state.shown.sizes.right);
  edge("split.bottom", now.bottom, bottom, {bottom.x + now.bottom.size.x, bottom.y}, false, -1, first.bottom,
       state.shown.sizes.bottom);
}

// Rescales scroll positions and sizes stored in pixels.
void followScale(WindowState& state) {
  const float ratio = ui::look().scale / state.scale;
  if (ratio == 1) return;
  state.scale = ui::look().scale;
  state.editor.scroll *= ratio;
  state.editor.caret.preferredX = -1;
  for (auto& [text, pane] : state.canvas.panes) {
    pane.scale *= static_cast<double>(ratio);
    pane.buttons *= ratio;
  }
}

}  // namespace

void drawFrame(Session& session, WindowState& state, GridTextures& textures) {
  ui::beginPlaces();
  followScale(state);
  ui::keyboard().give(keyboardOwner(state));
  runShortcuts(session, state);
  session.touch();
  if (ImGui::GetIO().DisplaySize.x < 1 || ImGui::GetIO().DisplaySize.y < 1) return;  // nothing to draw on
  const WindowLayout now = layoutOf(state.shown.sizes, ImGui::GetIO().DisplaySize, ui::look().scale);
  const auto shown = [](const Area& area) { return area.size.x >= px(24) && area.size.y >= px(24); };
  topBar(session, state, now.top.size.x, now.top.size.y);
  if (shown(now.left)) leftPane(session, state, now.left.at, now.left.size);
  if (shown(now.middle)) middlePane(session, state, textures, now.middle.at, now.middle.size);
  if (shown(now.right)) rightPane(session, now.right.at, now.right.size);
  if (shown(now.bottom)) bottomPane(session, state, now.bottom.at, now.bottom.size);
  edges(state, now);
  panes::dialogs(session, state);
  if (overlay(state) == ui::Owner::None)
    toast(session, state, now.middle.at.x + now.middle.size.x, now.middle.at.y + now.middle.size.y);
  session.touch();
  textures.endFrame();
}

}  // namespace tessera
