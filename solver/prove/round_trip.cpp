#include "solver/prove/round_trip.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/simplify.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"
#include "core/map/inverse/inverse.h"
#include "solver/prove/points/points.h"
#include "solver/prove/points/replay.h"

namespace tessera::prover {

namespace {

constexpr i64 kTablePoints = i64{1} << 18;  // limit on points of a tabulated inverse
constexpr i64 kPlaces = i64{1} << 16;       // places enumerated if no rung decides about holes
constexpr i64 kFanTuples = i64{1} << 16;    // replicas searched for the one at a place
constexpr std::size_t kMaxNodes = 512;      // limit for goals rewritten by recursion
constexpr i64 kLargestPlace = i64{1} << 61;
constexpr std::size_t kShortFormula = 160;  // characters of the verdict's detail

// Simplifies goals and drops those that are literally among the assumptions.
void tidy(Pointwise& p) {
  const Environment box = boxOf(p.digits);
  for (Guard& g : p.assume) g.value = simplified(g.value, box);
  for (Goal& g : p.goals) {
    g.left = simplified(g.left, box);
    if (g.right) g.right = simplified(*g.right, box);
  }
  dropAssumed(p);
}

// g(f(x)) == x for every real x, and g accepts f(x).
Pointwise backOfForward(const Map& f, const BackFormula& back) {
  const std::vector<Expr> at = axisExprs(f);
  Pointwise p{f.digits(), {}, f.guards(), {}};
  for (std::size_t a = 0; a < at.size(); ++a)
    p.goals.push_back({at[a], std::nullopt, back.places[a].lo, back.places[a].hi});
  for (const Guard& g : back.guards) p.goals.push_back({substitute(g.value, at), std::nullopt, g.lo, g.hi});
  for (const int k : f.indexDigits()) p.goals.push_back({substitute(back.values[k], at), Expr::digit(k), 0, 0});
  tidy(p);
  return p;
}

// f(g(p)) == p for every place p in g's domain, and g(p) is real. Places count from the lowest one. Where the formula
// drops a value that a guard fixes to 0, the value is put back: then both sides agree without the guard.
Pointwise forwardOfBack(const Map& f, const BackFormula& back) {
  Pointwise p;
  std::vector<Expr> place;
  for (std::size_t a = 0; a < back.places.size(); ++a) {
    const auto [lo, hi] = back.places[a];
    place.push_back(Expr::digit(static_cast<int>(a)) + lo);
    p.digits.push_back({fmt::format("p{}", a), hi - lo + 1, DigitKind::Index});
  }
  for (const Guard& g : back.guards) p.assume.push_back(substituted(g, place));
  const auto point = mapped<Expr>(back.values, [&](const Expr& v) { return substitute(v, place); });
  for (std::size_t k = 0; k < point.size(); ++k)
    p.goals.push_back({point[k], std::nullopt, 0, f.digits()[k].extent - 1});
  for (const Guard& g : f.guards()) p.goals.push_back({substitute(g.value, point), std::nullopt, g.lo, g.hi});
  for (std::size_t a = 0; a < place.size(); ++a)
    p.goals.push_back({substitute(f.axes()[a].value, point), place[a], 0, 0});
  tidy(p);
  return p;
}

// e with the nodes in `by` replaced, each node once.
Expr replaced(const Expr& e, const std::unordered_map<Expr, Expr>& by, std::unordered_map<Expr, Expr>& done) {
  if (const auto it = by.find(e); it != by.end()) return it->second;
  if (e.op() == Op::Constant || e.op() == Op::Digit || e.op() == Op::Param) return e;
  if (const auto it = done.find(e); it != done.end()) return it->second;
  const Expr made = Expr::binary(e.op(), replaced(e.lhs(), by, done), replaced(e.rhs(), by, done));
  done.emplace(e, made);
  return made;
}

// Candidate left sides for a goal, equal to its own under the assumptions: unchanged; with q mod (n + 1) replaced by q,
// and q floordiv (n + 1) by 0, where 0 <= q <= n is assumed; and each with terms assumed to be 0 put back.
std::vector<Expr> leftSides(const Pointwise& p, const Goal& goal, const Environment& box) {
  std::vector<Expr> sides = {goal.left};
  if (!goal.right) return sides;
  std::unordered_map<Expr, Expr> by, done;
  for (const Guard& g : p.assume) {
    if (g.lo != 0 || g.hi < 1 || g.hi == INT64_MAX) continue;
    by.emplace(simplified(mod(g.value, g.hi + 1), box), g.value);
    by.emplace(simplified(floorDiv(g.value, g.hi + 1), box), Expr::constant(0));
  }
  if (nodeCount(goal.left) < kMaxNodes) {
    const Expr read = simplified(replaced(goal.left, by, done), box);
    if (!(read == goal.left)) sides.push_back(read);
  }
  const std::size_t plain = sides.size();
  for (const Guard& g : p.assume) {
    if (g.lo != 0 || g.hi != 0) continue;
    for (std::size_t k = 0; k < plain; ++k) {
      sides.push_back(sides[k] + g.value);
      sides.push_back(sides[k] ^ g.value);
    }
  }
  return sides;
}

// Whether a bound holds after clamping values that are assumed to be in [0, n].
bool insideUnder(const Pointwise& p, const Goal& goal, const Environment& box) {
  if (nodeCount(goal.left) >= kMaxNodes) return false;
  std::unordered_map<Expr, Expr> by, done;
  for (const Guard& g : p.assume)
    if (g.lo == 0 && g.hi < INT64_MAX && !g.value.isConstant()) by.emplace(g.value, mod(g.value, g.hi + 1));
  const Facts known = factsOf(replaced(goal.left, by, done), box);
  return known.fits && known.interval.lo >= goal.lo && known.interval.hi <= goal.hi;
}

// Decides each goal by the first rung that can.
Answer goalByGoal(const Pointwise& p) {
  const Environment box = boxOf(p.digits);
  FactBase facts(box);
  Answer last = proved("simplify", "");
  for (const Goal& goal : p.goals) {
    if (!goal.right) {
      const Facts& known = facts.of(goal.left);
      if (known.fits && known.interval.lo >= goal.lo && known.interval.hi <= goal.hi) continue;
    }
    if (!goal.right && insideUnder(p, goal, box)) continue;
    Pointwise one{p.digits, p.params, p.assume, {goal}};
    last = structural(one);
    if (last.truth == Truth::Proved) continue;
    for (const Expr& left : leftSides(p, goal, box)) {
      one.goals[0].left = left;
      if ((last = structural(one)).truth == Truth::Proved) break;
    }
    if (last.truth != Truth::Proved) return unknown("", "no structural rung decides it");
  }
  return last;
}

std::string formulaText(const Map& f, const BackFormula& back) {
  Environment box;
  std::vector<std::string> names;
  for (std::size_t a = 0; a < back.places.size(); ++a) {
    box.digits.push_back(back.places[a]);
    const std::string& own = f.axes()[a].name;
    names.push_back(own.empty() ? fmt::format("x{}", a) : own);
  }
  std::string text;
  for (const int k : f.indexDigits()) {
    const auto at = static_cast<std::size_t>(k);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", f.digits()[at].name,
                        print(simplified(back.values[at], box), names));
    if (text.size() > kShortFormula) return "";
  }
  return text;
}

class OneMap {
 public:
  OneMap(const Map& f, Rungs& rungs, std::string profile, const std::function<Answer(const Map&)>& pairs)
      : f_(f), merged_(withFewerFans(f)), rungs_(rungs), profile_(std::move(profile)), pairs_(pairs) {}

