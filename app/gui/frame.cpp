#include "app/gui/frame.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/gui/dialogs/file_dialogs.h"
#include "app/gui/palette.h"
#include "app/gui/panes/manual.h"
#include "app/gui/panes/present.h"
#include "app/gui/panes/start.h"
#include "app/gui/sheets.h"
#include "app/views/claims.h"
#include "app/views/find/go_to.h"
#include "app/views/inspector/inspector.h"
#include "app/widgets/redraw.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

using ui::px;

// --- top bar: menus, search field, file name -------------------------------------------------------------------------

// "/home/u/gemm.tess" -> "/home/u" and "gemm.tess".
std::pair<std::string, std::string> splitPath(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

// The mark: four tiles in the four group colours.
void logo(ImVec2 at) {
  const float s = px(6.5), gap = px(1.6);
  for (int k = 0; k < 4; ++k) {
    const ImVec2 a = {at.x + static_cast<float>(k % 2) * (s + gap), at.y + static_cast<float>(k / 2) * (s + gap)};
    ImGui::GetWindowDrawList()->AddRectFilled(a, {a.x + s, a.y + s},
                                              ui::color(resolve({Role::Group, k, 0, 0}, Theme::Dark, true)), px(1.6));
  }
}

// The sheets of the last days, below `Open`.
void recentMenu(Session& session, WindowState& state) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> paths;
  std::error_code failed;
  for (const std::string& path : recentSheets())
    if (path != session.document().path() && paths.size() < kMost && std::filesystem::is_regular_file(path, failed))
      paths.push_back(path);
  const bool open = ImGui::BeginMenu("Open recent", !paths.empty());
  ui::placeLast("command.file.recent");
  if (!open) return;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const auto [folder, file] = splitPath(paths[k]);
    ImGui::PushID(static_cast<int>(k));
    if (ImGui::MenuItem(file.c_str(), ui::fitted(folder, ui::look().fonts.small, px(260)).c_str()))
      openSheet(session, state, paths[k], /*lesson=*/false);
    ImGui::PopID();
    ui::placeLast(fmt::format("recent.{}", k));
  }
  ImGui::EndMenu();
}

// Returns their right end.
float menus(Session& session, WindowState& state) {
  float end = 0;
  std::string menu;
  bool open = false;
  const auto close = [&] {
    if (open) ui::endMenu();
    open = false;
  };
  for (const Command& c : commands()) {
    if (*c.menu == '\0') continue;
    if (menu != c.menu) {
      close();
      menu = c.menu;
      ImGui::SameLine(0, 0);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float w = ui::width(ui::look().fonts.sans, menu);
      end = at.x + w + px(20);
      const std::string name = "menu." + menu;
      const bool pressed = ui::area(name, {w + px(20), px(20)});
      const bool hot = ImGui::IsItemHovered();
      ui::text(ui::look().fonts.sans, {at.x + px(10), at.y}, hot ? Role::Text : Role::Muted, menu);
      if (pressed) ImGui::OpenPopup((name + ".items").c_str());
      open = ui::beginMenu(name + ".items");
    }
    if (!open) continue;
    const bool enabled = !c.enabled || c.enabled(session, state);
    if (ImGui::MenuItem(c.title, c.shortcut, false, enabled)) c.run(session, state);
    ui::placeLast(std::string("command.") + c.id);
    if (std::string_view(c.id) == "file.open") recentMenu(session, state);
  }
  close();
  return end;
}

// Draws nothing if it would start left of `least`. Returns its left end, else `right`.
float chip(const char* name, const std::string& label, float right, float y, float least) {
  const ui::Fonts& f = ui::look().fonts;
  const float w = ui::width(f.small, label) + px(22), h = px(24);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 a = {right - w, y};
  if (a.x < least) return right;
  list->AddRect(a, {a.x + w, a.y + h}, ui::color(Role::Hairline), h / 2);
  ui::textInRow(f.small, {a.x + px(11), a.y}, h, Role::Muted, label);
  ui::place(name, a, {a.x + w, a.y + h});
  return a.x;
}

