#include "solver/emulate/equality/algebra.h"

#include <algorithm>
#include <bit>
#include <numbers>

#include "core/base/work.h"
#include "solver/emulate/numbers.h"

namespace tessera::graphene {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kCancelled = 1e-12;  // relative to the largest summand: the sum is zero

u64 mix(u64 h, u64 x) {
  h = (h ^ x) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}

// Rounds to 40 bits, so that the order of a sum has no effect.
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
  constexpr std::pair<Law, const char*> kWords[] = {
      {kDistributes, "x(y + z) = xy + xz"}, {kExponents, "exp(x + y) = exp(x) exp(y)"},
      {kPowers, "exp2(x) = exp(x log 2)"},  {kCancels, "x / x = 1 where x is not 0"},
      {kRelu, "relu(x) = max(x, 0)"},       {kSigmoid, "sigmoid(x) = 1 / (1 + exp(-x))"},
      {kRoots, "rsqrt(x) = 1 / sqrt(x)"}};
  std::vector<std::string> out;
  for (const auto& [law, words] : kWords)
    if ((laws_ & law) != 0) out.emplace_back(words);
  return out;
}

// ---- interning

Algebra::Id Algebra::intern(Polynomial p) {
  if (p.empty()) return 0;
  u64 h = 1;
  for (const auto& [m, c] : p) h = mix(mix(h, m), std::bit_cast<u64>(c));
  if (const auto at = polynomialOf_.find(h, [&](Id id) { return polynomials_[id] == p; })) return *at;
  const auto id = static_cast<Id>(polynomials_.size());
  polynomials_.push_back(std::move(p));
  polynomialOf_.insert(h, id);
  return id;
}

Algebra::Id Algebra::intern(const std::vector<Factor>& factors, Id exponent) {
  if (factors.empty() && exponent == 0) return 0;
  u64 h = mix(2, exponent);
  for (const auto& [a, power] : factors) h = mix(mix(h, a), static_cast<u64>(power));
  const auto same = [&](Id id) {
    const std::span<const Factor> have = factorsOf(id);
    return monomials_[id].exponent == exponent && std::equal(have.begin(), have.end(), factors.begin(), factors.end());
  };
  if (const auto at = monomialOf_.find(h, same)) return *at;
  const auto id = static_cast<Id>(monomials_.size());
  int sums = 0;
  for (const auto& [a, power] : factors)
    if (atoms_[a].kind == AtomKind::Sum) sums += std::max(power, 0);
  monomials_.push_back({pool_.size(), static_cast<std::uint32_t>(factors.size()), exponent, sums == 1});
  pool_.insert(pool_.end(), factors.begin(), factors.end());
  monomialOf_.insert(h, id);
  return id;
}

void Algebra::add(Sum& sum, Id x, double times, Id monomial) {
  const std::size_t count = polynomials_[x].size();  // multiplying appends polynomials and moves the existing ones
  spend(static_cast<i64>(count) + 1);
  for (std::size_t k = 0; k < count; ++k) {
    const auto [m, c] = polynomials_[x][k];
    sum.emplace_back(monomial == 0 ? m : this->times(m, monomial), c * times);
  }
}

// Expands a sum that is a factor with power 1: x(y + z) = xy + xz.
void Algebra::expand(Sum& sum) {
  for (std::size_t k = 0; k < sum.size(); ++k)
    while (monomials_[sum[k].first].expands) {
      laws_ |= kDistributes;
      const auto [m, c] = sum[k];
      std::vector<Factor> others;
      Id inner = 0;
      for (const auto& [a, power] : factorsOf(m))
        if (atoms_[a].kind == AtomKind::Sum && power > 0) {
          inner = atoms_[a].parts[0];
        } else {
          others.emplace_back(a, power);
        }
      const Id rest = intern(others, monomials_[m].exponent);
      sum[k] = sum.back();
      sum.pop_back();
      add(sum, inner, c, rest);
      if (k >= sum.size()) return;
    }
}

