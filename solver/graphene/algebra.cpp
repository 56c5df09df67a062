#include "solver/graphene/algebra.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/patience.h"
#include "solver/emulate/numbers.h"
#include "solver/graphene/term_numbers.h"

namespace tessera::graphene {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kCancelled = 1e-12;  // of the largest that was added: nothing is left

u64 mix(u64 h, u64 x) {
  h = (h ^ x) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}

// To 40 bits, so that the order of a sum does not show.
double coarse(double x) {
  if (!std::isfinite(x) || x == 0) return x == 0 ? 0 : x;
  int power = 0;
  const double m = std::frexp(x, &power);
  return std::ldexp(std::round(std::ldexp(m, 40)), power - 40);
}

}  // namespace

Algebra::Algebra(Terms& terms) : terms_(terms) {
  polynomials_.emplace_back();
  monomials_.emplace_back();
}

std::vector<std::string> Algebra::laws() const {
  std::vector<std::string> out;
  if ((laws_ & kDistributes) != 0) out.emplace_back("x(y + z) = xy + xz");
  if ((laws_ & kExponents) != 0) out.emplace_back("exp(x + y) = exp(x) exp(y)");
  if ((laws_ & kPowers) != 0) out.emplace_back("exp2(x) = exp(x log 2)");
  if ((laws_ & kCancels) != 0) out.emplace_back("x / x = 1");
  if ((laws_ & kRelu) != 0) out.emplace_back("relu(x) = max(x, 0)");
  if ((laws_ & kRoots) != 0) out.emplace_back("rsqrt(x) = 1 / sqrt(x)");
  return out;
}

// ---- interning

Algebra::Id Algebra::intern(Polynomial p) {
  if (p.empty()) return 0;
  u64 h = 1;
  for (const auto& [m, c] : p) h = mix(mix(h, m), std::bit_cast<u64>(c));
  const auto [begin, end] = polynomialOf_.equal_range(h);
  for (auto at = begin; at != end; ++at)
    if (polynomials_[at->second] == p) return at->second;
  const auto id = static_cast<Id>(polynomials_.size());
  polynomials_.push_back(std::move(p));
  polynomialOf_.emplace(h, id);
  return id;
}

Algebra::Id Algebra::intern(Monomial m) {
  if (m.factors.empty() && m.exponent == 0) return 0;
  u64 h = mix(2, m.exponent);
  for (const auto& [a, power] : m.factors) h = mix(mix(h, a), static_cast<u64>(power));
  const auto [begin, end] = monomialOf_.equal_range(h);
  for (auto at = begin; at != end; ++at)
    if (monomials_[at->second] == m) return at->second;
  const auto id = static_cast<Id>(monomials_.size());
  monomials_.push_back(std::move(m));
  monomialOf_.emplace(h, id);
  return id;
}

void Algebra::add(Sum& sum, Id x, double times, Id monomial) {
  const Polynomial p = polynomials_[x];  // multiplying makes new ones
  spend(static_cast<i64>(p.size()) / 4 + 1);
  for (const auto& [m, c] : p) {
    auto& [value, most] = sum[monomial == 0 ? m : this->times(m, monomial)];
    value += c * times;
    most = std::max(most, std::fabs(c * times));
  }
}

Algebra::Id Algebra::intern(const Sum& sum) {
  Polynomial out;
  out.reserve(sum.size());
  const auto one = sum.find(0);
  if (one != sum.end() && std::isinf(one->second.first)) return constant(one->second.first);  // the rest is finite
  for (const auto& [m, c] : sum)
    if (!std::isfinite(c.first)) return opaque();
  for (const auto& [m, c] : sum)
    if (std::fabs(c.first) > kCancelled * c.second) out.emplace_back(m, coarse(c.first));
  std::sort(out.begin(), out.end());
  return intern(std::move(out));
}

bool Algebra::isConstant(Id x) const {
  return x == 0 || (polynomials_[x].size() == 1 && polynomials_[x][0].first == 0);
}
double Algebra::numberOf(Id x) const { return x == 0 ? 0 : polynomials_[x][0].second; }

Algebra::Id Algebra::constant(double value) {
  if (value == 0) return 0;
  if (std::isnan(value)) return opaque();
  return intern(Polynomial{{0, coarse(value)}});
}

Algebra::Id Algebra::atom(AtomKind kind, int operation, std::vector<Id> parts, int power) {
  const auto [at, made] =
      atomOf_.try_emplace({{static_cast<int>(kind), operation}, parts}, static_cast<Id>(atoms_.size()));
  if (made) atoms_.push_back({kind, operation, std::move(parts)});
  return intern(Polynomial{{intern(Monomial{{{at->second, power}}, 0}), 1.0}});
}

// ---- monomials

