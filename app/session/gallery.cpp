#include "app/session/gallery.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "app/files/assets.h"

namespace tessera {
namespace fs = std::filesystem;

namespace {

// The first sentence of a program's comment, possibly over several lines.
std::string firstSentence(std::istream& in) {
  std::string text;
  for (std::string line; std::getline(in, line) && line.rfind("//", 0) == 0;) {
    const std::size_t words = line.find_first_not_of("/ ");
    if (words != std::string::npos) text += (text.empty() ? "" : " ") + line.substr(words);
    const std::size_t end = text.find(". ");
    if (end != std::string::npos) return text.substr(0, end + 1);
  }
  return text;
}

// The sections of the lessons, by their first number.
struct Section {
  int first;
  const char *name, *level;
};
constexpr auto kSections = std::to_array<Section>({
    {1, "Layouts", "first steps"},
    {9, "Shared memory and tensor cores", "kernels"},
    {16, "Axe, meshes, Triton, index code", "kernels"},
    {20, "XLA arrays", "compilers"},
    {22, "Graphene programs", "kernels"},
    {31, "HLO", "compilers"},
    {34, "Kernels as they are", "kernels"},
});
const Section& sectionOf(const fs::path& path) {
  const std::string name = path.filename().string();
  int number = 0;
  for (std::size_t k = 0; k < name.size() && k < 4 && name[k] >= '0' && name[k] <= '9'; ++k)
    number = number * 10 + (name[k] - '0');
  const auto after = std::ranges::upper_bound(kSections, number, {}, &Section::first);
  return after == kSections.begin() ? *after : *std::prev(after);
}

// The first sentence of the prose after the heading, without marks.
std::string introOf(const std::string& text) {
  std::istringstream in(text);
  std::string intro;
  for (std::string line; std::getline(in, line) && line.starts_with("//");) {
    const std::size_t words = line.find_first_not_of("/ ");
    if (words == std::string::npos) {
      if (!intro.empty()) break;
      continue;
    }
    if (line[words] == '#') continue;
    intro += (intro.empty() ? "" : " ") + line.substr(words);
    if (const std::size_t end = intro.find(". "); end != std::string::npos) {
      intro.resize(end + 1);
      break;
    }
  }
  std::erase_if(intro, [](char c) { return c == '`' || c == '*'; });
  return intro;
}

// By the stem of the lesson's file.
std::map<std::string, Thumbnail> thumbnails(const fs::path& folder) {
  std::map<std::string, Thumbnail> found;
  std::ifstream in(folder / "thumbnails.txt");
  for (std::string line; std::getline(in, line);) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    if (auto thumbnail = parseThumbnail(std::string_view(line).substr(std::min(blank + 1, line.size()))))
      found.emplace(line.substr(0, blank), *std::move(thumbnail));
  }
  return found;
}

std::string textOf(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<GalleryItem> itemsIn(const fs::path& folder, const std::string& extension) {
  std::vector<GalleryItem> items;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != extension) continue;
    GalleryItem item{entry.path().string(), entry.path().stem().string(), ""};
    std::ifstream in(entry.path());
    if (extension == ".graphene") item.about = firstSentence(in);
    for (std::string line; item.about.empty() && std::getline(in, line);) {
      const std::size_t words = line.find_first_not_of("/# ");  // "// # 3  The swizzle"
      if (line.rfind("//", 0) == 0 && words != std::string::npos) item.about = line.substr(words);
    }
    // "03_swizzle" becomes "swizzle".
    const std::size_t at = item.title.find_first_not_of("0123456789_-");
    if (at != std::string::npos) item.title = item.title.substr(at);
    std::ranges::replace(item.title, '_', ' ');
    items.push_back(std::move(item));
  }
  std::ranges::sort(items, [](const GalleryItem& a, const GalleryItem& b) { return a.path < b.path; });
  return items;
}

}  // namespace

std::vector<GalleryItem> gallery() {
  const fs::path folder = fs::path(assetsFolder()) / "gallery";
  std::vector<GalleryItem> items = itemsIn(folder, ".tess");
  for (GalleryItem& item : items) {
    const Section& section = sectionOf(item.path);
    item.section = section.name;
    item.level = section.level;
    const std::string text = textOf(item.path);
    item.intro = introOf(text);
    for (Task& task : tasksIn(text)) item.tasks.push_back(std::move(task.title));
  }
  std::vector<GalleryItem> asked = itemsIn(folder / "questions", ".tess");
  for (GalleryItem& item : asked) {
    item.section = "Questions of others";
    item.level = "kernels";
  }
  items.insert(items.end(), std::make_move_iterator(asked.begin()), std::make_move_iterator(asked.end()));
  const std::map<std::string, Thumbnail> pictures = thumbnails(folder);
  for (GalleryItem& item : items) {
    const auto picture = pictures.find(fs::path(item.path).stem().string());
    if (picture != pictures.end()) item.thumbnail = picture->second;
  }
  return items;
}

std::vector<Task> tasksIn(std::string_view text) {
  std::vector<Task> tasks;
  if (text.find("task \"") == std::string::npos) return tasks;
  for (const Statement& s : splitStatements(text)) {
    if (s.kind != StatementKind::Task) continue;
    if (auto task = readTask(s.text)) tasks.push_back(*std::move(task));
  }
  return tasks;
}

const std::map<std::string, Task>& keptTasks() {
  static const std::map<std::string, Task> kTasks = [] {
    std::map<std::string, Task> tasks;
    for (const GalleryItem& item : gallery()) {
      if (item.tasks.empty()) continue;
      for (Task& task : tasksIn(textOf(item.path))) tasks.emplace(task.title, task);
    }
    return tasks;
  }();
  return kTasks;
}

std::vector<GalleryItem> programTemplates() {
  const fs::path folder = fs::path(assetsFolder()) / "graphene";
  std::vector<GalleryItem> items = itemsIn(folder, ".graphene");
  for (GalleryItem& item : itemsIn(folder / "hopper", ".graphene")) {
    item.title += ", Hopper";
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace tessera
