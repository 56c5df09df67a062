#include "app/widgets/tooltip.h"

#include "app/widgets/ui.h"

namespace tessera::ui {

void tooltip(std::string_view words) {
  constexpr double kWidest = 460;  // points; longer lines wrap
  const ImVec2 corner = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + px(4)};
  // Above the widget where there is no room below it.
  const bool low = corner.y > ImGui::GetIO().DisplaySize.y * 0.85F;
  if (low) {
    ImGui::SetNextWindowPos({corner.x, ImGui::GetItemRectMin().y - px(4)}, 0, {0, 1});
  } else {
    ImGui::SetNextWindowPos(corner);
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(7)));
  ImGui::PushFont(look().fonts.small);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(px(kWidest));
  ImGui::TextUnformatted(words.data(), words.data() + words.size());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopFont();
  ImGui::PopStyleVar();
}

}  // namespace tessera::ui
