#include "core/map/forms/separate.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/arith.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

using Combine = Separated::Combine;

enum class Mentions : unsigned char { None, One, Many };

// Which digits an expression contains: none, one (which) or more. A parameter counts as many: it has no table.
std::pair<Mentions, int> mentions(const Expr& e) {
  std::pair<Mentions, int> found{Mentions::None, 0};
  childrenFirst(
      e, [&](const Expr&) { return found.first == Mentions::Many; },
      [&](const Expr& n) {
        if (n.op() == Op::Param || (n.op() == Op::Digit && found.first == Mentions::One && found.second != n.index()))
          found = {Mentions::Many, 0};
        else if (n.op() == Op::Digit)
          found = {Mentions::One, n.index()};
      });
  return found;
}

Separated empty(Combine combine, std::size_t digits) {
  Separated s;
  s.combine = combine;
  s.strides.assign(digits, 0);
  s.parts.assign(digits, Expr());
  return s;
}

// e as constant + strides + one-digit functions.
std::optional<Separated> asSum(const Expr& e, std::size_t digits) {
  Separated out = empty(Combine::Sum, digits);
  std::vector<std::pair<Expr, i64>> stack{{e, 1}};
  while (!stack.empty()) {
    const auto [n, scale] = stack.back();
    stack.pop_back();
    std::optional<i64> ok = 0;
    if (n.op() == Op::Add) {
      stack.emplace_back(n.lhs(), scale);
      stack.emplace_back(n.rhs(), scale);
    } else if (n.op() == Op::Mul && n.rhs().isConstant()) {
      ok = checkedMul(scale, n.rhs().value());
      if (ok) stack.emplace_back(n.lhs(), *ok);
    } else if (n.isConstant()) {
      const auto v = checkedMul(n.value(), scale);
      ok = v ? checkedAdd(out.constant, *v) : std::nullopt;
      if (ok) out.constant = *ok;
    } else if (n.op() == Op::Digit) {
      i64& stride = out.strides[static_cast<std::size_t>(n.index())];
      ok = checkedAdd(stride, scale);
      if (ok) stride = *ok;
    } else {
      const auto [how, digit] = mentions(n);
      if (how != Mentions::One) return std::nullopt;
      Expr& to = out.parts[static_cast<std::size_t>(digit)];
      to = to + n * scale;
    }
    if (!ok) return std::nullopt;
  }
  return out;
}

// e as constant xor one-digit functions. A sum of bit-disjoint summands is a xor (rule add-is-xor).
class XorReader {
 public:
  XorReader(FactBase& facts, std::size_t digits) : facts_(facts), out_(empty(Combine::Xor, digits)) {}

  std::optional<Separated> read(const Expr& e) {
    std::vector<Expr> stack{e};
    while (!stack.empty()) {
      const Expr n = stack.back();
      stack.pop_back();
      if (n.op() == Op::Xor) {
        stack.push_back(n.lhs());
        stack.push_back(n.rhs());
      } else if (n.isConstant()) {
        out_.constant ^= n.value();
      } else if (const auto [how, digit] = mentions(n); how == Mentions::One) {
        Expr& to = out_.parts[static_cast<std::size_t>(digit)];
        to = to ^ n;
      } else if (n.op() != Op::Add || !disjointSummands(n, stack)) {
        return std::nullopt;
      }
    }
    return std::move(out_);
  }

 private:
  // Groups summands by digit; pushes the groups if no two of them can share a bit.
  bool disjointSummands(const Expr& sum, std::vector<Expr>& to) {
    std::vector<Expr> groups, stack{sum};
    std::unordered_map<int, std::size_t> groupOfDigit;
    while (!stack.empty()) {
      const Expr n = stack.back();
      stack.pop_back();
      if (n.op() == Op::Add) {
        stack.push_back(n.lhs());
        stack.push_back(n.rhs());
        continue;
      }
      const auto [how, digit] = mentions(n);
      if (how != Mentions::One) {
        groups.push_back(n);
      } else if (const auto [it, fresh] = groupOfDigit.emplace(digit, groups.size()); fresh) {
        groups.push_back(n);
      } else {
        groups[it->second] = groups[it->second] + n;
      }
    }
    u64 used = 0;
    for (const Expr& g : groups) {
      const u64 possible = ~facts_.of(g).zeros;
      if ((used & possible) != 0) return false;
      used |= possible;
      to.push_back(g);
    }
    return groups.size() > 1;
  }

  FactBase& facts_;
  Separated out_;
};

// e with every occurrence of core replaced by Digit 0; nullopt if another variable remains.
std::optional<Expr> abstracted(const Expr& e, const Expr& core) {
  std::unordered_map<Expr, Expr> done{{core, Expr::digit(0)}};
  bool another = false;
  childrenFirst(
      e, [&](const Expr& n) { return another || done.count(n) != 0; },
      [&](const Expr& n) {
        another = n.op() == Op::Digit || n.op() == Op::Param;
        if (!another) done.emplace(n, n.isConstant() ? n : Expr::binary(n.op(), done.at(n.lhs()), done.at(n.rhs())));
      });
  return another ? std::nullopt : std::optional(done.at(e));
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
  for (const Expr& p : s.parts)
    if (!p.isConstant(0)) return false;
  return true;
}

}  // namespace

std::optional<Separated> separated(const Expr& raw, const Environment& box) {
  const std::size_t digits = box.digits.size();
  if (auto sum = asSum(raw, digits); sum && linear(*sum)) return sum;
  const Expr e = simplified(raw, box);
  if (auto sum = asSum(e, digits)) return sum;
  FactBase facts(box);
  if (auto parts = XorReader(facts, digits).read(e)) return parts;
  if (auto sum = withPost(e, digits)) return sum;
  return withPost(raw, digits);  // simplification may have moved digits into the post step
}

}  // namespace tessera
