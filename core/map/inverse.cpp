#include "core/map/inverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/arith.h"
#include "core/map/compose.h"
#include "core/map/recognise.h"
#include "core/map/tabulate.h"

namespace tessera {
namespace {

using Point = std::vector<i64>;

std::vector<i64> extentsOf(const Map& map) {
  std::vector<i64> extents;
  for (const Digit& d : map.digits()) extents.push_back(d.extent);
  return extents;
}

// "it has no inverse: (2,0) and (0,1) both give 2"; the smaller point first, replayed through the map.
Diag collision(const Map& map, Point p, Point q) {
  if (q < p) std::swap(p, q);
  const auto values = map.at(p);
  const std::string place =
      values.size() == 1 ? std::to_string(values[0]) : fmt::format("({})", fmt::join(values, ","));
  for (std::size_t k = 0; k < p.size(); ++k) {  // as coordinates
    p[k] += map.digits()[k].lo;
    q[k] += map.digits()[k].lo;
  }
  return Diag{fmt::format("it has no inverse: ({}) and ({}) both give {}", fmt::join(p, ","), fmt::join(q, ","), place),
              "an injective map",
              "",
              {}};
}

// The map back over one digit per axis of `map`: shared by the strided and the F2 inverse.
Result<Map> mapBack(const Map& map, const std::vector<i64>& axisExtents, const std::vector<Expr>& digitValues,
                    std::vector<Guard> guards) {
  std::vector<Digit> digits;
  for (std::size_t a = 0; a < map.axes().size(); ++a)
    digits.push_back(
        {map.axes()[a].name.empty() ? fmt::format("x{}", a) : map.axes()[a].name, axisExtents[a], DigitKind::Index});
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < map.digits().size(); ++k) {
    const Digit& d = map.digits()[k];
    axes.push_back({d.name, digitValues[k] + d.lo, d.lo == 0 ? std::optional(d.extent) : std::nullopt});
  }
  for (Guard g : map.guards()) {
    g.value = substitute(g.value, digitValues);
    guards.push_back(std::move(g));
  }
  TESSERA_TRY(const Map back, Map::create(std::move(digits), std::move(axes), std::move(guards)));
  return withSimplerValues(back);
}

// --- strides --------------------------------------------------------------------------------------------------------

// Each digit moves one axis; on each axis value - base is peeled from the largest stride down. Sound and complete when
// the sorted strides nest: each stride exceeds the span of all smaller ones, so that one quotient is possible per step.
class StridedInverse final : public Inverse {
 public:
  struct Wheel {
    std::size_t digit = 0;
    u64 stride = 1;  // its size; a negative one counts down from the far end
    bool down = false;
  };
  struct Peel {             // one axis
    i64 base = 0;           // the smallest value
    u64 span = 0;           // the largest minus the smallest
    std::vector<Wheel> by;  // large strides first
  };

  // nullptr: strides do not nest, or a digit moves several axes.
  static std::shared_ptr<const StridedInverse> of(const Map& map, const std::vector<Strided>& forms) {
    auto inv = std::make_shared<StridedInverse>();
    inv->map_ = map;
    inv->extents_ = extentsOf(map);
    std::vector<int> movers(inv->extents_.size(), 0);
    for (const Strided& s : forms) {
      Peel peel{s.offset, 0, {}};
      for (std::size_t k = 0; k < s.strides.size(); ++k) {
        if (inv->extents_[k] == 1 || s.strides[k] == 0) continue;
        ++movers[k];
        const bool down = s.strides[k] < 0;
        peel.by.push_back({k, down ? u64{0} - static_cast<u64>(s.strides[k]) : static_cast<u64>(s.strides[k]), down});
        if (down) peel.base += s.strides[k] * (inv->extents_[k] - 1);
      }
      std::sort(peel.by.begin(), peel.by.end(), [](const Wheel& a, const Wheel& b) { return a.stride > b.stride; });
      for (auto w = peel.by.rbegin(); w != peel.by.rend(); ++w) {
        if (w->stride <= peel.span) return nullptr;
        peel.span += w->stride * static_cast<u64>(inv->extents_[w->digit] - 1);
      }
      inv->peels_.push_back(std::move(peel));
    }
    for (std::size_t k = 0; k < movers.size(); ++k)
      if (inv->extents_[k] > 1 && movers[k] != 1) return nullptr;
    return inv;
  }

