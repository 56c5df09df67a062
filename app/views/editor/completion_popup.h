// completion_popup: the list of completions below the caret (app/engine/help/completions.h): name, kind, signature. Tab
// accepts the marked row; Enter does so only after Up or Down moved in the list, so that it never changes fast typing.
#pragma once

#include "app/views/editor/editor_page.h"

namespace tessera::panes {

// Updates the list if text, caret or names have changed.
void updateOffers(Session& session, EditorState& state);
// Returns true if the list used this frame's key.
bool completionKeys(Session& session, EditorState& state);
// Returns true if a list was closed.
bool closeOffers(EditorState& state);
void drawOffers(EditorPage& page);

}  // namespace tessera::panes
