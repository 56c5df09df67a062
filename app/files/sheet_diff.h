// Two worksheets beside each other: which line stands beside which, which words of a changed line differ, and which lines
// say the same and are answered otherwise.
//
//     A = (4,8):(8,1)       A = (4,8):(9,2)     Changed   8 and 1 against 9 and 2
//     size(A)               size(A)             Same
//                           cosize(A)           Second
//     A(1,0)                A(1,0)              Same
//       = 8                   = 9               Answer    the line is the same, what it says is not
//
//     sheetRows(a, b)             // sheetRows(a, b, 3): of long equal stretches only three lines beside a difference
//
// Laws: the rows with a first line, Answers and LeftOuts aside, are a's lines in order, those with a second line b's; a
// Same row's lines are equal, a Changed row's are not; the LeftOuts stand for exactly the Same rows that are missing.
// Words: what is not marked is the same text on both sides.
// Why not sideBySide of line_diff.h alone: it pairs changed lines by their number. Here a line that came pushes none of
// those behind it away from what they were: pairs are those with the most in common.
#pragma once

#include <string>
#include <utility>

#include "app/files/line_diff.h"

namespace tessera {

struct SheetRow {
  enum class Kind { Same, Changed, First, Second, LeftOut, Answer } kind = Kind::Same;
  std::ptrdiff_t first = -1, second = -1;  // lines; -1: none on that side
  std::size_t leftOut = 0;                 // Same rows that this one stands for
  [[nodiscard]] bool differs() const { return kind != Kind::Same && kind != Kind::LeftOut; }
  bool operator==(const SheetRow&) const = default;
};

// One side: its lines, and what each is answered; "" is nothing yet, or nothing at all. Empty: no answers are known.
struct SheetSide {
  std::vector<std::string_view> lines;
  std::vector<std::string> answers = {};
};

inline constexpr std::size_t kAllRows = static_cast<std::size_t>(-1);

// context: how many equal lines on either side of a difference are rows of their own.
[[nodiscard]] std::vector<SheetRow> sheetRows(const SheetSide& a, const SheetSide& b, std::size_t context = kAllRows);

// Where each run of differing rows begins: what "next difference" goes to.
[[nodiscard]] std::vector<std::size_t> differences(const std::vector<SheetRow>& rows);

// Bytes [begin, end) of each line that the other does not have, in order, apart from each other.
using Marks = std::vector<std::pair<std::size_t, std::size_t>>;
struct WordMarks {
  Marks first, second;
};
[[nodiscard]] WordMarks differingWords(std::string_view a, std::string_view b);

// How much of two lines is the same, 0 to 1: 1 only when they are equal up to blanks.
[[nodiscard]] double likeness(std::string_view a, std::string_view b);

// "3 lines differ in 2 places; 1 answer differs", "The sheets are the same".
[[nodiscard]] std::string sentenceOf(const std::vector<SheetRow>& rows);

}  // namespace tessera
