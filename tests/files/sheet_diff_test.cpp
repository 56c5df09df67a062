// Comparison of two sheets: every line occurs once and in order, changed lines are beside their old versions, and marks
// cover exactly the differences. Compared with plain loops.
#include "app/files/sheet_diff.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

using namespace tessera;
using Kind = SheetRow::Kind;

namespace {

std::vector<Kind> kindsOf(const std::vector<SheetRow>& rows) {
  std::vector<Kind> kinds;
  for (const SheetRow& row : rows) kinds.push_back(row.kind);
  return kinds;
}

// The laws of the header.
void checkRows(const SheetSide& a, const SheetSide& b, const std::vector<SheetRow>& rows) {
  std::size_t i = 0, j = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const SheetRow& row = rows[k];
    if (row.kind == Kind::LeftOut) {
      for (std::size_t n = 0; n < row.leftOut; ++n) REQUIRE(a.lines.at(i++) == b.lines.at(j++));
      continue;
    }
    if (row.kind == Kind::Answer) {
      REQUIRE(k > 0);
      REQUIRE((rows[k - 1].first == row.first && rows[k - 1].second == row.second));
      REQUIRE(a.answers.at(static_cast<std::size_t>(row.first)) != b.answers.at(static_cast<std::size_t>(row.second)));
      continue;
    }
    if (row.first >= 0) REQUIRE(static_cast<std::size_t>(row.first) == i++);
    if (row.second >= 0) REQUIRE(static_cast<std::size_t>(row.second) == j++);
    REQUIRE((row.first >= 0) == (row.kind != Kind::Second));
    REQUIRE((row.second >= 0) == (row.kind != Kind::First));
    if (row.first >= 0 && row.second >= 0) REQUIRE((a.lines[i - 1] == b.lines[j - 1]) == (row.kind == Kind::Same));
  }
  REQUIRE(i == a.lines.size());
  REQUIRE(j == b.lines.size());
}

std::string without(std::string_view line, const Marks& marks) {
  std::string rest;
  std::size_t at = 0;
  for (const auto& [begin, end] : marks) {
    REQUIRE(begin >= at);
    REQUIRE(end > begin);
    REQUIRE(end <= line.size());
    rest += line.substr(at, begin - at);
    at = end;
  }
  return rest + std::string(line.substr(at));
}

// The words that both have, by the usual table of longest common subsequences: how many bytes may stay unmarked.
std::size_t commonBytes(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      best[i][j] = a[i] == b[j] ? best[i + 1][j + 1] + 1 : std::max(best[i + 1][j], best[i][j + 1]);
  return best[0][0];
}

}  // namespace

TEST_CASE("the sheets of the header") {
  const SheetSide a{linesOf("A = (4,8):(8,1)\nsize(A)\nA(1,0)"), {"", "32", "8"}};
  const SheetSide b{linesOf("A = (4,8):(9,2)\nsize(A)\ncosize(A)\nA(1,0)"), {"", "32", "32", "1"}};
  const auto rows = sheetRows(a, b);
  CHECK(kindsOf(rows) == std::vector<Kind>{Kind::Changed, Kind::Same, Kind::Second, Kind::Same, Kind::Answer});
  checkRows(a, b, rows);
  const WordMarks marks = differingWords(a.lines[0], b.lines[0]);
  REQUIRE(marks.first.size() == 2);
  CHECK(a.lines[0].substr(marks.first[0].first, marks.first[0].second - marks.first[0].first) == "8");
  CHECK(marks.first[0].first == 11);
  CHECK(differences(rows) == std::vector<std::size_t>{0, 2, 4});
  CHECK(sentenceOf(rows) == "2 lines differ; 1 answer differs, in 3 places");
  CHECK(sentenceOf(sheetRows(a, a)) == "The sheets are the same");
  const SheetSide other{a.lines, {"", "32", "9"}};
  CHECK(sentenceOf(sheetRows(a, other)) == "The lines are the same; 1 answer differs, in 1 place");
}

TEST_CASE("a line that came pushes nobody away from what it was") {
  const SheetSide a{linesOf("A = (4,8):(8,1)\nprove injective(A)\nshow A as grid")};
  const SheetSide b{linesOf("// new: quite another thing\nA = (4,8):(9,1)\nprove bijective(A)\nshow A as banks")};
  CHECK(kindsOf(sheetRows(a, b)) == std::vector<Kind>{Kind::Second, Kind::Changed, Kind::Changed, Kind::Changed});
  // Lines with nothing in common are two, not one that changed.
  CHECK(kindsOf(sheetRows({linesOf("abc")}, {linesOf("12345")})) == std::vector<Kind>{Kind::First, Kind::Second});
  CHECK(likeness("A = 1", "A   =   1") == 1);
  CHECK(likeness("", "") == 1);
}

