#include "solver/prove/points/points.h"

#include <bit>
#include <unordered_set>

#include "core/base/arith.h"
#include "core/expr/walk.h"

namespace tessera::prover {

namespace {

i64 wrapNegated(i64 v) { return static_cast<i64>(0 - static_cast<u64>(v)); }

i64 divided(i64 a, i64 b) {
  if (b == 0) return 0;
  return b == -1 ? wrapNegated(a) : floorDiv(a, b);
}

i64 reduced(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : floorMod(a, b); }

template <typename F>
void each(i64* out, const i64* a, const i64* b, i64 n, F f) {
  for (i64 i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}

template <typename F>
void each(i64* out, const i64* a, i64 n, F f) {
  for (i64 i = 0; i < n; ++i) out[i] = f(a[i]);
}

}  // namespace

bool PointTable::fits(std::span<const Expr> exprs) {
  std::unordered_set<const void*> seen;
  for (const Expr& e : exprs)
    childrenFirst(
        e, [&](const Expr& n) { return seen.count(n.id()) != 0; }, [&](const Expr& n) { seen.insert(n.id()); });
  return seen.size() <= kMaxColumns;
}

PointTable::PointTable(std::span<const Digit> digits, std::span<const i64> params, std::span<const Expr> exprs)
    : params_(params.begin(), params.end()) {
  for (const Digit& d : digits) {
    extents_.push_back(d.extent);
    count_ *= d.extent;
    steps_.push_back({Op::Digit, 0, 0, 0});  // columns 0 .. digits-1 are the digits themselves
  }
  std::unordered_map<const void*, std::size_t> slots;
  for (const Expr& e : exprs) {
    childrenFirst(
        e, [&](const Expr& n) { return slots.count(n.id()) != 0; },
        [&](const Expr& n) { slots.emplace(n.id(), slotOf(n, slots)); });
    results_.push_back(slots.at(e.id()));
  }
  columns_.assign(steps_.size() * kBlock, 0);
  for (std::size_t s = extents_.size(); s < steps_.size(); ++s)
    if (steps_[s].op == Op::Constant || steps_[s].op == Op::Param)
      std::fill_n(columns_.data() + s * kBlock, kBlock, steps_[s].constant);
}

// The column of a node whose children already have theirs.
std::size_t PointTable::slotOf(const Expr& e, const std::unordered_map<const void*, std::size_t>& slots) {
  if (e.op() == Op::Digit) return static_cast<std::size_t>(e.index());
  Step step{e.op(), 0, 0, 0};
  if (e.op() == Op::Constant) {
    step.constant = e.value();
  } else if (e.op() == Op::Param) {
    step.constant = params_[e.index()];
  } else {
    step.lhs = slots.at(e.lhs().id());
    step.rhs = slots.at(e.rhs().id());
    if (e.rhs().isConstant()) step.constant = e.rhs().value();
  }
  steps_.push_back(step);
  return steps_.size() - 1;
}

void PointTable::run(const Step& step, i64* out, i64 n) const {
  const i64* a = columns_.data() + step.lhs * kBlock;
  const i64* b = columns_.data() + step.rhs * kBlock;
  const i64 c = step.constant;
  switch (step.op) {
    case Op::Add:
      return each(out, a, b, n,
                  [](i64 x, i64 y) { return static_cast<i64>(static_cast<u64>(x) + static_cast<u64>(y)); });
    case Op::Mul:
      return each(out, a, b, n,
                  [](i64 x, i64 y) { return static_cast<i64>(static_cast<u64>(x) * static_cast<u64>(y)); });
    case Op::Xor:
      return each(out, a, b, n, [](i64 x, i64 y) { return x ^ y; });
    case Op::Min:
      return each(out, a, b, n, [](i64 x, i64 y) { return std::min(x, y); });
    case Op::Max:
      return each(out, a, b, n, [](i64 x, i64 y) { return std::max(x, y); });
    case Op::FloorDiv:
      if (isPowerOfTwo(c)) {
        const int by = std::countr_zero(static_cast<u64>(c));
        return each(out, a, n, [by](i64 x) { return x >> by; });
      }
      return each(out, a, b, n, divided);
    case Op::Mod:
      if (isPowerOfTwo(c)) return each(out, a, n, [c](i64 x) { return x & (c - 1); });
      return each(out, a, b, n, reduced);
    default:
      return;  // Constant, Param: filled once; Digit: filled by evaluate
  }
}

i64 fanPoints(const Map& map) { return countPoints(digitsOf(map, map.fanDigits())).value_or(INT64_MAX); }

bool Reality::at(const PointTable& table, i64 i) const {
  for (std::size_t k = 0; k < guards.size(); ++k) {
    const i64 v = table.column(firstColumn + k)[i];
    if (v < guards[k].lo || v > guards[k].hi) return false;
  }
  return true;
}

void PointTable::evaluate(i64 first, i64 n) {
  spend(static_cast<i64>(steps_.size()) * n / 16 + 1);
  std::vector<i64> at = digitsOf(first);
  for (i64 i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < at.size(); ++d) columns_[d * kBlock + static_cast<std::size_t>(i)] = at[d];
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (++at[d] < extents_[d]) break;
      at[d] = 0;
    }
  }
  for (std::size_t s = extents_.size(); s < steps_.size(); ++s) run(steps_[s], columns_.data() + s * kBlock, n);
}

}  // namespace tessera::prover
