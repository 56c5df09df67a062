// Fonts by fontconfig, rasterised with FreeType at the display's scale.
#include <fontconfig/fontconfig.h>
#include <imgui_freetype.h>

#include <algorithm>
#include <cmath>

#include "app/widgets/ui.h"

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

// Latin, Greek, arrows, mathematical operators, geometric shapes, dots.
const ImWchar kRanges[] = {0x20,   0x17f,  0x391,  0x3c9,  0x2010, 0x2027, 0x2030, 0x2044, 0x2070, 0x209c,
                           0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0x2713, 0x2717, 0};
const ImWchar kAscii[] = {0x20, 0x7e, 0};

struct Files {
  std::string sans, medium, mono, bold;
};

// Builds the atlas, with picture faces at `detail` of their size, since these are scaled anyway.
void build(Fonts& fonts, const Files& files, double scale, double detail, const ImWchar* ranges, int maxWidth) {
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  atlas->Clear();
  atlas->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  atlas->Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  atlas->TexDesiredWidth = maxWidth;
  const auto add = [&](const std::string& file, double size) {
    const float pixels = static_cast<float>(std::max(4.0, std::round(size * scale)));
    ImFontConfig config;
    config.OversampleH = 1;
    config.PixelSnapH = true;
    if (file.empty()) {
      config.SizePixels = pixels;
      return atlas->AddFontDefault(&config);
    }
    return atlas->AddFontFromFileTTF(file.c_str(), pixels, &config, ranges);
  };
  // The em of both faces is smaller than their line: design sizes are ems, ImGui's are lines.
  const double sansLine = 1.21, monoLine = 1.32;
  fonts.sans = add(files.sans, 13 * sansLine);
  fonts.sansMedium = add(files.medium, 13 * sansLine);
  fonts.small = add(files.sans, 12 * sansLine);
  fonts.section = add(files.medium, 10.5 * sansLine);
  fonts.code = add(files.mono, 13 * monoLine);
  const double cellSizes[] = {7, 9, 12, 18, 32};
  for (int k = 0; k < 5; ++k) fonts.cells[k] = add(files.mono, cellSizes[k] * monoLine * detail);
  fonts.cellsBold[0] = add(files.bold, 12 * monoLine * detail);
  fonts.cellsBold[1] = add(files.bold, 26 * monoLine * detail);
  const double figureSizes[] = {9, 12, 20};
  for (int k = 0; k < 3; ++k) fonts.figure[k] = add(files.sans, figureSizes[k] * sansLine * detail);
  ImGui::GetIO().FontDefault = fonts.sans;
  atlas->Build();
}

}  // namespace

std::string loadFonts(Fonts& fonts, double scale, int maxTexture) {
  // Cached, because a change of scale should be fast.
  static const Files kFiles = {fontFile("Inter", FC_WEIGHT_REGULAR), fontFile("Inter", FC_WEIGHT_MEDIUM),
                               fontFile("JetBrains Mono", FC_WEIGHT_REGULAR),
                               fontFile("JetBrains Mono", FC_WEIGHT_BOLD)};
  const ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  const auto fits = [&] {
    return atlas->TexWidth > 0 && atlas->TexWidth <= maxTexture && atlas->TexHeight <= maxTexture;
  };
  bool done = false;
  for (const ImWchar* ranges : {kRanges, kAscii}) {
    for (double detail = 1; detail > 0.2 && !done; detail *= 0.7) {
      build(fonts, kFiles, scale, detail, ranges, 0);
      // ImGui's default width may exceed the card's limit, or make the atlas too high.
      if (!fits()) build(fonts, kFiles, scale, detail, ranges, std::min(maxTexture, 4096));
      done = fits();
    }
  }
  if (!done) return "the graphics card's textures are too small for the fonts at this scale";
  if (kFiles.sans.empty() || kFiles.mono.empty())
    return "Inter or JetBrains Mono is not installed (fonts-inter, fonts-jetbrains-mono): using a plain font";
  return "";
}

}  // namespace tessera::ui
