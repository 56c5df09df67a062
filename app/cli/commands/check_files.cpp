#include "app/cli/commands/check_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/cli/io/signals.h"
#include "app/engine/source/source_statements.h"
#include "core/base/chars.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// A line of a .gitignore file.
struct Pattern {
  std::string text;
  bool foldersOnly = false, anchored = false;
  fs::path folder;  // of the file
};

std::vector<Pattern> patternsIn(const fs::path& folder) {
  std::vector<Pattern> out;
  std::ifstream in(folder / ".gitignore");
  for (std::string line; std::getline(in, line);) {
    std::string text(stripped(line));
    if (text.empty() || text.starts_with('#') || text.find_first_of("![") != std::string::npos ||
        text.find("**") != std::string::npos)
      continue;
    Pattern made{std::move(text), false, false, folder};
    if (made.text.ends_with('/')) {
      made.foldersOnly = true;
      made.text.pop_back();
    }
    made.anchored = made.text.find('/') != std::string::npos;
    if (made.text.starts_with('/')) made.text.erase(0, 1);
    if (!made.text.empty()) out.push_back(std::move(made));
  }
  return out;
}

bool isIgnored(const fs::path& path, bool folder, const std::vector<Pattern>& patterns) {
  return std::ranges::any_of(patterns, [&](const Pattern& p) {
    if (p.foldersOnly && !folder) return false;
    const std::string name = (p.anchored ? path.lexically_relative(p.folder) : path.filename()).generic_string();
    return ::fnmatch(p.text.c_str(), name.c_str(), FNM_PATHNAME) == 0;
  });
}

void walk(const fs::path& folder, std::vector<Pattern> patterns, std::vector<std::string>& out) {
  constexpr int kDeepest = 128;
  if (interrupted().load() || std::distance(folder.begin(), folder.end()) > kDeepest) return;
  for (Pattern& p : patternsIn(folder)) patterns.push_back(std::move(p));
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) entries.push_back(*it);
  std::ranges::sort(entries, {}, [](const fs::directory_entry& e) { return e.path().filename().string(); });
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    const bool isFolder = entry.is_directory(error) && !entry.is_symlink(error);
    if (name.starts_with('.') || isIgnored(entry.path(), isFolder, patterns)) continue;
    if (isFolder) walk(entry.path(), patterns, out);
    const bool known = sourceLanguageOf(name).has_value() || hasOwnFormat(name);
    if (known && entry.is_regular_file(error)) out.push_back(entry.path().lexically_normal().string());
  }
}

}  // namespace

bool hasOwnFormat(const std::string& file) {
  return file.ends_with(".tess") || file.ends_with(".graphene") || file.ends_with(".hlo");
}

std::vector<std::string> checkInputs(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (argument != "-" && fs::is_directory(argument, error)) {
      walk(fs::path(argument), {}, out);
    } else {
      out.push_back(argument);
    }
  }
  return out;
}

}  // namespace tessera