// Collects the summands of each monomial into one coefficient and drops those that cancel.
Algebra::Id Algebra::summed(Sum& sum) {
  expand(sum);
  std::ranges::sort(sum);
  Polynomial out;
  for (std::size_t k = 0; k < sum.size();) {
    const Id m = sum[k].first;
    double value = 0, most = 0;
    for (; k < sum.size() && sum[k].first == m; ++k) {
      value += sum[k].second;
      most = std::max(most, std::fabs(sum[k].second));
    }
    if (m == 0 && std::isinf(value)) return constant(value);  // all other summands are finite
    if (!std::isfinite(value)) return opaque();
    if (std::fabs(value) > kCancelled * most) out.emplace_back(m, coarse(value));
  }
  return intern(std::move(out));
}

Algebra::Id Algebra::scaled(Id x, double times, Id monomial) {
  Sum sum;
  add(sum, x, times, monomial);
  return summed(sum);
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
  return intern(Polynomial{{intern(std::vector<Factor>{{at->second, power}}, 0), 1.0}});
}

// ---- monomials

Algebra::Id Algebra::times(Id a, Id b) {
  if (a == 0 || b == 0) return a + b;
  if (a > b) std::swap(a, b);
  const u64 h = mix(mix(3, a), b);
  if (const auto at =
          products_.at.find(h, [&](Id row) { return products_.rows[row].a == a && products_.rows[row].b == b; }))
    return products_.rows[*at].product;
  spend(4);
  const Id p = monomials_[a].exponent, q = monomials_[b].exponent;
  if (p != 0 && q != 0) laws_ |= kExponents;
  const Id exponent = p == 0 || q == 0 ? p + q : plus(p, q, 1);
  scratch_.clear();
  const std::span<const Factor> x = factorsOf(a), y = factorsOf(b);
  auto i = x.begin(), j = y.begin();
  while (i != x.end() || j != y.end()) {
    if (j == y.end() || (i != x.end() && i->first < j->first)) {
      scratch_.push_back(*i++);
    } else if (i == x.end() || j->first < i->first) {
      scratch_.push_back(*j++);
    } else {
      const int power = i->second + j++->second;
      if (power != 0) scratch_.emplace_back(i->first, power);
      if (power == 0) laws_ |= kCancels;
      ++i;
    }
  }
  const Id made = intern(scratch_, exponent);
  products_.at.insert(h, static_cast<Id>(products_.rows.size()));
  products_.rows.push_back({a, b, made});
  return made;
}

Algebra::Id Algebra::inverseOf(Id monomial) {
  const Id before = monomials_[monomial].exponent, exponent = before == 0 ? 0 : plus(0, before, -1);
  std::vector<Factor> factors;
  for (const auto& [a, power] : factorsOf(monomial)) factors.emplace_back(a, -power);
  return intern(factors, exponent);
}

// ---- polynomials

Algebra::Id Algebra::plus(Id x, Id y, double times) {
  Sum sum;
  add(sum, x, 1);
  add(sum, y, times);
  return summed(sum);
}

Algebra::Id Algebra::shared(Id x) {
  const Polynomial p = polynomials_[x];
  // The least power and the number of summands that contain it: in all others its power is 0.
  std::map<Id, std::pair<int, std::size_t>> powers;
  std::unordered_map<Id, std::pair<double, std::size_t>> exponents;
  const auto note = [](auto& least, Id of, auto power) {
    auto& [lowest, count] = least.try_emplace(of, power, 0).first->second;
    lowest = std::min(lowest, power);
    ++count;
  };
  for (const auto& [m, c] : p) {
    for (const auto& [a, power] : factorsOf(m)) note(powers, a, power);
    const Polynomial& inExponent = polynomials_[monomials_[m].exponent];
    spend(static_cast<i64>(inExponent.size()) / 4 + 1);
    for (const auto& [e, times] : inExponent) note(exponents, e, times);
  }
  const auto keep = [&](const auto& least, auto& to) {
    for (const auto& [of, row] : least)
      if (const auto power = row.second < p.size() ? std::min(row.first, {}) : row.first; power != 0)
        to.emplace_back(of, power);
  };
  std::vector<Factor> out;
  keep(powers, out);
  Polynomial exponent;
  keep(exponents, exponent);
  std::ranges::sort(exponent);
  if (!exponent.empty()) laws_ |= kExponents;
  return intern(out, intern(std::move(exponent)));
}