Algebra::Id Algebra::times(Id a, Id b) {
  if (a == 0 || b == 0) return a + b;
  if (a > b) std::swap(a, b);
  const u64 key = u64{a} << 32 | b;
  if (const auto at = times_.find(key); at != times_.end()) return at->second;
  spend(4);
  Monomial out;
  const Monomial x = monomials_[a], y = monomials_[b];
  auto i = x.factors.begin(), j = y.factors.begin();
  while (i != x.factors.end() || j != y.factors.end()) {
    if (j == y.factors.end() || (i != x.factors.end() && i->first < j->first)) {
      out.factors.push_back(*i++);
    } else if (i == x.factors.end() || j->first < i->first) {
      out.factors.push_back(*j++);
    } else {
      if (i->second + j->second != 0) out.factors.emplace_back(i->first, i->second + j->second);
      if (i->second + j->second == 0) laws_ |= kCancels;
      ++i;
      ++j;
    }
  }
  if (x.exponent != 0 && y.exponent != 0) laws_ |= kExponents;
  out.exponent = x.exponent == 0 || y.exponent == 0 ? x.exponent + y.exponent : plus(x.exponent, y.exponent, 1);
  const Id made = intern(std::move(out));
  times_.emplace(key, made);
  return made;
}

Algebra::Id Algebra::inverseOf(Id monomial) {
  Monomial out = monomials_[monomial];
  for (auto& [a, power] : out.factors) power = -power;
  if (out.exponent != 0) out.exponent = plus(0, out.exponent, -1);
  return intern(std::move(out));
}

// ---- polynomials

Algebra::Id Algebra::plus(Id x, Id y, double times) {
  Sum sum;
  add(sum, x, 1);
  add(sum, y, times);
  return intern(sum);
}

Algebra::Id Algebra::shared(Id x) {
  const Polynomial p = polynomials_[x];
  // A summand without an atom has its power 0.
  std::map<Id, std::pair<int, std::size_t>> powers;
  std::unordered_map<Id, std::pair<double, std::size_t>> exponents;
  for (const auto& [m, c] : p) {
    const Monomial& mono = monomials_[m];
    for (const auto& [a, power] : mono.factors) {
      const auto [at, first] = powers.try_emplace(a, power, 0);
      at->second.first = std::min(at->second.first, power);
      ++at->second.second;
    }
    spend(static_cast<i64>(polynomials_[mono.exponent].size()) / 4 + 1);
    for (const auto& [e, times] : polynomials_[mono.exponent]) {
      const auto [at, first] = exponents.try_emplace(e, times, 0);
      at->second.first = std::min(at->second.first, times);
      ++at->second.second;
    }
  }
  Monomial out;
  for (const auto& [a, row] : powers) {
    const int power = row.second < p.size() ? std::min(row.first, 0) : row.first;
    if (power != 0) out.factors.emplace_back(a, power);
  }
  Polynomial exponent;
  for (const auto& [e, row] : exponents) {
    const double times = row.second < p.size() ? std::min(row.first, 0.0) : row.first;
    if (times != 0) exponent.emplace_back(e, times);
  }
  std::sort(exponent.begin(), exponent.end());
  if (!exponent.empty()) laws_ |= kExponents;
  out.exponent = intern(std::move(exponent));
  return intern(std::move(out));
}

Algebra::Content Algebra::content(Id x) {
  if (const auto at = contents_.find(x); at != contents_.end()) return at->second;
  Content out;
  out.monomial = shared(x);
  Id rest = x;
  if (out.monomial != 0) {
    Sum sum;
    add(sum, x, 1, inverseOf(out.monomial));
    rest = intern(sum);
    if (polynomials_[x].size() > 1) laws_ |= kDistributes;
  }
  out.number = polynomials_[rest].empty() ? 0 : polynomials_[rest].front().second;
  if (out.number != 0 && out.number != 1) {
    Sum sum;
    add(sum, rest, 1 / out.number);
    rest = intern(sum);
  }
  out.rest = rest;
  contents_.emplace(x, out);
  return out;
}

Algebra::Id Algebra::exp(Id x) {
  if (isConstant(x)) return constant(std::exp(numberOf(x)));
  const Polynomial p = polynomials_[x];
  double number = 1;
  Polynomial rest;
  for (const auto& [m, c] : p) {
    if (m == 0) number = std::exp(c);
    if (m != 0) rest.emplace_back(m, c);
  }
  if (number != 1) laws_ |= kExponents;
  if (!std::isfinite(number) || number == 0) return opaque();
  return intern(Polynomial{{intern(Monomial{{}, intern(std::move(rest))}), coarse(number)}});
}

Algebra::Id Algebra::inverse(Id x) {
  if (isConstant(x)) return constant(1 / numberOf(x));
  const Content c = content(x);
  const Id one = intern(Polynomial{{0, 1.0}});
  const Id rest = c.rest == one ? one : atom(AtomKind::Sum, 0, {c.rest}, -1);
  Sum sum;
  add(sum, rest, 1 / c.number, inverseOf(c.monomial));
  return intern(sum);
}

