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

#include <optional>
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

}  // namespace tessera
