#include "app/desktop/system_fonts.h"

#include <fontconfig/fontconfig.h>
#include <imgui_freetype.h>

namespace tessera::ui {
namespace {

// The file of a family and weight; empty if fontconfig only has substitutes.
std::string fontFile(const char* family, int weight) {
  FcPattern* wanted = FcPatternCreate();
  FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(wanted, FC_WEIGHT, weight);
  FcPatternAddInteger(wanted, FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(wanted, FC_VARIABLE, FcFalse);
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  FcPattern* found = FcFontMatch(nullptr, wanted, &result);
  std::string file;
  FcChar8 *path = nullptr, *got = nullptr;
  if (found != nullptr && FcPatternGetString(found, FC_FAMILY, 0, &got) == FcResultMatch &&
      std::string(reinterpret_cast<const char*>(got)).rfind(family, 0) == 0 &&
      FcPatternGetString(found, FC_FILE, 0, &path) == FcResultMatch)
    file = reinterpret_cast<const char*>(path);
  if (found != nullptr) FcPatternDestroy(found);
  FcPatternDestroy(wanted);
  return file;
}

// Files of the system that together have as many of these characters as possible: each has the most that are left.
std::vector<std::string> filesWith(const std::vector<ImWchar>& characters) {
  constexpr std::size_t kMostFiles = 4;
  FcCharSet* left = FcCharSetCreate();
  for (const ImWchar c : characters) FcCharSetAddChar(left, c);
  FcPattern* wanted = FcPatternCreate();
  FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  FcFontSet* sorted = FcFontSort(nullptr, wanted, FcFalse, nullptr, &result);
  std::vector<std::string> files;
  while (sorted != nullptr && files.size() < kMostFiles) {
    std::string file;
    FcChar32 most = 0;
    FcCharSet* its = nullptr;
    for (int k = 0; k < sorted->nfont; ++k) {
      FcCharSet* has = nullptr;
      FcChar8* path = nullptr;
      if (FcPatternGetCharSet(sorted->fonts[k], FC_CHARSET, 0, &has) != FcResultMatch ||
          FcPatternGetString(sorted->fonts[k], FC_FILE, 0, &path) != FcResultMatch)
        continue;
      const FcChar32 count = FcCharSetIntersectCount(left, has);
      if (count <= most) continue;
      most = count;
      its = has;
      file = reinterpret_cast<const char*>(path);
    }
    if (its == nullptr) break;
    files.push_back(file);
    FcCharSet* rest = FcCharSetSubtract(left, its);
    FcCharSetDestroy(left);
    left = rest;
  }
  if (sorted != nullptr) FcFontSetDestroy(sorted);
  FcPatternDestroy(wanted);
  FcCharSetDestroy(left);
  return files;
}

}  // namespace

const FontSource& systemFonts() {
  static const FontSource kFonts = {fontFile("Inter", FC_WEIGHT_REGULAR),
                                    fontFile("Inter", FC_WEIGHT_MEDIUM),
                                    fontFile("JetBrains Mono", FC_WEIGHT_REGULAR),
                                    fontFile("JetBrains Mono", FC_WEIGHT_BOLD),
                                    filesWith,
                                    ImGuiFreeType::GetBuilderForFreeType(),
                                    ImGuiFreeTypeBuilderFlags_LightHinting};
  return kFonts;
}

}  // namespace tessera::ui
