#include "app/gui/panel.h"
#include "app/widgets/ui.h"

namespace tessera::panes {

using ui::px;

void manual(WindowState& state) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x * 0.2F, screen.y * 0.08F});
  ImGui::SetNextWindowSize({screen.x * 0.6F, screen.y * 0.82F});
  if (ImGui::Begin("##manual", nullptr,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                       ImGuiWindowFlags_NoSavedSettings)) {
    if (ui::button("manual.close", "Close")) state.manualOpen = false;
    static const std::string kText = [] {
      auto text = readFile(Session::assetsFolder() + "/manual.md");
      return text.ok() ? *text : "The manual is missing: " + text.error().message;
    }();
    ImGui::BeginChild("text");
    std::size_t at = 0;
    bool code = false;
    while (at < kText.size()) {
      const std::size_t end = std::min(kText.find('\n', at), kText.size());
      const std::string line = kText.substr(at, end - at);
      at = end + 1;
      if (line.rfind("```", 0) == 0) {
        code = !code;
      } else if (code) {
        ImGui::PushFont(ui::look().fonts.code);
        ImGui::TextUnformatted(("    " + line).c_str());
        ImGui::PopFont();
      } else if (line.rfind('#', 0) == 0) {
        ui::sectionHead(line.substr(line.find_first_not_of("# ")).c_str());
      } else {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(line.c_str());
        ImGui::PopTextWrapPos();
      }
    }
    ui::sectionHead("Functions");
    for (const FunctionInfo& f : functions()) {
      ImGui::PushFont(ui::look().fonts.code);
      ImGui::TextUnformatted(std::string(f.signature).c_str());
      ImGui::PopFont();
      ImGui::SameLine(px(330));
      ImGui::PushStyleColor(ImGuiCol_Text, ui::colorVec(Role::Muted));
      ImGui::TextUnformatted(std::string(f.what).c_str());
      ImGui::PopStyleColor();
    }
    ImGui::EndChild();
  }
  ImGui::End();
}

}  // namespace tessera::panes
