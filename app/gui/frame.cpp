#include "app/gui/frame.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "app/gui/dialogs.h"
#include "app/views/claims.h"
#include "app/views/inspector.h"
#include "app/widgets/ui.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

using ui::px;
constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoCollapse;

// The mark: four tiles in the four group colours.
void logo(ImDrawList* list, ImVec2 at) {
  const float s = px(6.5), gap = px(1.6);
  for (int k = 0; k < 4; ++k) {
    const ImVec2 a = {at.x + static_cast<float>(k % 2) * (s + gap), at.y + static_cast<float>(k / 2) * (s + gap)};
    list->AddRectFilled(a, {a.x + s, a.y + s}, ui::color(resolve({Role::Group, k, 0, 0}, Theme::Dark, true)), px(1.6));
  }
}

void menus(Session& session, WindowState& state) {
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
      const std::string name = "menu." + menu;
      const bool pressed = ImGui::InvisibleButton(name.c_str(), {w + px(20), px(20)});
      ui::placeLast(name);
      const bool hot = ImGui::IsItemHovered();
      ui::text(ImGui::GetWindowDrawList(), ui::look().fonts.sans, {at.x + px(10), at.y},
               ui::color(hot ? Role::Text : Role::Muted), menu);
      if (pressed) ImGui::OpenPopup((name + ".items").c_str());
      open = ui::beginMenu(name + ".items");
    }
    if (!open) continue;
    const bool enabled = !c.enabled || c.enabled(session, state);
    if (ImGui::MenuItem(c.title, c.shortcut, false, enabled)) c.run(session, state);
    ui::placeLast(std::string("command.") + c.id);
  }
  close();
}

void chip(const char* name, const std::string& label, float right, float y) {
  const ui::Fonts& f = ui::look().fonts;
  const float w = ui::width(f.small, label) + px(22), h = px(24);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 a = {right - w, y};
  list->AddRect(a, {a.x + w, a.y + h}, ui::color(Role::Hairline), h / 2);
  ui::text(list, f.small, {a.x + px(11), a.y + (h - f.small->FontSize) / 2}, ui::color(Role::Muted), label);
  ui::place(name, a, {a.x + w, a.y + h});
}

void topBar(Session& session, WindowState& state, float width, float height) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("##top", nullptr, kFixed | ImGuiWindowFlags_NoScrollbar);
  ImDrawList* list = ImGui::GetWindowDrawList();
  logo(list, {px(16), (height - px(14.6)) / 2});
  const ui::Fonts& f = ui::look().fonts;
  ui::text(list, f.sansMedium, {px(40), (height - f.sansMedium->FontSize) / 2}, ui::color(Role::Text), "Tessera");
  ImGui::SetCursorScreenPos({px(112), (height - f.sans->FontSize) / 2});
  ImGui::Dummy({0, 0});
  menus(session, state);
  // The search field opens the command search.
  const float w = std::min(px(440), width * 0.28F), x = (width - w) / 2, h = px(28), y = (height - h) / 2;
  ImGui::SetCursorScreenPos({x, y});
  if (ImGui::InvisibleButton("search", {w, h})) {
    state.searchOpen = state.searchJustOpened = true;
    state.searchText.clear();
  }
  ui::placeLast("search.open");
  list->AddRectFilled({x, y}, {x + w, y + h}, ui::color(Role::Raised), px(6));
  list->AddRect({x, y}, {x + w, y + h}, ui::color(ImGui::IsItemHovered() ? Role::Faint : Role::Hairline), px(6));
  ui::text(list, f.small, {x + px(12), y + (h - f.small->FontSize) / 2}, ui::color(Role::Muted),
           "Search, or run a command");
  ui::text(list, f.small, {x + w - px(12) - ui::width(f.small, "Ctrl K"), y + (h - f.small->FontSize) / 2},
           ui::color(Role::Faint), "Ctrl K");
  const std::string path = session.document().path();
  const std::string file = (path.empty() ? "untitled" : std::filesystem::path(path).filename().string()) +
                           (session.document().modified() ? " \u2022" : "");
  chip("chip.file", fitted(file, Face::Sans, 12, 220), width - px(16), (height - px(24)) / 2);
  list->AddLine({0, height - 1}, {width, height - 1}, ui::color(Role::Hairline));
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void beginPane(const char* name, ImVec2 at, ImVec2 size, Role background) {
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool canvasPane = background == Role::None;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, canvasPane
                                               ? ImGui::ColorConvertU32ToFloat4(ui::color(canvas(ui::look().theme)))
                                               : ui::colorVec(background));
  ImGui::Begin(name, nullptr, kFixed | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
}
void endPane() {
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
}

// The tab strip of a pane: a hairline under it; leaves the cursor below.
struct Strip {
  ImVec2 origin;
  float width;
  explicit Strip(float w) : origin(ImGui::GetCursorScreenPos()), width(w) {
    ImGui::SetCursorScreenPos({origin.x + px(14), origin.y});
  }
  static void gap() { ImGui::SameLine(0, px(18)); }
  void end() const {
    ImGui::GetWindowDrawList()->AddLine({origin.x, origin.y + px(34)}, {origin.x + width, origin.y + px(34)},
                                        ui::color(Role::Hairline));
    ImGui::SetCursorScreenPos({origin.x, origin.y + px(35)});
  }
};

