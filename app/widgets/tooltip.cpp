#include "app/widgets/tooltip.h"

#include "app/widgets/ui.h"

namespace tessera::ui {
namespace {

// At the position set for the next window.
void words(std::string_view text) {
  constexpr double kWidest = 460;  // points; longer lines wrap
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(7)));
  ImGui::PushFont(look().fonts.small);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(px(kWidest));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopFont();
  ImGui::PopStyleVar();
}

}  // namespace

void tooltipAt(ImVec2 corner, std::string_view text) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(corner, 0,
                          {corner.x > screen.x * 0.72F ? 1.0F : 0.0F, corner.y > screen.y * 0.7F ? 1.0F : 0.0F});
  words(text);
}

void tooltip(std::string_view text) {
  const ImVec2 corner = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + px(4)};
  // Above the widget if there is no room below.
  const bool low = corner.y > ImGui::GetIO().DisplaySize.y * 0.85F;
  if (low) {
    ImGui::SetNextWindowPos({corner.x, ImGui::GetItemRectMin().y - px(4)}, 0, {0, 1});
  } else {
    ImGui::SetNextWindowPos(corner);
  }
  words(text);
}

}  // namespace tessera::ui
