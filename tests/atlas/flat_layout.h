// A second, tiny reader of shape:stride text for the tests: flat (extent, stride) lists of the T and the V mode.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/types.h"

namespace atlas_test {

using tessera::i64;

struct FlatMode {
  std::vector<std::pair<i64, i64>> leaves;
  i64 size() const {
    i64 n = 1;
    for (auto [extent, stride] : leaves) n *= extent;
    return n;
  }
  i64 operator()(i64 index) const {
    i64 sum = 0;
    for (auto [extent, stride] : leaves) {
      sum += index % extent * stride;
      index /= extent;
    }
    return sum;
  }
};

struct FlatLayout {
  FlatMode thread, value;
  // Every thread sees the same values: looking at thread 0 is looking at all.
  bool sameForAllThreads() const {
    for (auto [extent, stride] : thread.leaves)
      if (stride != 0) return false;
    return true;
  }
  i64 operator()(i64 t, i64 v) const { return thread(t) + value(v); }
};

// Top-level modes of "(a,(b,c))": {"a", "(b,c)"}.
inline std::vector<std::string> topModes(const std::string& tuple) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (char c : tuple.substr(1, tuple.size() - 2)) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

inline std::vector<i64> numbers(const std::string& text) {
  std::vector<i64> out;
  std::string digits;
  for (char c : text + ",")
    if ((c >= '0' && c <= '9') || c == '-')
      digits += c;
    else if (!digits.empty()) {
      out.push_back(std::stoll(digits));
      digits.clear();
    }
  return out;
}

inline FlatMode flatMode(const std::string& shape, const std::string& stride) {
  FlatMode mode;
  std::vector<i64> extents = numbers(shape), strides = numbers(stride);
  for (std::size_t i = 0; i < extents.size(); ++i) mode.leaves.emplace_back(extents[i], strides.at(i));
  return mode;
}

inline FlatLayout flatLayout(const std::string& text) {
  const std::size_t colon = text.find(':');
  auto shape = topModes(text.substr(0, colon)), stride = topModes(text.substr(colon + 1));
  return {flatMode(shape.at(0), stride.at(0)), flatMode(shape.at(1), stride.at(1))};
}

}  // namespace atlas_test