  Verdict run();

 private:
  Verdict byFormula(const BackFormula& back, const Answer& there);
  Verdict byPairs(const std::optional<BackFormula>& back);
  Verdict refutedBy(const Answer& answer);
  [[nodiscard]] Verdict meeting(const Answer& answer) const;
  Verdict byElements(const std::string& reason);
  Verdict injectiveOnly(const Answer& pairs);
  std::optional<std::vector<i64>> pointAt(const std::vector<i64>& index, const std::vector<i64>& place,
                                          const std::vector<i64>& params) const;
  std::optional<Verdict> byChoice(const BackFormula& back);

  const Map& f_;
  const Map merged_;  // the same sets with fewer Fan digits
  Rungs& rungs_;
  std::string profile_;
  const std::function<Answer(const Map&)>& pairs_;
};

// A real point of f_ with these Index coordinates and this place.
std::optional<std::vector<i64>> OneMap::pointAt(const std::vector<i64>& index, const std::vector<i64>& place,
                                                const std::vector<i64>& params) const {
  if (fanPoints(f_) > kFanTuples) return std::nullopt;
  std::optional<std::vector<i64>> found;
  eachFan(f_, index, [&](const std::vector<i64>& at) {
    if (f_.isReal(at, params) && f_.at(at, params) == place) found = at;
    return found.has_value();
  });
  return found;
}

// Translates two colliding points of merged_ to f_ and replays them.
Verdict OneMap::refutedBy(const Answer& answer) {
  const std::vector<i64> place = merged_.at(answer.points[0], answer.params);
  Answer own = answer;
  own.points.clear();
  for (const auto& p : answer.points) {
    const auto at = pointAt(picked(p, merged_.indexDigits()), place, answer.params);
    if (!at)
      return unknownVerdict("two elements share a place, but there are too many replicas to name the two that meet");
    own.points.push_back(*at);
  }
  return meeting(own);
}

// Replays two colliding points of f_ and describes them.
Verdict OneMap::meeting(const Answer& answer) const {
  auto found = replayPairs(f_, answer, profile_);
  if (found) {
    const std::vector<i64> place = f_.at(answer.points[0], answer.params);
    found->text += place.size() == 1 ? fmt::format(", so the map is not invertible at {}", place.front())
                                     : ", so the map is not invertible there";
  }
  return verdictOf(answer, std::move(found));
}

Verdict OneMap::byFormula(const BackFormula& back, const Answer& there) {
  const Pointwise again = forwardOfBack(merged_, back);
  Answer holes = goalByGoal(again);
  if (holes.truth != Truth::Proved) {
    if (Answer all = exhaustive(again, kPlaces, rungs_.budget()); all.truth != Truth::Unknown) holes = std::move(all);
  }
  if (holes.truth == Truth::Refuted)
    return unknownVerdict("the computed inverse accepts a place that no coordinate maps to; this is a bug in Tessera");
  Answer answer = there;
  const std::string text = formulaText(merged_, back);
  answer.detail = fmt::format("backward by {}{}{}", back.method, text.empty() ? "" : ": ", text.empty() ? "" : text);
  if (holes.truth != Truth::Proved) answer.detail += "; the holes are not proved";
  return verdictOf(answer, std::nullopt);
}

// A choice that changes an Index digit gives two coordinates with the place of the first point.
std::optional<Verdict> OneMap::byChoice(const BackFormula& back) {
  const std::vector<i64> origin(merged_.digits().size(), 0);
  if (!merged_.isReal(origin)) return std::nullopt;
  const std::vector<i64> place = merged_.at(origin);
  for (std::size_t t = 0; t < back.choices.size(); ++t) {
    std::vector<i64> at = place;
    at.resize(place.size() + back.choices.size(), 0);
    at[place.size() + t] = 1;
    const auto index = mapped<i64>(merged_.indexDigits(), [&](int k) { return evaluate(back.values[k], at); });
    const std::vector<i64> zero(index.size(), 0);
    if (index == zero) continue;
    for (std::size_t k = 0; k < index.size(); ++k)
      if (index[k] < 0 || index[k] >= merged_.digits()[merged_.indexDigits()[k]].extent) return std::nullopt;
    const auto x = pointAt(zero, place, {}), y = pointAt(index, place, {});
    if (!x || !y) continue;
    return meeting(refuted(back.method, {*x, *y}));
  }
  return std::nullopt;
}

// Enumerates every place with its element: two elements at one place refute; replicas do not matter.
Verdict OneMap::byElements(const std::string& reason) {
  const auto points = countPoints(f_.digits());
  const auto size = f_.size();
  if (!f_.params().empty() || !points || !size || *points > rungs_.limit() || !rungs_.allowed(Method::Exhaustive))
    return unknownVerdict(reason);
  PointTable table(f_.digits(), {}, allExprs(f_));
  std::vector<std::pair<std::vector<i64>, i64>> seen;  // place, point
  const auto all = eachReal(table, {f_.guards(), f_.axes().size()}, rungs_.budget(), [&](i64 point, i64 i) {
    std::vector<i64> place;
    for (std::size_t a = 0; a < f_.axes().size(); ++a) place.push_back(table.column(a)[i]);
    seen.emplace_back(std::move(place), point);
    return false;
  });
  if (!all) return unknownVerdict(rungs_.budget().reason());
  std::ranges::sort(seen);
  const std::vector<int> index = f_.indexDigits();
  for (std::size_t k = 0; k + 1 < seen.size(); ++k) {
    if (seen[k].first != seen[k + 1].first) continue;
    const auto x = table.digitsOf(seen[k].second), y = table.digitsOf(seen[k + 1].second);
    if (picked(x, index) == picked(y, index)) continue;
    return meeting(refuted("exhaustive", {x, y}));
  }
  return verdictOf(proved("exhaustive", "every place belongs to one element; replicas of one share places"),
                   std::nullopt);
}

// Injective, but no formula was proved: tabulates the inverse if there are few points, and checks it at each.
Verdict OneMap::injectiveOnly(const Answer& pairs) {
  Answer answer = pairs;
  const auto points = countPoints(merged_.digits());
  const bool tables = rungs_.allowed(Method::Exhaustive) && merged_.params().empty();
  if (tables && points && *points <= kTablePoints) {
    const auto inv = inverse(merged_, kTablePoints);
    const std::vector<i64> extents = extentsOf(merged_.digits());
    bool same = inv.ok();
    for (i64 n = 0; same && n < *points; ++n) {
      if (n % 1024 == 0 && rungs_.budget().spent()) return unknownVerdict(rungs_.budget().reason());
      const auto p = delinearize(n, extents, LinearOrder::Colex);
      if (merged_.isReal(p)) same = (*inv)->find(merged_.at(p)) == p;
    }
    if (same) {
      answer.detail = fmt::format("backward is {}, checked at all {} points",
                                  (*inv)->method() == "table" ? "a table" : "computed", *points);
      return verdictOf(answer, std::nullopt);
    }
  }
  answer.detail += answer.detail.empty() ? "" : "; ";
  answer.detail += "injective, so an inverse exists, but no closed form was found";
  return verdictOf(answer, std::nullopt);
}

Verdict OneMap::byPairs(const std::optional<BackFormula>& back) {
  const bool fanned = !merged_.fanDigits().empty();
  const Answer answer = pairs_(merged_);
  if (answer.truth == Truth::Proved) return injectiveOnly(answer);
  if (answer.truth == Truth::Refuted) {
    const std::vector<int> index = merged_.indexDigits();
    if (picked(answer.points[0], index) != picked(answer.points[1], index)) return refutedBy(answer);
  }
  if (fanned) {
    if (back && merged_.guards().empty() && rungs_.forced(Method::Auto))
      if (auto v = byChoice(*back)) return *std::move(v);
    return byElements(answer.truth == Truth::Refuted
                          ? "replicas share places, and there are too many points to tell their elements apart"
                          : answer.detail);
  }
  return verdictOf(answer, std::nullopt);
}

Verdict OneMap::run() {
  std::optional<BackFormula> back;
  if (auto made = backFormula(merged_)) back = *std::move(made);
  const auto huge = [](const Range& r) { return r.lo < -kLargestPlace || r.hi > kLargestPlace; };
  const bool usable = back && back->choices.empty() && std::ranges::none_of(back->places, huge);
  if (!usable) return byPairs(back);
  const Pointwise there = backOfForward(merged_, *back);
  const bool any = rungs_.forced(Method::Auto);
  Answer a = any ? goalByGoal(there) : rungs_.pointwise(there, "roundtrip");
  if (a.truth != Truth::Proved && any) a = exhaustive(there, rungs_.limit(), rungs_.budget());
  return a.truth == Truth::Proved ? byFormula(*back, a) : byPairs(back);
}

}  // namespace

Verdict roundTrip(const Map& f, Rungs& rungs, std::string profile, const std::function<Answer(const Map&)>& pairs) {
  return OneMap(f, rungs, std::move(profile), pairs).run();
}

}  // namespace tessera::prover
