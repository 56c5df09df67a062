#include "app/gui/parts.h"
#include "app/views/find/go_to.h"

namespace tessera {

void findBar(Session& session, WindowState& state) {
  panes::goToBar(session, state.editor, state.canvas, ImGui::GetContentRegionAvail().x);
}

}  // namespace tessera
