// Fonts by fontconfig, rasterised with FreeType at the display's scale.
#include <fontconfig/fontconfig.h>
#include <imgui_freetype.h>

#include <cmath>
#include <vector>

#include "app/widgets/ui.h"

namespace tessera::ui {
namespace {

// The file of a family and weight; empty when fontconfig only offers another family.
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

// Latin, Greek, arrows, mathematical operators, geometric shapes, dots.
const ImWchar kRanges[] = {0x20,   0x17f,  0x391,  0x3c9,  0x2010, 0x2027, 0x2030, 0x2044, 0x2070, 0x209c,
                           0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0x2713, 0x2717, 0};

}  // namespace

std::string loadFonts(Fonts& fonts, double scale) {
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  atlas->Clear();
  atlas->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  const std::string sans = fontFile("Inter", FC_WEIGHT_REGULAR), medium = fontFile("Inter", FC_WEIGHT_MEDIUM);
  const std::string mono = fontFile("JetBrains Mono", FC_WEIGHT_REGULAR),
                    bold = fontFile("JetBrains Mono", FC_WEIGHT_BOLD);
  const auto add = [&](const std::string& file, double size) {
    const float pixels = static_cast<float>(std::round(size * scale));
    ImFontConfig config;
    config.OversampleH = 1;
    config.PixelSnapH = true;
    if (file.empty()) {
      config.SizePixels = pixels;
      return atlas->AddFontDefault(&config);
    }
    return atlas->AddFontFromFileTTF(file.c_str(), pixels, &config, kRanges);
  };
  // The em of both faces is smaller than their line: type sizes of the design are ems, ImGui's are lines.
  const double sansLine = 1.21, monoLine = 1.32;
  fonts.sans = add(sans, 13 * sansLine);
  fonts.sansMedium = add(medium, 13 * sansLine);
  fonts.small = add(sans, 12 * sansLine);
  fonts.section = add(medium, 10.5 * sansLine);
  fonts.code = add(mono, 13 * monoLine);
  const double cellSizes[] = {7, 9, 12, 18, 32};
  for (int k = 0; k < 5; ++k) fonts.cells[k] = add(mono, cellSizes[k] * monoLine);
  fonts.cellsBold[0] = add(bold, 12 * monoLine);
  fonts.cellsBold[1] = add(bold, 26 * monoLine);
  const double figureSizes[] = {9, 12, 20};
  for (int k = 0; k < 3; ++k) fonts.figure[k] = add(sans, figureSizes[k] * sansLine);
  ImGui::GetIO().FontDefault = fonts.sans;
  atlas->Build();
  if (sans.empty() || mono.empty())
    return "Inter or JetBrains Mono is not installed (fonts-inter, fonts-jetbrains-mono): using a plain font";
  return "";
}

}  // namespace tessera::ui
