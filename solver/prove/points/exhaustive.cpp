// Rung 3: every point. Complete, and faster than any solver below about 10^7 points.
//
// Images are joined into one integer key (mixed radix over the observed ranges), so that "hit twice" is a bit in a
// bitset if the keys are dense, or a slot of a hash table if not. The first collision in colex order is reported.
// Coverage needs at most points + 1 bits: if any place is missed, one of the first points + 1 is. Memory stays below
// about 1 GiB; beyond it the answer is unknown, with the sizes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "solver/prove/obligation.h"
#include "solver/prove/points/points.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover {

namespace {

constexpr const char* kName = "exhaustive";
constexpr i64 kMaxBits = i64{1} << 32;   // bitset, 512 MiB
constexpr i64 kMaxSlots = i64{1} << 26;  // hash table, 512 MiB

// The refusal if points times parameter tuples exceed the limit.
std::optional<Answer> tooMany(const std::vector<Digit>& digits, const std::vector<Param>& params, i64 limit) {
  auto total = countPoints(digits);
  for (const Param& p : params) {
    const auto values = checkedSub(p.hi, p.lo);
    total = total && values && *values < INT64_MAX ? checkedMul(*total, *values + 1) : std::nullopt;
  }
  if (!total) return unknown(kName, fmt::format("more than 2^63 points, the limit is {}", limit));
  if (*total > limit) return unknown(kName, fmt::format("{} points, the limit is {}", *total, limit));
  return std::nullopt;
}

// `at(table, reality, params)` for every parameter tuple, first fastest, until it does not prove. The table's columns
// are `exprs`, then the guards. Unknown if there are more than `limit` points, or the expressions are too many.
template <typename At>
Answer atAllParams(const std::vector<Digit>& digits, const std::vector<Param>& params, std::vector<Expr> exprs,
                   const std::vector<Guard>& guards, i64 limit, At at) {
  if (auto refusal = tooMany(digits, params, limit)) return *std::move(refusal);
  const Reality reality{guards, exprs.size()};
  for (const Guard& g : guards) exprs.push_back(g.value);
  if (!PointTable::fits(exprs))
    return unknown(kName, fmt::format("the expressions have more than {} nodes", PointTable::kMaxColumns));
  std::vector<i64> values = lowestParams(params);
  while (true) {
    PointTable table(digits, values, exprs);
    Answer answer = at(table, reality, std::as_const(values));
    if (answer.truth != Truth::Proved) return answer;
    std::size_t k = 0;
    for (; k < params.size(); ++k) {
      if (++values[k] <= params[k].hi) break;
      values[k] = params[k].lo;
    }
    if (k == params.size()) return answer;
  }
}

// The joined key of an image; weights from the axis ranges.
struct Keys {
  std::vector<i64> lo;
  std::vector<u64> weight;
  i128 span = 1;  // number of possible keys
  [[nodiscard]] u64 at(const PointTable& table, i64 i) const {
    u64 key = 0;
    for (std::size_t a = 0; a < lo.size(); ++a)
      key += (static_cast<u64>(table.column(a)[i]) - static_cast<u64>(lo[a])) * weight[a];
    return key;
  }
};

// Axis ranges from a first pass over all points (also unreal ones: guards only narrow the ranges). nullopt: out of
// budget.
std::optional<Keys> keysOf(PointTable& table, std::size_t axes, const Budget& budget) {
  std::vector<i64> lo(axes, INT64_MAX), hi(axes, INT64_MIN);
  const auto all = eachBlock(table, budget, [&](i64, i64 n) {
    for (std::size_t a = 0; a < axes; ++a) {
      const auto [low, high] = std::minmax_element(table.column(a), table.column(a) + n);
      lo[a] = std::min(lo[a], *low);
      hi[a] = std::max(hi[a], *high);
    }
    return false;
  });
  if (!all) return std::nullopt;
  Keys keys{lo, {}, 1};
  for (std::size_t a = 0; a < axes; ++a) {
    keys.weight.push_back(static_cast<u64>(keys.span));
    keys.span *= i128{hi[a]} - lo[a] + 1;
    if (keys.span > (i128{1} << 63)) return Keys{{}, {}, i128{1} << 100};
  }
  return keys;
}

// A set of keys: a bitset if dense, otherwise open addressing. insert returns false if the key was present.
class KeySet {
 public:
  KeySet(i128 span, i64 points) {
    if (span <= std::max<i128>(i128{points} * 64, 1 << 16) && span <= kMaxBits) {
      bits_.assign(static_cast<std::size_t>(span / 64 + 1), 0);
    } else if (points <= kMaxSlots / 2) {
      slots_.assign(std::bit_ceil(static_cast<std::size_t>(points) * 2 + 2), 0);
    }
  }
  [[nodiscard]] bool usable() const { return !bits_.empty() || !slots_.empty(); }
  bool insert(u64 key) {
    if (!bits_.empty()) {
      u64& word = bits_[key / 64];
      const u64 bit = u64{1} << (key % 64);
      const bool isNew = (word & bit) == 0;
      word |= bit;
      return isNew;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & mask;
    while (slots_[at] != 0) {
      if (slots_[at] == key + 1) return false;
      at = (at + 1) & mask;
    }
    slots_[at] = key + 1;
    return true;
  }

 private:
  std::vector<u64> bits_;
  std::vector<u64> slots_;  // key + 1; 0 is empty
};

Answer collisionAt(PointTable& table, const Reality& reality, const std::vector<i64>& params, const Budget& budget) {
  const std::size_t axes = reality.firstColumn;
  const auto keys = keysOf(table, axes, budget);
  if (!keys) return unknown(kName, budget.reason());
  KeySet seen(keys->span, table.count());
  if (!seen.usable() || keys->lo.size() != axes) return unknown(kName, "the images do not fit in memory");
  i64 second = -1, first = -1;
  u64 key = 0;
  auto stopped = eachReal(table, reality, budget, [&](i64 point, i64 i) {
    key = keys->at(table, i);
    if (seen.insert(key)) return false;
    second = point;
    return true;
  });
  if (!stopped) return unknown(kName, budget.reason());
  if (!*stopped) return proved(kName, fmt::format("all {} points have different images", table.count()));
  stopped = eachReal(table, reality, budget, [&](i64 point, i64 i) {
    if (keys->at(table, i) != key) return false;
    first = point;
    return true;
  });
  if (!stopped) return unknown(kName, budget.reason());
  return refuted(kName, {table.digitsOf(first), table.digitsOf(second)}, params);
}

// Places are numbered colex over the axes. Only the first points + 1 places are tracked.
Answer coverAt(const Map& map, PointTable& table, const Reality& reality, const std::vector<i64>& params,
               const Budget& budget) {
  i128 places = 1;
  std::vector<i64> extents;
  for (const Axis& a : map.axes()) {
    extents.push_back(*a.extent);
    places = std::min<i128>(places * *a.extent, i128{1} << 62);
  }
  const i64 watched = static_cast<i64>(std::min<i128>(places, i128{table.count()} + 1));
  if (watched > kMaxBits) return unknown(kName, "the codomain does not fit in memory");
  std::vector<bool> hit(static_cast<std::size_t>(watched), false);
  const auto done = eachReal(table, reality, budget, [&](i64, i64 i) {
    i128 place = 0, weight = 1;
    for (std::size_t a = 0; a < extents.size(); ++a) {
      const i64 v = table.column(a)[i];
      if (v < 0 || v >= extents[a]) return false;
      place = std::min<i128>(place + weight * v, i128{1} << 62);
      weight = std::min<i128>(weight * extents[a], i128{1} << 62);
    }
    if (place < watched) hit[static_cast<std::size_t>(place)] = true;
    return false;
  });
  if (!done) return unknown(kName, budget.reason());
  const auto miss = std::ranges::find(hit, false);
  if (miss == hit.end()) return proved(kName, fmt::format("all {} places are hit", watched));
  i64 place = miss - hit.begin();
  std::vector<i64> hole;
  for (i64 e : extents) {
    hole.push_back(place % e);
    place /= e;
  }
  return uncovered(kName, std::move(hole), params);
}

using Images = std::vector<std::vector<i64>>;

// f(x), sorted and without duplicates, like Map::imageOf, but stops when the budget is spent (nullopt).
std::optional<Images> imageWithin(const Map& map, const std::vector<i64>& index, const Budget& budget) {
  Images images;
  i64 n = 0;
  const bool stopped = eachFan(map, index, [&](const std::vector<i64>& at) {
    if (++n % 256 == 0 && budget.spent()) return true;
    if (map.isReal(at)) images.push_back(map.at(at));
    return false;
  });
  if (stopped) return std::nullopt;
  std::ranges::sort(images);
  images.erase(std::unique(images.begin(), images.end()), images.end());
  return images;
}

}  // namespace

Answer exhaustive(const Map& pairs, i64 limit, const Budget& budget) {
  return atAllParams(pairs.digits(), pairs.params(), axisExprs(pairs), pairs.guards(), limit,
                     [&](auto&... at) { return collisionAt(at..., budget); });
}

Answer exhaustive(const Pointwise& p, i64 limit, const Budget& budget) {
  const auto allMet = [&](PointTable& table, const Reality& reality, const std::vector<i64>& params) {
    i64 bad = -1;
    const auto stopped = eachReal(table, reality, budget, [&](i64 point, i64 i) {
      std::size_t column = 0;
      for (const Goal& g : p.goals) {
        const i64 left = table.column(column++)[i];
        if (g.right ? left == table.column(column++)[i] : left >= g.lo && left <= g.hi) continue;
        bad = point;
        return true;
      }
      return false;
    });
    if (!stopped) return unknown(kName, budget.reason());
    if (*stopped) return refuted(kName, {table.digitsOf(bad)}, params);
    return proved(kName, fmt::format("all {} points checked", table.count()));
  };
  return atAllParams(p.digits, p.params, goalExprs(p.goals), p.assume, limit, allMet);
}

Answer exhaustiveCover(const Map& map, i64 limit, const Budget& budget) {
  return atAllParams(map.digits(), map.params(), axisExprs(map), map.guards(), limit,
                     [&](auto&... at) { return coverAt(map, at..., budget); });
}

Answer exhaustiveSets(const Map& f, const Map& g, i64 limit, const Budget& budget) {
  if (!f.params().empty() || !g.params().empty()) return unknown(kName, "set equality with symbolic sizes");
  for (const Map* m : {&f, &g})
    if (auto refusal = tooMany(m->digits(), {}, limit)) return *std::move(refusal);
  const std::vector<Digit> digits = digitsOf(f, f.indexDigits());
  const PointTable points(digits, {}, {});
  for (i64 x = 0; x < points.count(); ++x) {
    if (x % 64 == 0 && budget.spent()) return unknown(kName, budget.reason());
    const std::vector<i64> at = points.digitsOf(x);
    const auto a = imageWithin(f, at, budget), b = imageWithin(g, at, budget);
    if (!a || !b) return unknown(kName, budget.reason());
    if (*a != *b) return refuted(kName, {at});
  }
  return proved(kName, fmt::format("the image sets agree at all {} coordinates", points.count()));
}

}  // namespace tessera::prover
