// The first sheet of a window, and what it keeps for the next one.
#pragma once

#include "app/gui/commands.h"

namespace tessera {

struct Opening {
  std::string file;     // worksheet to open; empty: the last session, else the first sheet of the gallery
  std::string theme;    // "dark", "light"; empty: the last one
  bool restore = true;  // reads and writes the kept state
};
// Returns whether the file was opened; the reason is the session's message.
[[nodiscard]] bool begin(Session& session, WindowState& state, const Opening& opening);
// Keeps the state, for the next window.
void store(Session& session, WindowState& state);

}  // namespace tessera
