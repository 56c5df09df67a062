// go_to: the field of Ctrl+F. It finds text in the worksheet, and places in the pictures: a coordinate, an offset, a
// byte, a thread, a bank (go_to_query.h). Enter and F3 go to the next, Shift+F3 to the one before; the count stands
// beside the field, and what is not there is said below it with what is.
#pragma once

#include "app/views/canvas.h"
#include "app/views/editor.h"

namespace tessera::panes {

// To the next (step 1) or the last one (-1) of what editor.findText asks for. False when there is none: then
// canvas.goTo.problem says why.
bool goTo(Session& session, EditorState& editor, CanvasState& canvas, int step);

// At the cursor, as wide as `width`; nothing while it is closed.
void goToBar(Session& session, EditorState& editor, CanvasState& canvas, float width);

}  // namespace tessera::panes
