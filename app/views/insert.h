// What a click writes into the worksheet: statements behind a line, or a piece of it replaced. One undo step each.
//
//     insertBehind(session, line 3, "show A as banks fp16")     a new line 4; what stood there is line 5
#pragma once

#include <string>

#include "app/engine/next_steps.h"
#include "app/session/session.h"

namespace tessera::panes {

// On lines of their own behind the statement's last line.
void insertBehind(Session& session, const Statement& behind, const std::string& statements);
// A next step of that statement: inserted behind it, or put in place of what it mends. Nothing when the text has changed
// since the step was offered.
void takeStep(Session& session, const Statement& of, const NextStep& step);

}  // namespace tessera::panes
