#include "core/map/coordinates.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/arith.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

// value == expr + pending. `shifted`: pending came from a variable of this sum, so it may join the sum's constants.
struct Part {
  Expr expr;
  i64 pending = 0;
  bool shifted = false;

  [[nodiscard]] Expr whole() const { return expr + Expr::constant(pending); }
};

Part leaf(const Expr& e, std::span<const Digit> digits) {
  if (e.op() != Op::Digit) return {e, 0, false};
  const i64 lo = digits[static_cast<std::size_t>(e.index())].lo;
  if (lo == 0 || lo == INT64_MIN) return {e - lo, 0, false};
  return {e, -lo, true};
}

Part joined(const Expr& e, const Part& a, const Part& b) {
  if (e.op() == Op::Add && (a.shifted || b.shifted)) {
    const bool constant = b.expr.isConstant() && !b.shifted;
    const auto pending = checkedAdd(a.pending, constant ? b.expr.value() : b.pending);
    if (pending) return {constant ? a.expr : a.expr + b.expr, *pending, true};
  }
  if (e.op() == Op::Mul && e.lhs().op() == Op::Digit && e.rhs().isConstant() && a.shifted) {
    if (const auto pending = checkedMul(a.pending, e.rhs().value())) return {a.expr * b.expr, *pending, true};
  }
  return {Expr::binary(e.op(), a.whole(), b.whole()), 0, false};
}

}  // namespace

Expr inCoordinates(const Expr& root, std::span<const Digit> digits) {
  if (std::all_of(digits.begin(), digits.end(), [](const Digit& d) { return d.lo == 0; })) return root;
  std::unordered_map<Expr, Part> done;
  childrenFirst(root, [&](const Expr& e) {
    Part part = isLeaf(e.op()) ? leaf(e, digits) : joined(e, done.at(e.lhs()), done.at(e.rhs()));
    done.emplace(e, std::move(part));
  });
  return done.at(root).whole();
}

Expr overDigits(const Expr& e, std::span<const Digit> digits) {
  std::vector<Expr> shifted;
  for (std::size_t k = 0; k < digits.size(); ++k)
    shifted.push_back(Expr::digit(static_cast<int>(k)) + Expr::constant(digits[k].lo));
  return substitute(e, shifted);
}

Environment coordinateBox(const Map& map) {
  Environment box;
  for (const Digit& d : map.digits()) box.digits.push_back({d.lo, d.lo + (d.extent - 1)});
  for (const Param& p : map.params()) box.params.push_back({p.lo, p.hi});
  return box;
}

}  // namespace tessera
