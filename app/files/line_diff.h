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
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera {

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

}  // namespace tessera
