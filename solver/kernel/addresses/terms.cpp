#include "solver/kernel/addresses/terms.h"

#include <fmt/format.h>

#include <algorithm>

#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using Op = TermNode::Op;

namespace {

std::string keyOf(const TermNode& n) {
  std::string key = fmt::format("{}.{}.{:x}.{}", static_cast<int>(n.op), n.width, n.value, n.name);
  for (const Term t : n.arguments) key += fmt::format(",{}", t);
  for (const u64 f : n.factors) key += fmt::format("*{:x}", f);
  return key;
}

bool isTruth(Op op) { return op == Op::Equal || op == Op::LessU || op == Op::LessS; }

}  // namespace

u64 Terms::valueOf(Op op, u64 a, u64 b, int bits) {
  const i64 x = signedOf(a, bits), y = signedOf(b, bits);
  switch (op) {
    case Op::And:
      return a & b;
    case Op::Or:
      return a | b;
    case Op::Xor:
      return a ^ b;
    case Op::Shl:
      return b >= static_cast<u64>(bits) ? 0 : a << b;
    case Op::ShrU:
      return b >= static_cast<u64>(bits) ? 0 : a >> b;
    case Op::ShrS:
      return static_cast<u64>(x >> std::min<u64>(b, static_cast<u64>(bits - 1)));
    case Op::DivU:
      return b == 0 ? ~u64{0} : a / b;
    case Op::RemU:
      return b == 0 ? a : a % b;
    case Op::DivS:
      return y == 0 ? (x < 0 ? 1 : ~u64{0}) : y == -1 ? u64{0} - a : static_cast<u64>(x / y);
    case Op::RemS:
      return y == 0 ? a : y == -1 ? 0 : static_cast<u64>(x % y);
    case Op::Equal:
      return a == b;
    case Op::LessU:
      return a < b;
    case Op::LessS:
      return x < y;
    default:
      return 0;
  }
}

Term Terms::make(TermNode node) {
  const auto [at, made] = made_.try_emplace(keyOf(node), static_cast<Term>(nodes_.size()));
  if (made) nodes_.push_back(std::move(node));
  return at->second;
}

Term Terms::constant(u64 value, int width) {
  return make({.op = Op::Constant, .width = width, .value = value & maskOf(width)});
}

Term Terms::variable(const std::string& name, int width, Scope scope, std::vector<int> loops) {
  symbols_.try_emplace(name, SymbolScope{scope, std::move(loops)});
  return make({.op = Op::Variable, .width = width, .name = name});
}

Term Terms::fresh(const std::string& name, int width, Scope scope, std::vector<int> loops) {
  return variable(fmt::format("{}#{}", name, ++counter_), width, scope, std::move(loops));
}

Term Terms::apply(const std::string& name, int width, std::vector<Term> arguments, Scope scope,
                  std::vector<int> loops) {
  symbols_.try_emplace(name, SymbolScope{scope, std::move(loops)});
  return make({.op = Op::Apply, .width = width, .arguments = std::move(arguments), .name = name});
}

Term Terms::sum(Term a, u64 x, Term b, u64 y) {
  const int bits = width(a);
  const u64 mask = maskOf(bits);
  std::map<Term, u64> parts;
  u64 rest = 0;
  const auto gather = [&](Term t, u64 factor) {
    const TermNode& n = (*this)[t];
    if (n.op == Op::Constant) {
      rest += n.value * factor;
    } else if (n.op == Op::Sum) {
      rest += n.value * factor;
      for (std::size_t k = 0; k < n.arguments.size(); ++k) parts[n.arguments[k]] += n.factors[k] * factor;
    } else {
      parts[t] += factor;
    }
  };
  gather(a, x);
  gather(b, y);
  TermNode node{.op = Op::Sum, .width = bits, .value = rest & mask};
  for (const auto& [t, factor] : parts) {
    if ((factor & mask) == 0) continue;
    node.arguments.push_back(t);
    node.factors.push_back(factor & mask);
  }
  if (node.arguments.empty()) return constant(rest, bits);
  if (node.arguments.size() == 1 && node.factors[0] == 1 && node.value == 0) return node.arguments[0];
  return make(std::move(node));
}

Term Terms::mul(Term a, Term b) {
  if (isConstant(a)) std::swap(a, b);
  if (isConstant(b)) return sum(a, value(b), constant(0, width(a)), 0);
  return make({.op = Op::Mul, .width = width(a), .arguments = {std::min(a, b), std::max(a, b)}});
}

