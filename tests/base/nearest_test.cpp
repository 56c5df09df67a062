// The edit distance against its definition, word by word, and the errors that "did you mean" recognises as typos.
#include "core/base/nearest.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace tessera;

namespace {

// The definition: the cheapest of removing, inserting and replacing the first byte.
std::size_t byDefinition(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return std::max(a.size(), b.size());
  const std::string_view restA = a.substr(1), restB = b.substr(1);
  return std::min(
      {byDefinition(restA, b) + 1, byDefinition(a, restB) + 1, byDefinition(restA, restB) + (a[0] == b[0] ? 0 : 1)});
}

// The whole table: entry (i, j) is from the first i bytes of a to the first j of b.
std::size_t byTable(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j)
      table[i][j] = i == 0   ? j
                    : j == 0 ? i
                             : std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                                         table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
  return table[a.size()][b.size()];
}

// Every word over {a, b} of up to `longest` bytes.
std::vector<std::string> words(std::size_t longest) {
  std::vector<std::string> all{""};
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].size() < longest)
      for (const char c : {'a', 'b'}) all.push_back(all[k] + c);
  return all;
}

}  // namespace

TEST_CASE("the edit distance is what its definition says, for every pair of words of up to four bytes") {
  for (const std::string& a : words(4))
    for (const std::string& b : words(4)) {
      CAPTURE(a, b);
      CHECK(editDistance(a, b) == byDefinition(a, b));
    }
}

TEST_CASE("the edit distance of long words is what the table says, on both sides of 64 bytes") {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string a, b;
    const std::size_t most = round % 2 == 0 ? 20 : 90;
    const std::size_t sizeA = random() % most;
    const std::size_t sizeB = random() % most;
    const std::size_t letters = 1 + random() % 5;
    while (a.size() < sizeA) a += static_cast<char>(random() % letters == 0 ? '\xff' : 'a');
    while (b.size() < sizeB) b += static_cast<char>(random() % letters == 0 ? '\xff' : 'a');
    CAPTURE(a, b);
    CHECK(editDistance(a, b) == byTable(a, b));
  }
}

TEST_CASE("the edit distance is a metric") {
  const std::vector<std::string> all = words(3);
  for (const std::string& a : all)
    for (const std::string& b : all) {
      CAPTURE(a, b);
      CHECK((editDistance(a, b) == 0) == (a == b));
      CHECK(editDistance(a, b) == editDistance(b, a));
      CHECK(editDistance(a, b) <= std::max(a.size(), b.size()));
      for (const std::string& c : all) CHECK(editDistance(a, c) <= editDistance(a, b) + editDistance(b, c));
    }
}

TEST_CASE("what is near enough to be meant") {
  const std::vector<std::string> names = {"coalesce", "composition", "size", "A"};
  CHECK(nearest("compositon", names) == std::optional<std::string>("composition"));
  CHECK(nearest("szie", names) == std::optional<std::string>("size"));
  CHECK(nearest("coalesc", names) == std::optional<std::string>("coalesce"));
  CHECK_FALSE(nearest("zzzzzz", names));
  CHECK_FALSE(nearest("B", names));        // one letter is no typing error of another
  CHECK_FALSE(nearest("size", {"size"}));  // the word itself is no suggestion
  CHECK_FALSE(nearest("", names));
  CHECK_FALSE(nearest("size", {}));
}

TEST_CASE("of equally near candidates the first is meant, and a nearer one wins wherever it stands") {
  CHECK(nearest("size", {"sizes", "sized"}) == std::optional<std::string>("sizes"));
  CHECK(nearest("compose", {"composes_", "composed"}) == std::optional<std::string>("composed"));
  // The limit grows with the word: three errors in six bytes are one too many for five.
  CHECK(nearest("abcdef", {"abcxyz"}) == std::optional<std::string>("abcxyz"));
  CHECK_FALSE(nearest("abcde", {"abxyz"}));
}

TEST_CASE("very long words mean nothing, so that a pasted text costs nothing") {
  CHECK(nearest(std::string(64, 'x'), {std::string(63, 'x')}));
  CHECK_FALSE(nearest(std::string(65, 'x'), {std::string(64, 'x')}));
  CHECK_FALSE(nearest(std::string(64, 'x'), {std::string(65, 'x')}));
}
