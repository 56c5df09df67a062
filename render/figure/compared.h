// Compares two pictures cell by cell.
//
//     A as grid, Sw o A as grid    the same 8 x 64 cells, with different numbers in 448: "448 of 512 cells differ"
//
// Grids are paired by name, else in order. Grids of equal shape are compared position by position; others point by
// point (the same coordinate of the same tensor), and points without a counterpart are counted separately. Cells differ
// if their labels or second lines differ, or if exactly one is padding.
// Law: differing + alike + alone is the number of cells of the first picture that were compared; differingCells has one
// row per differing cell.
#pragma once

#include <string>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

struct FigureComparison {
  i64 cells = 0;      // compared cells of the first picture: all, or the first kMostCompared
  i64 differing = 0;  // their counterparts differ
  i64 alone = 0;      // without a counterpart
  bool all = true;
  std::string text;  // one sentence
  // The pictures with differing cells lit and the others faded.
  Figure first, second;
};

inline constexpr i64 kMostCompared = i64{1} << 17;

// Table of the differing cells, with a header: position, and the contents of both.
[[nodiscard]] std::vector<std::vector<std::string>> differingCells(const Figure& first, const Figure& second);

[[nodiscard]] FigureComparison compared(const Figure& first, const Figure& second);

// Combines two compared pictures into one: side by side, or stacked if they are wide, each under its letter, title and
// subtitle and above its caption. Differing cells are lit, the others faded.
//     besideEachOther(a, b)      A  S as grid                   B  T as grid
//                                Sw<2,0,3> o 0 o (8,16):(16,1)   (8,16):(16,1)
//                                [8 x 16 cells]                 [8 x 16 cells]
//                                56 of 128 cells differ.
//
// Laws: each grid of a appears as "A NAME" and each of b as "B NAME", with the cells that `compared` produces. The two
// halves do not overlap. The table lists the differing cells, for formats without pictures.

// marks: highlight the differences; without it both are unchanged.
[[nodiscard]] Figure besideEachOther(const Figure& a, const Figure& b, bool marks = true);

// The comparison for a file format: CSV contains only the table of differing cells, text has no such table.
[[nodiscard]] Figure comparisonFor(const std::string& format, const Figure& a, const Figure& b, bool marks = true);

}  // namespace tessera
