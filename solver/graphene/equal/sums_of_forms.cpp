// Sums, maxima and minima of forms: forms.h lists the steps.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/work.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "solver/graphene/equal/forms.h"

namespace tessera::graphene {
namespace {

constexpr int kMostDivisors = 4;
constexpr std::size_t kMostAdjoined = 16;  // summands that are searched for two sums that are one

bool has(const std::vector<int>& list, int x) { return std::ranges::find(list, x) != list.end(); }
bool mentionsDigit(const Expr& e, const std::vector<int>& digits) {
  return anyLeaf(e, [&](const Expr& leaf) { return leaf.op() == Op::Digit && has(digits, leaf.index()); });
}

}  // namespace

Forms::Id Forms::reduce(const std::string& operation, const std::vector<int>& over, Id body) {
  if (++depth_ > kMostDepth) fail("its sums are nested too deeply");
  if (operation != "+" && operation != "max" && operation != "min") fail(operation + " over an index has no form");
  const Id out = !fault_.empty() ? 0 : operation == "+" ? sum(over, body) : extreme(operation, over, body);
  --depth_;
  return out;
}

// The sum of each monomial. Requires: the extents of `over` mention none of them.
Forms::Id Forms::sum(const std::vector<int>& over, Id body) {
  if (const std::optional<Id> parts = parted("+", over, body)) return *parts;
  const std::vector<std::pair<Id, double>> summands(algebra_.summands(body).begin(), algebra_.summands(body).end());
  Id out = 0;
  for (const auto& [monomial, number] : summands)
    out = algebra_.plus(out, sumOfFactors(over, parts_.factors(monomial)), number);
  return adjoined(out);
}

Forms::Id Forms::sumOfFactors(std::vector<int> over, std::vector<Id> factors) {
  spend(16);
  Id outside = number(1), inside = number(1);
  std::vector<Id> within;
  for (const Id f : factors) {
    if (mentions(f, over))
      within.push_back(f);
    else
      outside = algebra_.product(outside, f);
  }
  // Indices that do not occur: the sum is so many times as large.
  std::vector<int> used;
  for (const int d : over) {
    const bool occurs = std::ranges::any_of(within, [&](Id f) { return mentions(f, {d}); });
    if (!occurs && ranges_.atLeast(ranges_.extent(d), 0))
      outside = algebra_.product(outside, index(ranges_.extent(d)));
    else
      used.push_back(d);
  }
  if (used.empty()) return outside;
  // A sum that is a factor: its indices join.
  for (std::size_t k = 0; k < within.size(); ++k) {
    const std::optional<Leaf> leaf = lone(within[k], "+");
    if (!leaf || used.size() + leaf->at.size() > kMostIndices || !opens(*leaf, used)) continue;
    Id whole = open(*leaf, used);
    for (std::size_t other = 0; other < within.size(); ++other)
      if (other != k) whole = algebra_.product(whole, within[other]);
    return algebra_.product(outside, reduce("+", used, whole));
  }
  // Indices that no factor has together are sums of their own.
  if (used.size() > 1) {
    std::vector<int> group{used[0]};
    for (std::size_t k = 0; k < group.size(); ++k)
      for (const Id f : within)
        for (const int d : used)
          if (!has(group, d) && mentions(f, {group[k]}) && mentions(f, {d})) group.push_back(d);
    if (group.size() < used.size()) {
      Id one = number(1), other = number(1);
      for (const Id f : within)
        (mentions(f, group) ? one : other) = algebra_.product(mentions(f, group) ? one : other, f);
      std::erase_if(used, [&](int d) { return has(group, d); });
      const Id sums = algebra_.product(reduce("+", group, one), reduce("+", used, other));
      return algebra_.product(outside, sums);
    }
  }
  if (used.size() == 1 && within.size() == 1)
    if (const std::optional<Id> power = sumOfPowers(used[0], within[0])) return algebra_.product(outside, *power);
  for (const Id f : within) inside = algebra_.product(inside, f);
  return algebra_.product(outside, whole("+", used, inside));
}

// sum(k < n) k = n*(n - 1)/2, sum(k < n) k*k = n*(n - 1)*(2*n - 1)/6.
std::optional<Forms::Id> Forms::sumOfPowers(int d, Id factor) {
  const Id k = index(Expr::digit(d)), square = algebra_.product(k, k);
  if ((factor != k && factor != square) || !ranges_.atLeast(ranges_.extent(d), 0)) return std::nullopt;
  const Id n = index(ranges_.extent(d)), less = algebra_.plus(n, number(1), -1), both = algebra_.product(n, less);
  if (factor == k) return algebra_.product(both, number(0.5));
  return algebra_.product(algebra_.product(both, algebra_.plus(n, less, 1)), number(1.0 / 6));
}

// sum(k < a) f[k] + sum(k < b) f[k + a] = sum(k < a + b) f, and the same of maxima.
std::optional<Forms::Id> Forms::adjoined(const Leaf& one, const Leaf& other) {
  if (one.at.size() != 1 || other.at.size() != 1) return std::nullopt;
  const Expr a = one.at[0], b = other.at[0];
  if (!ranges_.atLeast(a, 0) || !ranges_.atLeast(b, 0)) return std::nullopt;
  const int k = ranges_.fresh(b), whole = ranges_.fresh(a + b);
  const Id shifted = renamed(one.parts[0], {{one.first, Expr::digit(k) + a}});
  if (shifted != renamed(other.parts[0], {{other.first, Expr::digit(k)}})) return std::nullopt;
  return reduce(one.name, {whole}, renamed(one.parts[0], {{one.first, Expr::digit(whole)}}));
}

// Of summands.
Forms::Id Forms::adjoined(Id x) {
  const std::vector<std::pair<Id, double>> summands(algebra_.summands(x).begin(), algebra_.summands(x).end());
  if (summands.size() < 2 || summands.size() > kMostAdjoined) return x;
  struct Sum {
    Id rest = 0;  // other factors
    Leaf leaf = {};
    std::size_t summand = 0;
  };
  std::vector<Sum> sums;
  std::vector<Id> whole;  // by summand
  for (const std::pair<Id, double>& summand : summands) {
    const std::vector<Id> factors = parts_.factors(summand.first);
    const auto without = [&](std::size_t skipped) {
      Id out = number(summand.second);
      for (std::size_t k = 0; k < factors.size(); ++k)
        if (k != skipped) out = algebra_.product(out, factors[k]);
      return out;
    };
    for (std::size_t k = 0; k < factors.size(); ++k)
      if (const std::optional<Leaf> leaf = lone(factors[k], "+"))
        if (leaf->at.size() == 1) sums.push_back({without(k), *leaf, whole.size()});
    whole.push_back(without(SIZE_MAX));
  }
  for (const Sum& one : sums)
    for (const Sum& other : sums) {
      if (one.summand == other.summand || one.rest != other.rest) continue;
      const std::optional<Id> both = adjoined(one.leaf, other.leaf);
      if (!both) continue;
      Id out = algebra_.product(one.rest, *both);
      for (std::size_t k = 0; k < whole.size(); ++k)
        if (k != one.summand && k != other.summand) out = algebra_.plus(out, whole[k], 1);
      return adjoined(out);
    }
  return x;
}

// sum(k < n) [k < b] f + [k >= b] g = sum(k < b) f + sum(k < n - b) g[k + b], where a condition compares k with
// 0 <= b <= n.
std::optional<Forms::Id> Forms::parted(const std::string& operation, const std::vector<int>& over, Id body) {
  for (const int d : over) {
    const std::optional<Expr> end = boundary(d, over, body);
    if (!end) continue;
    std::vector<Id> parts;
    for (const bool second : {false, true}) {
      std::vector<int> indices = over;
      const int k = ranges_.fresh(second ? ranges_.extent(d) - *end : *end);
      std::replace(indices.begin(), indices.end(), d, k);
      const Id part = renamed(body, {{d, second ? Expr::digit(k) + *end : Expr::digit(k)}});
      parts.push_back(reduce(operation, indices, part));
    }
    return binary(operation, parts[0], parts[1]);
  }
  return std::nullopt;
}

// Where the value of a condition changes for the index: b, of k < b or k >= b. It must be known on both sides.
std::optional<Expr> Forms::boundary(int d, const std::vector<int>& over, Id body) {
  std::vector<Comparison> found;
  for (const Terms::Value v : parts_.inputs(body)) collectConditions(leafOf(v), leafOf(v).free, d, found);
  for (const Comparison& c : found) {
    const Expr at0 = ranges_.simple(IndexRanges::replaced(c.left, d, Expr::constant(0)));
    const Expr slope = ranges_.simple(c.left - at0 - Expr::digit(d));
    const bool up = slope.isConstant(0), down = ranges_.simple(slope + Expr::digit(d) * 2).isConstant(0);
    if (c.op != ">=" || (!up && !down) || mentionsDigit(at0, over)) continue;
    const Expr b = ranges_.simple(up ? at0 * -1 : at0 + 1);  // k >= -at0, or k < at0 + 1
    if (!ranges_.atLeast(b, 0) || !ranges_.atLeast(ranges_.extent(d) - b, 0)) continue;
    const int low = ranges_.fresh(b), high = ranges_.fresh(ranges_.extent(d) - b);
    const Range below = ranges_.range(ranges_.simple(IndexRanges::replaced(c.left, d, Expr::digit(low))));
    const Range above = ranges_.range(ranges_.simple(IndexRanges::replaced(c.left, d, Expr::digit(high) + b)));
    if (up ? below.hi < 0 && above.lo >= 0 : below.lo >= 0 && above.hi < 0) return b;
  }
  return std::nullopt;
}

// The conditions of a leaf, and of those inside, that mention the digit and otherwise only free ones.
void Forms::collectConditions(const Leaf& leaf, const std::vector<int>& free, int d,
                              std::vector<Comparison>& out) const {
  if (!has(leaf.free, d)) return;
  for (const Comparison& c : leaf.condition) {
    const std::vector<int> digits = leavesIn(c.left, Op::Digit);
    if (has(digits, d) && std::ranges::all_of(digits, [&](int k) { return has(free, k); })) out.push_back(c);
  }
  for (const Id part : leaf.parts)
    for (const Terms::Value v : parts_.inputs(part)) collectConditions(leafOf(v), free, d, out);
}

// Whether its indices can join others: their extents do not depend on them.
bool Forms::opens(const Leaf& leaf, const std::vector<int>& over) const {
  return std::ranges::none_of(leaf.at, [&](const Expr& e) { return mentionsDigit(e, over); });
}

// Its body, at fresh indices, which are added to `over`.
Forms::Id Forms::open(const Leaf& leaf, std::vector<int>& over) {
  Renaming names;
  for (std::size_t k = 0; k < leaf.at.size(); ++k) {
    over.push_back(ranges_.fresh(leaf.at[k]));
    names[leaf.first + static_cast<int>(k)] = Expr::digit(over.back());
  }
  return renamed(leaf.parts[0], names);
}

// What does not mention the indices is added to the maximum of the rest; a number is a factor of it.
Forms::Id Forms::extreme(const std::string& operation, std::vector<int> over, Id body) {
  const std::vector<std::pair<Id, double>> summands(algebra_.summands(body).begin(), algebra_.summands(body).end());
  Id outside = 0, inside = 0;
  double least = HUGE_VAL, most = 0;
  for (const auto& [monomial, number] : summands) {
    Id one = this->number(number);
    for (const Id f : parts_.factors(monomial)) one = algebra_.product(one, f);
    if (mentions(one, over)) {
      inside = algebra_.plus(inside, one, 1);
      least = std::min(least, std::fabs(number));
      most = number;
    } else {
      outside = algebra_.plus(outside, one, 1);
    }
  }
  // The maximum of no value is -inf: an index that does not occur counts, unless it has a value.
  std::erase_if(over, [&](int d) { return !mentions(inside, {d}) && ranges_.atLeast(ranges_.extent(d), 1); });
  if (over.empty()) return body;
  if (inside == 0)
    return algebra_.isConstant(body) && std::isinf(algebra_.numberOf(body)) ? body : whole(operation, over, body);
  if (const std::optional<Id> parts = parted(operation, over, inside)) return algebra_.plus(outside, *parts, 1);
  std::string op = operation;
  double factor = least;
  if (algebra_.summands(inside).size() == 1 && most < 0) {  // max -x = -min x
    factor = most;
    op = operation == "max" ? "min" : "max";
  }
  Id rest = factor == 1 ? inside : algebra_.product(inside, number(1 / factor));
  for (std::optional<Leaf> leaf = lone(rest, op); leaf && opens(*leaf, over); leaf = lone(rest, op))
    rest = open(*leaf, over);
  return algebra_.plus(outside, whole(op, over, rest), factor);
}

// The leaf.
Forms::Id Forms::whole(const std::string& operation, std::vector<int> over, Id body) {
  if (divide(over, body) || join(over, body)) return reduce(operation, over, body);
  if (!fault_.empty()) return 0;
  // Names that no index around has.
  int first = kNamed;
  const auto avoid = [&](int d) {
    if (d >= first && d < kFresh) first = d + 1;
  };
  for (const Terms::Value v : parts_.inputs(body))
    for (const int d : leafOf(v).free) avoid(d);
  for (const int d : over)
    for (const int k : leavesIn(ranges_.extent(d), Op::Digit)) avoid(k);
  if (first + static_cast<int>(over.size()) > kFresh) fail("its sums are nested too deeply");
  std::vector<std::size_t> order(over.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto structure = [&](std::size_t a, std::size_t b) {
    return compareStructure(ranges_.extent(over[a]), ranges_.extent(over[b]));
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return structure(a, b) < 0; });
  // A sum around that does not occur in this one may have the same names, and other extents for them.
  std::map<int, Expr> around;
  for (int d = first; d < first + static_cast<int>(over.size()); ++d)
    if (const Expr* extent = ranges_.find(d)) around.emplace(d, *extent);
  std::optional<Leaf> best;
  std::vector<std::size_t> by(over.size());  // a permutation of the places
  std::iota(by.begin(), by.end(), std::size_t{0});
  do {
    bool sorted = true;
    for (std::size_t k = 0; k + 1 < by.size(); ++k) sorted = sorted && structure(order[by[k]], order[by[k + 1]]) <= 0;
    if (!sorted) continue;
    Leaf one{Leaf::Kind::Reduce, operation, {}, {}, {}, first, {}};
    Renaming names;
    for (std::size_t k = 0; k < by.size(); ++k) {
      const int d = over[order[by[k]]];
      one.at.push_back(ranges_.extent(d));
      ranges_.bound(first + static_cast<int>(k), ranges_.extent(d));
      names[d] = Expr::digit(first + static_cast<int>(k));
    }
    one.parts.push_back(renamed(body, names));
    if (!best || one.parts < best->parts) best = std::move(one);
  } while (over.size() <= kMostIndices && std::next_permutation(by.begin(), by.end()) && fault_.empty());
  for (std::size_t k = 0; k < over.size(); ++k) ranges_.unbound(first + static_cast<int>(k));
  for (const auto& [d, extent] : around) ranges_.bound(d, extent);
  return fault_.empty() ? leaf(std::move(*best)) : 0;
}

// Two indices that occur only as c*a + b, with b < c, become one: body(a, b) == body(0, c*a + b).
bool Forms::join(std::vector<int>& over, Id& body) {
  for (std::size_t i = 0; i < over.size(); ++i) {
    for (std::size_t j = 0; j < over.size(); ++j) {
      const int a = over[i], b = over[j];
      const Expr width = ranges_.extent(b), length = ranges_.extent(a);
      if (i == j || !ranges_.atLeast(width, 0) || !ranges_.atLeast(length, 0)) continue;
      const int k = ranges_.fresh(length * width);
      const Id joined = renamed(body, {{a, Expr::constant(0)}, {b, Expr::digit(k)}});
      if (renamed(joined, {{k, Expr::digit(a) * width + Expr::digit(b)}}) != body || !fault_.empty()) continue;
      std::erase_if(over, [&](int d) { return d == a || d == b; });
      over.push_back(k);
      body = joined;
      return true;
    }
  }
  return false;
}

// An index of extent n*c that occurs as k / c and k % c becomes two, if that has fewer divisions.
bool Forms::divide(std::vector<int>& over, Id& body) {
  if (over.size() >= kMostIndices) return false;
  for (const int d : over) {
    Exprs divisors;
    const i64 before = divisions(body, {d}, &divisors);
    for (const Expr& c : divisors) {
      const Expr length = ranges_.simple(floorDiv(ranges_.extent(d), c));
      if (!ranges_.simple(length * c - ranges_.extent(d)).isConstant(0) || !ranges_.atLeast(c, 1) ||
          !ranges_.atLeast(length, 0))
        continue;
      const int a = ranges_.fresh(length), b = ranges_.fresh(c);
      const Id divided = renamed(body, {{d, Expr::digit(a) * c + Expr::digit(b)}});
      if (divisions(divided, {a, b}, nullptr) >= before || !fault_.empty()) continue;
      std::erase(over, d);
      over.insert(over.end(), {a, b});
      body = divided;
      return true;
    }
  }
  return false;
}

// The number of divisions in expressions that mention one of the digits, and their divisors.
i64 Forms::divisions(Id x, const std::vector<int>& digits, Exprs* divisors) const {
  i64 out = 0;
  const auto count = [&](const Expr& e) {
    childrenFirst(e, [&](const Expr& node) {
      if ((node.op() != Op::FloorDiv && node.op() != Op::Mod) || !mentionsDigit(node.lhs(), digits)) return;
      ++out;
      if (divisors != nullptr && divisors->size() < kMostDivisors && leavesIn(node.rhs(), Op::Digit).empty() &&
          std::ranges::find(*divisors, node.rhs()) == divisors->end())
        divisors->push_back(node.rhs());
    });
  };
  for (const Terms::Value v : parts_.inputs(x)) {
    const Leaf& one = leafOf(v);
    if (std::ranges::none_of(one.free, [&](int d) { return has(digits, d); })) continue;
    for (const Expr& e : one.at) count(e);
    for (const Comparison& c : one.condition) count(c.left);
    for (const Id part : one.parts) out += divisions(part, digits, divisors);
  }
  return out;
}

}  // namespace tessera::graphene
