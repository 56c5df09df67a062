// completion_popup: the list below the caret of what could stand there (app/engine/completions.h): name, kind, signature.
// Tab takes the marked row; Enter does only after Up or Down moved in the list, so that fast typing is never changed by it.
#pragma once

#include "app/views/editor_page.h"

namespace tessera::panes {

// Looks again when text, caret or names have changed.
void updateOffers(Session& session, EditorState& state);
// True when the key of this frame was for the list.
bool completionKeys(Session& session, EditorState& state);
// True when there was a list to close.
bool closeOffers(EditorState& state);
void drawOffers(EditorPage& page);

}  // namespace tessera::panes
