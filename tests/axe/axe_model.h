// The slow, obvious second opinion: an Axe layout as a table, directly from the definition.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/notation/axe/layout.h"

namespace tessera::axe_model {

// Places with zero entries dropped, so that a missing axis and 0 are the same.
using Place = std::map<std::string, i64>;
using Table = std::vector<std::set<Place>>;  // linear index -> the set of places

inline Place normal(Place p) {
  std::erase_if(p, [](const auto& e) { return e.second == 0; });
  return p;
}

inline Table tableOf(const axe::Layout& layout) {
  std::vector<Place> replicas = {layout.offset()};
  for (const axe::Iter& it : layout.replica()) {
    std::vector<Place> next;
    for (const Place& p : replicas)
      for (i64 r = 0; r < it.extent; ++r) {
        Place q = p;
        q[it.axis] += r * it.stride;
        next.push_back(q);
      }
    replicas = next;
  }
  Table table;
  for (i64 x = 0; x < layout.size(); ++x) {
    Place base;
    i64 rest = x;
    for (std::size_t k = layout.shard().size(); k-- > 0;) {
      const axe::Iter& it = layout.shard()[k];
      base[it.axis] += rest % it.extent * it.stride;
      rest /= it.extent;
    }
    std::set<Place> places;
    for (const Place& r : replicas) {
      Place p = base;
      for (const auto& [axis, value] : r) p[axis] += value;
      places.insert(normal(p));
    }
    table.push_back(places);
  }
  return table;
}

inline i64 product(const std::vector<i64>& shape) {
  i64 p = 1;
  for (const i64 e : shape) p *= e;
  return p;
}

inline std::vector<i64> coordinateOf(i64 x, const std::vector<i64>& shape) {
  std::vector<i64> c(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    c[k] = x % shape[k];
    x /= shape[k];
  }
  return c;
}
inline i64 linearOf(const std::vector<i64>& c, const std::vector<i64>& shape) {
  i64 x = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) x = x * shape[k] + c[k];
  return x;
}

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  i64 below(i64 n) { return static_cast<i64>(engine() % static_cast<unsigned>(n)); }
  i64 stride() {
    i64 s = 0;
    while (s == 0) s = below(13) - 4;
    return s;
  }
  std::string axis() { return std::vector<std::string>{"m", "lane", "warp"}[static_cast<std::size_t>(below(3))]; }
  std::vector<axe::Iter> iters(i64 most) {
    std::vector<axe::Iter> list;
    for (i64 n = below(most + 1); n > 0; --n) list.push_back({1 + below(4), stride(), axis()});
    return list;
  }
  axe::Layout layout(i64 mostShard = 3, i64 mostReplica = 2) {
    std::vector<axe::Iter> d = iters(mostShard);
    if (d.empty()) d.push_back({1 + below(4), stride(), axis()});
    axe::Place o;
    for (i64 n = below(3); n > 0; --n) o[axis()] = below(9) - 2;
    return *axe::Layout::create(d, iters(mostReplica), o);
  }
  // A random shape with this many elements.
  std::vector<i64> shapeOf(i64 n) {
    std::vector<i64> shape;
    while (n > 1) {
      i64 f = 2 + below(n);
      while (n % f != 0) f = 2 + below(n);
      shape.push_back(f);
      n /= f;
    }
    if (shape.empty()) shape.push_back(1);
    return shape;
  }
};

}  // namespace tessera::axe_model
