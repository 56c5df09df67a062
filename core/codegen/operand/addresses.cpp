#include "core/codegen/operand/addresses.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"

namespace tessera::codegen {

using graphene::Tensor;

namespace {

u64 possible(const Expr& e, FactBase& facts) { return ~facts.of(e).zeros; }

Expr total(const std::vector<Expr>& terms) {
  Expr out;
  for (const Expr& t : terms) out = out + t;
  return out;
}

// Whether the terms add without carries.
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

Result<Place> Addresses::place(const Tensor& tensor) {
  Place out;
  out.root = storage_.find(graphene::nameOf(tensor));
  out.root->used = true;
  out.offset = variables_.known(tensor.offset);
  out.swizzle = tensor.swizzle;
  TESSERA_TRY(out.slots, slotsOf(tensor));
  out.dense = true;
  for (std::size_t s = 0; s < out.slots.size(); ++s)
    out.dense = out.dense && out.slots[s].isConstant(static_cast<i64>(s));
  if (!out.swizzle.isIdentity())
    out.dense = out.dense && (i64{1} << out.swizzle.base()) >= static_cast<i64>(out.slots.size());
  return out;
}

Result<Place> Addresses::startOf(const Tensor& tensor) {
  Tensor first = tensor;
  first.levels.clear();
  first.swizzle = {};
  return place(first);
}

Expr Addresses::address(const Place& p, std::size_t slot) {
  return addressExpr(p.offset + p.slots[slot], p.swizzle, variables_.facts(),
                     [this](const Expr& e) { return variables_.inLoop(e); });
}

// A register's number must be constant, so its loops are unrolled.
void Addresses::keepLoops(const Place& p, const Expr& address) {
  if (!p.isRegister()) return;
  for (const int v : paramsOf(address)) out_.keep(v);
}

std::string Addresses::value(const Place& p, std::size_t slot) {
  spend(300);
  if (p.root->one) return out_.use(p.root->name);
  const Expr at = address(p, slot);
  keepLoops(p, at);
  const std::string word = out_.use(p.root->name);
  text_.hint(word);
  if (const std::string based = bases_.onBase(*p.root, at); !based.empty()) return based;
  return fmt::format("{}[{}]", word, text_.text(at));
}

std::string Addresses::counted(const Place& p, const std::string& index) {
  const Expr base = address(p, 0);
  const std::string first = base.isConstant(0) ? index : fmt::format("{} + {}", text_.text(base), index);
  keepLoops(p, base);
  return fmt::format("{}[{}]", out_.use(p.root->name), first);
}

std::string Addresses::pointer(const Place& p, std::size_t slot) {
  if (!p.root->one && address(p, slot).isConstant(0)) return out_.use(p.root->name);
  return "&" + value(p, slot);
}

bool Addresses::aligned(const Place& p, i64 elements) {
  return variables_.facts().of(address(p, 0)).divisibleBy(elements);
}

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
  const i64 period = i64{1} << (to + swizzle.bits());  // bits above it do not change
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