  std::optional<Point> find(std::span<const i64> axes) const override {
    Point point(extents_.size(), 0);
    for (std::size_t a = 0; a < peels_.size(); ++a) {
      if (axes[a] < peels_[a].base) return std::nullopt;
      u64 rest = static_cast<u64>(axes[a]) - static_cast<u64>(peels_[a].base);
      for (const Wheel& w : peels_[a].by) {
        const u64 last = static_cast<u64>(extents_[w.digit] - 1);
        const u64 q = std::min(rest / w.stride, last);
        rest -= q * w.stride;
        point[w.digit] = static_cast<i64>(w.down ? last - q : q);
      }
      if (rest != 0) return std::nullopt;
    }
    if (!map_.isReal(point)) return std::nullopt;
    return point;
  }
  std::string method() const override { return "strided"; }

  Result<Map> asMap() const override {
    std::vector<Expr> values(extents_.size());
    std::vector<i64> axisExtents;
    std::vector<Guard> guards;
    for (std::size_t a = 0; a < peels_.size(); ++a) {
      const Peel& peel = peels_[a];
      const auto top = checkedAdd(peel.base, static_cast<i64>(peel.span));
      if (peel.base < 0 || !top || *top == INT64_MAX)
        return Diag{fmt::format("axis {} takes negative or huge values", map_.axes()[a].name), "values from 0", "", {}};
      axisExtents.push_back(*top + 1);
      Expr rest = Expr::digit(static_cast<int>(a)) - peel.base;
      if (peel.base > 0) guards.push_back({rest, 0, static_cast<i64>(peel.span)});
      for (const Wheel& w : peel.by) {
        const i64 last = extents_[w.digit] - 1;
        const Expr q = floorDiv(rest, static_cast<i64>(w.stride));
        guards.push_back({q, 0, last});
        values[w.digit] = w.down ? q * -1 + last : q;
        rest = mod(rest, static_cast<i64>(w.stride));
      }
      guards.push_back({rest, 0, 0});
    }
    return mapBack(map_, axisExtents, values, std::move(guards));
  }

