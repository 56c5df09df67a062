#include "core/map/forms/table_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "core/base/arith.h"
#include "core/base/work.h"
#include "core/map/tabulate.h"

namespace tessera {
namespace {

constexpr int kWordBits = 62;
constexpr std::size_t kSample = 1024, kBest = 16, kWitnesses = 16;

using Leaves = std::vector<SwizzleLeaf>;

i64 swizzledWord(i64 value, int bits, int base, int shift) {
  if (bits == 0) return value;
  const u64 x = static_cast<u64>(value), run = (u64{1} << bits) - 1;
  return static_cast<i64>(shift >= 0 ? x ^ (((x >> (base + shift)) & run) << base)
                                     : x ^ (((x >> base) & run) << (base - shift)));
}

// Sums of strides may exceed 64 bits for a candidate that is wrong; they wrap.
i64 plus(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b)); }
i64 minus(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b)); }
i64 times(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b)); }

i64 sumOfLeaves(const Leaves& leaves, i64 digit) {
  i64 sum = 0;
  for (const SwizzleLeaf& leaf : leaves) {
    sum = plus(sum, times(digit % leaf.extent, leaf.stride));
    digit /= leaf.extent;
  }
  return sum;
}

std::vector<i64> divisorsAbove1(i64 n) {
  std::vector<i64> low, high;
  for (i64 d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    if (d > 1) low.push_back(d);
    if (n / d != d && n > 1) high.push_back(n / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

class Search {
 public:
  explicit Search(const Table& table) : table_(table) {
    i64 step = 1;
    for (const i64 extent : table.extents) {
      steps_.push_back(step);
      step *= extent;
      divisors_.push_back(divisorsAbove1(extent));
    }
    for (const i64 v : table.values) {
      any_ |= static_cast<u64>(v);
      negative_ = negative_ || v < 0;
    }
    spend(count());
  }

  // Calls visit(bits, base, shift) for every swizzle that matters, simplest first, until it returns true.
  template <typename Visit>
  void eachSwizzle(Visit visit) const {
    if (visit(0, 0, 0) || negative_) return;
    for (int bits = 1; bits <= width(); ++bits)
      for (int base = 0; base + 2 * bits <= kWordBits; ++base)
        for (int shift = bits; base + shift + bits <= kWordBits; ++shift) {
          if (reads(base + shift, bits) && visit(bits, base, shift)) return;
          if (reads(base, bits) && visit(bits, base, -shift)) return;
        }
  }

  // The form whose strides are read at the first coordinate, or at the last one.
  [[nodiscard]] Swizzled readAt(bool last, int bits, int base, int shift) const {
    Swizzled form{bits, base, shift, 0, {}};
    const i64 end = count() - 1;
    const auto u = [&](i64 point) {
      return swizzledWord(table_.values[static_cast<std::size_t>(last ? end - point : point)], bits, base, shift);
    };
    const i64 zero = u(0);
    i64 below = 0;  // last: the sum of all strides
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const auto g = [&](i64 x) { return last ? minus(zero, u(x * steps_[k])) : minus(u(x * steps_[k]), zero); };
      form.digits.push_back(leavesOf(g, k));
      below = plus(below, sumOfLeaves(form.digits.back(), table_.extents[k] - 1));
    }
    form.offset = last ? minus(zero, below) : zero;
    return form;
  }

  // Whether the table under the swizzle is a sum of one function for each mode at the points that refuted others.
  // False: it has no form.
  [[nodiscard]] bool mayBeSum(int bits, int base, int shift) const {
    const auto u = [&](i64 point) {
      return swizzledWord(table_.values[static_cast<std::size_t>(point)], bits, base, shift);
    };
    const i64 zero = u(0);
    for (const i64 point : witnesses_) {
      spend();
      i64 sum = zero;
      for (std::size_t k = 0; k < steps_.size(); ++k)
        sum = plus(sum, minus(u(point / steps_[k] % table_.extents[k] * steps_[k]), zero));
      if (sum != u(point)) return false;
    }
    return true;
  }

  // The first point where the form differs; -1: none.
  [[nodiscard]] i64 firstDifference(const Swizzled& form) {
    for (const i64 point : witnesses_)
      if (differsAt(form, point)) return point;
    i64 found = -1;
    compare(form, [&](i64 point) {
      found = point;
      return true;
    });
    if (found >= 0) remember(found);
    return found;
  }
  [[nodiscard]] i64 differences(const Swizzled& form, i64 most) const {
    i64 n = 0;
    compare(form, [&](i64) { return ++n > most; });
    return n;
  }
  [[nodiscard]] bool differsAt(const Swizzled& form, i64 point) const {
    return valueAt(form, point) != table_.values[static_cast<std::size_t>(point)];
  }
  [[nodiscard]] i64 valueAt(const Swizzled& form, i64 point) const {
    i64 sum = form.offset;
    for (std::size_t k = 0; k < steps_.size(); ++k)
      sum = plus(sum, sumOfLeaves(form.digits[k], point / steps_[k] % table_.extents[k]));
    return swizzledWord(sum, form.bits, form.base, form.shift);
  }
  // Bits of the largest value.
  [[nodiscard]] int width() const { return static_cast<int>(std::bit_width(any_)); }
  [[nodiscard]] i64 count() const { return static_cast<i64>(table_.values.size()); }

 private:
  // Whether the lowest and the highest of these bits are 1 in some value; otherwise a smaller swizzle does the same.
  [[nodiscard]] bool reads(int from, int bits) const {
    return ((any_ >> from) & 1) != 0 && ((any_ >> (from + bits - 1)) & 1) != 0;
  }

  template <typename Function>
  [[nodiscard]] Leaves leavesOf(const Function& g, std::size_t k) const {
    Leaves leaves;
    i64 step = 1, count = table_.extents[k];
    while (count > 1) {
      const i64 stride = g(step);
      i64 extent = count;
      for (const i64 d : divisors_[k]) {
        spend();
        if (d >= count) break;
        if (count % d != 0 || g(d * step) == times(d, stride)) continue;
        extent = d;
        break;
      }
      leaves.push_back({extent, stride});
      step *= extent;
      count /= extent;
    }
    if (leaves.empty()) leaves.push_back({1, 0});
    return leaves;
  }

  // Calls visit(point) where the form differs, in order, until it returns true.
  template <typename Visit>
  void compare(const Swizzled& form, Visit visit) const {
    std::vector<std::vector<i64>> sums;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      std::vector<i64>& of = sums.emplace_back(static_cast<std::size_t>(table_.extents[k]));
      for (i64 x = 0; x < table_.extents[k]; ++x) of[static_cast<std::size_t>(x)] = sumOfLeaves(form.digits[k], x);
    }
    const std::size_t row = sums.empty() ? 1 : sums[0].size();
    std::vector<std::size_t> at(sums.size(), 0);
    for (std::size_t begin = 0; begin < table_.values.size(); begin += row) {
      spend(static_cast<Work>(row));
      i64 outer = form.offset;
      for (std::size_t k = 1; k < sums.size(); ++k) outer = plus(outer, sums[k][at[k]]);
      for (std::size_t x = 0; x < row; ++x) {
        const i64 sum = sums.empty() ? outer : plus(outer, sums[0][x]);
        if (swizzledWord(sum, form.bits, form.base, form.shift) != table_.values[begin + x] &&
            visit(static_cast<i64>(begin + x)))
          return;
      }
      for (std::size_t k = 1; k < at.size(); ++k) {
        if (++at[k] < sums[k].size()) break;
        at[k] = 0;
      }
    }
  }

  // Points that refuted a candidate often refute the next one, too.
  void remember(i64 point) {
    if (witnesses_.size() == kWitnesses) witnesses_.pop_back();
    witnesses_.insert(witnesses_.begin(), point);
  }

  const Table& table_;
  std::vector<i64> steps_;
  std::vector<std::vector<i64>> divisors_;
  std::vector<i64> witnesses_;
  u64 any_ = 0;  // the bits that are 1 in some value
  bool negative_ = false;
};

std::vector<i64> sampleOf(i64 count) {
  std::vector<i64> points;
  if (count <= static_cast<i64>(kSample)) {
    points.resize(static_cast<std::size_t>(count));
    std::iota(points.begin(), points.end(), i64{0});
    return points;
  }
  for (std::size_t k = 0; k < kSample; ++k)
    points.push_back(static_cast<i64>(splitMix(k + 1) % static_cast<u64>(count)));
  return points;
}

i64 lowestSum(const Swizzled& form) {
  i64 lowest = form.offset;
  for (const Leaves& leaves : form.digits)
    for (const SwizzleLeaf& leaf : leaves) lowest = plus(lowest, std::min<i64>(0, times(leaf.extent - 1, leaf.stride)));
  return lowest;
}

struct Ranked {
  i64 wrong = 0;  // of the sample
  Swizzled form;
};

}  // namespace

