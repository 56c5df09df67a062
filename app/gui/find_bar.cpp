#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/parts.h"

namespace tessera {

using ui::px;

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

}  // namespace tessera
