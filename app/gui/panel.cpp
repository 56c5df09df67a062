#include "app/gui/panel.h"

#include "app/widgets/ui.h"

namespace tessera::panes {

using ui::px;

// A centred panel over everything; the rest is dimmed.
bool beginPanel(const char* name, float width, float top) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::GetForegroundDrawList();
  ImGui::SetNextWindowPos({(screen.x - px(width)) / 2, screen.y * top});
  ImGui::SetNextWindowSize({px(width), 0});
  return ImGui::Begin(name, nullptr,
                      ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
}

void muted(const char* words) {
  ImGui::PushFont(ui::look().fonts.small);
  ImGui::PushStyleColor(ImGuiCol_Text, ui::colorVec(Role::Muted));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(words);
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

}  // namespace tessera::panes
