// claims: every verdict of the worksheet in a table, and what still runs, with its progress and a button that cancels it;
// problems: every error, with its line.
#pragma once

#include "app/session/session.h"
#include "app/views/canvas.h"
#include "app/views/editor.h"

namespace tessera::panes {

void claims(Session& session, CanvasState& canvas, EditorState& editor);
void problems(Session& session, EditorState& editor);

}  // namespace tessera::panes
