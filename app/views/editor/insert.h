// Inserts statements after a line of the worksheet, or replaces part of it, on a click. One undo step each.
//
//     insertBehind(session, line 3, "show A as banks fp16")     a new line 4; the old line 4 becomes line 5
#pragma once

#include <string>

#include "app/engine/help/next_steps.h"
#include "app/session/session.h"

namespace tessera::panes {

// Inserts new lines after the statement's last line.
void insertBehind(Session& session, const Statement& behind, const std::string& statements);
// Applies a next step of a statement: inserts it after the statement, or replaces what it corrects. Does nothing if the
// text has changed since the step was offered.
void takeStep(Session& session, const Statement& of, const NextStep& step);

}  // namespace tessera::panes
