#include "app/session/preferences.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/session/document.h"

namespace tessera {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

double within(const Json& j, double from, double to, double otherwise) {
  if (!j.is_number() || !std::isfinite(j.get<double>())) return otherwise;
  return std::clamp(j.get<double>(), from, to);
}

}  // namespace

std::string stateFile() {
  if (const char* given = std::getenv("TESSERA_STATE")) return given;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  const fs::path base = state != nullptr && *state != '\0'
                            ? fs::path(state)
                            : fs::path(home != nullptr ? home : "/") / ".local" / "state";
  return (base / "tessera" / "session.json").string();
}

std::string sheetsFolder() { return fs::path(stateFile()).replace_extension(".sheets").string(); }

const char* name(Theme theme) {
  constexpr const char* kNames[] = {"light", "dark", "contrast", "safe light", "safe dark"};
  return kNames[static_cast<std::size_t>(theme)];
}

namespace {

// `theme` as written in the file; "": never chosen
Preferences read(std::string& theme) {
  Preferences found;
  const auto text = readFile(stateFile(), kMostBytes);
  if (!text.ok()) return found;
  const Json j = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!j.is_object()) return found;
  if (const auto written = j.find("theme"); written != j.end() && written->is_string())
    theme = written->get<std::string>();
  for (const Theme t : {Theme::Light, Theme::Contrast, Theme::SafeLight, Theme::SafeDark})
    if (theme == name(t)) found.theme = t;
  if (const auto scale = j.find("scale"); scale != j.end()) found.scale = within(*scale, 0.5, 4, 1);
  if (const auto sizes = j.find("sizes"); sizes != j.end() && sizes->is_object())
    for (const auto& [pane, size] : sizes->items())
      if (const double points = within(size, -1, 20'000, -1); points >= 0) found.sizes[pane] = points;
  return found;
}

}  // namespace

Preferences readPreferences() {
  std::string theme;
  return read(theme);
}

void writePreferences(const Preferences& before, const Preferences& now) {
  if (before == now) return;
  std::string theme;
  Preferences merged = read(theme);
  if (now.theme != before.theme) theme = name(now.theme);
  if (now.scale != before.scale) merged.scale = now.scale;
  for (const auto& [pane, size] : now.sizes) {
    const auto old = before.sizes.find(pane);
    if (old == before.sizes.end() || old->second != size) merged.sizes[pane] = size;
  }
  std::error_code failed;
  fs::create_directories(fs::path(stateFile()).parent_path(), failed);
  const Json j = {{"theme", theme}, {"scale", merged.scale}, {"sizes", merged.sizes}};
  // A failure to store preferences is not reported.
  (void)writeFileAtomically(stateFile(), j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

namespace {

constexpr std::size_t kMost = 20;

// Beside TESSERA_STATE, or in the folder of the session's state.
fs::path listFile() {
  if (const char* given = std::getenv("TESSERA_STATE")) return std::string(given) + ".recent";
  return fs::path(stateFile()).replace_filename("recent");
}

std::vector<std::string> read() {
  std::vector<std::string> paths;
  std::error_code failed;
  const auto text = readFile(listFile().string(), 1 << 20);
  if (!text.ok()) return paths;
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line) && paths.size() < kMost;)
    if (!line.empty() && fs::is_regular_file(line, failed)) paths.push_back(line);
  return paths;
}

std::vector<std::string>& list() {
  static std::vector<std::string> paths = read();
  return paths;
}

}  // namespace

const std::vector<std::string>& recentSheets() { return list(); }

void noteRecent(const std::string& path) {
  std::vector<std::string>& paths = list();
  if (path.empty() || (!paths.empty() && paths.front() == path)) return;
  paths = read();  // another window may have added entries since
  std::erase(paths, path);
  paths.insert(paths.begin(), path);
  if (paths.size() > kMost) paths.resize(kMost);
  std::string text;
  for (const std::string& p : paths)
    if (p.find('\n') == std::string::npos) text += p + "\n";
  std::error_code failed;
  fs::create_directories(listFile().parent_path(), failed);
  // A failure to store the list is not reported.
  (void)writeFileAtomically(listFile().string(), text);
}

}  // namespace tessera
