#include "solver/prove/structure/normal.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/expr/walk.h"

namespace tessera::prover {

namespace {

constexpr int kMaxSplits = 256;
constexpr std::size_t kMaxWork = std::size_t{1}
                                 << 20;  // terms written in one attempt; a form of 10,000 terms is useless

Interval rangeOf(const std::vector<Atom>& atoms, const Form& form) {
  spend(static_cast<i64>(form.terms.size()) + 1);
  Interval total{0, 0};
  for (const auto& [monomial, coefficient] : form.terms) {
    Interval r{1, 1};
    for (int a : monomial) r = r * atoms[a].range;
    total = total + r * Interval{coefficient, coefficient};
  }
  return total;
}

// min(a, 0) is 0 or a, so the form is one of two forms without it; with a positive coefficient it is at most both.
constexpr int kMaxChoices = 3;
Interval tightRangeOf(const std::vector<Atom>& atoms, Form form, int choices = kMaxChoices);
std::optional<Interval> rangeByChoice(const std::vector<Atom>& atoms, const Form& form, int choices) {
  for (const auto& [monomial, coefficient] : form.terms) {
    if (monomial.size() != 1) continue;
    const Atom& least = atoms[monomial.front()];
    if (least.kind != AtomKind::Negative) continue;
    Form without = form;
    without.terms.erase(monomial);
    const auto a = scaled(least.a, coefficient);
    const auto with = a ? sum(without, *a) : std::nullopt;
    if (!with) return std::nullopt;
    const Interval r = tightRangeOf(atoms, without, choices - 1), s = tightRangeOf(atoms, *with, choices - 1);
    if (coefficient > 0) return Interval{std::min(r.lo, s.lo), std::min(r.hi, s.hi)};
    return Interval{std::max(r.lo, s.lo), std::max(r.hi, s.hi)};
  }
  return std::nullopt;
}

// Naive interval arithmetic loses a - c * floor(a/c) in [0, c); this restores it for each quotient in the form.
Interval tightRangeOf(const std::vector<Atom>& atoms, Form form, int choices) {
  Interval best = rangeOf(atoms, form);
  if (const auto chosen = choices > 0 ? rangeByChoice(atoms, form, choices) : std::nullopt)
    best = {std::max(best.lo, chosen->lo), std::min(best.hi, chosen->hi)};
  Interval kept{0, 0};
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& [monomial, coefficient] : form.terms) {
      if (monomial.size() != 1) continue;
      const Atom& q = atoms[monomial.front()];
      if (q.kind != AtomKind::Quotient || !q.b.isConstant() || coefficient % q.b.constantTerm() != 0) continue;
      // coefficient * q = -m*c*q with m = -coefficient/c; form = form - m*(a - c*q) + m * [0, c-1].
      const i64 m = -(coefficient / q.b.constantTerm());
      const auto minusA = scaled(q.a, -m);
      if (!minusA) continue;
      Form rest = form;
      rest.terms.erase(monomial);
      const auto next = sum(rest, *minusA);
      if (!next) continue;
      kept = kept + Interval{m, m} * Interval{0, q.b.constantTerm() - 1};
      form = *next;
      const Interval r = rangeOf(atoms, form) + kept;
      best = {std::max(best.lo, r.lo), std::min(best.hi, r.hi)};
      changed = true;
      break;
    }
  }
  return best;
}

std::size_t hashOf(const Atom& atom) {
  std::size_t h = static_cast<std::size_t>(atom.kind);
  const auto mix = [&h](std::size_t v) { h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2); };
  for (const Form* form : {&atom.a, &atom.b}) {
    spend(static_cast<i64>(form->terms.size()) + 1);
    for (const auto& [monomial, coefficient] : form->terms) {
      for (const int a : monomial) mix(static_cast<std::size_t>(a));
      mix(static_cast<std::size_t>(coefficient));
    }
    mix(form->terms.size());
  }
  return h;
}

i128 powerAbove(i128 v) {
  i128 p = 1;
  while (p <= v) p *= 2;
  return p;
}

}  // namespace

// One attempt with the splits known so far; a division that needs another split requests it and the attempt restarts.
struct Normal::Builder {
  std::span<const Digit> digits;
  std::span<const Param> params;
  const std::vector<std::vector<i64>>& weights;  // by digit: ascending place values, from 1
  Normal out{};
  std::unordered_map<const void*, Form> memo{};
  std::unordered_multimap<std::size_t, int> made{};  // hash of an atom -> its number
  bool failed = false;
  std::size_t work = 0;
  std::optional<std::pair<int, i64>> wanted{};  // digit, new place value

