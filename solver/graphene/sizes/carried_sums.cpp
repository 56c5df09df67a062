#include "solver/graphene/sizes/carried_sums.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"

namespace tessera::graphene {
namespace {

constexpr std::size_t kMostShown = 4;
constexpr i64 kPairSteps = 20'000'000;

constexpr const char* kTried =
    " (tried: what is carried is exp of carried maxima times a sum over inputs of the first steps)";

}  // namespace

CarriedSums::CarriedSums(Terms& terms, const std::unordered_map<Value, Value>& next, const Opaque& opaque,
                         std::array<AgeOfInput, 2> age)
    : terms_(terms), opaque_(opaque), age_(std::move(age)), algebra_(terms), renaming_(terms) {
  for (const auto& [now, then] : next) {
    const Value a = representative(now), b = representative(then);
    apart_ = apart_ || next_.try_emplace(a, b).first->second != b;
    for (const auto& [v, same] : {std::pair(now, a), std::pair(then, b)})
      if (v != same) representatives_.emplace_back(v, same);
    if (!isMaximum(a) || !isMaximum(b)) continue;
    maxima_[0].insert(a);
    maxima_[1].insert(b);
  }
}

std::string CarriedSums::ended(Value expected, Value actual) {
  if (apart_) return "equal values that are carried do not stay equal";
  const Renaming::Pair pair{expected, actual};
  std::vector<Value> carried;
  for (std::size_t k = 0; k < shown_.size(); ++k) {
    if (!renaming_.maps(shown_[k].pair, pair) || !isRenamed(shown_[k], pair, carried)) continue;
    // The next element has more in common with this one than with one before it.
    shown_[k] = {pair, std::move(carried)};
    std::rotate(shown_.begin(), shown_.begin() + static_cast<std::ptrdiff_t>(k),
                shown_.begin() + static_cast<std::ptrdiff_t>(k + 1));
    return {};
  }
  try {
    const WorkBudget limit({.steps = kPairSteps});
    if (std::string why = direct(expected, actual, carried); !why.empty()) return why + kTried;
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
    return "the normal forms of a value and of the specified one are too large";
  }
  if (shown_.size() == kMostShown) shown_.pop_back();
  shown_.insert(shown_.begin(), {pair, std::move(carried)});
  return {};
}

// A proof of the other pair is one of this if the map of inputs keeps what the proof looks at: ages, and what is
// carried.
bool CarriedSums::isRenamed(const Shown& shown, const Renaming::Pair&, std::vector<Value>& carried) const {
  for (const auto& [from, to] : renaming_.renamed())
    for (const AgeOfInput& age : age_)
      if (age(terms_.node(from)) != age(terms_.node(to))) return false;
  carried.clear();
  for (const Value now : shown.carried) {
    const Value image = renaming_.imageOf(now), then = renaming_.imageOf(next_.at(now));
    const auto at = next_.find(image);
    if (at == next_.end() || at->second != then) return false;
    carried.push_back(image);
  }
  return true;
}

// ---- the equations

CarriedSums::Parts CarriedSums::partsOf(Value expected, const Parts* first) {
  Parts out;
  const AgeOfInput& ageOfInput = age_[first == nullptr ? 0 : 1];
  std::unordered_map<Value, Age> ages;
  const auto isSet = [&](Value v) { return terms_.node(v).kind == Terms::Kind::Set; };
  // A mixed maximum is whole where it is used.
  const auto use = [&](Value v) {
    const Age age = ages.at(v);
    if (first == nullptr ? age != Age::Mixed || !isSet(v) : !first->whole.contains(v)) return age;
    out.whole.insert(v);
    return Age::Neither;
  };
  const auto visit = [&](Value v, const Terms::Sum& sum) {
    spend(static_cast<i64>(sum.products.size() + sum.terms.size()) + 1);
    const Terms::Node& n = terms_.node(v);
    switch (n.kind) {
      case Terms::Kind::Undefined:
      case Terms::Kind::Constant:
        return Age::Neither;
      case Terms::Kind::Input:
        return ageOfInput(n);
      case Terms::Kind::Unary:
        return use(n.a);
      case Terms::Kind::Binary:
        return both(use(n.a), use(n.b));
      case Terms::Kind::Set: {
        const auto part = [&](Value p) {
          return isSet(p) && terms_.node(p).operation == n.operation ? ages.at(p) : use(p);
        };
        return both(part(n.a), part(n.b));
      }
      case Terms::Kind::Sum:
        break;
    }
    Growing growing{v, {}, {}};
    Age all = Age::Neither;
    bool mixed = false;
    growing.rest.constant = sum.constant;
    const auto take = [&](Age age, const auto& summand, auto Terms::Sum::*list) {
      mixed = mixed || age == Age::Mixed;
      all = both(all, age);
      ((age == Age::Early ? growing.early : growing.rest).*list).push_back(summand);
    };
    for (const auto& t : sum.terms) take(use(t.first), t, &Terms::Sum::terms);
    for (const auto& p : sum.products) take(both(use(p.first.first), use(p.first.second)), p, &Terms::Sum::products);
    if (first == nullptr ? all != Age::Mixed || mixed : !first->sum(v)) return all;
    out.sums.push_back(std::move(growing));
    return Age::Neither;
  };
  operandsFirst(
      terms_, expected, [&](Value x) { return ages.contains(x); },
      [&](Value x, const Terms::Sum& sum) {
        const Age age = visit(x, sum);
        ages.emplace(x, age);
      });
  const Age age = use(expected);
  out.open = age == Age::Early || age == Age::Mixed;
  return out;
}

// ---- what is carried

std::vector<Terms::Value> CarriedSums::carriedIn(Value actual) const {
  std::vector<Value> out, open{actual};
  std::unordered_set<Value> seen;
  while (!open.empty()) {
    const Value v = open.back();
    open.pop_back();
    if (!seen.insert(v).second) continue;
    spend(1);
    if (opaque_.values.contains(v)) {
      out.push_back(representative(v));
      continue;
    }
    const Terms::Node& n = terms_.node(v);
    if (n.kind != Terms::Kind::Sum || n.left() == 0) {
      eachPart(terms_, v, [&](Value part) { open.push_back(part); });
      continue;
    }
    const SumParts parts(terms_, n, opaque_);
    open.insert(open.end(), parts.values.begin(), parts.values.end());
    if (parts.over != Terms::absent()) open.push_back(parts.over);
    for (const auto& [a, b] : parts.rows)
      for (const Dots::Row row : {a, b})
        for (const Value p : terms_.dots().valuesOf(row)) open.push_back(p);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string CarriedSums::base(const std::vector<Value>& carried) {
  invariants_.clear();
  for (const Value now : carried) {
    const auto at = next_.find(now);
    if (at == next_.end()) return "a value that is carried has no next one";
    if (maxima_[0].contains(now)) continue;
    const auto first = algebra_.scaled(algebra_.of(now), maxima_[0]);
    const auto second = algebra_.scaled(algebra_.of(at->second), maxima_[1]);
    std::map<Value, double> moved;
    for (const auto& [m, times] : first.exponents) moved[next_.at(m)] += times;
    if (!std::ranges::equal(moved, second.exponents,
                            [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }))
      return "a value that is carried is not scaled alike at each step";
    // What is zero at both cuts stays zero.
    const Id name = first.rest == 0 && second.rest == 0 ? 0 : algebra_.opaque();
    invariants_.push_back({now, at->second, first.exponents, first.rest, second.rest, name});
  }
  return {};
}

// The invariants whose sum is `rest`: each of its summands is in one.
std::string CarriedSums::combined(Id rest, int cut, std::vector<std::pair<std::size_t, double>>& out) {
  std::multimap<Id, std::size_t> byFirst;
  std::unordered_set<Id> seen;
  for (std::size_t k = 0; k < invariants_.size(); ++k) {
    const Id part = cut == 0 ? invariants_[k].before : invariants_[k].after;
    if (seen.insert(part).second && !algebra_.summands(part).empty())
      byFirst.emplace(algebra_.summands(part).front().first, k);
  }
  while (!algebra_.summands(rest).empty()) {
    const auto [monomial, number] = algebra_.summands(rest).front();
    bool found = false;
    for (auto [at, end] = byFirst.equal_range(monomial); at != end && !found; ++at) {
      const Id part = cut == 0 ? invariants_[at->second].before : invariants_[at->second].after;
      const double times = number / algebra_.summands(part).front().second;
      const Id less = algebra_.plus(rest, part, -times);
      found = algebra_.summands(less).size() + algebra_.summands(part).size() == algebra_.summands(rest).size();
      if (!found) continue;
      rest = less;
      out.emplace_back(at->second, times);
    }
    if (!found) return "a sum of the equations over inputs of the first steps is not among the values that are carried";
  }
  std::ranges::sort(out);
  return {};
}

std::string CarriedSums::combinations(const Parts& parts, int cut, std::vector<Early>& out) {
  if (parts.open) return "the equations use an input of the first steps outside of a sum or maximum";
  for (const Growing& g : parts.sums) {
    const auto early = algebra_.scaled(algebra_.of(g.early), parts.whole);
    if (algebra_.mentions(early.rest, parts.whole))
      return "a sum of the equations depends on a maximum otherwise than by a factor";
    Early e{early.exponents, {}};
    if (std::string why = combined(early.rest, cut, e.of); !why.empty()) return why;
    out.push_back(std::move(e));
  }
  return {};
}

// ---- the step and the end

Algebra::Id CarriedSums::formOver(Value v) {
  std::vector<Value> open{v};
  while (!open.empty()) {
    const Value x = open.back();
    if (algebra_.knows(x)) {
      open.pop_back();
      continue;
    }
    spend(1);
    const std::size_t before = open.size();
    const auto part = [&](Value p) {
      if (!algebra_.knows(p)) open.push_back(p);
    };
    const Terms::Node n = terms_.node(x);
    if (n.kind != Terms::Kind::Sum) {
      eachPart(terms_, x, part);
      if (open.size() != before) continue;
      open.pop_back();
      static_cast<void>(algebra_.of(x));
      continue;
    }
    std::optional<SumParts> rows;
    if (n.left() != 0) rows.emplace(terms_, n, opaque_);
    if (rows) {
      for (const Value p : rows->values) part(p);
      if (rows->over != Terms::absent()) part(rows->over);
      for (const auto& [a, b] : rows->rows)
        for (const Dots::Row row : {a, b})
          for (const Value p : terms_.dots().valuesOf(row)) part(p);
    } else {
      eachPart(terms_, x, part);
    }
    if (open.size() != before) continue;
    open.pop_back();
    Terms::Sum sum;
    if (rows) {
      for (const Value p : rows->values) sum.terms.emplace_back(p, 1);
      if (rows->over != Terms::absent()) sum.terms.emplace_back(rows->over, 1);
      for (const auto& [a, b] : rows->rows) {
        const auto left = terms_.dots().valuesOf(a), right = terms_.dots().valuesOf(b);
        for (std::size_t k = 0; k < left.size(); ++k) sum.products.push_back({{left[k], right[k]}, 1});
      }
    } else {
      sum.terms.emplace_back(n.a, 1);
      if (n.b != Terms::undefined()) sum.terms.emplace_back(n.b, 1);
      for (const Terms::Product& p : terms_.productsOf(n)) sum.products.emplace_back(p, 1);
    }
    algebra_.is(x, algebra_.of(sum));
  }
  return algebra_.of(v);
}

void CarriedSums::begin(const std::unordered_set<Value>& whole) {
  algebra_.forget();
  for (const auto& values : {whole, maxima_[0], maxima_[1]})
    for (const Value v : values) algebra_.close(v);
  for (const auto& [v, same] : representatives_)
    if (algebra_.knows(same)) algebra_.is(v, algebra_.of(same));
}

std::string CarriedSums::direct(Value expected, Value actual, std::vector<Value>& carried) {
  Parts parts[2] = {partsOf(expected)};
  parts[1] = partsOf(expected, &parts[0]);
  carried = carriedIn(actual);
  begin(parts[0].whole);
  if (std::string why = base(carried); !why.empty()) return why;
  std::vector<Early> early[2];
  for (int c = 0; c < 2; ++c)
    if (std::string why = combinations(parts[c], c, early[c]); !why.empty()) return why;
  const auto sameSum = [](const Growing& a, const Growing& b) { return a.value == b.value; };
  if (early[0] != early[1] || !std::ranges::equal(parts[0].sums, parts[1].sums, sameSum) ||
      parts[0].whole != parts[1].whole)
    return "the equations do not grow alike at both cuts";
  begin(parts[0].whole);
  for (const Invariant& i : invariants_) algebra_.is(i.now, algebra_.product(algebra_.exp(i.exponents), i.name));
  for (const auto& [v, same] : representatives_)
    if (algebra_.knows(same)) algebra_.is(v, algebra_.of(same));
  for (const Invariant& i : invariants_) {
    std::vector<std::pair<Value, double>> moved;
    for (const auto& [m, times] : i.exponents) moved.emplace_back(next_.at(m), times);
    const Id added = algebra_.plus(i.after, i.before, -1);
    const Id wanted = algebra_.product(algebra_.exp(moved), algebra_.plus(i.name, added, 1));
    if (formOver(i.next) != wanted)
      return "a step does more to a value that is carried than to scale it and to add to it";
  }
  for (std::size_t k = 0; k < parts[0].sums.size(); ++k) {
    Id sum = 0;
    for (const auto& [of, times] : early[0][k].of) sum = algebra_.plus(sum, invariants_[of].name, times);
    const Id scale = algebra_.exp(early[0][k].exponents);
    const Id rest = algebra_.of(parts[0].sums[k].rest);
    algebra_.is(parts[0].sums[k].value, algebra_.plus(algebra_.product(scale, sum), rest, 1));
  }
  const Id wanted = algebra_.of(expected);
  return formOver(actual) == wanted ? "" : "from any values that are carried, a result is not what is specified";
}

}  // namespace tessera::graphene
