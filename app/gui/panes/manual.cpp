#include "app/gui/panes/manual.h"

#include <imgui_internal.h>

#include "app/files/assets.h"
#include "app/session/gallery.h"

namespace tessera {

const std::string& manualText() {
  static const std::string kText = [] {
    auto text = readFile(assetsFolder() + "/manual.md");
    return text.ok() ? *text : "The manual is missing: " + text.error().message;
  }();
  return kText;
}

namespace {

enum class Kind { Text, Code, Heading };

// Calls each(kind, words) for every line of the manual; headings come without their marks, code without its fences.
void eachLine(const auto& each) {
  bool code = false;
  const std::string_view text = manualText();
  for (const std::string_view line : linesOf(text.substr(0, text.size() - (text.ends_with('\n') ? 1 : 0)))) {
    if (line.starts_with("```")) {
      code = !code;
    } else if (!code && line.starts_with('#')) {
      each(Kind::Heading, std::string(line.substr(std::min(line.find_first_not_of("# "), line.size()))));
    } else {
      each(code ? Kind::Code : Kind::Text, std::string(line));
    }
  }
}

}  // namespace

const std::vector<std::string>& manualSections() {
  static const std::vector<std::string> kSections = [] {
    std::vector<std::string> sections;
    eachLine([&](Kind kind, const std::string& words) {
      if (kind == Kind::Heading) sections.push_back(words);
    });
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

}  // namespace

void manual(WindowState& state) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x * 0.2F, screen.y * 0.08F});
  ImGui::SetNextWindowSize({screen.x * 0.6F, screen.y * 0.82F});
  const ui::Fonts& fonts = ui::look().fonts;
  if (ImGui::Begin("##manual", nullptr, ui::kStill)) {
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());  // above its shade
    if (ui::button("manual.close", "Close")) state.manual.open = false;
    ImGui::BeginChild("text");
    const double before = ImGui::GetScrollY(), most = ImGui::GetScrollMaxY();
    const double scroll =
        ui::keyboard().scrolled(ui::Owner::Manual, before, px(40), ImGui::GetWindowHeight() * 0.9F, most);
    if (scroll != before) ImGui::SetScrollY(static_cast<float>(scroll));
    eachLine([&](Kind kind, const std::string& words) {
      if (kind == Kind::Heading) {
        heading(state, words);
      } else if (kind == Kind::Code) {
        ui::label("    " + words, Role::Text, fonts.code);
      } else {
        ui::paragraph(words, Role::Text, fonts.sans);
      }
    });
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
