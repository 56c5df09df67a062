// Indexing maps for tests: their meaning, point by point, and random maps with constraints of all shapes.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/map/compose.h"
#include "core/notation/indexing/map.h"

namespace tessera {

using Ints = std::vector<i64>;

inline indexing::IndexingMap indexingMap(const std::string& text) {
  auto map = indexing::parse(text);
  INFO(text);
  if (!map) FAIL(map.error().message);
  return *map;
}

// The range of each variable in coordinates: digits, then parameters.
inline std::vector<Range> rangesOf(const Map& map) {
  const Environment box = coordinateBox(map);
  std::vector<Range> ranges = box.digits;
  ranges.insert(ranges.end(), box.params.begin(), box.params.end());
  return ranges;
}

// The values at a point in coordinates; nullopt outside the domain.
inline std::optional<Ints> valueAt(const Map& map, const Ints& at) {
  const std::vector<Range> ranges = rangesOf(map);
  if (at.size() != ranges.size()) return std::nullopt;
  Ints digits, params;
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k] < ranges[k].lo || at[k] > ranges[k].hi) return std::nullopt;
    if (k < map.digits().size())
      digits.push_back(at[k] - ranges[k].lo);
    else
      params.push_back(at[k]);
  }
  if (!map.isReal(digits, params)) return std::nullopt;
  return map.at(digits, params);
}

// Points of the box, nullopt beyond `most`.
inline std::optional<i64> boxSize(const Map& map, i64 most) {
  i64 points = 1;
  for (const Range& r : rangesOf(map)) {
    if (r.hi - r.lo >= most / points) return std::nullopt;
    points *= r.hi - r.lo + 1;
  }
  return points;
}

// Every point of the domain with its values: the obvious meaning.
inline std::map<Ints, Ints> tableOf(const Map& map) {
  std::map<Ints, Ints> out;
  const std::vector<Range> ranges = rangesOf(map);
  Ints at;
  for (const Range& r : ranges) at.push_back(r.lo);
  for (;;) {
    if (auto value = valueAt(map, at)) out.emplace(at, *std::move(value));
    std::size_t k = 0;
    for (; k < at.size(); ++k) {
      if (++at[k] <= ranges[k].hi) break;
      at[k] = ranges[k].lo;
    }
    if (k == at.size()) return out;
  }
}

// The number of operations and operands of a map, counting shared parts each time: its size as text.
inline std::size_t sizeOfExpr(const Expr& e) {
  const bool leaf = e.op() == Op::Constant || e.op() == Op::Digit || e.op() == Op::Param;
  return leaf ? 1 : 1 + sizeOfExpr(e.lhs()) + sizeOfExpr(e.rhs());
}
inline std::size_t sizeOfMap(const Map& map) {
  std::size_t size = 0;
  for (const Axis& a : map.axes()) size += sizeOfExpr(inCoordinates(a.value, map.digits()));
  for (const Guard& g : map.guards()) size += 2 + sizeOfExpr(inCoordinates(g.value, map.digits()));
  return size;
}

class RandomMaps {
 public:
  explicit RandomMaps(unsigned seed) : rng_(seed) {}

  int pick(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }

  // One or two dimensions, up to two range variables and, on request, a run-time variable.
  std::string text(bool runtime = false) {
    names_.clear();
    std::string domain;
    const std::string dims = variables("d", 1 + pick(2), domain);
    const std::string fans = variables("s", pick(3), domain);
    const std::string rts = runtime && pick(2) == 0 ? variables("rt", 1, domain) : "";
    for (int k = pick(4); k > 0; --k) domain += ", " + constraint();
    std::string values = sum(2);
    for (int k = pick(2); k > 0; --k) values += ", " + sum(2);
    return "(" + dims + ")" + (fans.empty() ? "" : "[" + fans + "]") + (rts.empty() ? "" : "{" + rts + "}") + " -> (" +
           values + "), domain: " + domain;
  }

 private:
  std::string variables(const std::string& letter, int count, std::string& domain) {
    std::string list;
    for (int k = 0; k < count; ++k) {
      const std::string name = letter + std::to_string(k);
      const int lo = pick(30) - 20;
      names_.push_back(name);
      list += (k == 0 ? "" : ", ") + name;
      const int extent = pick(names_.size() > 2 ? 5 : 14);
      domain += (domain.empty() ? "" : ", ") + within(name, lo, lo + extent);
    }
    return list;
  }
  std::string name() { return names_[static_cast<std::size_t>(pick(static_cast<int>(names_.size())))]; }
  std::string scaled(const std::string& what) {
    const int c = pick(9) - 4;
    return what + " * " + (c < 0 ? "(" + std::to_string(c) + ")" : std::to_string(c));
  }
  static std::string within(const std::string& what, int lo, int hi) {
    return what + " in [" + std::to_string(lo) + ", " + std::to_string(hi) + "]";
  }
  // Each draw is a separate statement: compilers order the draws in one expression differently.
  std::string constraint() {
    const int m = 2 + pick(6), r = pick(m), lo = pick(40) - 25, kind = pick(5);
    const std::string one = name(), other = name();
    const std::string scaledOne = scaled(one), scaledOther = scaled(other);
    const int small = pick(9), wide = pick(40), more = pick(2);
    switch (kind) {
      case 0:
        return within(one + " mod " + std::to_string(m), r, r);
      case 1:
        return within("(" + scaledOne + " + " + std::to_string(small) + ") mod " + std::to_string(m), r, r + more);
      case 2:
        return within("(" + scaledOne + " + " + scaledOther + ")", lo, lo + wide);
      case 3:
        return within("(" + one + " xor " + std::to_string(small % 8) + ")", lo, lo + wide / 2);
      default:
        return within("(" + sum(2) + ")", lo, lo + wide);
    }
  }
  std::string sum(int depth) {
    if (depth == 0 || pick(4) == 0) return pick(4) == 0 ? std::to_string(pick(9)) : name();
    const std::string a = "(" + sum(depth - 1) + ")", n = std::to_string(1 + pick(6)), b = sum(depth - 1);
    switch (pick(7)) {
      case 0:
        return a + " floordiv " + n;
      case 1:
        return a + " mod " + n;
      case 2:
        return scaled(a);
      case 3:
        return "min(" + a + ", " + b + ")";
      case 4:
        return a + " floordiv (-" + n + ")";
      default:
        return a + " + " + b;
    }
  }

  std::mt19937 rng_;
  std::vector<std::string> names_;
};

}  // namespace tessera
