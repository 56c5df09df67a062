// A comparison of two worksheets side by side: aligned lines, differing words of changed lines, and equal lines whose
// answers differ.
//
//     A = (4,8):(8,1)       A = (4,8):(9,2)     Changed   8 and 1 against 9 and 2
//     size(A)               size(A)             Same
//                           cosize(A)           Second
//     A(1,0)                A(1,0)              Same
//       = 8                   = 9               Answer    equal lines with different answers
//
//     sheetRows(a, b)             // sheetRows(a, b, 3): only three equal lines next to a difference
//
// Laws: the rows with a first line, except Answers and LeftOuts, are a's lines in order, those with a second line b's.
// Lines are equal in a Same row and differ in a Changed row. LeftOuts represent exactly the missing Same rows. Unmarked
// words are equal on both sides.
// Why pairing by similarity: an inserted line does not shift the following pairs. sideBySide is simpler: it pairs
// changed lines by position.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

// A line diff of two texts: the common lines, those only in the first, and those only in the second.
//
//     a = "one\ntwo\nthree"     one            one
//     b = "one\n2\nthree"       two      |     2
//                               three          three
//
//     lineDiff(a, b)  ->  {Same 0 0} {First 1} {Second 1} {Same 2 2}
//
// Laws: the rows other than Second are a's lines in order, those other than First b's; in Same rows both lines are
// equal. If the texts differ in at most kMostEdits lines, the diff has the minimum number of rows; beyond that it
// consists of the common beginning, the common end, and everything between as changed.
// Why Myers: it is short, and its work is (lines) x (differences), which is small for texts a person compares.
struct DiffRow {
  enum class Kind { Same, First, Second } kind = Kind::Same;
  std::size_t first = 0, second = 0;  // 0-based; the current position in the text without it
  bool operator==(const DiffRow&) const = default;
};

inline constexpr std::size_t kMostEdits = 2000;

[[nodiscard]] std::vector<std::string_view> linesOf(std::string_view text);
[[nodiscard]] std::vector<DiffRow> lineDiff(const std::vector<std::string_view>& a,
                                            const std::vector<std::string_view>& b);
// Number of lines of `now` not in `before`, or of lines lost from it if none were added: "3 unsaved lines".
[[nodiscard]] std::size_t changedLines(std::string_view before, std::string_view now);

struct SheetRow {
  enum class Kind { Same, Changed, First, Second, LeftOut, Answer } kind = Kind::Same;
  std::ptrdiff_t first = -1, second = -1;  // lines; -1: none on that side
  std::size_t leftOut = 0;                 // number of Same rows omitted here
  [[nodiscard]] bool differs() const { return kind != Kind::Same && kind != Kind::LeftOut; }
  bool operator==(const SheetRow&) const = default;
};

// One side: its lines and their answers; "" means no answer, or not yet. Empty: answers are unknown.
struct SheetSide {
  std::vector<std::string_view> lines;
  std::vector<std::string> answers = {};
};

inline constexpr std::size_t kAllRows = static_cast<std::size_t>(-1);

// context: number of equal lines kept on either side of a difference.
[[nodiscard]] std::vector<SheetRow> sheetRows(const SheetSide& a, const SheetSide& b, std::size_t context = kAllRows);

// A line diff in two columns, without answers.
[[nodiscard]] std::vector<SheetRow> sideBySide(const std::vector<DiffRow>& diff, std::size_t context);

// Start of each run of differing rows: the targets of "next difference".
[[nodiscard]] std::vector<std::size_t> differences(const std::vector<SheetRow>& rows);

// Bytes [begin, end) of each line that the other lacks, in order and disjoint.
using Marks = std::vector<std::pair<std::size_t, std::size_t>>;
struct WordMarks {
  Marks first, second;
};
[[nodiscard]] WordMarks differingWords(std::string_view a, std::string_view b);

// Similarity of two lines, 0 to 1: 1 only if they are equal up to blanks.
[[nodiscard]] double likeness(std::string_view a, std::string_view b);

// "3 lines differ in 2 places; 1 answer differs", "The sheets are the same".
[[nodiscard]] std::string sentenceOf(const std::vector<SheetRow>& rows);

}  // namespace tessera