Algebra::Content Algebra::content(Id x) {
  if (const auto at = contents_.find(x); at != contents_.end()) return at->second;
  Content out;
  out.monomial = shared(x);
  Id rest = x;
  if (out.monomial != 0) {
    rest = scaled(x, 1, inverseOf(out.monomial));
    if (polynomials_[x].size() > 1) laws_ |= kDistributes;
  }
  out.number = polynomials_[rest].empty() ? 0 : polynomials_[rest].front().second;
  out.rest = out.number == 0 || out.number == 1 ? rest : scaled(rest, 1 / out.number);
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
  return intern(Polynomial{{intern({}, intern(std::move(rest))), coarse(number)}});
}

Algebra::Id Algebra::inverse(Id x) {
  if (isConstant(x)) return constant(1 / numberOf(x));
  const Content c = content(x);
  const Id one = constant(1);
  const Id rest = c.rest == one ? one : atom(AtomKind::Sum, 0, {c.rest}, -1);
  return scaled(rest, 1 / c.number, inverseOf(c.monomial));
}

i64 Algebra::cancels(Id monomial, Id x) {
  for (std::size_t k = 0; k < factorsOf(monomial).size(); ++k) {
    const auto [a, power] = factorsOf(monomial)[k];  // a copy: content() moves the factors
    if (atoms_[a].kind != AtomKind::Sum || power > 0) continue;
    const Polynomial &inner = polynomials_[atoms_[a].parts[0]], &mine = polynomials_[x];
    if (inner.size() != mine.size()) continue;
    // If the sum consists of exponentials only, all summands of a multiple have the same atoms: a cheap test to rule it
    // out.
    const bool plain = std::ranges::all_of(inner, [&](const auto& t) { return factorsOf(t.first).empty(); });
    if (plain && mine.size() > 1 && !std::ranges::equal(factorsOf(mine[0].first), factorsOf(mine[1].first))) continue;
    const Id wanted = atoms_[a].parts[0];
    if (content(x).rest == wanted) return a;
  }
  return -1;
}

Algebra::Id Algebra::product(Id x, Id y) {
  if (isConstant(y)) std::swap(x, y);
  if (isConstant(x)) {
    const double number = numberOf(x);
    if (std::isinf(number)) return isConstant(y) ? constant(number * numberOf(y)) : opaque();
    if (number == 0) return isConstant(y) && std::isinf(numberOf(y)) ? opaque() : 0;
    return scaled(y, number);
  }
  if (polynomials_[x].size() > polynomials_[y].size()) std::swap(x, y);
  if (polynomials_[x].size() == 1) {
    const auto [monomial, number] = polynomials_[x][0];
    if (const i64 a = cancels(monomial, y); a >= 0) {
      const Content c = content(y);
      const Id whole = times(intern({{static_cast<Id>(a), 1}}, 0), c.monomial);
      Sum sum{{times(monomial, whole), number * c.number}};
      return summed(sum);
    }
    if (polynomials_[y].size() > 1) laws_ |= kDistributes;
    return scaled(y, number, monomial);
  }
  const Content a = content(x), b = content(y);  // the product of two sums is not expanded
  const Id rest = product(atom(AtomKind::Sum, 0, {a.rest}), atom(AtomKind::Sum, 0, {b.rest}));
  return scaled(rest, a.number * b.number, times(a.monomial, b.monomial));
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
    const std::span<const Factor> factors = lone ? factorsOf(p[0].first) : std::span<const Factor>{};
    const AtomRow* row = nullptr;
    if (factors.size() == 1 && factors[0].second == 1 && monomials_[p[0].first].exponent == 0)
      row = &atoms_[factors[0].first];
    if (row == nullptr || row->kind != AtomKind::Set || row->operation != operation) {
      take(x);
      continue;
    }
    for (const Id part : std::vector<Id>(row->parts)) take(part);
  }
  if (parts.empty() || (some && number == (most ? kInf : -kInf))) return constant(number);
  if (some && std::isfinite(number)) parts.push_back(constant(number));
  std::ranges::sort(parts);
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
  if (name == "id" || name.starts_with("near ")) return x;
  if (name == "relu") {
    laws_ |= kRelu;
    return set(true, {x, 0});
  }
  if (name == "sigmoid") {
    laws_ |= kSigmoid;
    return inverse(plus(constant(1), exp(plus(0, x, -1)), 1));
  }
  const int operation = terms_.operation(name == "rsqrt" ? "sqrt" : name);
  if (isConstant(x) && Numbers::operation(name) >= 0)
    return constant(Numbers::unary(Numbers::operation(name), numberOf(x)));
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
    case Terms::Kind::Sum:
      return of(sum);
  }
  return opaque();
}

