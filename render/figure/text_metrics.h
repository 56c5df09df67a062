// Text metrics: estimates the width of a text without a font. Views compute layouts with these numbers and inks draw
// with real fonts, so a figure looks the same in every ink (within a percent).
//
//     textWidth("swizzle", Face::Mono, 10) == 42      JetBrains Mono is 0.6 em wide, every glyph
//     textWidth("swizzle", Face::Sans, 10) ~= 36      Inter, from its advance table
//
// The type scale, in points: 15 titles, 12.5 code under them, 11.5 captions, 10.5 cells, 10 headers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

struct TypeScale {
  double title = 15, subtitle = 12.5, caption = 11.5, body = 12, small = 10, cell = 10.5, section = 10;
};
inline constexpr TypeScale kType{};
inline constexpr const char* kSansFamily = "Inter";
inline constexpr const char* kMonoFamily = "JetBrains Mono";
// Height of a digit relative to the type size, for centring: the baseline is digitHeight/2 below the centre.
inline constexpr double kCapHeight = 0.735;

[[nodiscard]] double textWidth(std::string_view utf8, Face face, double size);
[[nodiscard]] std::size_t countCodePoints(std::string_view utf8);
// The text, shortened with an ellipsis to at most `width` if necessary. Ensures textWidth(result) <= width if one
// character and the ellipsis fit.
[[nodiscard]] std::string fitted(std::string_view utf8, Face face, double size, double width);
// Breaks at blanks into lines of at most `width` (a longer word gets its own line, fitted).
[[nodiscard]] std::vector<std::string> wrapped(std::string_view utf8, Face face, double size, double width);

// On paper, the size of a label's second line relative to the first.
inline constexpr double kSecondLabel = 0.82;
// The label size of a grid: kType.cell, or smaller so that labelChars fit; 0 if that would be under 5 points.
[[nodiscard]] double labelSize(const Grid& grid);
// The cell pitch for labels of that many characters (at least 26).
[[nodiscard]] double pitchFor(int labelChars);

// Space for headers, left of and above cell (0,0).
struct Margins {
  double left = 0, top = 0;
};
[[nodiscard]] Margins headerMargins(const Grid& grid);

}  // namespace tessera
