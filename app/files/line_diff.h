// Two texts line by line: what stayed, what is only in the first, what is only in the second.
//
//     a = "one\ntwo\nthree"     one            one
//     b = "one\n2\nthree"       two      |     2
//                               three          three
//
//     lineDiff(a, b)  ->  {Same 0 0} {First 1} {Second 1} {Same 2 2}
//
// Laws: the rows that are not Second are a's lines in order, those that are not First b's; of the Same ones both lines are
// equal. When the texts differ in at most kMostEdits lines, no diff has fewer rows; beyond that it is still a diff, made of
// the common beginning, the common end, and everything between as changed.
// Why Myers: it is short, and its work is (lines) x (differences), which is small where a person would look.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera {

struct DiffRow {
  enum class Kind { Same, First, Second } kind = Kind::Same;
  std::size_t first = 0, second = 0;  // 0-based line in each; of First and Second where the other text stands
  bool operator==(const DiffRow&) const = default;
};

inline constexpr std::size_t kMostEdits = 2000;

[[nodiscard]] std::vector<std::string_view> linesOf(std::string_view text);
[[nodiscard]] std::vector<DiffRow> lineDiff(const std::vector<std::string_view>& a,
                                            const std::vector<std::string_view>& b);
// The diff as two columns: what was changed stands beside what it became; of long runs of equal lines only `context` on
// either side of a change are rows, and one row says how many are left out.
struct SideRow {
  bool same = false;
  std::ptrdiff_t first = -1, second = -1;  // lines; -1: nothing on that side
  std::size_t leftOut = 0;                 // equal lines that this row stands for, then first and second are -1
  bool operator==(const SideRow&) const = default;
};
[[nodiscard]] std::vector<SideRow> sideBySide(const std::vector<DiffRow>& rows, std::size_t context);

// How many lines of `now` are not in `before`, or were lost from it when none came: "3 unsaved lines".
[[nodiscard]] std::size_t changedLines(std::string_view before, std::string_view now);

}  // namespace tessera
