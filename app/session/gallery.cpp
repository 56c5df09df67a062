#include "app/session/gallery.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

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
  std::vector<GalleryItem> asked = itemsIn(folder / "questions", ".tess");
  items.insert(items.end(), std::make_move_iterator(asked.begin()), std::make_move_iterator(asked.end()));
  return items;
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
