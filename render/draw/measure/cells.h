// Cells: a small table of texts as marks: faint heads, right-aligned numbers, hairlines between the rows.
#pragma once

#include "render/draw/measure/measured.h"

namespace tessera {

// Starts at (x, y), at most `width` wide; long texts are cut. Returns its bottom.
double addCells(Figure& figure, const MeasuredCells& cells, double x, double y, double width);
// Adds title and badges, and the complete results as the table that inks export.
void addHead(Figure& figure, const MeasuredPicture& picture);
// Preferred total width of the columns.
[[nodiscard]] double cellsWidth(const MeasuredCells& cells);

}  // namespace tessera
