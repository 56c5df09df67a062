// Random values of every notation as text, each with the table that it means.
//
//     (2,2):(1,8)      (0,0) -> m 0, (1,0) -> m 1, (0,1) -> m 8, (1,1) -> m 9
//
// Plain loops compute the tables here; the product takes no part in them.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/types.h"
#include "core/worksheet/any_value.h"

namespace tessera::test {

using Ints = std::vector<i64>;
using Place = std::map<std::string, i64>;           // axis -> value, zeros left out; the only memory is "m"
using Relation = std::set<std::pair<Ints, Place>>;  // element -> place, all of them

struct Random {
  std::mt19937_64 engine;
  i64 operator()(i64 n) { return static_cast<i64>(engine() % static_cast<u64>(n)); }
  bool once(i64 in) { return (*this)(in) == 0; }
  template <typename T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>((*this)(static_cast<i64>(list.size())))];
  }
};

// A text and what it means.
struct Sample {
  std::string text;
  Relation meaning;
  std::vector<std::string> must;  // notations that can express it
};

// The place at an address of the only memory.
Place inMemory(i64 address);

// The table of a value of the product, point by point; nullopt for one whose sides have no names to compare.
std::optional<Relation> relationOf(const Value& value);

// One maker of random samples for each notation.
extern const std::vector<std::pair<const char*, Sample (*)(Random&)>> kMakers;

}  // namespace tessera::test