Term Terms::binary(Op op, Term a, Term b) {
  const int bits = width(a);
  const u64 all = maskOf(bits);
  const int out = isTruth(op) ? 1 : bits;
  if (isConstant(a) && isConstant(b)) return constant(valueOf(op, value(a), value(b), bits), out);
  const bool symmetric = op == Op::And || op == Op::Or || op == Op::Xor || op == Op::Equal;
  if (symmetric && (isConstant(a) || (!isConstant(b) && b < a))) std::swap(a, b);
  if (a == b) {
    if (op == Op::And || op == Op::Or) return a;
    if (op == Op::Xor || op == Op::LessU || op == Op::LessS) return constant(0, out);
    if (op == Op::Equal) return truth(true);
  }
  if (isConstant(b)) {
    const u64 c = value(b);
    const bool power = c != 0 && (c & (c - 1)) == 0;
    switch (op) {
      case Op::And:
        if (c == 0) return b;
        if (c == all) return a;
        break;
      case Op::Or:
        if (c == 0) return a;
        if (c == all) return b;
        break;
      case Op::Xor:
        if (c == 0) return a;
        if (c == all) return lnot(a);
        break;
      case Op::Shl:
        if (c >= static_cast<u64>(bits)) return constant(0, bits);
        return mul(a, constant(u64{1} << c, bits));
      case Op::ShrU:
      case Op::ShrS:
        if (c == 0) return a;
        if (op == Op::ShrU && c >= static_cast<u64>(bits)) return constant(0, bits);
        break;
      case Op::DivU:
        if (power) return binary(Op::ShrU, a, constant(static_cast<u64>(__builtin_ctzll(c)), bits));
        break;
      case Op::RemU:
        if (power) return binary(Op::And, a, constant(c - 1, bits));
        break;
      case Op::LessU:
        if (c == 0) return truth(false);
        break;
      case Op::Equal:
        if (bits == 1) return c != 0 ? a : lnot(a);
        // A selected constant.
        if (const TermNode n = (*this)[a];
            n.op == Op::Select && isConstant(n.arguments[1]) && isConstant(n.arguments[2])) {
          const bool first = value(n.arguments[1]) == c, second = value(n.arguments[2]) == c;
          if (first && second) return truth(true);
          if (first) return n.arguments[0];
          if (second) return lnot(n.arguments[0]);
          return truth(false);
        }
        break;
      default:
        break;
    }
  }
  // p and not p.
  if (bits == 1 && (op == Op::And || op == Op::Or) && lnot(a) == b) return truth(op == Op::Or);
  return make({.op = op, .width = out, .arguments = {a, b}});
}

Term Terms::lnot(Term a) {
  const TermNode& n = (*this)[a];
  if (n.op == Op::Constant) return constant(~n.value, n.width);
  if (n.op == Op::Not) return n.arguments[0];
  return make({.op = Op::Not, .width = n.width, .arguments = {a}});
}

Term Terms::select(Term condition, Term a, Term b) {
  if (isConstant(condition)) return value(condition) != 0 ? a : b;
  if (a == b) return a;
  if (width(a) == 1) return either(both(condition, a), both(lnot(condition), b));
  return make({.op = Op::Select, .width = width(a), .arguments = {condition, a, b}});
}

Term Terms::widen(Term a, int to, bool isSigned) {
  const TermNode n = (*this)[a];
  if (n.width == to) return a;
  if (n.op == Op::Constant) return constant(isSigned ? static_cast<u64>(signedOf(n.value, n.width)) : n.value, to);
  if (n.op == Op::Widen || (n.op == Op::WidenSigned && isSigned))
    return widen(n.arguments[0], to, n.op == Op::WidenSigned);
  return make({.op = isSigned ? Op::WidenSigned : Op::Widen, .width = to, .arguments = {a}});
}

Term Terms::bits(Term a, int from, int to) {
  const TermNode n = (*this)[a];
  if (from == 0 && n.width == to) return a;
  if (n.op == Op::Constant) return constant(n.value >> from, to);
  if (n.op == Op::Bits) return bits(n.arguments[0], from + static_cast<int>(n.value), to);
  if (n.op == Op::Widen || n.op == Op::WidenSigned) {
    const int inner = width(n.arguments[0]);
    if (from + to <= inner) return bits(n.arguments[0], from, to);
    if (from == 0) return widen(n.arguments[0], to, n.op == Op::WidenSigned);
    if (from >= inner && n.op == Op::Widen) return constant(0, to);
  }
  if (from == 0 && n.op == Op::Sum) {
    Term out = constant(n.value, to);
    for (std::size_t k = 0; k < n.arguments.size(); ++k) out = sum(out, 1, bits(n.arguments[k], 0, to), n.factors[k]);
    return out;
  }
  if (from == 0 && n.op == Op::Select)
    return select(n.arguments[0], bits(n.arguments[1], 0, to), bits(n.arguments[2], 0, to));
  return make({.op = Op::Bits, .width = to, .value = static_cast<u64>(from), .arguments = {a}});
}

Term Terms::resize(Term a, int to, bool isSigned) { return width(a) > to ? bits(a, 0, to) : widen(a, to, isSigned); }

Term Terms::replaced(Term root, Term what, Term by) {
  std::map<Term, Term> done{{what, by}};
  const auto made = [&](const TermNode& n) -> Term {
    const auto in = [&](std::size_t k) { return done.at(n.arguments[k]); };
    switch (n.op) {
      case Op::Sum: {
        Term out = constant(n.value, n.width);
        for (std::size_t k = 0; k < n.arguments.size(); ++k) out = sum(out, 1, in(k), n.factors[k]);
        return out;
      }
      case Op::Mul:
        return mul(in(0), in(1));
      case Op::Not:
        return lnot(in(0));
      case Op::Select:
        return select(in(0), in(1), in(2));
      case Op::Widen:
      case Op::WidenSigned:
        return widen(in(0), n.width, n.op == Op::WidenSigned);
      case Op::Bits:
        return bits(in(0), static_cast<int>(n.value), n.width);
      case Op::Apply: {
        TermNode node = n;
        for (Term& t : node.arguments) t = done.at(t);
        return make(std::move(node));
      }
      default:
        return binary(n.op, in(0), in(1));
    }
  };
  // Arguments precede their terms.
  std::vector<Term> work{root};
  while (!work.empty()) {
    const Term t = work.back();
    const TermNode n = (*this)[t];
    bool ready = true;
    for (const Term a : n.arguments)
      if (!done.contains(a) && !done.contains(t)) {
        work.push_back(a);
        ready = false;
      }
    if (!ready) continue;
    work.pop_back();
    if (done.contains(t)) continue;
    done[t] = n.op == Op::Constant || n.op == Op::Variable ? t : made(n);
  }
  return done.at(root);
}

}  // namespace tessera::kernel
