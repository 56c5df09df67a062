// go_to: the field of Ctrl+F. It finds text in the worksheet and places in the pictures: a coordinate, an offset, a
// byte, a thread, a bank (go_to_query.h). Enter and F3 go to the next hit, Shift+F3 to the previous one; the count is
// beside the field, and below it an error with the available places.
#pragma once

#include "app/views/editor/editor.h"
#include "app/views/pictures/canvas.h"

namespace tessera::panes {

// Goes to the next (step 1) or previous (-1) hit for editor.find.text. If there is none, returns false and sets
// canvas.goTo.problem.
bool goTo(Session& session, EditorState& editor, CanvasState& canvas, int step);

// Draws the field at the cursor with the given width, if it is open.
void goToBar(Session& session, EditorState& editor, CanvasState& canvas, float width);

}  // namespace tessera::panes
