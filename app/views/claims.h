// claims: a table of all verdicts of the worksheet and of running jobs, with progress and a cancel button; problems:
// every error, with its line.
#pragma once

#include "app/views/editor/editor.h"
#include "app/views/pictures/canvas.h"

namespace tessera::panes {

void claims(Session& session, CanvasState& canvas, EditorState& editor);
void problems(Session& session, EditorState& editor);

}  // namespace tessera::panes
