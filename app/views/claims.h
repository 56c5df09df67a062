// claims: a table of all verdicts of the worksheet and of running jobs, with progress and a cancel button; problems:
// every error, with its line.
#pragma once

#include <optional>

#include "app/views/editor/editor.h"
#include "app/views/pictures/canvas.h"

namespace tessera::panes {

// Returns the claim whose counterexample is to be played: its "play" was clicked.
std::optional<std::size_t> claims(Session& session, CanvasState& canvas, EditorState& editor);
void problems(Session& session, EditorState& editor);

}  // namespace tessera::panes
