// claims: every verdict of the worksheet in a table; problems: every error, with its line.
#pragma once

#include "app/session/session.h"
#include "app/views/canvas.h"
#include "app/views/editor.h"

namespace tessera::panes {

void claims(Session& session, CanvasState& canvas, EditorState& editor);
void problems(Session& session, EditorState& editor);

}  // namespace tessera::panes
