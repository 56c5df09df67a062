#include "app/gui/dialogs/recent_sheets.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "app/session/document.h"
#include "app/session/preferences.h"

namespace tessera {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMost = 20;

// Beside TESSERA_STATE, or in the folder of the session's state.
fs::path listFile() {
  if (const char* given = std::getenv("TESSERA_STATE")) return std::string(given) + ".recent";
  return stateFile().replace_filename("recent");
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
  if (path.empty() || (!list().empty() && list().front() == path)) return;
  std::vector<std::string>& paths = list();
  // Another window may have added entries since.
  std::vector<std::string> now = read();
  now.erase(std::remove(now.begin(), now.end(), path), now.end());
  now.insert(now.begin(), path);
  if (now.size() > kMost) now.resize(kMost);
  paths = std::move(now);
  std::string text;
  for (const std::string& p : paths)
    if (p.find('\n') == std::string::npos) text += p + "\n";
  std::error_code failed;
  fs::create_directories(listFile().parent_path(), failed);
  // A failure to store the list is not reported.
  (void)writeFileAtomically(listFile().string(), text);
}

}  // namespace tessera
