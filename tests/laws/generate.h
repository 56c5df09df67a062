// Layouts for law tests: all small ones, and random large ones from a seed.
#pragma once

#include <random>
#include <vector>

#include "core/notation/cute/layout.h"

namespace tessera::laws {

inline cute::Layout layoutOf(const std::vector<i64>& shape, const std::vector<i64>& stride) {
  std::vector<cute::IntTuple> s(shape.begin(), shape.end());
  std::vector<cute::IntTuple> d(stride.begin(), stride.end());
  if (s.size() == 1) return *cute::Layout::make(s[0], d[0]);
  return *cute::Layout::make(cute::IntTuple::tuple(s), cute::IntTuple::tuple(d));
}

// Every layout with the given rank, extents and strides taken from the lists.
template <typename F>
void forEachLayout(int rank, const std::vector<i64>& extents, const std::vector<i64>& strides, const F& f) {
  const auto n = static_cast<std::size_t>(rank);
  std::vector<std::size_t> digit(2 * n, 0);
  while (true) {
    std::vector<i64> s;
    std::vector<i64> d;
    for (std::size_t k = 0; k < n; ++k) {
      s.push_back(extents[digit[k]]);
      d.push_back(strides[digit[n + k]]);
    }
    f(layoutOf(s, d));
    std::size_t k = 0;
    for (; k < 2 * n; ++k) {
      if (++digit[k] < (k < n ? extents.size() : strides.size())) break;
      digit[k] = 0;
    }
    if (k == 2 * n) return;
  }
}

inline i64 pick(std::mt19937_64& random, i64 lo, i64 hi) {
  return lo + static_cast<i64>(random() % static_cast<u64>(hi - lo + 1));
}

inline cute::Layout randomLayout(std::mt19937_64& random, int maxRank, i64 maxExtent, i64 minStride, i64 maxStride) {
  std::vector<i64> s;
  std::vector<i64> d;
  const i64 rank = pick(random, 1, maxRank);
  for (i64 k = 0; k < rank; ++k) {
    s.push_back(pick(random, 1, maxExtent));
    d.push_back(pick(random, minStride, maxStride));
  }
  return layoutOf(s, d);
}

inline std::vector<i64> tableOf(const cute::Layout& l) {
  std::vector<i64> out;
  for (i64 i = 0; i < l.size(); ++i) out.push_back(l(i));
  return out;
}

}  // namespace tessera::laws
