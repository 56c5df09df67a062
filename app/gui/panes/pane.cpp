#include "app/gui/panes/pane.h"

namespace tessera {

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

}  // namespace tessera
