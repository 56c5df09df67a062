#include "app/gui/parts.h"
#include "app/widgets/keyboard.h"

namespace tessera {

using ui::px;

void findBar(Session& session, WindowState& state) {
  if (!state.editor.findOpen) return;
  ImGui::SetCursorPosX(px(14));
  ImGui::SetNextItemWidth(px(220));
  if (ui::field(ui::Owner::Find, "find.field", state.editor.findText, "Find")) panes::findNext(session, state.editor);
  if (ImGui::IsItemClicked()) state.editor.focused = false;
  ImGui::SameLine();
  if (ui::button("find.next", "next")) panes::findNext(session, state.editor);
  ImGui::SameLine();
  if (ui::button("find.close", "close")) state.editor.findOpen = false;
}

}  // namespace tessera
