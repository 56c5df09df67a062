// Tables as CuTe prints them, and the layout that a table of offsets has.
//
//     (_2,_4):(_4,_1)                        print_layout: a header, column numbers, rules, rows of cells
//           0   1   2   3
//         +---+---+---+---+
//      0  | 0 | 1 | 2 | 3 |                  {0 1 2 3; 4 5 6 7}  ->  (2,4):(4,1)
//         +---+---+---+---+
//      1  | 4 | 5 | 6 | 7 |
//
// layoutOfTable tries plain strides, then every swizzle Sw<B,M,S>, the smallest first; a mode may be nested. The first
// offset may be other than 0.
//
// Law: the layout has the table's value at every (row, column). A Diag names the first cell that fits no strides.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::paste {

struct PrintedTable {
  std::vector<std::vector<i64>> rows;       // offsets, or threads
  std::vector<std::vector<i64>> valueRows;  // of a table T0V1: the values; else empty
  std::size_t begin = 0, end = 0;           // bytes of the text
  bool operator==(const PrintedTable&) const = default;
};

// The tables of cells between `|` in the text. Incomplete rows at the end of a cut table are dropped.
[[nodiscard]] std::vector<PrintedTable> tablesIn(std::string_view text);
// A grid of integers without rules, as print_tensor prints; nullopt if another character is among them.
[[nodiscard]] std::optional<PrintedTable> gridIn(std::string_view text);
// \node[..] at (row,column) {value}; of print_latex; also \shortstack{T0 \\ V1}.
[[nodiscard]] std::optional<PrintedTable> pictureIn(std::string_view text);

// As text of the worksheet: "(2,4):(4,1)", "Sw<2,1,3> o 0 o ((2,2),8):((1,8),2)".
[[nodiscard]] Result<std::string> layoutOfTable(const std::vector<std::vector<i64>>& rows);
// Thread and value of each element, as one number: thread + threads * value.
[[nodiscard]] std::vector<std::vector<i64>> threadValues(const PrintedTable& table);

}  // namespace tessera::paste
