// parts: what the keys of each part of the window can change, as text: a test can tell which part a key reached.
//
//     before = partsOf(session, state);    press Ctrl+V while the pictures have the keys
//     partsOf(session, state) == before    the worksheet did not receive it
//
// Law (tests/gui/every_key_test.cpp, every_key_end_to_end.sh): a key changes only the part of its owner, unless it is
// the shortcut of a command that reaches that owner.
#pragma once

#include <map>
#include <string>

#include "app/gui/commands.h"

namespace tessera {

[[nodiscard]] const char* name(ui::Owner owner);  // "worksheet"
[[nodiscard]] std::map<ui::Owner, std::string> partsOf(const Session& session, const WindowState& state);

}  // namespace tessera