// Opens the palette. Centred in the window if there is room, else between `left` and `right`, or omitted.
void searchField(WindowState& state, float left, float right, float width, float height) {
  const float w = std::min({px(440), width * 0.28F, right - left}), h = px(28), y = (height - h) / 2;
  if (w < px(60)) return;
  const float x = std::clamp((width - w) / 2, left, right - w);
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos({x, y});
  if (ui::hitArea("search", {w, h})) state.palette = {true};
  ui::placeLast("search.open");
  ui::fill({x, y}, {x + w, y + h}, Role::Raised, 1, px(6));
  list->AddRect({x, y}, {x + w, y + h}, ui::color(ImGui::IsItemHovered() ? Role::Faint : Role::Hairline), px(6));
  const char* hint =
      ui::width(f.small, "Search, or run a command") + px(80) < w ? "Search, or run a command" : "Search";
  ui::textInRow(f.small, {x + px(12), y}, h, Role::Muted, hint);
  const float keys = ui::width(f.small, "Ctrl K");
  if (ui::width(f.small, hint) + keys + px(40) < w)
    ui::textInRow(f.small, {x + w - px(12) - keys, y}, h, Role::Faint, "Ctrl K");
}

void topBar(Session& session, WindowState& state, const Area& area) {
  const float width = area.size.x, height = area.size.y;
  ImGui::SetNextWindowPos(area.at);
  ImGui::SetNextWindowSize(area.size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("##top", nullptr, kFixed | ImGuiWindowFlags_NoScrollbar);
  logo({px(16), (height - px(14.6)) / 2});
  const ui::Fonts& f = ui::look().fonts;
  ui::text(f.sansMedium, {px(40), (height - f.sansMedium->FontSize) / 2}, Role::Text, "Tessera");
  ImGui::SetCursorScreenPos({px(112), (height - f.sans->FontSize) / 2});
  ImGui::Dummy({0, 0});
  const float menusEnd = menus(session, state) + px(12);
  const Document& d = session.document();
  const std::string file = fileNameOf(d.path(), "untitled") + (d.modified() ? " \u2022" : "");
  const float chipAt =
      chip("chip.file", fitted(file, Face::Sans, 12, 220), width - px(16), (height - px(24)) / 2, menusEnd);
  searchField(state, menusEnd, chipAt - px(12), width, height);
  ui::hairline({0, height - 1}, {width, height - 1});
  ImGui::End();
  ImGui::PopStyleVar(2);
}

// --- panes -----------------------------------------------------------------------------------------------------------

// A tab that selects `which`.
template <typename T>
void tabOf(const char* name, const char* label, T& now, T which, const std::string& badge = {}) {
  if (ui::tab(name, label, now == which, badge.empty() ? nullptr : badge.c_str())) now = which;
}

void leftPane(Session& session, WindowState& state, const Area& area) {
  beginPane("##left", area, Role::Panel);
  Strip strip(area.size.x);
  using Left = ShownPanes::Left;
  tabOf("tab.worksheet", "Worksheet", state.shown.left, Left::Worksheet);
  Strip::gap();
  tabOf("tab.gallery", "Gallery", state.shown.left, Left::Gallery);
  strip.end();
  if (state.shown.left == Left::Worksheet) {
    panes::goToBar(session, state.editor, state.canvas, ImGui::GetContentRegionAvail().x);
    panes::editor(session, state.editor);
    if (!state.editor.linkAsked.empty()) followLink(session, state, std::exchange(state.editor.linkAsked, {}));
  } else {
    panes::start(session, state);
  }
  endPane();
}

void middlePane(Session& session, WindowState& state, GridTextures& textures, const Area& area) {
  const auto [at, size] = area;
  beginPane("##middle", area, Role::None);
  ImGui::SetCursorScreenPos({at.x + px(16), at.y + px(4)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::BeginChild("canvas", {size.x - px(24), size.y - px(4)}, false, ImGuiWindowFlags_NoScrollWithMouse);
  state.canvas.follow.named = state.editor.card.name;
  state.canvas.follow.live = state.editor.drag.active;
  panes::canvas(session, state.canvas, textures);
  if (const auto asked = std::exchange(state.canvas.follow.toStatement, {});
      asked && panes::isThere(session.document(), *asked)) {
    state.shown.left = ShownPanes::Left::Worksheet;
    state.canvas.scroll.keys = false;
    state.editor.caret.used = true;
    panes::placeCaret(session, state.editor, asked->span.begin);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  endPane();
}

void rightPane(Session& session, const Area& area) {
  const auto [at, size] = area;
  beginPane("##right", area, Role::Panel);
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

// Claims and problems, with their tally.
void bottomPane(Session& session, WindowState& state, const Area& area) {
  const auto [at, size] = area;
  beginPane("##bottom", area, Role::Panel);
  Strip strip(size.x);
  using Bottom = ShownPanes::Bottom;
  const auto count = session.evaluation().snapshot()->count();
  tabOf("tab.claims", "Claims", state.shown.bottom, Bottom::Claims);
  Strip::gap();
  tabOf("tab.problems", "Problems", state.shown.bottom, Bottom::Problems,
        count.problems > 0 ? std::to_string(count.problems) : "");
  const float tabsEnd = ImGui::GetItemRectMax().x + px(16);
  const ui::Fonts& f = ui::look().fonts;
  std::string tally;
  const auto add = [&](int n, const char* word) {
    if (n > 0) tally += fmt::format("{}{} {}", tally.empty() ? "" : "   ", n, word);
  };
  if (count.tasks > 0) tally = fmt::format("{} of {} tasks solved", count.solved, count.tasks);
  add(count.proved, "proved");
  add(count.refuted, "refuted");
  add(count.unknown, "unknown");
  if (session.evaluation().running()) tally += tally.empty() ? "evaluating" : "   evaluating";
  const float right = at.x + size.x - px(16);
  const float tallyAt = right - px(128) - ui::width(f.small, tally);
  if (tallyAt > tabsEnd) ui::text(f.small, {tallyAt, at.y + px(9)}, Role::Muted, tally);
  ImGui::SetCursorScreenPos({right - px(116), at.y + px(5)});
  if (right - px(116) > tabsEnd && ui::button("claims.smt2", "export SMT-LIB")) askForSmt2(session, state);
  strip.end();
  ImGui::SetCursorScreenPos({at.x + px(14), at.y + px(37)});
  ImGui::BeginChild("table", {size.x - px(26), size.y - px(40)});
  if (state.shown.bottom == Bottom::Claims) {
    if (const auto played = panes::claims(session, state.canvas, state.editor))
      (void)panes::presentCounterexample(session, state, *played);
  } else {
    panes::problems(session, state.editor);
  }
  ImGui::EndChild();
  endPane();
}

// A draggable edge from a to b between two panes; a double click restores its initial position.
void edge(WindowState& state, const char* name, const Area& pane, ImVec2 a, ImVec2 b, bool vertical, float direction,
          float PaneSizes::*which) {
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
  float& size = state.shown.sizes.*which;
  // Start from the displayed size, which in a small window differs from the preferred one.
  if (moved != 0) size = (vertical ? pane.size.x : pane.size.y) / ui::look().scale + direction * moved;
  if (reset) size = PaneSizes().*which;
}

void edges(WindowState& state, const WindowLayout& now) {
  const ImVec2 left = now.middle.at, right = now.right.at, bottom = now.bottom.at;
  edge(state, "split.left", now.left, left, {left.x, left.y + now.left.size.y}, true, 1, &PaneSizes::left);
  edge(state, "split.right", now.right, right, {right.x, right.y + now.right.size.y}, true, -1, &PaneSizes::right);
  edge(state, "split.bottom", now.bottom, bottom, {bottom.x + now.bottom.size.x, bottom.y}, false, -1,
       &PaneSizes::bottom);
}

// --- overlays --------------------------------------------------------------------------------------------------------

// The last message, for a few seconds, at the lower right of the canvas, in as many lines as it needs there.
void toast(const Session& session, WindowState& state, const Area& canvas) {
  if (session.message != state.toast.shown) {
    state.toast.shown = session.message;
    state.toast.since = ImGui::GetTime();
  }
  const double until = state.toast.since + (session.messageIsError ? 12 : 5);
  if (session.message.empty() || ImGui::GetTime() >= until) return;
  ui::redrawAt(until);
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const float room = std::clamp(canvas.size.x - px(60), px(160), px(560));
  const std::vector<std::string> lines = ui::wrapped(session.message, f.small, room);
  const float row = f.small->FontSize + px(4);
  float w = 0;
  for (const std::string& line : lines) w = std::max(w, ui::width(f.small, line) + px(28));
  const float h = row * static_cast<float>(lines.size()) + px(14);
  const ImVec2 a = {canvas.at.x + canvas.size.x - w - px(16), canvas.at.y + canvas.size.y - h - px(14)};
  list->AddRectFilled(a, {a.x + w, a.y + h}, ui::color(Role::Raised), px(6));
  list->AddRect(a, {a.x + w, a.y + h}, ui::color(session.messageIsError ? Role::Refuted : Role::Hairline), px(6));
  for (std::size_t k = 0; k < lines.size(); ++k)
    ui::text(list, f.small, {a.x + px(14), a.y + px(9) + row * static_cast<float>(k)}, ui::color(Role::Text), lines[k]);
  ui::place("toast", a, {a.x + w, a.y + h});
}

// The layers above the window, back to front: compared sheets, the manual, the palette, the path, a question.
void layers(Session& session, WindowState& state, GridTextures& textures) {
  if (state.canvas.exportOutcome != SIZE_MAX && state.question.ask == PathQuestion::Ask::None) {
    askExport(session, state, state.canvas.exportOutcome);
  }
  diskDialogs(session, state);
  const ui::Owner front = overlay(state);
  if (front != ui::Owner::None && ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup))
    ImGui::ClosePopupToLevel(0, /*restore_focus_to_window_under_popup=*/false);
  // A click outside closes passive layers; a question waits for its answer.
  const auto clickedOutside = [&](ui::Owner layer) { return front == layer && panes::shade(); };
  if (state.sheets.open()) {
    (void)clickedOutside(ui::Owner::Sheets);
    panes::sheetCompare(session, state);
  }
  if (state.manual.open) {
    if (clickedOutside(ui::Owner::Manual)) state.manual.open = false;
    panes::manual(state);
  }
  if (state.palette.open) {
    if (clickedOutside(ui::Owner::Palette)) state.palette.open = false;
    panes::palette(session, state);
  }
  if (state.question.ask != PathQuestion::Ask::None) {
    (void)clickedOutside(ui::Owner::Path);
    panes::pathDialog(session, state, textures);
  }
  (void)clickedOutside(ui::Owner::Dialog);
  panes::dialog(state);
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

void endFrame(Session& session, const WindowState& state, GridTextures& textures) {
  session.touch();
  textures.endFrame();
  // The progress of running jobs. Their results are events.
  const bool compares = state.sheets.open() && state.sheets.other->evaluation().running();
  if (session.evaluation().running() || compares) ui::redrawAt(ImGui::GetTime() + 0.1);
  if (state.canvas.animating) ui::redrawSoon();
}

}  // namespace

std::string windowTitle(const Document& document) {
  return fileNameOf(document.path(), "untitled") + (document.modified() ? " \u2022" : "") + " - Tessera";
}

void drawFrame(Session& session, WindowState& state, GridTextures& textures) {
  ui::beginPlaces();
  ui::beginRedraws();
  followScale(state);
  ui::keyboard().give(keyboardOwner(state));
  runShortcuts(session, state);
  session.touch();
  if (ImGui::GetIO().DisplaySize.x < 1 || ImGui::GetIO().DisplaySize.y < 1) return;  // nothing to draw on
  const WindowLayout now = layoutOf(state.shown.sizes, ImGui::GetIO().DisplaySize, ui::look().scale);
  const auto shown = [](const Area& area) { return area.size.x >= px(24) && area.size.y >= px(24); };
  if (state.present.open) {
    panes::present(session, state, textures);
    layers(session, state, textures);
    if (overlay(state) == ui::Owner::Present) toast(session, state, {{0, 0}, ImGui::GetIO().DisplaySize});
    return endFrame(session, state, textures);
  }
  topBar(session, state, now.top);
  if (shown(now.left)) leftPane(session, state, now.left);
  if (shown(now.middle)) middlePane(session, state, textures, now.middle);
  if (shown(now.right)) rightPane(session, now.right);
  if (shown(now.bottom)) bottomPane(session, state, now.bottom);
  edges(state, now);
  layers(session, state, textures);
  if (overlay(state) == ui::Owner::None) toast(session, state, now.middle);
  endFrame(session, state, textures);
}

}  // namespace tessera
