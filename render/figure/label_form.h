// Label forms: how much of a cell's label is drawn in little space. Labels shorten before they vanish:
//
//     cell 30 x 30      T31        TwoLines: the label above its second line
//                       V7
//     cell 44 x 18      T31 V7     OneLine
//     cell 30 x 18      31.7       Numbers: without letters (Grid::lettered)
//     cell 20 x 18      31         First: the label only; its letter is dropped too if necessary
//
// A grid uses one form and one type size, so that cells are comparable. Law: the text of every cell fits, up to the
// length that its grid declared. The next form is used only if the current one would be smaller than `comfortable`, and
// no text is smaller than `least`.
#pragma once

#include <string>

#include "render/figure/figure.h"

namespace tessera {

struct LabelForm {
  enum class Kind : unsigned char { None, TwoLines, OneLine, Numbers, First, FirstNumber } kind = Kind::None;
  double size = 0;  // type size, in the units of the cell; the second of two lines is scaled by kSecondLine
};
inline constexpr double kSecondLine = 0.88;

// The form for cells of width x height.
[[nodiscard]] LabelForm labelForm(const Grid& grid, double width, double height, double least, double comfortable);
// The type size at which the first form (the complete label) fits; used to choose the size of a picture.
[[nodiscard]] double fullLabelSize(const Grid& grid, double width, double height);
// Width of a cell without gap and margins.
[[nodiscard]] double labelRoom(double cellWidth);
// The text to draw; for TwoLines the upper line.
[[nodiscard]] std::string labelText(const Cell& cell, LabelForm::Kind kind);

}  // namespace tessera
