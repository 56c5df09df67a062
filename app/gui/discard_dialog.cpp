#include "app/gui/panel.h"
#include "app/widgets/ui.h"

namespace tessera::panes {

using ui::px;

void discardDialog(WindowState& state) {
  if (beginPanel("##discard", 440, 0.3F)) {
    ImGui::PushFont(ui::look().fonts.sansMedium);
    ImGui::TextUnformatted("This worksheet has changes that are not saved");
    ImGui::PopFont();
    muted("Going on replaces it. Save it first with Ctrl+S if you want to keep it.");
    ImGui::Dummy({0, px(6)});
    if (ui::button("discard.yes", "Replace it", true)) {
      state.confirmDiscard = false;
      const auto action = std::move(state.afterDiscard);
      if (action) action();
    }
    ImGui::SameLine();
    if (ui::button("discard.no", "Keep it")) state.confirmDiscard = false;
  }
  ImGui::End();
}

}  // namespace tessera::panes
