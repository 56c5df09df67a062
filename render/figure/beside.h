// Two compared pictures as one: beside each other, or one above the other when they are wide, each under its letter, title
// and subtitle and above its caption; what differs is lit, the rest faded.
//
//     besideEachOther(a, b)      A  S as grid                   B  T as grid
//                                Sw<2,0,3> o 0 o (8,16):(16,1)   (8,16):(16,1)
//                                [8 x 16 cells]                 [8 x 16 cells]
//                                56 of 128 cells differ.
//
// Laws: each grid of a is there as "A NAME", each of b as "B NAME", cell by cell what `compared` makes of it; nothing of one
// lies over the other. The table has the differing cells: what a format without pictures shows.
#pragma once

#include "render/figure/compared.h"

namespace tessera {

// marks: what differs is lit; without, both are as they were.
[[nodiscard]] Figure besideEachOther(const Figure& a, const Figure& b, bool marks = true);

// The comparison for a file with that ending: CSV is the table of differing cells alone, text has no table of them.
[[nodiscard]] Figure comparisonFor(const std::string& format, const Figure& a, const Figure& b, bool marks = true);

}  // namespace tessera
