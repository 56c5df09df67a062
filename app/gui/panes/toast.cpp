#include "app/gui/parts.h"
#include "render/figure/text_metrics.h"

namespace tessera {

using ui::px;

void toast(const Session& session, WindowState& state, float right, float bottom) {
  if (session.message != state.toast.shown) {
    state.toast.shown = session.message;
    state.toast.since = ImGui::GetTime();
  }
  if (session.message.empty() || ImGui::GetTime() - state.toast.since > (session.messageIsError ? 12 : 5)) return;
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const std::string text = fitted(session.message, Face::Sans, 12, 560);
  const float w = ui::width(f.small, text) + px(28), h = px(30);
  const ImVec2 a = {right - w - px(16), bottom - h - px(14)};
  list->AddRectFilled(a, {a.x + w, a.y + h}, ui::color(Role::Raised), px(6));
  list->AddRect(a, {a.x + w, a.y + h}, ui::color(session.messageIsError ? Role::Refuted : Role::Hairline), px(6));
  ui::text(list, f.small, {a.x + px(14), a.y + (h - f.small->FontSize) / 2}, ui::color(Role::Text), text);
}

}  // namespace tessera
