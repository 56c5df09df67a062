// Cells: a small table of texts as marks: heads faint, numbers to the right, hairlines between the rows.
#pragma once

#include "render/draw/measure/measured.h"

namespace tessera {

// From (x, y), no wider than `width`; texts that are too long are cut. Returns its bottom.
double addCells(Figure& figure, const MeasuredCells& cells, double x, double y, double width);
// Title and badges, and all that was found as the table that inks export.
void addHead(Figure& figure, const MeasuredPicture& picture);
// How wide the columns want to be together.
[[nodiscard]] double cellsWidth(const MeasuredCells& cells);

}  // namespace tessera
