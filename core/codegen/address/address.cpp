#include "core/codegen/address/address.h"

#include <vector>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"

namespace tessera::codegen {
namespace {

u64 possible(const Expr& e, FactBase& facts) { return ~facts.of(e).zeros; }

Expr total(const std::vector<Expr>& terms) {
  Expr out;
  for (const Expr& t : terms) out = out + t;
  return out;
}

// Are all of them sums without a carry?
bool disjoint(const std::vector<Expr>& terms, FactBase& facts) {
  u64 seen = 0;
  for (const Expr& t : terms) {
    const u64 bits = possible(t, facts);
    if ((seen & bits) != 0) return false;
    seen |= bits;
  }
  return true;
}

}  // namespace

Expr addressExpr(const Expr& x, const cute::Swizzle& swizzle, FactBase& facts,
                 const std::function<bool(const Expr&)>& late) {
  const Expr plain = simplified(x, facts.box());
  if (swizzle.isIdentity()) return plain;
  if (plain.isConstant()) return Expr::constant(swizzle(plain.value()));
  const int from = swizzle.base() + std::max(0, swizzle.shift()), to = swizzle.base() + std::max(0, -swizzle.shift());
  const Expr change =
      simplified(mod(floorDiv(plain, i64{1} << from), i64{1} << swizzle.bits()) * (i64{1} << to), facts.box());
  if (change.isConstant(0)) return plain;
  const auto sum = linearSum(plain);
  if (!sum) return plain ^ change;
  const i64 period = i64{1} << (to + swizzle.bits());  // above it nothing changes
  std::vector<Expr> high, low;
  for (const Term& t : sum->terms) {
    const Expr term = t.part * t.coefficient;
    (facts.of(term).divisibleBy(period) ? high : low).push_back(term);
  }
  const i64 rest = floorMod(sum->constant, period);
  if (sum->constant != rest) high.push_back(Expr::constant(sum->constant - rest));
  if (rest != 0) low.push_back(Expr::constant(rest));
  if (!disjoint(low, facts)) return simplified(total(high), facts.box()) + (total(low) ^ change);
  std::vector<Expr> early, loop;
  for (const Expr& t : low) {
    if ((possible(t, facts) & possible(change, facts)) == 0)
      high.push_back(t);
    else
      (late(t) && !late(change) ? loop : early).push_back(t);
  }
  const Expr beside = simplified(total(high), facts.box());
  if (early.empty() && loop.empty()) return beside + change;
  Expr inner = early.empty() ? change : total(early) ^ change;
  if (!loop.empty()) inner = total(loop) ^ inner;
  return beside + inner;
}

}  // namespace tessera::codegen