Algebra::Id Algebra::product(Id x, Id y) {
  if (isConstant(y)) std::swap(x, y);
  if (isConstant(x)) {
    const double number = numberOf(x);
    if (std::isinf(number)) return isConstant(y) ? constant(number * numberOf(y)) : opaque();
    if (number == 0) return isConstant(y) && std::isinf(numberOf(y)) ? opaque() : 0;
    Sum sum;
    add(sum, y, number);
    return intern(sum);
  }
  if (polynomials_[x].size() > polynomials_[y].size()) std::swap(x, y);
  if (polynomials_[x].size() == 1) {
    const auto [monomial, number] = polynomials_[x][0];
    if (polynomials_[y].size() > 1) laws_ |= kDistributes;
    Sum sum;
    add(sum, y, number, monomial);
    return intern(sum);
  }
  const Content a = content(x), b = content(y);  // two sums: not multiplied out
  const Id rest = product(atom(AtomKind::Sum, 0, {a.rest}), atom(AtomKind::Sum, 0, {b.rest}));
  Sum sum;
  add(sum, rest, a.number * b.number, times(a.monomial, b.monomial));
  return intern(sum);
}

Algebra::Id Algebra::set(bool most, const std::vector<Id>& of) {
  std::vector<Id> parts;
  double number = most ? -kInf : kInf;
  bool some = false;
  const int operation = most ? 1 : 0;
  const auto take = [&](Id x) {
    if (isConstant(x)) {
      number = most ? std::max(number, numberOf(x)) : std::min(number, numberOf(x));
      some = true;
    } else {
      parts.push_back(x);
    }
  };
  for (const Id x : of) {
    const Polynomial& p = polynomials_[x];
    const bool lone = p.size() == 1 && p[0].second == 1 && p[0].first != 0;
    const Monomial* const m = lone ? &monomials_[p[0].first] : nullptr;
    const AtomRow* row = nullptr;
    if (m != nullptr && m->exponent == 0 && m->factors.size() == 1 && m->factors[0].second == 1)
      row = &atoms_[m->factors[0].first];
    if (row == nullptr || row->kind != AtomKind::Set || row->operation != operation) {
      take(x);
      continue;
    }
    for (const Id part : std::vector<Id>(row->parts)) take(part);
  }
  if (parts.empty() || (some && number == (most ? kInf : -kInf))) return constant(number);
  if (some && std::isfinite(number)) parts.push_back(constant(number));
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.size() == 1) return parts[0];
  return atom(AtomKind::Set, operation, std::move(parts));
}

// ---- terms

Algebra::Id Algebra::unary(const std::string& name, Id x) {
  if (name == "exp") return exp(x);
  if (name == "exp2") {
    laws_ |= kPowers;
    return isConstant(x) ? constant(std::exp2(numberOf(x))) : exp(plus(0, x, std::numbers::ln2));
  }
  if (name == "neg") return plus(0, x, -1);
  if (name == "rcp") return inverse(x);
  if (name == "id") return x;
  if (name == "relu") {
    laws_ |= kRelu;
    return set(true, {x, 0});
  }
  const int operation = terms_.operation(name == "rsqrt" ? "sqrt" : name);
  if (isConstant(x)) return constant(Numbers::unary(Numbers::operation(name), numberOf(x)));
  if (name == "rsqrt") laws_ |= kRoots;
  return atom(AtomKind::Unary, operation, {x}, name == "rsqrt" ? -1 : 1);
}

Algebra::Id Algebra::binary(const std::string& name, Id x, Id y) {
  if (name == "-") {
    if (isConstant(y) && std::isinf(numberOf(y)))
      return isConstant(x) ? constant(numberOf(x) - numberOf(y)) : constant(-numberOf(y));
    return plus(x, y, -1);
  }
  if (name == "/") return product(x, inverse(y));
  return atom(AtomKind::Binary, terms_.operation(name), {x, y});
}

Algebra::Id Algebra::compute(Terms::Value v, const Terms::Sum& sum) {
  const Terms::Node n = terms_.node(v);
  const auto known = [&](Terms::Value x) { return known_.at(x); };
  switch (n.kind) {
    case Terms::Kind::Undefined:
      return opaque();
    case Terms::Kind::Input:
      return atom(AtomKind::Input, 0, {v});
    case Terms::Kind::Constant:
      return constant(n.number);
    case Terms::Kind::Unary:
      return unary(terms_.nameOf(n.operation), known(n.a));
    case Terms::Kind::Binary:
      return binary(terms_.nameOf(n.operation), known(n.a), known(n.b));
    case Terms::Kind::Set:
      return set(terms_.nameOf(n.operation) == "max", {known(n.a), known(n.b)});
    case Terms::Kind::Sum: {
      Sum out;
      const Id one = intern(Polynomial{{0, 1.0}});
      if (sum.constant != 0) add(out, one, sum.constant);
      for (const auto& [x, times] : sum.terms) add(out, known(x), static_cast<double>(times));
      for (const auto& [p, times] : sum.products)
        add(out, product(known(p.first), known(p.second)), static_cast<double>(times));
      return intern(out);
    }
  }
  return opaque();
}

Algebra::Id Algebra::of(Terms::Value v) {
  fromTheGround(
      terms_, v, [&](Terms::Value x) { return known_.count(x) != 0; },
      [&](Terms::Value x, const Terms::Sum& sum) {
        const Id made = compute(x, sum);
        known_.emplace(x, made);
      });
  return known_.at(v);
}

}  // namespace tessera::graphene
