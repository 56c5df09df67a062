// Preferences: what the user chose of the window itself, in a small file of their own: theme, scale, pane sizes. Every start
// reads it; a window writes what it changed and nothing else, so that two windows never undo each other's choice.
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

// What a file does not say, or says wrongly, is the default.
[[nodiscard]] Preferences readPreferences();
// Writes what differs between `before` and `now` over what the file says.
void writePreferences(const Preferences& before, const Preferences& now);

}  // namespace tessera