  [[nodiscard]] bool stop() const { return failed || wanted.has_value(); }

  Form take(std::optional<Form> f) {
    if (f) work += f->terms.size() + 1;
    if (f && work <= kMaxWork) return *std::move(f);
    failed = true;
    return {};
  }
  int newAtom(Atom atom) {
    const bool fresh = atom.kind == AtomKind::Part || atom.kind == AtomKind::Param;  // created once each
    if (!fresh) {
      const std::size_t hash = hashOf(atom);
      const auto [first, last] = made.equal_range(hash);
      for (auto it = first; it != last; ++it) {
        const Atom& o = out.atoms_[it->second];
        if (o.kind == atom.kind && o.a == atom.a && o.b == atom.b) return it->second;
      }
      made.emplace(hash, static_cast<int>(out.atoms_.size()));
    }
    out.atoms_.push_back(std::move(atom));
    return static_cast<int>(out.atoms_.size()) - 1;
  }
  [[nodiscard]] Interval range(const Form& f) const { return tightRangeOf(out.atoms_, f); }

  void addParts() {
    for (std::size_t d = 0; d < digits.size(); ++d) {
      const std::vector<i64>& w = weights[d];
      Form whole;
      for (std::size_t k = 0; k < w.size(); ++k) {
        const bool top = k + 1 == w.size();
        const i64 extent = top ? ceilDiv(digits[d].extent, w[k]) : w[k + 1] / w[k];
        if (extent == 1) continue;
        whole.terms[{newAtom({.range = {0, extent - 1}, .source = static_cast<int>(d), .weight = w[k], .top = top})}] =
            w[k];
      }
      out.digitForms_.push_back(whole);
      if (digits[d].extent % w.back() != 0) out.uneven_.push_back({whole, digits[d].extent - 1});
    }
    for (std::size_t p = 0; p < params.size(); ++p)
      paramForms.push_back(Form::atom(
          newAtom({.kind = AtomKind::Param, .range = {params[p].lo, params[p].hi}, .source = static_cast<int>(p)})));
  }
  std::vector<Form> paramForms{};

  // a - b
  Form difference(const Form& a, const Form& b) {
    const Form minus = take(scaled(b, -1));
    return stop() ? Form{} : take(sum(a, minus));
  }
  // part can be cut at `at`: the place value weight*at divides the next one, or there is no next one.
  [[nodiscard]] bool canSplit(const Atom& part, i64 at) const {
    const i128 extent = part.range.hi + 1;
    return part.kind == AtomKind::Part && at > 1 && at < extent && (part.top || extent % at == 0);
  }

  Form floorOfConstant(const Form& a, i64 c);
  Form quotientAtom(const Form& a, const Form& b);
  Form xorOf(const Form& a, const Form& b);
  Form negativeOf(const Form& a);
  Form extremumOf(const Form& a, const Form& b, bool least);
  Form floorOf(const Form& a, const Form& b);
  Form modOf(const Form& a, const Form& b);
  std::vector<Expr> operandsOf(const Expr& e);
  Form sumOf(const Expr& e);
  Form of(const Expr& root);
  Form compute(const Expr& e);
};

Form Normal::Builder::quotientAtom(const Form& a, const Form& b) {
  const Interval ra = range(a), rb = range(b);
  const auto [lo, hi] = std::minmax(
      {floorDivWide(ra.lo, rb.lo), floorDivWide(ra.lo, rb.hi), floorDivWide(ra.hi, rb.lo), floorDivWide(ra.hi, rb.hi)});
  return Form::atom(newAtom({.kind = AtomKind::Quotient, .range = {lo, hi}, .a = a, .b = b}));
}