Algebra::Id Algebra::of(const Terms::Sum& sum) {
  Sum out;
  if (sum.constant != 0) add(out, constant(1), sum.constant);
  for (const auto& [x, times] : sum.terms) add(out, of(x), static_cast<double>(times));
  for (const auto& [p, times] : sum.products) {
    const Id x = of(p.first), y = of(p.second);
    add(out, product(x, y), static_cast<double>(times));
  }
  return summed(out);
}

// ---- parts of a normal form

Algebra::Id Algebra::exp(const std::vector<std::pair<Terms::Value, double>>& exponents) {
  Id sum = 0;
  for (const auto& [v, times] : exponents) sum = plus(sum, atom(AtomKind::Input, 0, {v}), times);
  return exp(sum);
}

Algebra::Scaled Algebra::scaled(Id x, const std::unordered_set<Terms::Value>& closed) {
  Scaled out{{}, constant(1), x};
  if (x == 0) return out;
  const Polynomial in = polynomials_[monomials_[shared(x)].exponent];
  for (const auto& [m, times] : in) {
    const std::span<const Factor> factors = factorsOf(m);
    if (factors.size() != 1 || factors[0].second != 1 || monomials_[m].exponent != 0) continue;
    const AtomRow& row = atoms_[factors[0].first];
    if (row.kind == AtomKind::Input && row.operation == 0 && closed.contains(row.parts[0]))
      out.exponents.emplace_back(row.parts[0], times);
  }
  std::ranges::sort(out.exponents);
  if (out.exponents.empty()) return out;
  out.scale = exp(out.exponents);
  out.rest = scaled(x, 1, inverseOf(polynomials_[out.scale].front().first));
  return out;
}

bool Algebra::mentions(Id x, const std::unordered_set<Terms::Value>& closed) const {
  std::vector<Id> open{x};
  std::unordered_set<Id> seen;
  while (!open.empty()) {
    const Id p = open.back();
    open.pop_back();
    if (!seen.insert(p).second) continue;
    spend(1 + static_cast<i64>(polynomials_[p].size()));
    for (const auto& [m, times] : polynomials_[p]) {
      open.push_back(monomials_[m].exponent);
      for (const auto& [a, power] : factorsOf(m)) {
        const AtomRow& row = atoms_[a];
        if (row.kind == AtomKind::Input && row.operation == 0 && closed.contains(row.parts[0])) return true;
        if (row.kind != AtomKind::Input) open.insert(open.end(), row.parts.begin(), row.parts.end());
      }
    }
  }
  return false;
}

Algebra::Id Algebra::of(Terms::Value v) {
  if (const auto at = known_.find(v); at != known_.end()) return at->second;
  operandsFirst(
      terms_, v, [&](Terms::Value x) { return known_.count(x) != 0; },
      [&](Terms::Value x, const Terms::Sum& sum) {
        const Id made = compute(x, sum);
        known_.emplace(x, made);
      });
  return known_.at(v);
}

}  // namespace tessera::graphene
