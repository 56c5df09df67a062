#include "core/hlo/compose/same_maps.h"

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"

namespace tessera::hlo {
namespace {

constexpr i64 kMostTried = i64{1} << 12;  // points of both maps compared one by one
constexpr i64 kMostFan = 256;             // elements compared per coordinate
constexpr u64 kSamples = 24;

using Numbers = std::vector<i64>;

// Fan digits in order of first use by values and guards.
Map orderedFans(const Map& map) {
  std::vector<int> fans;
  const auto note = [&](const Expr& e) {
    for (const int k : leavesIn(e, Op::Digit))
      if (map.digit(k).kind == DigitKind::Fan && std::ranges::find(fans, k) == fans.end()) fans.push_back(k);
  };
  for (const Axis& a : map.axes()) note(a.value);
  for (const Guard& g : map.guards()) note(g.value);
  std::vector<int> order = map.indexDigits();
  order.insert(order.end(), fans.begin(), fans.end());
  for (const int k : map.fanDigits())
    if (std::ranges::find(fans, k) == fans.end()) order.push_back(k);
  Redigited to(map);
  std::size_t fan = 0;
  for (const int k : order)
    if (Digit& d = to.keep(k); d.kind == DigitKind::Fan) d.name = "s" + std::to_string(fan++);
  const auto made = to.made();
  return made ? simplified(*made) : map;
}

bool sameForm(const Map& a, const Map& b) {
  if (a == b) return true;
  if (a.digits() != b.digits() || a.params() != b.params() || a.guards() != b.guards()) return false;
  const Environment box = environmentOf(a);
  for (std::size_t k = 0; k < a.axes().size(); ++k)
    if (!simplified(a.axes()[k].value - b.axes()[k].value, box).isConstant(0)) return false;
  return true;
}

// A value that is a number, one coordinate with a shift, or every number of a range: what most reads are made of.
struct PlainAxis {
  int index = -1;      // place among the Index digits; -1: a range, of one number if lo == hi
  i64 lo = 0, hi = 0;  // of the range; lo: the shift of a coordinate
  bool operator==(const PlainAxis&) const = default;
};

// Of a map without guards whose ranges are independent, so that its image is a box; nullopt: another form.
std::optional<std::vector<PlainAxis>> plainAxes(const Map& map) {
  if (!map.guards().empty()) return std::nullopt;
  std::vector<PlainAxis> axes;
  std::vector<bool> used(map.digits().size());
  for (const Axis& a : map.axes()) {
    const Expr& e = a.value;
    if (e.isConstant()) {
      axes.push_back({-1, e.value(), e.value()});
      continue;
    }
    const bool shifted = e.op() == Op::Add && e.lhs().op() == Op::Digit && e.rhs().isConstant();
    if (!shifted && e.op() != Op::Digit) return std::nullopt;
    const int k = shifted ? e.lhs().index() : e.index();
    const i64 shift = shifted ? e.rhs().value() : 0;
    const Digit& digit = map.digit(k);
    if (digit.extent == 1) {
      axes.push_back({-1, shift, shift});
    } else if (digit.kind == DigitKind::Fan) {
      if (used[static_cast<std::size_t>(k)]) return std::nullopt;
      used[static_cast<std::size_t>(k)] = true;
      axes.push_back({-1, shift, shift + digit.extent - 1});
    } else {
      const std::vector<int> index = map.indexDigits();
      const auto place = std::ranges::find(index, k) - index.begin();
      axes.push_back({static_cast<int>(place), shift - digit.lo, 0});  // over coordinates
    }
  }
  return axes;
}

bool sameIndexBox(const Map& a, const Map& b) {
  const std::vector<int> da = a.indexDigits(), db = b.indexDigits();
  for (std::size_t k = 0; k < da.size(); ++k) {
    const Digit &x = a.digit(da[k]), &y = b.digit(db[k]);
    if (x.lo != y.lo || x.extent != y.extent) return false;
  }
  return true;
}

// As many ranges of each extent, and as many constraints: then the maps are the same more often than not.
bool sameExtents(const Map& a, const Map& b) {
  const auto extents = [](const Map& m) {
    Numbers all = mapped<i64>(m.fanDigits(), [&](int k) { return m.digit(k).extent; });
    std::ranges::sort(all);
    return all;
  };
  return a.guards().size() == b.guards().size() && extents(a) == extents(b);
}

// What the map names at a coordinate; nothing outside its box.
std::vector<Numbers> imageAt(const Map& map, const Numbers& coordinate, const Numbers& params) {
  Numbers index;
  for (const int k : map.indexDigits()) {
    const Digit& d = map.digit(k);
    index.push_back(coordinate[index.size()] - d.lo);
    if (index.back() < 0 || index.back() >= d.extent) return {};
  }
  return map.imageOf(index, params);
}

i64 fanPoints(const Map& map) { return pointsOf(map, map.fanDigits()).value_or(INT64_MAX); }

// The least coordinate of both boxes, and the extent of each dimension up to the largest.
struct Box {
  Numbers lo, extent;
};
Box boxOf(const Map& a, const Map& b) {
  Box box;
  const std::vector<int> da = a.indexDigits(), db = b.indexDigits();
  for (std::size_t k = 0; k < da.size(); ++k) {
    const Digit &x = a.digit(da[k]), &y = b.digit(db[k]);
    box.lo.push_back(std::min(x.lo, y.lo));
    box.extent.push_back(std::max(x.lo + x.extent, y.lo + y.extent) - box.lo.back());
  }
  return box;
}

// Compares some coordinates, corners first. false proves nothing.
bool differSomewhere(const Map& a, const Map& b) {
  if (fanPoints(a) > kMostFan || fanPoints(b) > kMostFan) return false;
  const Box box = boxOf(a, b);
  u64 state = 0x9E3779B97F4A7C15u;
  const auto draw = [&](i64 n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<i64>((state >> 33) % static_cast<u64>(n));
  };
  for (u64 n = 0; n < kSamples; ++n) {
    Numbers at = box.lo, params;
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += n == 0 ? 0 : n == 1 ? box.extent[k] - 1 : draw(box.extent[k]);
    for (const Param& p : a.params()) params.push_back(p.lo + draw(p.hi - p.lo + 1));
    if (imageAt(a, at, params) != imageAt(b, at, params)) return true;
  }
  return false;
}

// nullopt: too many points.
std::optional<bool> sameByTrying(const Map& a, const Map& b) {
  const Box box = boxOf(a, b);
  auto ranges = mapped<i64>(a.params(), [&](const Param& p) { return p.hi - p.lo + 1; });
  const auto times = [](i64 x, i64 y) { return checkedMul(x, y).value_or(INT64_MAX); };
  const i64 count = std::accumulate(box.extent.begin(), box.extent.end(), i64{1}, times);
  const i64 params = std::accumulate(ranges.begin(), ranges.end(), i64{1}, times);
  if (times(times(count, params), std::max(fanPoints(a), fanPoints(b))) > kMostTried) return std::nullopt;
  for (i64 q = 0; q < params; ++q) {
    Numbers values = delinearize(q, ranges, LinearOrder::Lex);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += a.params()[k].lo;
    for (i64 i = 0; i < count; ++i) {
      Numbers at = delinearize(i, box.extent, LinearOrder::Lex);
      for (std::size_t k = 0; k < at.size(); ++k) at[k] += box.lo[k];
      if (imageAt(a, at, values) != imageAt(b, at, values)) return false;
    }
  }
  return true;
}

bool sameParams(const Map& a, const Map& b) {
  return std::equal(a.params().begin(), a.params().end(), b.params().begin(), b.params().end(),
                    [](const Param& x, const Param& y) { return x.lo == y.lo && x.hi == y.hi; });
}

}  // namespace

Same sameMaps(const Map& a, const Map& b, const SameMaps& further) {
  if (a == b) return Same::Yes;
  if (a.axes().size() != b.axes().size() || a.indexDigits().size() != b.indexDigits().size()) return Same::No;
  if (!sameParams(a, b)) return Same::No;
  if (const auto plainA = plainAxes(a), plainB = plainAxes(b); plainA && plainB)
    return *plainA == *plainB && sameIndexBox(a, b) ? Same::Yes : Same::No;
  if (sameForm(a, b)) return Same::Yes;
  const bool alike = sameExtents(a, b);
  if (alike && sameForm(orderedFans(a), orderedFans(b))) return Same::Yes;
  if (differSomewhere(a, b)) return Same::No;
  if (const auto tried = sameByTrying(a, b)) return *tried ? Same::Yes : Same::No;
  if (!alike && sameForm(orderedFans(a), orderedFans(b))) return Same::Yes;
  return further ? further(a, b) : Same::Unknown;
}

}  // namespace tessera::hlo
