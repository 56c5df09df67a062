// The font atlas, rasterized at the display's scale.
#include <algorithm>
#include <cmath>

#include "app/widgets/font_source.h"
#include "app/widgets/ui.h"
#include "core/base/columns.h"

namespace tessera::ui {
namespace {

// Latin, Greek, arrows, mathematical operators, geometric shapes, dots.
const ImWchar kRanges[] = {0x20,   0x17f,  0x391,  0x3c9,  0x2010, 0x2027, 0x2030, 0x2044, 0x2070, 0x209c,
                           0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0x2713, 0x2717, 0};
const ImWchar kAscii[] = {0x20, 0x7e, 0};

// As ranges of ImGui, with a zero at the end.
std::vector<ImWchar> rangesOf(const std::vector<ImWchar>& characters) {
  std::vector<ImWchar> ranges;
  for (const ImWchar c : characters) {
    if (!ranges.empty() && ranges.back() + 1 == c) {
      ranges.back() = c;
    } else {
      ranges.insert(ranges.end(), {c, c});
    }
  }
  ranges.push_back(0);
  return ranges;
}

// In a face with columns every character takes one or two of them.
void alignColumns(ImFont* font, const std::vector<ImWchar>& more) {
  const float column = font->GetCharAdvance('0');
  for (ImFontGlyph& glyph : font->Glyphs) {
    if (!std::ranges::binary_search(more, static_cast<ImWchar>(glyph.Codepoint))) continue;
    const float wide = column * (isWide(glyph.Codepoint) ? 2 : 1), shift = std::round((wide - glyph.AdvanceX) / 2);
    glyph.X0 += shift;
    glyph.X1 += shift;
    glyph.AdvanceX = wide;
  }
  font->BuildLookupTable();
}

// Builds the atlas, with picture faces at `detail` of their size, since these are scaled anyway.
void build(Fonts& fonts, const FontSource& files, const std::vector<std::string>& others, double scale, double detail,
           const ImWchar* ranges, int maxWidth, const std::vector<ImWchar>& more) {
  const std::vector<ImWchar> moreRanges = rangesOf(more);
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  atlas->Clear();
  atlas->FontBuilderIO = files.builder;
  atlas->FontBuilderFlags = files.builderFlags;
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
    ImFont* font = atlas->AddFontFromFileTTF(file.c_str(), pixels, &config, ranges);
    config.MergeMode = true;
    if (!more.empty()) atlas->AddFontFromFileTTF(file.c_str(), pixels, &config, moreRanges.data());
    for (const std::string& other : others)
      atlas->AddFontFromFileTTF(other.c_str(), pixels, &config, moreRanges.data());
    return font;
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
  if (more.empty()) return;
  alignColumns(fonts.code, more);
  for (ImFont* font : fonts.cells) alignColumns(font, more);
}

}  // namespace

std::vector<ImWchar> unusualIn(std::string_view text) {
  constexpr char32_t kIdeographs = 0x2e80, kMost = 0xffff;
  std::vector<ImWchar> found;
  const auto usual = [](char32_t c) {
    for (const ImWchar* r = kRanges; *r != 0; r += 2)
      if (c >= r[0] && c <= r[1]) return true;
    return false;
  };
  for (std::size_t at = 0; at < text.size(); at = nextCodePoint(text, at)) {
    if (static_cast<unsigned char>(text[at]) < 0xc4) continue;  // below U+0100
    const char32_t c = codePointAt(text, at);
    if (usual(c) || c > kMost || c == 0xfffd) continue;
    const char32_t from = c < kIdeographs ? c & ~char32_t{0xff} : c, to = c < kIdeographs ? from + 0xff : c;
    for (char32_t k = from; k <= to; ++k)
      if (!usual(k)) found.push_back(static_cast<ImWchar>(k));
    if (found.size() > 100'000) break;
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string loadFonts(Fonts& fonts, const FontSource& source, double scale, int maxTexture,
                      const std::vector<ImWchar>& more) {
  std::vector<std::string> others;
  if (!more.empty() && source.filesWith) others = source.filesWith(more);
  const ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  const auto fits = [&] {
    return atlas->TexWidth > 0 && atlas->TexWidth <= maxTexture && atlas->TexHeight <= maxTexture;
  };
  bool done = false;
  for (const ImWchar* ranges : {kRanges, kAscii}) {
    for (double detail = 1; detail > 0.2 && !done; detail *= 0.7) {
      build(fonts, source, others, scale, detail, ranges, 0, more);
      // ImGui's default width may exceed the card's limit, or make the atlas too high.
      if (!fits()) build(fonts, source, others, scale, detail, ranges, std::min(maxTexture, 4096), more);
      done = fits();
    }
  }
  if (!done) return "the graphics card's textures are too small for the fonts at this scale";
  if (source.sans.empty() || source.mono.empty())
    return "Inter or JetBrains Mono is not installed (fonts-inter, fonts-jetbrains-mono): using a plain font";
  return "";
}

}  // namespace tessera::ui
