// The line diff against the slow, obvious one: a table of longest common subsequences.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "app/files/sheet_diff.h"

using namespace tessera;
using Kind = DiffRow::Kind;

namespace {

std::size_t longestCommon(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      best[i][j] = a[i] == b[j] ? best[i + 1][j + 1] + 1 : std::max(best[i + 1][j], best[i][j + 1]);
  return best[0][0];
}

// The rows are a's lines in order without Second, b's without First; the same lines are the same.
void checkIsDiff(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b,
                 const std::vector<DiffRow>& rows) {
  std::size_t i = 0, j = 0;
  for (const DiffRow& row : rows) {
    REQUIRE(row.first == i);
    REQUIRE(row.second == j);
    if (row.kind == Kind::Same) REQUIRE(a.at(i) == b.at(j));
    i += row.kind != Kind::Second;
    j += row.kind != Kind::First;
  }
  REQUIRE(i == a.size());
  REQUIRE(j == b.size());
}

}  // namespace

TEST_CASE("the example of the header") {
  const auto rows = lineDiff(linesOf("one\ntwo\nthree"), linesOf("one\n2\nthree"));
  CHECK(rows ==
        std::vector<DiffRow>{{Kind::Same, 0, 0}, {Kind::First, 1, 1}, {Kind::Second, 2, 1}, {Kind::Same, 2, 2}});
  CHECK(linesOf("") == std::vector<std::string_view>{""});
  CHECK(linesOf("a\n") == std::vector<std::string_view>{"a", ""});
  CHECK(changedLines("a\nb", "a\nb") == 0);
  CHECK(changedLines("a\nb", "a\nc\nd") == 2);
  CHECK(changedLines("a\nb\nc", "a") == 2);
}

TEST_CASE("every diff of small texts is one, and none is shorter") {
  std::mt19937 random(7);
  for (int turn = 0; turn < 20'000; ++turn) {
    const auto text = [&] {
      std::string t;
      for (std::size_t n = random() % 9; n > 0; --n) t += std::string(1, static_cast<char>('a' + random() % 3)) + "\n";
      return t;
    };
    const std::string first = text(), second = text();
    INFO(first << "---\n" << second);
    const auto a = linesOf(first), b = linesOf(second);
    const auto rows = lineDiff(a, b);
    checkIsDiff(a, b, rows);
    REQUIRE(rows.size() == a.size() + b.size() - longestCommon(a, b));
  }
}

TEST_CASE("texts that differ everywhere are a diff, too, and cost no table") {
  std::string first, second;
  for (int k = 0; k < 100'000; ++k) {
    first += "a" + std::to_string(k) + "\n";
    second += "b" + std::to_string(k) + "\n";
  }
  const auto a = linesOf(first), b = linesOf(second);
  const auto rows = lineDiff(a, b);
  checkIsDiff(a, b, rows);
  CHECK(rows.size() == 200'001);  // the empty line after the last line end is the same
}

TEST_CASE("side by side every line stands once, or is counted as left out") {
  std::mt19937 random(11);
  for (int turn = 0; turn < 3000; ++turn) {
    const auto text = [&] {
      std::string t;
      for (std::size_t n = random() % 30; n > 0; --n) t += std::string(1, static_cast<char>('a' + random() % 2)) + "\n";
      return t;
    };
    const std::string first = text(), second = text();
    const auto a = linesOf(first), b = linesOf(second);
    for (const std::size_t context : {std::size_t{0}, std::size_t{2}}) {
      std::size_t i = 0, j = 0;
      for (const SheetRow& row : sideBySide(lineDiff(a, b), context)) {
        if (row.leftOut > 0) {
          REQUIRE(row.leftOut > 1);
          for (std::size_t k = 0; k < row.leftOut; ++k) REQUIRE(a.at(i + k) == b.at(j + k));
        } else {
          if (!row.differs()) REQUIRE(a.at(i) == b.at(j));
          if (row.first >= 0) REQUIRE(row.first == static_cast<std::ptrdiff_t>(i));
          if (row.second >= 0) REQUIRE(row.second == static_cast<std::ptrdiff_t>(j));
        }
        i += row.leftOut + (row.first >= 0);
        j += row.leftOut + (row.second >= 0);
      }
      REQUIRE(i == a.size());
      REQUIRE(j == b.size());
    }
  }
}