TEST_CASE("random sheets: every line once, in order; what is left out is equal; marks are what differs") {
  std::mt19937 random(11);
  const std::vector<std::string> words = {"A", "(4,8)", ":", "show", " ", "x", "\u03b1", "\t", "8"};
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto sheet = [&] {
    std::string t;
    for (std::size_t n = below(12); n > 0; --n) {
      for (std::size_t w = below(5); w > 0; --w) t += words[below(words.size())];
      t += "\n";
    }
    return t;
  };
  for (int turn = 0; turn < 3000; ++turn) {
    const std::string first = sheet(), second = below(3) == 0 ? sheet() : first + sheet();
    INFO(first << "---\n" << second);
    SheetSide a{linesOf(first)}, b{linesOf(second)};
    if (below(2) == 0) {
      for (std::size_t k = 0; k < a.lines.size(); ++k) a.answers.push_back(std::to_string(below(2)));
      for (std::size_t k = 0; k < b.lines.size(); ++k) b.answers.push_back(std::to_string(below(2)));
    }
    const auto all = sheetRows(a, b);
    checkRows(a, b, all);
    const std::size_t context = below(3);
    const auto some = sheetRows(a, b, context);
    checkRows(a, b, some);
    // Each difference is there as before, and each run of equal rows is short or cut.
    std::vector<SheetRow> differing, left;
    for (const SheetRow& row : all)
      if (row.differs()) differing.push_back(row);
    for (const SheetRow& row : some)
      if (row.differs()) left.push_back(row);
    REQUIRE(differing == left);
    REQUIRE(differences(all).size() == differences(some).size());
    for (const std::string_view x : a.lines)
      for (const std::string_view y : b.lines) {
        const WordMarks marks = differingWords(x, y);
        REQUIRE(without(x, marks.first) == without(y, marks.second));
        REQUIRE((x == y) == (marks.first.empty() && marks.second.empty()));
        REQUIRE((likeness(x, y) >= 0 && likeness(x, y) <= 1));
      }
  }
}

TEST_CASE("no more is marked than must be, and letters stay whole") {
  std::mt19937 random(5);
  for (int turn = 0; turn < 2000; ++turn) {
    const auto line = [&] {
      std::vector<std::string> signs;
      for (std::size_t n = random() % 8; n > 0; --n) signs.push_back(std::string(1, "(),:"[random() % 4]));
      return signs;
    };
    const auto x = line(), y = line();
    std::string a, b;
    for (const auto& s : x) a += s;
    for (const auto& s : y) b += s;
    REQUIRE(without(a, differingWords(a, b).first).size() == commonBytes(x, y));
  }
  // Of a line too long for words, only the ends; still between letters.
  std::string a, b;
  for (int k = 0; k < 700; ++k) a += "\u03b1,";
  b = a + "\u03b2";
  const WordMarks ends = differingWords(a, b);
  CHECK(ends.first.empty());
  REQUIRE(ends.second.size() == 1);
  CHECK(b.substr(ends.second[0].first) == "\u03b2");
  const WordMarks half = differingWords(a + "\u03b1x", a + "\u03b2x");
  REQUIRE(half.first.size() == 1);
  CHECK((a + "\u03b1x").substr(half.first[0].first, half.first[0].second - half.first[0].first) == "\u03b1");
}

TEST_CASE("two large sheets without a common line cost no table") {
  // Nor do some dozens of long lines, of which every pair is tried.
  std::string one, other;
  for (int k = 0; k < 30; ++k) {
    for (int w = 0; w < 550; ++w) {
      one += "a" + std::to_string(k * w) + ",";
      other += "b" + std::to_string(k + w) + ",";
    }
    one += "\n";
    other += "\n";
  }
  const SheetSide x{linesOf(one)}, y{linesOf(other)};
  checkRows(x, y, sheetRows(x, y));
  std::string first, second;
  for (int k = 0; k < 50'000; ++k) {
    first += "a" + std::to_string(k) + "\n";
    second += "b" + std::to_string(k) + "\n";
  }
  const SheetSide a{linesOf(first)}, b{linesOf(second)};
  const auto rows = sheetRows(a, b, 3);
  checkRows(a, b, rows);
  CHECK(rows.size() <= 50'001 * 2);
}