Result<Table> valueTable(const Map& map) {
  if (!map.params().empty()) return Diag{"a table needs known sizes, not symbolic ones", "known sizes"};
  if (!map.guards().empty() || !map.fanDigits().empty() || map.axes().size() != 1)
    return Diag{"a table needs one value at every coordinate", "a function without padding and replicas"};
  const auto points = map.pointCount();
  if (!points || *points > kMostTablePoints)
    return Diag{fmt::format("it has {} points; tables are decided up to {}",
                            points ? std::to_string(*points) : "2^63 or more", kMostTablePoints),
                "a smaller box"};
  Table table;
  for (const Digit& d : map.digits()) table.extents.push_back(d.extent);
  spend(*points);
  table.values.resize(static_cast<std::size_t>(*points));
  TESSERA_CHECKED(tabulate(map, 0, LinearOrder::Colex, table.values));
  return table;
}

i64 atPoint(const Swizzled& form, std::span<const i64> coord) {
  i64 sum = form.offset;
  for (std::size_t k = 0; k < coord.size(); ++k) sum = plus(sum, sumOfLeaves(form.digits[k], coord[k]));
  return swizzledWord(sum, form.bits, form.base, form.shift);
}

TableForms formsOfTable(const Table& table, std::size_t most) {
  TableForms out;
  Search search(table);
  search.eachSwizzle([&](int bits, int base, int shift) {
    ++out.swizzles;
    if (!search.mayBeSum(bits, base, shift)) return false;
    Swizzled form = search.readAt(false, bits, base, shift);
    if (search.firstDifference(form) < 0) out.forms.push_back(std::move(form));
    return out.forms.size() >= most;
  });
  return out;
}

