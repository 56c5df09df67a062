// gallery: the sheets and programs that come with Tessera.
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct GalleryItem {
  std::string path, title, about;
};
[[nodiscard]] std::vector<GalleryItem> gallery();           // the lessons, then the questions of others
[[nodiscard]] std::vector<GalleryItem> programTemplates();  // the Graphene programs of the library
}  // namespace tessera
