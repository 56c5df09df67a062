// y in g(x) without an existential quantifier: the ranges s of g are computed from y, axis by axis.
//
//     (d0)[s0] -> (d0 * 2 + s0 * 3)          s0 = (y - d0 * 2) floordiv 3, (y - d0 * 2) mod 3 == 0, and s0 in its range
//     (d0)[s0, s1] -> (s0 * 8 + s1), s1 < 8  s0 = y floordiv 8, s1 = y - s0 * 8: nesting strides, largest first
//     (d0)[s0] -> ((s0 + d0) floordiv 2)     not possible
#include <algorithm>
#include <map>

#include "core/base/arith.h"
#include "core/expr/walk.h"
#include "solver/prove/unions.h"

namespace tessera::prover {
namespace {

__extension__ using i128 = __int128;

// A sum: coefficients of Fan digits, and the rest.
struct Sum {
  std::map<int, i64> fans;
  Expr rest;
  bool linear = true;  // no Fan digit is nested in another operation
};

bool mentions(const Expr& e, const std::vector<bool>& fans) {
  return anyLeaf(e, [&](const Expr& node) { return node.op() == Op::Digit && fans[node.index()]; });
}

void addTo(Sum& sum, const Expr& e, i64 factor, const std::vector<bool>& fans) {
  if (!mentions(e, fans)) {
    sum.rest = sum.rest + e * factor;
  } else if (e.op() == Op::Digit) {
    sum.fans[e.index()] += factor;
  } else if (e.op() == Op::Add) {
    addTo(sum, e.lhs(), factor, fans);
    addTo(sum, e.rhs(), factor, fans);
  } else if (e.op() == Op::Mul && e.rhs().isConstant() && checkedMul(factor, e.rhs().value())) {
    addTo(sum, e.lhs(), factor * e.rhs().value(), fans);
  } else {
    sum.linear = false;
  }
}

class MembershipSolver {
 public:
  MembershipSolver(const Map& g, const std::vector<Expr>& x, const std::vector<Expr>& y) : g_(g), y_(y) {
    std::size_t next = 0;
    unknown_.resize(g.digits().size());
    values_.resize(g.digits().size());
    for (std::size_t k = 0; k < g.digits().size(); ++k) {
      const Digit& d = g.digits()[k];
      if (d.kind == DigitKind::Fan) {
        unknown_[k] = true;
        ++left_;
        continue;
      }
      values_[k] = x[next++];
      inRange(values_[k], d);
    }
  }

  std::optional<std::vector<Guard>> solve() {
    for (bool more = true; more && left_ > 0;) {
      more = false;
      for (std::size_t a = 0; a < g_.axes().size(); ++a) more = solveAxis(a) || more;
    }
    for (std::size_t k = 0; k < unknown_.size(); ++k) {
      if (!unknown_[k]) continue;
      if (g_.digits()[k].extent != 1 && appears(static_cast<int>(k))) return std::nullopt;
      values_[k] = Expr::constant(0);  // never read
    }
    for (std::size_t a = 0; a < g_.axes().size(); ++a)
      found_.push_back({substitute(g_.axes()[a].value, values_) - y_[a], 0, 0});
    for (const Guard& guard : g_.guards()) found_.push_back(substituted(guard, values_));
    return found_;
  }

 private:
  void inRange(const Expr& e, const Digit& d) { found_.push_back({e, 0, d.extent - 1}); }

  [[nodiscard]] bool appears(int fan) const {
    std::vector<bool> one(unknown_.size());
    one[fan] = true;
    return std::ranges::any_of(g_.axes(), [&](const Axis& a) { return mentions(a.value, one); }) ||
           std::ranges::any_of(g_.guards(), [&](const Guard& x) { return mentions(x.value, one); });
  }

  // Computes all ranges still missing in an axis if their strides nest.
  bool solveAxis(std::size_t a) {
    Sum sum;
    addTo(sum, g_.axes()[a].value, 1, unknown_);
    std::erase_if(sum.fans, [](const auto& fan) { return fan.second == 0; });
    if (!sum.linear || sum.fans.empty()) return false;
    std::vector<std::pair<i64, int>> strides;  // largest first
    for (const auto& [fan, stride] : sum.fans) strides.emplace_back(stride < 0 ? -stride : stride, fan);
    std::sort(strides.rbegin(), strides.rend());
    i128 below = 0;
    for (std::size_t k = strides.size(); k-- > 0;) {
      if (i128{strides[k].first} <= below) return false;
      below += i128{strides[k].first} * (g_.digits()[strides[k].second].extent - 1);
      if (below > INT64_MAX / 4) return false;
    }
    Expr value = y_[a] - substitute(sum.rest, values_);
    for (const auto& [stride, fan] : strides) {  // a descending range is an ascending one from its other end
      const i64 last = g_.digits()[fan].extent - 1;
      if (sum.fans[fan] < 0) value = value + stride * last;
    }
    for (const auto& [stride, fan] : strides) {
      const Digit& d = g_.digits()[fan];
      const Expr up = floorDiv(value, stride);
      value = value - up * stride;
      const Expr found = sum.fans[fan] < 0 ? up * -1 + (d.extent - 1) : up;
      values_[fan] = found;
      inRange(found, d);
      unknown_[fan] = false;
      --left_;
    }
    return true;
  }

  const Map& g_;
  const std::vector<Expr>& y_;
  std::vector<Expr> values_;
  std::vector<bool> unknown_;
  int left_ = 0;
  std::vector<Guard> found_;
};

}  // namespace

std::optional<std::vector<Guard>> membership(const Map& g, const std::vector<Expr>& x, const std::vector<Expr>& y) {
  return MembershipSolver(g, x, y).solve();
}

}  // namespace tessera::prover