void galleryPane(Session& session, WindowState& state) {
  static const std::vector<Session::GalleryItem> kItems = Session::gallery();
  const ui::Fonts& f = ui::look().fonts;
  ImGui::BeginChild("gallery");
  if (kItems.empty()) ImGui::TextWrapped("  The gallery folder is missing: %s", Session::assetsFolder().c_str());
  for (const auto& item : kItems) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const auto about = wrapped(item.about, Face::Sans, 12, static_cast<double>((width - px(32)) / ui::look().scale));
    const float h = px(36) + px(18) * static_cast<float>(about.size());
    ImGui::PushID(item.path.c_str());
    const bool pressed = ImGui::InvisibleButton("item", {width, h});
    ImGui::PopID();
    ui::placeLast("gallery." + item.title);
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (ImGui::IsItemHovered()) list->AddRectFilled(at, {at.x + width, at.y + h}, ui::color(Role::Raised));
    ui::text(list, f.sansMedium, {at.x + px(16), at.y + px(8)}, ui::color(Role::Text), item.title);
    for (std::size_t k = 0; k < about.size(); ++k)
      ui::text(list, f.small, {at.x + px(16), at.y + px(28) + px(18) * static_cast<float>(k)}, ui::color(Role::Muted),
               about[k]);
    list->AddLine({at.x + px(16), at.y + h}, {at.x + width - px(16), at.y + h}, ui::color(Role::Hairline, 0.6));
    if (pressed)
      guarded(session, state, [&session, &state, path = item.path] {
        session.openGallery(path);
        state.left = WindowState::Left::Worksheet;
        state.editor.anchor = 0;
      });
  }
  ImGui::EndChild();
}

void findBar(Session& session, WindowState& state) {
  if (!state.editor.findOpen) return;
  ImGui::SetCursorPosX(px(14));
  ImGui::SetNextItemWidth(px(220));
  if (ImGui::IsWindowAppearing() || state.editor.focused) ImGui::SetKeyboardFocusHere();
  state.editor.focused = false;
  if (ImGui::InputTextWithHint("##find", "Find", &state.editor.findText, ImGuiInputTextFlags_EnterReturnsTrue))
    panes::findNext(session, state.editor);
  ui::placeLast("find.field");
  ImGui::SameLine();
  if (ui::button("find.next", "next")) panes::findNext(session, state.editor);
  ImGui::SameLine();
  if (ui::button("find.close", "close")) {
    state.editor.findOpen = false;
    state.editor.focused = true;
  }
}

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
  state.canvas.typing =
      state.editor.focused || state.ask != WindowState::Ask::None || state.searchOpen || state.manualOpen;
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

void bottomPane(Session& session, WindowState& state, ImVec2 at, ImVec2 size) {
  beginPane("##bottom", at, size, Role::Panel);
  Strip strip(size.x);
  using Bottom = WindowState::Bottom;
  const auto count = session.snapshot()->count();
  if (ui::tab("tab.claims", "Claims", state.bottom == Bottom::Claims)) state.bottom = Bottom::Claims;
  Strip::gap();
  const std::string badge = count.problems > 0 ? std::to_string(count.problems) : "";
  if (ui::tab("tab.problems", "Problems", state.bottom == Bottom::Problems, badge.empty() ? nullptr : badge.c_str()))
    state.bottom = Bottom::Problems;
  const ui::Fonts& f = ui::look().fonts;
  std::string tally;
  const auto add = [&](int n, const char* word) {
    if (n > 0) tally += fmt::format("{}{} {}", tally.empty() ? "" : "   ", n, word);
  };
  add(count.proved, "proved");
  add(count.refuted, "refuted");
  add(count.unknown, "unknown");
  if (session.evaluating()) tally += tally.empty() ? "evaluating" : "   evaluating";
  const float right = at.x + size.x - px(16);
  ui::text(ImGui::GetWindowDrawList(), f.small, {right - px(128) - ui::width(f.small, tally), at.y + px(9)},
           ui::color(Role::Muted), tally);
  ImGui::SetCursorScreenPos({right - px(116), at.y + px(5)});
  if (ui::button("claims.smt2", "export SMT-LIB")) {
    state.ask = WindowState::Ask::Smt2;
    state.askPath = ".";
    state.askJustOpened = true;
  }
  strip.end();
  ImGui::SetCursorScreenPos({at.x + px(14), at.y + px(37)});
  ImGui::BeginChild("table", {size.x - px(26), size.y - px(40)});
  if (state.bottom == Bottom::Claims) {
    panes::claims(session, state.canvas, state.editor);
  } else {
    panes::problems(session, state.editor);
  }
  ImGui::EndChild();
  endPane();
}

// The last message, for a few seconds, at the lower right of the canvas.
void toast(const Session& session, WindowState& state, float right, float bottom) {
  if (session.message != state.messageShown) {
    state.messageShown = session.message;
    state.messageSince = ImGui::GetTime();
  }
  if (session.message.empty() || ImGui::GetTime() - state.messageSince > (session.messageIsError ? 12 : 5)) return;
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const std::string text = fitted(session.message, Face::Sans, 12, 560);
  const float w = ui::width(f.small, text) + px(28), h = px(30);
  const ImVec2 a = {right - w - px(16), bottom - h - px(14)};
  list->AddRectFilled(a, {a.x + w, a.y + h}, ui::color(Role::Raised), px(6));
  list->AddRect(a, {a.x + w, a.y + h}, ui::color(session.messageIsError ? Role::Refuted : Role::Hairline), px(6));
  ui::text(list, f.small, {a.x + px(14), a.y + (h - f.small->FontSize) / 2}, ui::color(Role::Text), text);
}

}  // namespace

void drawFrame(Session& session, WindowState& state, GridTextures& textures) {
  ui::beginPlaces();
  runShortcuts(session, state);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float top = px(40);
  state.leftWidth = std::clamp(state.leftWidth, 220.0F, std::max(240.0F, screen.x / ui::look().scale * 0.6F));
  state.rightWidth = std::clamp(state.rightWidth, 200.0F, std::max(220.0F, screen.x / ui::look().scale * 0.4F));
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
