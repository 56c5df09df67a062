#include "core/map/forms/separate.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/lanes.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/map/forms/recognise.h"

namespace tessera {
namespace {

using Combine = Separated::Combine;

Separated empty(Combine combine, std::size_t digits) {
  return {combine, 0, std::vector<i64>(digits), std::vector<Expr>(digits), {}};
}

// e as constant + strides + one-digit functions.
std::optional<Separated> asSum(const Expr& e, std::size_t digits) {
  const auto sum = linearSum(e);
  if (!sum) return std::nullopt;
  Separated out = empty(Combine::Sum, digits);
  out.constant = sum->constant;
  for (const Term& t : sum->terms) {
    const auto digit = onlyDigit(t.part);
    if (!digit) return std::nullopt;
    const auto at = static_cast<std::size_t>(*digit);
    if (t.part.op() == Op::Digit)
      out.strides[at] = t.coefficient;
    else
      out.parts[at] = out.parts[at] + t.part * t.coefficient;
  }
  return out;
}

// Groups the summands by digit; pushes the groups, and returns true, if no two of them can share a bit.
bool disjointSummands(const Expr& sum, FactBase& facts, std::vector<Expr>& to) {
  std::vector<Expr> groups;
  std::unordered_map<int, std::size_t> groupOfDigit;
  for (const Expr& n : chainOf(sum, Op::Add)) {
    const auto digit = onlyDigit(n);
    if (!digit) {
      groups.push_back(n);
    } else if (const auto [it, fresh] = groupOfDigit.emplace(*digit, groups.size()); fresh) {
      groups.push_back(n);
    } else {
      groups[it->second] = groups[it->second] + n;
    }
  }
  u64 used = 0;
  for (const Expr& g : groups) {
    const u64 possible = ~facts.of(g).zeros;
    if ((used & possible) != 0) return false;
    used |= possible;
    to.push_back(g);
  }
  return groups.size() > 1;
}

// e as constant xor one-digit functions. A sum of bit-disjoint summands is a xor (rule add-is-xor).
std::optional<Separated> asXor(const Expr& e, FactBase& facts, std::size_t digits) {
  Separated out = empty(Combine::Xor, digits);
  std::vector<Expr> stack{e};
  while (!stack.empty()) {
    const Expr n = stack.back();
    stack.pop_back();
    if (n.op() == Op::Xor) {
      stack.push_back(n.lhs());
      stack.push_back(n.rhs());
    } else if (n.isConstant()) {
      out.constant ^= n.value();
    } else if (const auto digit = onlyDigit(n)) {
      Expr& to = out.parts[static_cast<std::size_t>(*digit)];
      to = to ^ n;
    } else if (n.op() != Op::Add || !disjointSummands(n, facts, stack)) {
      return std::nullopt;
    }
  }
  return out;
}

// A separable sum inside e of which e is a function: searched outermost first, among the first few dozen nodes.
std::optional<Separated> withPost(const Expr& e, std::size_t digits) {
  constexpr std::size_t kLooked = 64;
  std::unordered_set<const void*> seen;
  std::vector<Expr> queue{e};
  for (std::size_t k = 0; k < queue.size() && k < kLooked; ++k) {
    const Expr n = queue[k];
    if (isLeaf(n.op())) continue;
    if (k > 0)
      if (auto sum = asSum(n, digits))
        if (auto post = abstracted(e, n)) {
          sum->post = *std::move(post);
          return sum;
        }
    for (const Expr& child : {n.lhs(), n.rhs()})
      if (seen.insert(child.id()).second) queue.push_back(child);
  }
  return std::nullopt;
}

bool linear(const Separated& s) {
  return std::ranges::all_of(s.parts, [](const Expr& p) { return p.isConstant(0); });
}

}  // namespace

std::optional<Separated> separated(const Expr& raw, const Environment& box) {
  const std::size_t digits = box.digits.size();
  if (auto sum = asSum(raw, digits); sum && linear(*sum)) return sum;
  const Expr e = simplified(raw, box);
  if (auto sum = asSum(e, digits)) return sum;
  FactBase facts(box);
  if (auto parts = asXor(e, facts, digits)) return parts;
  if (auto sum = withPost(e, digits)) return sum;
  return withPost(raw, digits);  // simplification may have moved digits into the post step
}

std::optional<ShiftXor> ShiftXor::of(const Expr& e, i64 top) {
  constexpr std::size_t kMostTerms = 4;
  const int bits = static_cast<int>(std::bit_width(static_cast<u64>(std::max<i64>(top, 1))));
  if (top < 0 || bits > 62) return std::nullopt;
  const auto form = asF2(e, bits);
  if (!form) return std::nullopt;
  std::map<int, u64> diagonals;  // shift distance -> the bits that move by it
  for (std::size_t column = 0; column < form->matrix.columns.size(); ++column) {
    for (u64 rest = form->matrix.columns[column]; rest != 0; rest &= rest - 1)
      diagonals[std::countr_zero(rest) - static_cast<int>(column)] |= u64{1} << column;
  }
  if (diagonals.size() > kMostTerms) return std::nullopt;
  ShiftXor made;
  made.constant_ = form->constant;
  for (const auto& [up, mask] : diagonals) made.terms_.push_back({mask, std::max(up, 0), std::max(-up, 0)});
  return made;
}

i64 ShiftXor::at(i64 x) const {
  u64 y = constant_;
  for (const Term& t : terms_) y ^= (static_cast<u64>(x) & t.mask) << t.left >> t.right;
  return static_cast<i64>(y);
}

// A swizzle has two terms, the bits themselves and those that move down (or up): two lanes at a time, with the masks
// and the shift in registers.
void ShiftXor::ofSums(i64* to, const i64* from, std::size_t count, i64 base) const {
  std::size_t i = 0;
  const auto two = [&](const Term& still, const Term& moved, auto shift) {
    const auto start = static_cast<u64>(base);
    const ULanes c = {constant_, constant_}, keep = {still.mask, still.mask}, move = {moved.mask, moved.mask},
                 first = {start, start};
    for (; i + 4 <= count; i += 4) {
      const ULanes x = first + (ULanes)loadLanes(from + i);
      const ULanes y = first + (ULanes)loadLanes(from + i + 2);
      storeLanes(to + i, (Lanes)(c ^ (x & keep) ^ shift(x & move)));
      storeLanes(to + i + 2, (Lanes)(c ^ (y & keep) ^ shift(y & move)));
    }
  };
  if (terms_.size() == 2) {
    const auto stays = [](const Term& t) { return t.left == 0 && t.right == 0; };
    const std::size_t at = stays(terms_[0]) ? 0 : 1;
    const Term &still = terms_[at], &moved = terms_[1 - at];
    const int by = moved.left + moved.right;
    if (stays(still) && moved.right > 0)
      two(still, moved, [by](ULanes v) { return v >> by; });
    else if (stays(still))
      two(still, moved, [by](ULanes v) { return v << by; });
  }
  for (; i < count; ++i) to[i] = at(base + from[i]);
}

}  // namespace tessera