 private:
  Map map_;
  std::vector<i64> extents_;
  std::vector<Peel> peels_;
};

// Two points with the same values when a digit moves nothing, or two strides meet: d_i*s_i == d_j*s_j.
std::optional<std::pair<Point, Point>> meetingStrides(const Map& map, const std::vector<Strided>& forms) {
  const std::vector<i64> extents = extentsOf(map);
  const std::size_t n = extents.size();
  const auto stride = [&](std::size_t a, std::size_t k) { return forms[a].strides[k]; };
  for (std::size_t i = 0; i < n; ++i) {
    if (extents[i] == 1) continue;
    bool moves = false;
    for (std::size_t a = 0; a < forms.size(); ++a) moves = moves || stride(a, i) != 0;
    if (!moves) {
      Point p(n, 0), q(n, 0);
      q[i] = 1;
      return std::pair(p, q);
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t a = 0; a < forms.size(); ++a) {
        const i64 s = stride(a, i), t = stride(a, j);
        if (s == 0 || t == 0 || s == INT64_MIN || t == INT64_MIN) continue;
        const i64 g = std::gcd(s, t);
        const i64 di = t / g, dj = -(s / g);  // di*s + dj*t == 0
        if (std::abs(di) >= extents[i] || std::abs(dj) >= extents[j]) continue;
        Point p(n, 0), q(n, 0);
        p[i] = std::max<i64>(0, -di);
        q[i] = p[i] + di;
        p[j] = std::max<i64>(0, -dj);
        q[j] = p[j] + dj;
        if (map.at(p) == map.at(q)) return std::pair(p, q);  // several axes: they must all agree
      }
  return std::nullopt;
}

// --- F2 -------------------------------------------------------------------------------------------------------------

Point pointOfBits(const Map& map, u64 bits) {
  Point point;
  for (const Digit& d : map.digits()) {
    point.push_back(static_cast<i64>(bits & (static_cast<u64>(d.extent) - 1)));
    bits >>= std::countr_zero(static_cast<u64>(d.extent));
  }
  return point;
}

class F2Inverse final : public Inverse {
 public:
  F2Inverse(const Map& map, F2Form form, F2Matrix back) : map_(map), form_(std::move(form)), back_(std::move(back)) {}

  std::optional<Point> find(std::span<const i64> axes) const override {
    u64 y = 0;
    int at = 0;
    for (std::size_t a = 0; a < form_.axisBits.size(); ++a) {
      if (axes[a] < 0 || (static_cast<u64>(axes[a]) >> form_.axisBits[a]) != 0) return std::nullopt;
      y |= static_cast<u64>(axes[a]) << at;
      at += form_.axisBits[a];
    }
    const u64 p = back_.apply(y ^ form_.constant);
    if ((form_.matrix.apply(p) ^ form_.constant) != y) return std::nullopt;
    Point point = pointOfBits(map_, p);
    if (!map_.isReal(point)) return std::nullopt;
    return point;
  }
  std::string method() const override { return "F2"; }

  Result<Map> asMap() const override {
    std::vector<i64> axisExtents;
    for (const int bits : form_.axisBits) axisExtents.push_back(i64{1} << bits);
    std::vector<Expr> values;
    int at = 0;
    for (const Digit& d : map_.digits()) {
      const int bits = std::countr_zero(static_cast<u64>(d.extent));
      values.push_back(wordOf(back_, at, bits));
      at += bits;
    }
    // y is hit iff (A * back + 1) y == 0.
    F2Matrix defect = form_.matrix * back_;
    for (std::size_t k = 0; k < defect.columns.size(); ++k) defect.columns[k] ^= u64{1} << k;
    std::vector<Guard> guards;
    if (std::any_of(defect.columns.begin(), defect.columns.end(), [](u64 c) { return c != 0; }))
      guards.push_back({wordOf(defect, 0, defect.rows), 0, 0});
    return mapBack(map_, axisExtents, values, std::move(guards));
  }

 private:
  // Output bits [at, at + bits) of m.apply(y) as an expression over the axes: runs of input bits that move together by
  // one shift become ((x floordiv 2^from) mod 2^length) * 2^to, and the runs are xored.
  Expr wordOf(const F2Matrix& m, int at, int bits) const {
    Expr out;
    int first = 0;
    for (std::size_t a = 0; a < form_.axisBits.size(); ++a) {
      const int width = form_.axisBits[a];
      const i64 flipped = static_cast<i64>((form_.constant >> first) & ((u64{1} << width) - 1));
      const Expr x = Expr::digit(static_cast<int>(a)) ^ Expr::constant(flipped);
      const auto moves = [&](int from, int to) { return m.bit(at + to, first + from); };
      for (int shift = -(width - 1); shift < bits; ++shift)
        for (int from = std::max(0, -shift); from < width && from + shift < bits; ++from) {
          if (!moves(from, from + shift)) continue;
          int length = 1;
          while (from + length < width && from + length + shift < bits && moves(from + length, from + length + shift))
            ++length;
          out = out ^ (mod(floorDiv(x, i64{1} << from), i64{1} << length) * (i64{1} << (from + shift)));
          from += length;
        }
      first += width;
    }
    return out;
  }

  Map map_;
  F2Form form_;
  F2Matrix back_;
};

// --- table ----------------------------------------------------------------------------------------------------------

// Axis values as one key (mixed radix over their ranges), sorted, with the point's linear index beside it.
class TableInverse final : public Inverse {
 public:
  static Result<std::shared_ptr<const Inverse>> of(const Map& map, i64 count) {
    auto inv = std::make_shared<TableInverse>();
    inv->extents_ = extentsOf(map);
    const Environment box = environmentOf(map);
    std::vector<i64> keys(static_cast<std::size_t>(count), 0), column(static_cast<std::size_t>(count));
    i64 scale = 1;
    for (std::size_t a = 0; a < map.axes().size(); ++a) {
      TESSERA_CHECKED(tabulate(map, static_cast<int>(a), LinearOrder::Colex, column));
      const auto [lo, hi] = std::minmax_element(column.begin(), column.end());
      const auto width = checkedSub(*hi, *lo);
      const auto next = width ? checkedMul(scale, *width + (*width < INT64_MAX ? 1 : 0)) : std::nullopt;
      if (!next) return Diag{"its values are too far apart for a table", "axis ranges of 63 bits together", "", {}};
      inv->radix_.push_back({*lo, *hi, scale});
      for (std::size_t n = 0; n < keys.size(); ++n) keys[n] += (column[n] - *lo) * scale;
      scale = *next;
    }
    for (i64 n = 0; n < count; ++n)
      if (map.guards().empty() || map.isReal(inv->pointAt(n)))
        inv->entries_.push_back({keys[static_cast<std::size_t>(n)], n});
    std::sort(inv->entries_.begin(), inv->entries_.end());
    std::optional<std::pair<i64, i64>> worst;  // the colliding pair that comes first
    for (std::size_t k = 0; k + 1 < inv->entries_.size(); ++k) {
      const auto &p = inv->entries_[k], &q = inv->entries_[k + 1];
      if (p.first == q.first && (!worst || q.second < worst->second)) worst = {p.second, q.second};
    }
    if (worst) return collision(map, inv->pointAt(worst->first), inv->pointAt(worst->second));
    return std::shared_ptr<const Inverse>(inv);
  }

  std::optional<Point> find(std::span<const i64> axes) const override {
    i64 key = 0;
    for (std::size_t a = 0; a < radix_.size(); ++a) {
      if (axes[a] < radix_[a].lo || axes[a] > radix_[a].hi) return std::nullopt;
      key += (axes[a] - radix_[a].lo) * radix_[a].scale;
    }
    const auto it = std::lower_bound(entries_.begin(), entries_.end(), std::pair<i64, i64>{key, 0});
    if (it == entries_.end() || it->first != key) return std::nullopt;
    return pointAt(it->second);
  }
  std::string method() const override { return "table"; }
  Result<Map> asMap() const override {
    return Diag{"its inverse is a table, not a formula", "nested strides or an invertible bit matrix", "", {}};
  }

 private:
  [[nodiscard]] Point pointAt(i64 n) const { return delinearize(n, extents_, LinearOrder::Colex); }
  struct Radix {
    i64 lo = 0, hi = 0, scale = 1;
  };
  std::vector<i64> extents_;
  std::vector<Radix> radix_;
  std::vector<std::pair<i64, i64>> entries_;  // key, linear index
};

}  // namespace

Result<std::shared_ptr<const Inverse>> inverse(const Map& map, i64 tableLimit) {
  if (map.axes().empty()) return Diag{"a map without axes has no inverse", "at least one axis", "", {}};
  if (!map.params().empty()) return Diag{"an inverse wants numbers, not symbolic sizes", "concrete sizes", "", {}};
  std::vector<Strided> forms;
  for (std::size_t a = 0; a < map.axes().size(); ++a)
    if (auto s = asStrided(map, static_cast<int>(a))) forms.push_back(*std::move(s));
  const bool strided = forms.size() == map.axes().size();
  if (strided) {
    if (auto inv = StridedInverse::of(map, forms)) return std::shared_ptr<const Inverse>(inv);
    if (map.guards().empty())
      if (const auto pair = meetingStrides(map, forms)) return collision(map, pair->first, pair->second);
  }
  if (const auto form = asF2(map); form.ok()) {
    if (auto back = inverse(form->matrix))
      return std::shared_ptr<const Inverse>(std::make_shared<F2Inverse>(map, *form, *std::move(back)));
    if (const auto kernel = kernelVector(form->matrix); kernel && map.guards().empty())
      return collision(map, Point(map.digits().size(), 0), pointOfBits(map, *kernel));
  }
  const auto count = map.pointCount();
  if (!count || *count > tableLimit)
    return Diag{"it has neither nested strides nor an invertible bit matrix, and is too large for a table",
                fmt::format("at most {} points for a table", tableLimit),
                "",
                {}};
  return TableInverse::of(map, *count);
}

Result<Map> inverseMap(const Map& map) {
  TESSERA_TRY(const auto inv, inverse(map));
  return inv->asMap();
}

}  // namespace tessera
