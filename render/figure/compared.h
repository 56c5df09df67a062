// What differs between two pictures, cell by cell.
//
//     A as grid, Sw o A as grid    the same 8 x 64 cells, other numbers in 448: "448 of 512 cells differ"
//
// Grids are paired by name, else in order. Grids of one shape are compared place by place; of different shapes point by
// point (the same coordinate of the same tensor), and what has no counterpart is counted apart. Cells differ when their
// labels do, or their second lines, or when one is padding and the other is not.
// Law: differing + alike + alone is the number of cells of the first picture that were looked at; differingCells has one
// row for each of the differing ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

struct FigureComparison {
  i64 cells = 0;      // of the first picture that were looked at: all, or the first kMostCompared
  i64 differing = 0;  // their counterparts say something else
  i64 alone = 0;      // they have no counterpart
  bool all = true;
  std::string text;  // one sentence
  // The pictures with their differing cells lit and the others faded.
  Figure first, second;
};

inline constexpr i64 kMostCompared = i64{1} << 17;

// The cells that differ, as a table with a header: where, and what each of the two says.
[[nodiscard]] std::vector<std::vector<std::string>> differingCells(const Figure& first, const Figure& second);

[[nodiscard]] FigureComparison compared(const Figure& first, const Figure& second);

}  // namespace tessera
