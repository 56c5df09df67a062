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

[[nodiscard]] constexpr bool isMono(Face face) { return face == Face::Mono || face == Face::MonoBold; }
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

// Label forms: how much of a cell's label is drawn in little space. Labels shorten before they vanish:
//
//     cell 30 x 30      T31        TwoLines: the label above its second line
//                       V7
//     cell 44 x 18      T31 V7     OneLine
//     cell 30 x 18      31.7       Numbers: without letters (Grid::lettered)
//     cell 20 x 18      31         First: the label only; its letter is dropped too if necessary
//
// A grid uses one form and one type size, so that cells are comparable. Law: the text of every cell fits, up to the
// length that its grid declared. The next form is used only if the current one would have a text smaller than `least`.

struct LabelForm {
  enum class Kind : unsigned char { None, TwoLines, OneLine, Numbers, First, FirstNumber } kind = Kind::None;
  double size = 0;  // type size, in the units of the cell; the second of two lines is scaled by kSecondLine
};
inline constexpr double kSecondLine = 0.88;

// The form for cells of width x height.
[[nodiscard]] LabelForm labelForm(const Grid& grid, double width, double height, double least);
// The type size at which the first form (the complete label) fits; used to choose the size of a picture.
[[nodiscard]] double fullLabelSize(const Grid& grid, double width, double height);
// Width of a cell without gap and margins.
[[nodiscard]] double labelRoom(double cellWidth);
// The text to draw; for TwoLines the upper line.
[[nodiscard]] std::string labelText(const Cell& cell, LabelForm::Kind kind);

}  // namespace tessera
