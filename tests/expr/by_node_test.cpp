// ByNode against std::map, for few and many nodes.
#include "core/expr/by_node.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace tessera;

TEST_CASE("ByNode keeps the first value of each expression") {
  std::mt19937 random(5);
  for (const int variety : {1, 3, 15, 16, 17, 40, 300, 5000}) {
    ByNode<i64> values;
    NodeIndex numbers;
    std::map<const void*, i64> expected;
    std::vector<Expr> all;
    for (int k = 0; k < variety; ++k) all.push_back(Expr::digit(k % 7) * 3 + (k + 2000));
    for (int k = 0; k < 3 * variety; ++k) {
      const Expr& e = all[random() % all.size()];
      CHECK(values.has(e) == expected.contains(e.id()));
      const std::size_t number = numbers.find(e.id());
      CHECK((number == NodeIndex::kNone) == !expected.contains(e.id()));
      if (number == NodeIndex::kNone) {
        CHECK(numbers.size() == expected.size());
        numbers.add(e.id());
        CHECK(numbers.find(e.id()) == expected.size());
      }
      values.add(e, k);
      expected.emplace(e.id(), k);
    }
    for (const Expr& e : all) {
      const i64* const value = values.find(e);
      const auto there = expected.find(e.id());
      REQUIRE((value == nullptr) == (there == expected.end()));
      if (value == nullptr) continue;
      CHECK(*value == there->second);
      CHECK(values.at(e) == there->second);
    }
  }
}

TEST_CASE("ByNode keeps its expressions alive, so that no other takes their place") {
  ByNode<int> values;
  for (int k = 0; k < 2000; ++k) values.add(Expr::digit(0) * 7 + (5000 + k), k);
  for (int k = 0; k < 2000; ++k) CHECK(values.at(Expr::digit(0) * 7 + (5000 + k)) == k);
  CHECK_FALSE(values.has(Expr::digit(0) * 7 + 7001));
}
