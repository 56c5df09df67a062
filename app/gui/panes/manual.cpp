#include "app/gui/panes/manual.h"

#include <imgui_internal.h>

#include "app/gui/frame.h"
#include "app/session/gallery.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"

namespace tessera {

const std::string& manualText() {
  static const std::string kText = [] {
    auto text = readFile(assetsFolder() + "/manual.md");
    return text.ok() ? *text : "The manual is missing: " + text.error().message;
  }();
  return kText;
}

const std::vector<std::string>& manualSections() {
  static const std::vector<std::string> kSections = [] {
    std::vector<std::string> sections;
    bool code = false;
    const std::string& t = manualText();
    for (std::size_t at = 0; at < t.size(); at = std::min(t.find('\n', at), t.size()) + 1) {
      if (t.compare(at, 3, "```") == 0) code = !code;
      if (!code && t[at] == '#') {
        const std::size_t words = std::min(t.find_first_not_of("# ", at), t.size());
        sections.push_back(t.substr(words, std::min(t.find('\n', at), t.size()) - words));
      }
    }
    sections.emplace_back("Functions");
    return sections;
  }();
  return kSections;
}

void openManual(WindowState& state, const std::string& section) { state.manual = {true, section}; }

namespace panes {

using ui::px;

namespace {

// Draws a heading; scrolls to it if requested.
void heading(WindowState& state, const std::string& words) {
  if (state.manual.section == words) {
    ImGui::SetScrollHereY(0);
    state.manual.section.clear();
  }
  ui::sectionHead(words.c_str());
}

void scrollByKeys() {
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Manual, key); };
  const float line = px(40), page = ImGui::GetWindowHeight() * 0.9F;
  float by = 0;
  if (pressed(ImGuiKey_DownArrow)) by += line;
  if (pressed(ImGuiKey_UpArrow)) by -= line;
  if (pressed(ImGuiKey_PageDown)) by += page;
  if (pressed(ImGuiKey_PageUp)) by -= page;
  if (by != 0) ImGui::SetScrollY(ImGui::GetScrollY() + by);
  if (pressed(ImGuiKey_Home)) ImGui::SetScrollY(0);
  if (pressed(ImGuiKey_End)) ImGui::SetScrollY(ImGui::GetScrollMaxY());
}

}  // namespace

void manual(WindowState& state) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x * 0.2F, screen.y * 0.08F});
  ImGui::SetNextWindowSize({screen.x * 0.6F, screen.y * 0.82F});
  const ui::Fonts& fonts = ui::look().fonts;
  if (ImGui::Begin("##manual", nullptr, ui::kStill)) {
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());  // above its shade
    if (ui::button("manual.close", "Close")) state.manual.open = false;
    const std::string& text = manualText();
    ImGui::BeginChild("text");
    scrollByKeys();
    std::size_t at = 0;
    bool code = false;
    while (at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (line.rfind("```", 0) == 0) {
        code = !code;
      } else if (code) {
        ui::label("    " + line, Role::Text, fonts.code);
      } else if (line.rfind('#', 0) == 0) {
        heading(state, line.substr(std::min(line.find_first_not_of("# "), line.size())));
      } else {
        ui::paragraph(line, Role::Text, fonts.sans);
      }
    }
    heading(state, "Functions");
    for (const FunctionInfo& f : functions()) {
      ui::label(f.signature, Role::Text, fonts.code);
      ImGui::SameLine(px(330));
      ui::label(f.what, Role::Muted, fonts.sans);
    }
    ImGui::EndChild();
  }
  ImGui::End();
}

}  // namespace panes
}  // namespace tessera