// floor(a / c), c > 0: takes out multiples of c, cancels a common factor, requests a split, or keeps an atom.
Form Normal::Builder::floorOfConstant(const Form& a, i64 c) {
  if (c == 1) return a;
  Form whole, rest;
  for (const bool centred : {true, false}) {  // the floor residues come last: they are the canonical ones
    whole = rest = Form{};
    for (const auto& [monomial, coefficient] : a.terms) {
      i64 r = floorMod(coefficient, c);
      if (centred && r > c / 2) r -= c;
      if (r != 0) rest.terms[monomial] = r;
      const i64 q = (coefficient - r) / c;
      if (q != 0) whole.terms[monomial] = q;
    }
    const Interval r = range(rest);
    const i128 k = floorDivWide(r.lo, c);
    if (floorDivWide(r.hi, c) == k) return take(sum(whole, Form::constant(static_cast<i64>(k))));
  }
  // rest = g*inner + small with small in [k*g, (k+1)*g): floor(rest / c) = floor((inner + k) / (c / g)).
  std::vector<i64> factors;
  for (const auto& [monomial, coefficient] : rest.terms)
    if (!monomial.empty()) factors.push_back(std::gcd(coefficient, c));
  std::sort(factors.rbegin(), factors.rend());
  for (i64 g : factors) {
    if (g == 1) break;
    Form inner, small;
    for (const auto& [monomial, coefficient] : rest.terms) {
      if (coefficient % g == 0 && !monomial.empty()) {
        inner.terms[monomial] = coefficient / g;
      } else {
        const i64 r = monomial.empty() ? floorMod(coefficient, g) : coefficient;
        if (r != 0) small.terms[monomial] = r;
        if (coefficient != r) inner.terms[monomial] = (coefficient - r) / g;
      }
    }
    const Interval r = range(small);
    const i128 k = floorDivWide(r.lo, g);
    if (floorDivWide(r.hi, g) != k) continue;
    const Form shifted = take(sum(inner, Form::constant(static_cast<i64>(k))));
    return stop() ? Form{} : take(sum(whole, floorOfConstant(shifted, c / g)));
  }
  for (const auto& [monomial, coefficient] : rest.terms) {
    if (monomial.size() != 1 || c % coefficient != 0) continue;
    const Atom& part = out.atoms_[monomial.front()];
    if (!canSplit(part, c / coefficient)) continue;
    wanted = {part.source, part.weight * (c / coefficient)};
    return {};
  }
  return take(sum(whole, quotientAtom(rest, Form::constant(c))));
}

Form Normal::Builder::floorOf(const Form& a, const Form& b) {
  const Interval rb = range(b);
  if (rb.hi < 0) {
    const Form minusA = take(scaled(a, -1)), minusB = take(scaled(b, -1));
    return stop() ? Form{} : floorOf(minusA, minusB);
  }
  if (rb.lo <= 0) {
    failed = true;
    return {};
  }
  if (b.isConstant()) return floorOfConstant(a, b.constantTerm());
  return quotientAtom(a, b);
}

// a mod b is in [0, |b|): a - |b| * floor(a / |b|).
Form Normal::Builder::modOf(const Form& a, const Form& b) {
  Form size = b;
  if (range(b).hi < 0) size = take(scaled(b, -1));
  const Form q = stop() ? Form{} : floorOf(a, size);
  if (stop()) return {};
  return difference(a, take(product(q, size)));
}

Form Normal::Builder::xorOf(const Form& a, const Form& b) {
  if (a.isConstant() && b.isConstant()) return Form::constant(a.constantTerm() ^ b.constantTerm());
  if (a == b) return {};
  // No common bit: one of them is a multiple of 2^k and the other in [0, 2^k).
  for (const auto& [high, low] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const Interval r = range(*low);
    if (r.lo < 0 || r.hi >= (i128{1} << 62)) continue;
    const i64 unit = static_cast<i64>(powerAbove(r.hi));
    if (std::ranges::all_of(high->terms, [&](const auto& t) { return t.second % unit == 0; })) return take(sum(a, b));
  }
  const Interval ra = range(a), rb = range(b);
  const i128 bound = powerAbove(std::max({ra.hi, rb.hi, -ra.lo, -rb.lo}));
  const Interval both{ra.lo >= 0 && rb.lo >= 0 ? 0 : -bound, bound - 1};
  return Form::atom(newAtom({.kind = AtomKind::Xor, .range = both, .a = std::min(a, b), .b = std::max(a, b)}));
}

// min(a, 0): takes out the common factor; min(-a, 0) is min(a, 0) - a.
Form Normal::Builder::negativeOf(const Form& a) {
  const Interval r = range(a);
  if (r.lo >= 0) return {};
  if (r.hi <= 0) return a;
  i64 g = 0;
  for (const auto& [monomial, coefficient] : a.terms) g = std::gcd(g, coefficient);
  const auto leading = std::ranges::find_if(a.terms, [](const auto& t) { return !t.first.empty(); });
  const bool turned = leading->second < 0;
  Atom least;
  least.kind = AtomKind::Negative;
  for (const auto& [monomial, coefficient] : a.terms) least.a.terms[monomial] = coefficient / (turned ? -g : g);
  const Interval inner = range(least.a);
  least.range = {std::min<i128>(inner.lo, 0), std::min<i128>(inner.hi, 0)};
  const Form scaledAtom = take(scaled(Form::atom(newAtom(std::move(least))), g));
  return turned && !stop() ? take(sum(a, scaledAtom)) : scaledAtom;
}

