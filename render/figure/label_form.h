// Label forms: how much of a cell's label is written when there is little room. Labels shorten before they vanish:
//
//     cell 30 x 30      T31        TwoLines: the label above its second line
//                       V7
//     cell 44 x 18      T31 V7     OneLine
//     cell 30 x 18      31.7       Numbers: without their letters (Grid::lettered)
//     cell 20 x 18      31         First: the label alone; the letter goes, too, where it must
//
// One form and one type size serve a whole grid, so that what is compared looks alike. Law: the text of every cell, as
// long as its grid announced it, fits the room; a form is left for the next only when it would be set smaller than
// `comfortable`, and nothing is written smaller than `least`.
#pragma once

#include <string>

#include "render/figure/figure.h"

namespace tessera {

struct LabelForm {
  enum class Kind : unsigned char { None, TwoLines, OneLine, Numbers, First, FirstNumber } kind = Kind::None;
  double size = 0;  // of the type, in the units of the cell; the second of two lines is set at kSecondLine of it
};
inline constexpr double kSecondLine = 0.88;

// What is written in cells of width x height.
[[nodiscard]] LabelForm labelForm(const Grid& grid, double width, double height, double least, double comfortable);
// The type size at which the first form (all of the label) fits; what a picture wants to be sized by.
[[nodiscard]] double fullLabelSize(const Grid& grid, double width, double height);
// What the gap and the margins leave of a cell's width.
[[nodiscard]] double labelRoom(double cellWidth);
// The line to write; of TwoLines the upper one.
[[nodiscard]] std::string labelText(const Cell& cell, LabelForm::Kind kind);

}  // namespace tessera
