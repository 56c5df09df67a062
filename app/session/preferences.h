// Preferences: the user's settings for the window, in a small separate file: theme, scale, pane sizes. Every start
// reads it; a window writes only what it changed, so that two windows do not undo each other's settings.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace tessera {

// TESSERA_STATE, else XDG_STATE_HOME/tessera/session.json, else ~/.local/state/tessera/session.json.
[[nodiscard]] std::filesystem::path stateFile();
// Beside it: "session.sheets" of "session.json".
[[nodiscard]] std::filesystem::path sheetsFolder();

struct Preferences {
  std::string theme;                    // "dark", "light"; empty: never chosen
  double scale = 1;                     // of the interface
  std::map<std::string, double> sizes;  // "left" -> 430 points
  bool operator==(const Preferences&) const = default;
};

// Missing or invalid entries get their defaults.
[[nodiscard]] Preferences readPreferences();
// Merges the differences between `before` and `now` into the file.
void writePreferences(const Preferences& before, const Preferences& now);

}  // namespace tessera
