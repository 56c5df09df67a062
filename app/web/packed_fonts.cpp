#include "app/web/packed_fonts.h"

#include <emscripten.h>

#include <filesystem>

// clang-format off
EM_JS(void, pageWants, (const char* file), { tesseraPage.want(UTF8ToString(file)); });
// clang-format on

namespace tessera::ui {
namespace {

constexpr const char* kManyCharacters = "/fonts/many.ttf";

// Asks the page for the large font; until it is there the characters show as `?`.
std::vector<std::string> filesWith(const std::vector<ImWchar>& /*characters*/) {
  std::error_code failed;
  if (std::filesystem::exists(kManyCharacters, failed)) return {kManyCharacters};
  pageWants(kManyCharacters);
  return {};
}

std::string packed(const char* file) {
  const std::string path = std::string("/fonts/") + file;
  std::error_code failed;
  return std::filesystem::exists(path, failed) ? path : "";
}

}  // namespace

FontSource packedFonts() {
  return {packed("Inter-Regular.otf"), packed("Inter-Medium.otf"), packed("JetBrainsMono-Regular.ttf"),
          packed("JetBrainsMono-Bold.ttf"), filesWith};
}

}  // namespace tessera::ui
