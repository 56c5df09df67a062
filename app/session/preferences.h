// Preferences: the user's settings for the window, in a small separate file: theme, scale, pane sizes. Every start
// reads it; a window writes only what it changed, so that two windows do not undo each other's settings.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "render/figure/palette.h"

namespace tessera {

// TESSERA_STATE, else XDG_STATE_HOME/tessera/session.json, else ~/.local/state/tessera/session.json.
[[nodiscard]] std::string stateFile();
// Beside it: "session.sheets" of "session.json".
[[nodiscard]] std::string sheetsFolder();

struct Preferences {
  Theme theme = Theme::Dark;
  double scale = 1;                     // of the interface
  std::map<std::string, double> sizes;  // "left" -> 430 points
  bool operator==(const Preferences&) const = default;
};

[[nodiscard]] const char* name(Theme theme);  // "dark", "light", "contrast", "safe dark", "safe light"

// Missing or invalid entries get their defaults.
[[nodiscard]] Preferences readPreferences();
// Merges the differences between `before` and `now` into the file.
void writePreferences(const Preferences& before, const Preferences& now);

// recent_sheets: the paths of recently opened or saved sheets, newest first, stored beside the session's state.
[[nodiscard]] const std::vector<std::string>& recentSheets();
// Called each frame; cheap if the path is the newest one.
void noteRecent(const std::string& path);

}  // namespace tessera