Form Normal::Builder::extremumOf(const Form& a, const Form& b, bool least) {
  const Form d = difference(a, b);
  const Form negative = stop() ? Form{} : negativeOf(d);
  if (stop()) return {};
  return least ? take(sum(b, negative)) : difference(a, negative);
}

// The operands of a node. A chain of additions is one node: ten thousand modes are one form, not ten thousand partial
// sums.
std::vector<Expr> Normal::Builder::operandsOf(const Expr& e) {
  if (isLeaf(e.op())) return {};
  if (e.op() != Op::Add) return {e.lhs(), e.rhs()};
  std::vector<Expr> operands = chainOf(e, Op::Add, kMaxWork);
  failed = failed || operands.empty();
  std::ranges::reverse(operands);  // the last one is read first
  return operands;
}

Form Normal::Builder::sumOf(const Expr& e) {
  Form total;
  for (const Expr& operand : operandsOf(e)) {
    const Form& f = memo.at(operand.id());
    work += f.terms.size() + 1;
    if (work > kMaxWork) failed = true;
    for (const auto& [monomial, coefficient] : f.terms)
      if (!accumulate(total, monomial, coefficient)) failed = true;
    if (stop()) return {};
  }
  return take(total);
}

Form Normal::Builder::compute(const Expr& e) {
  switch (e.op()) {
    case Op::Add:
      return sumOf(e);
    case Op::Constant:
      return Form::constant(e.value());
    case Op::Digit:
      return out.digitForms_[e.index()];
    case Op::Param:
      return paramForms[e.index()];
    default:
      break;
  }
  const Form &a = memo.at(e.lhs().id()), &b = memo.at(e.rhs().id());
  switch (e.op()) {
    case Op::Mul:
      return take(product(a, b));
    case Op::FloorDiv:
      return floorOf(a, b);
    case Op::Mod:
      return modOf(a, b);
    case Op::Min:
    case Op::Max:
      return extremumOf(a, b, e.op() == Op::Min);
    default:
      return xorOf(a, b);
  }
}

// Evaluates operands first, on an explicit stack: user input can nest deeper than the thread's stack allows.
Form Normal::Builder::of(const Expr& root) {
  std::vector<std::pair<Expr, bool>> open{{root, false}};
  while (!open.empty()) {
    const auto [e, ready] = std::move(open.back());
    open.pop_back();
    if (memo.count(e.id()) != 0) continue;
    if (ready || isLeaf(e.op())) {
      Form f = compute(e);
      if (stop()) return {};
      memo.emplace(e.id(), std::move(f));
      continue;
    }
    open.emplace_back(e, true);
    std::vector<Expr> operands = operandsOf(e);
    if (stop()) return {};
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) open.emplace_back(std::move(*it), false);
  }
  return memo.at(root.id());
}

std::optional<Normal> Normal::create(std::span<const Digit> digits, std::span<const Param> params,
                                     std::span<const Expr> exprs) {
  std::vector<std::vector<i64>> weights(digits.size(), std::vector<i64>{1});
  for (int attempt = 0; attempt < kMaxSplits; ++attempt) {
    Builder b{digits, params, weights};
    b.addParts();
    for (const Expr& e : exprs) {
      if (b.stop()) break;
      b.out.forms_.push_back(b.of(e));
    }
    if (b.failed) return std::nullopt;
    if (!b.wanted) return std::move(b.out);
    std::vector<i64>& w = weights[b.wanted->first];
    w.insert(std::upper_bound(w.begin(), w.end(), b.wanted->second), b.wanted->second);
  }
  return std::nullopt;
}

Interval Normal::range(const Form& form) const { return tightRangeOf(atoms_, form); }

bool Normal::isStrided(std::span<const Form> forms) const {
  return std::ranges::all_of(forms, [&](const Form& f) {
    return f.isLinear() &&
           std::ranges::all_of(f.terms, [&](const auto& t) { return t.first.empty() || isPart(t.first.front()); });
  });
}

std::vector<i64> Normal::digitsAt(std::span<const i64> atomValues) const {
  std::vector<i64> digits;
  for (const Form& f : digitForms_) {
    i64 d = 0;
    for (const auto& [monomial, weight] : f.terms) d += weight * atomValues[monomial.front()];
    digits.push_back(d);
  }
  return digits;
}

}  // namespace tessera::prover
