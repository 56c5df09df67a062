#include "solver/graphene/equal/index_ranges.h"

#include <algorithm>
#include <climits>

#include "core/base/work.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera::graphene {
namespace {

constexpr Range kSizes{1, i64{1} << 20};              // as solver/graphene/z3/box.h
constexpr Range kAny{-(i64{1} << 40), i64{1} << 40};  // of a variable without an extent
constexpr Range kUnknown{INT64_MIN, INT64_MAX};

}  // namespace

Expr IndexRanges::replaced(const Expr& e, const std::function<Expr(int)>& digit) {
  ByNode<Expr> made;
  childrenFirst(e, [&](const Expr& node) {
    spend();
    made.add(node, node.op() == Op::Digit ? digit(node.index())
                   : isLeaf(node.op())    ? node
                                          : Expr::binary(node.op(), made.at(node.lhs()), made.at(node.rhs())));
  });
  return made.at(e);
}
Expr IndexRanges::replaced(const Expr& e, int digit, const Expr& by) {
  return replaced(e, [&](int k) { return k == digit ? by : Expr::digit(k); });
}
std::vector<int> IndexRanges::digitsIn(const Expr& e) {
  std::vector<int> out = leavesIn(e, Op::Digit);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}
const Expr* IndexRanges::find(int digit) const {
  const auto found = extents_.find(digit);
  return found == extents_.end() ? nullptr : &found->second;
}

int IndexRanges::fresh(const Expr& extent) {
  extents_[nextFresh_] = simple(extent);
  return nextFresh_++;
}

// Its digits numbered from 0, since the simplifier's box is a list.
Expr IndexRanges::compact(const Expr& e, std::vector<int>& digits, Environment& box) const {
  digits = digitsIn(e);
  for (const int d : digits) {
    const auto found = extents_.find(d);
    box.digits.push_back(found == extents_.end() ? kAny : Range{0, std::max<i64>(numbers(found->second).hi, 1) - 1});
  }
  int params = 0;
  for (const int p : leavesIn(e, Op::Param)) params = std::max(params, p + 1);
  box.params.assign(static_cast<std::size_t>(params), kSizes);
  return replaced(
      e, [&](int d) { return Expr::digit(static_cast<int>(std::ranges::lower_bound(digits, d) - digits.begin())); });
}

Expr IndexRanges::simple(const Expr& e) const {
  if (isLeaf(e.op())) return e;
  spend(16);
  std::vector<int> digits;
  Environment box;
  const Expr made = simplified(compact(e, digits, box), box);
  const Expr out = replaced(made, [&](int d) { return Expr::digit(digits[static_cast<std::size_t>(d)]); });
  const Expr further = withoutDivisions(out);
  return further == out ? out : simple(further);
}

// x / z and x % z with 0 <= x < z, where the extents of variables say so: j / N for j < N.
Expr IndexRanges::withoutDivisions(const Expr& e) const {
  ByNode<Expr> made;
  childrenFirst(e, [&](const Expr& node) {
    if (isLeaf(node.op())) return made.add(node, node);
    const Expr x = made.at(node.lhs()), z = made.at(node.rhs());
    const bool division = (node.op() == Op::FloorDiv || node.op() == Op::Mod) && !z.isConstant();
    if (division && range(x).lo >= 0 && range(z - x).lo >= 1)
      made.add(node, node.op() == Op::Mod ? x : Expr::constant(0));
    else
      made.add(node, Expr::binary(node.op(), x, z));
  });
  return made.at(e);
}

// From the ranges of its variables as numbers.
Range IndexRanges::numbers(const Expr& e) const {
  if (e.isConstant()) return {e.value(), e.value()};
  std::vector<int> digits;
  Environment box;
  const Facts facts = factsOf(compact(e, digits, box), box);
  return facts.fits ? facts.interval : kUnknown;
}

// e with each variable in which it is linear at the end of its extent where e is largest, or smallest.
Expr IndexRanges::atExtreme(Expr e, bool most) const {
  for (int last = INT_MAX;;) {  // an extent mentions only variables made before
    const std::vector<int> digits = digitsIn(e);
    const auto next = std::lower_bound(digits.begin(), digits.end(), last);
    if (next == digits.begin()) return e;
    const int d = last = *std::prev(next);
    const auto found = extents_.find(d);
    if (found == extents_.end()) continue;
    const auto at = [&](const Expr& value) { return simple(replaced(e, d, value)); };
    const Expr slope = simple(at(Expr::digit(d) + 1) - e);
    if (slope.isConstant()) e = (slope.value() > 0) == most ? at(found->second - 1) : at(Expr::constant(0));
  }
}

// Contains all values of e at the variables' symbolic extents. An empty range of a variable has no values.
Range IndexRanges::range(const Expr& e) const {
  const Range plain = numbers(e);
  const Range low = numbers(atExtreme(e, false)), high = numbers(atExtreme(e, true));
  return {std::max(plain.lo, low.lo), std::min(plain.hi, high.hi)};
}

}  // namespace tessera::graphene