ClosestForm closestForm(const Table& table) {
  const Search search(table);
  const std::vector<i64> sample = sampleOf(search.count());
  std::vector<Ranked> best;
  const auto consider = [&](Swizzled form) {
    if (form.bits > 0 && lowestSum(form) < 0) return;  // a swizzle has no negative argument
    Ranked one{0, std::move(form)};
    const i64 bar = best.size() < kBest ? INT64_MAX : best.back().wrong;
    for (const i64 point : sample) {
      spend();
      if (search.differsAt(one.form, point) && ++one.wrong >= bar) return;
    }
    best.insert(std::ranges::upper_bound(best, one.wrong, {}, &Ranked::wrong), std::move(one));
    if (best.size() > kBest) best.pop_back();
  };
  search.eachSwizzle([&](int bits, int base, int shift) {
    if (base + bits + std::max(0, -shift) > search.width()) return false;  // it would add bits to the values
    consider(search.readAt(false, bits, base, shift));
    consider(search.readAt(true, bits, base, shift));
    return false;
  });
  ClosestForm out;
  out.differing = INT64_MAX;
  for (Ranked& one : best) {
    const i64 wrong = search.differences(one.form, out.differing);
    if (wrong >= out.differing) continue;
    out.differing = wrong;
    out.form = std::move(one.form);
  }
  Search whole(table);
  if (const i64 point = whole.firstDifference(out.form); point >= 0) {
    out.first = delinearize(point, table.extents, LinearOrder::Colex);
    out.expected = table.values[static_cast<std::size_t>(point)];
    out.found = whole.valueAt(out.form, point);
  }
  return out;
}

}  // namespace tessera
