// Combines two compared pictures into one: side by side, or stacked if they are wide, each under its letter, title and
// subtitle and above its caption. Differing cells are lit, the others faded.
//     besideEachOther(a, b)      A  S as grid                   B  T as grid
//                                Sw<2,0,3> o 0 o (8,16):(16,1)   (8,16):(16,1)
//                                [8 x 16 cells]                 [8 x 16 cells]
//                                56 of 128 cells differ.
//
// Laws: each grid of a appears as "A NAME" and each of b as "B NAME", with the cells that `compared` produces. The two
// halves do not overlap. The table lists the differing cells, for formats without pictures.
#pragma once

#include "render/figure/compared.h"

namespace tessera {

// marks: highlight the differences; without it both are unchanged.
[[nodiscard]] Figure besideEachOther(const Figure& a, const Figure& b, bool marks = true);

// The comparison for a file format: CSV contains only the table of differing cells, text has no such table.
[[nodiscard]] Figure comparisonFor(const std::string& format, const Figure& a, const Figure& b, bool marks = true);

}  // namespace tessera
