// The ladder: the order of the rungs, and how answers become verdicts.
//
// Measured (Z3 4.8.12, one core): normal forms, strides and F2 ranks take microseconds at any size; enumeration costs
// about 5 ns per point and beats every solver below about 10^7 points; linear integers in the difference form take 1-11
// ms where div/mod of a flat index times out; bit-vectors take 3-20 ms if sizes are powers of two. Hence the
// order: the structural rungs, enumeration up to exhaustiveLimit, Z3, and finally enumeration up to kLastResort if Z3
// gave up. A surjective claim is never a `forall exists`: it is a structural argument, a table, a witness for every
// place, injective + in bounds + as many points as places, or Z3 queries for a point of each place (as many as time
// allows).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"
#include "solver/prove/access_claims.h"
#include "solver/prove/obligation.h"
#include "solver/prove/points/replay.h"
#include "solver/prove/prove.h"
#include "solver/prove/round_trip.h"
#include "solver/prove/rungs.h"
#include "solver/prove/smt/text.h"
#include "solver/prove/structure/reduce.h"
#include "solver/prove/thread_claims.h"
#include "solver/prove/unions.h"

namespace tessera {

namespace prover {
namespace {

// Negative strides reach places below 0, and the codomain of such an axis is not [0, extent). Its cosize still counts
// the places from its lowest to its highest value: these must be hit. All other axes keep their codomain.
//
//     (4,8):(-8,1)    offset in [-24, 7], 32 places: the map offset + 24 with extent 32
struct Spanned {
  Map map;
  std::vector<i64> lowest;  // place of the given map = place of `map` + lowest; empty: not moved
  std::string reading;
};

Spanned onItsSpan(const Map& map) {
  const Spanned asIs{map, {}, ""};
  const bool open = std::ranges::any_of(map.axes(), [](const Axis& a) { return !a.extent; });
  if (!open || !map.guards().empty() || !map.params().empty()) return asIs;
  Spanned spanned{map, std::vector<i64>(map.axes().size(), 0), ""};
  std::vector<Axis> axes = map.axes();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].extent) continue;
    const auto range = exactRange(map, k);
    const auto places = range ? checkedSub(range->hi, range->lo) : std::nullopt;
    if (!places || range->lo >= 0 || *places == INT64_MAX) continue;
    spanned.lowest[k] = range->lo;
    axes[k].value = axes[k].value - range->lo;
    axes[k].extent = *places + 1;
    spanned.reading += fmt::format(
        "{}the places are the {} values of {} from {} to {}", spanned.reading.empty() ? "" : ", ", *axes[k].extent,
        axes[k].name.empty() ? fmt::format("result {}", k) : "'" + axes[k].name + "'", spanned.lowest[k], range->hi);
  }
  auto moved = Map::create(map.digits(), std::move(axes));
  if (!moved || spanned.reading.empty()) return asIs;
  spanned.map = *std::move(moved);
  return spanned;
}

// The obligations of pointwise equality, in turn, until one is not proved.
template <typename Decide>
Answer everywhere(const Aligned& a, Decide decide) {
  Answer all;
  for (const Pointwise& p : equalObligations(a))
    if ((all = decide(p)).truth != Truth::Proved) break;
  return all;
}

class Ladder {
 public:
  Ladder(const Claim& claim, const ProveOptions& options) : claim_(claim), rungs_(claim, options) {}

  Verdict run();
  // The verdict when the thread's budget ran out.
  Verdict gaveUp(const OutOfBudget& end);

 private:
  Answer replicaByReplica(const Aligned& a);
  Answer pairs(const Map& map, const std::string& what);
  Answer elementsApart(const Map& map, Answer met);
  Answer cover(const Map& map);
  Answer pigeonhole(const Map& map);
  Answer witnessed(const Map& map);

  Verdict decided();
  Verdict injective(const Map& map);
  Verdict surjective(const Map& map);
  Verdict bijective(const Map& map);
  Verdict inBounds(const Map& map);
  Verdict equal(const Map& f, const Map& g);
  Verdict equalSets(const Map& f, const Map& g, const Aligned& a);
  Verdict equalByMembership(const Map& f, const Map& g, const Aligned& a);
  Verdict roundtrip(const Map& f, const Map& g);
  Verdict operandByOperand();
  Verdict finished(Verdict v);  // with the text, the files and the time

  // How coordinates of the claim's k-th map are written.
  [[nodiscard]] std::string profile(std::size_t k) const {
    return k < claim_.profiles.size() ? claim_.profiles[k] : std::string();
  }
  [[nodiscard]] Profiles profiles() const { return {profile(0), profile(1)}; }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const Claim& claim_;
  Rungs rungs_;
};

Answer Ladder::pairs(const Map& map, const std::string& what) {
  const auto enumerate = [&](i64 most) { return exhaustive(map, most, rungs_.budget()); };
  const Peeled peeled = peelInjective(map);
  const auto said = [&](Answer a) {
    if (a.truth == Truth::Proved && !peeled.peeled.empty()) a.detail += " " + peeled.peeled;
    return a;
  };
  return rungs_.climb({{Method::Simplify, [&] { return bySimplify(map); }},
                       {Method::Strided, [&] { return said(byStrided(peeled.map)); }},
                       {Method::F2, [&] { return byF2(map); }},
                       {Method::Exhaustive, [&] { return enumerate(rungs_.limit()); }},
                       {Method::Z3, [&] { return said(rungs_.solver(peeled.map, what, map.digits())); }}},
                      map.digits(), enumerate);
}

// If the colliding pair is two replicas of one element, tabulates the owner of every place.
Answer Ladder::elementsApart(const Map& map, Answer met) {
  const std::vector<int> index = map.indexDigits();
  const auto sameElement = [&](const std::vector<i64>& p, const std::vector<i64>& q) {
    return std::ranges::all_of(index, [&](int k) { return p[k] == q[k]; });
  };
  if (met.points.size() != 2 || !sameElement(met.points[0], met.points[1])) return met;
  const auto count = countPoints(map.digits());
  if (!count || *count > rungs_.limit() || !map.params().empty())
    return unknown("exhaustive", "replicas of one element share places, and there are too many points to check each");
  std::map<std::vector<i64>, std::vector<i64>> owner;
  const std::vector<i64> extents = extentsOf(map.digits());
  for (i64 n = 0; n < *count; ++n) {
    if (n % 4096 == 0 && rungs_.budget().spent()) return unknown("exhaustive", rungs_.budget().reason());
    const std::vector<i64> point = delinearize(n, extents, LinearOrder::Colex);
    if (!map.isReal(point)) continue;
    const auto [place, isNew] = owner.emplace(map.at(point), point);
    if (!isNew && !sameElement(place->second, point)) return refuted("exhaustive", {place->second, point});
  }
  return proved("exhaustive", "replicas of one element share places, two elements never do");
}

// Injective, in bounds, and as many points as places: then onto. If all but injectivity hold, a collision leaves a
// place empty.
Answer Ladder::pigeonhole(const Map& map) {
  const auto points = countPoints(map.digits());
  const auto places = countPlaces(map);
  if (!places) return unknown("pigeonhole", "more than 2^63 places");
  if (!points || !map.guards().empty() || !map.params().empty())
    return unknown("pigeonhole", "the points cannot be counted exactly");
  if (*points != *places) return unknown("pigeonhole", fmt::format("{} points and {} places", *points, *places));
  const Answer in = rungs_.pointwise(boundsObligation(map), "surjective_in_bounds");
  if (in.truth == Truth::Unknown) return in;
  const Answer one = pairs(map, "surjective_injective");
  if (in.truth == Truth::Proved && one.truth == Truth::Proved)
    return proved(one.method, fmt::format("injective, in bounds, and {} points for as many places", *places));
  // a place is missed; the point outside or the colliding pair proves it
  return in.truth == Truth::Refuted ? in : one;
}

// Tries the witness (it needs no counting), then the pigeonhole, then place by place.
Answer Ladder::witnessed(const Map& map) {
  if (const auto p = coverByWitness(map)) {
    Answer a = rungs_.pointwise(*p, "surjective_witness");
    if (a.truth == Truth::Proved) {
      a.detail = "a point for each place is constructed digit by digit";
      return a;
    }
    if (rungs_.budget().spent()) return unknown(a.method, rungs_.budget().reason());
  }
  Answer counted = pigeonhole(map);
  if (counted.truth != Truth::Unknown || rungs_.budget().spent()) return counted;
  Answer asked = rungs_.placeByPlace(map, "surjective_place");
  if (asked.truth == Truth::Unknown) asked.detail = fmt::format("{}; {}", counted.detail, asked.detail);
  return asked;
}

Answer Ladder::cover(const Map& map) {
  for (const Axis& a : map.axes())
    if (!a.extent)
      return unknown("", fmt::format("{} declares no extent, so there is no codomain to cover", named(map, a)));
  const auto enumerate = [&](i64 most) { return exhaustiveCover(map, most, rungs_.budget()); };
  // witnessed() climbs on its own and respects the claim's method.
  return rungs_.climb({{Method::Strided, [&] { return byStridedCover(map); }},
                       {Method::F2, [&] { return byF2Cover(map); }},
                       {Method::Exhaustive, [&] { return enumerate(rungs_.limit()); }},
                       {Method::Z3, [&] { return witnessed(map); }}},
                      map.digits(), enumerate);
}

Verdict Ladder::injective(const Map& map) {
  Answer a = pairs(map, "injective");
  // Replicas of one element may share a place; distinct elements may not.
  if (a.truth == Truth::Refuted && !map.fanDigits().empty()) a = elementsApart(map, std::move(a));
  return verdictOf(a, replayPairs(map, a, profile(0)));
}

Verdict Ladder::surjective(const Map& whole) {
  const Spanned spanned = onItsSpan(whole);
  const Map& map = spanned.map;
  Answer a = cover(map);
  if (a.truth == Truth::Unknown && claim_.method == Method::Auto)
    if (auto fewer = replayCount(map)) return verdictOf(refuted("counting", {}), std::move(fewer));
  if (a.truth != Truth::Refuted) {
    if (!spanned.reading.empty()) a.detail += "; " + spanned.reading;
    return verdictOf(a, std::nullopt);
  }
  if (a.hole) return verdictOf(a, replayHole(map, a, spanned.lowest));
  auto found = a.points.size() == 2 ? replayPairs(whole, a, profile(0)) : replayBounds(whole, a, profile(0));
  if (found) found->text += ", and there are as many points as places, so some place is not hit";
  return verdictOf(a, std::move(found));
}

Verdict Ladder::bijective(const Map& map) {
  Verdict one = injective(map);
  if (one.truth == Truth::Refuted) return one;
  Verdict onto = surjective(map);
  if (onto.truth == Truth::Refuted) return onto;
  if (one.truth == Truth::Unknown) {
    one.detail = "injective: " + one.detail;
    return one;
  }
  if (onto.truth == Truth::Unknown) {
    onto.detail = "surjective: " + onto.detail;
    return onto;
  }
  if (one.method != onto.method) one.method += " + " + onto.method;
  one.detail = fmt::format("injective ({}) and surjective ({})", one.detail, onto.detail);
  return one;
}

Verdict Ladder::inBounds(const Map& map) {
  Pointwise p = boundsObligation(map);
  std::string open;
  for (const Axis& a : map.axes()) {
    if (a.extent) continue;
    open += fmt::format("{}{}", open.empty() ? "" : ", ", named(map, a));
    p.goals.push_back({a.value, std::nullopt, 0, INT64_MAX});  // negative is outside for any extent
  }
  Answer a = rungs_.pointwise(p, "in_bounds");
  if (a.truth == Truth::Refuted) return verdictOf(a, replayBounds(map, a, profile(0)));
  if (!open.empty()) return unknownVerdict(fmt::format("{} declares no extent to stay inside", open));
  return verdictOf(a, std::nullopt);
}

Verdict Ladder::equal(const Map& f, const Map& g) {
  // The text KNOWN EMPTY has no digits and no results; it denotes the empty map with the signature of the other side.
  const auto bare = [](const Map& m) { return m.isEmpty() && m.digits().empty() && m.axes().empty(); };
  if (bare(f) && !bare(g)) return equal(emptied(g), g);
  if (bare(g) && !bare(f)) return equal(f, emptied(f));
  const LinearOrder order = std::get<claims::Equal>(claim_.says).order;
  const Alignment alignment = align(f, g, order);
  if (const auto* why = std::get_if<std::string>(&alignment)) return unknownVerdict(*why);
  if (const auto* sizes = std::get_if<SizesDiffer>(&alignment)) {
    Answer a = refuted("sizes", {});
    return verdictOf(a, sizesDiffer(f, g, *sizes, order, profiles()));
  }
  if (std::holds_alternative<AxesDiffer>(alignment)) {
    auto found = axesDiffer(f, g, profiles());
    if (!found) return unknownVerdict(fmt::format("{} axes against {}", f.axes().size(), g.axes().size()));
    return verdictOf(refuted("axes", {}), std::move(found));
  }
  const Aligned& a = std::get<Aligned>(alignment);
  if (!f.fanDigits().empty() || !g.fanDigits().empty()) return equalSets(f, g, a);
  int n = 0;
  const Answer all =
      everywhere(a, [&](const Pointwise& p) { return rungs_.pointwise(p, fmt::format("equal_{}", ++n)); });
  return verdictOf(all, replayEqual(f, g, a, all, profiles()));
}

// Proved if the two maps are equal at each value of their Fan digits; otherwise unknown.
Answer Ladder::replicaByReplica(const Aligned& a) {
  const auto points = fansAsIndex(a);
  if (!points) return unknown("sets", "the replicas do not correspond");
  Answer all = everywhere(*points, [&](const Pointwise& p) { return rungs_.pointwise(p, "equal"); });
  if (all.truth == Truth::Proved) all.detail += ", replica by replica";
  return all;
}

// f(x) is a set. Equal canonical forms of the fanned strides, or equal Fan digits with pointwise equal values, suffice;
// otherwise the sets are enumerated.
Verdict Ladder::equalSets(const Map& f, const Map& g, const Aligned& a) {
  if (rungs_.allowed(Method::Strided)) {
    Answer canonical = byStridedSets(a.f, a.g);
    if (canonical.truth == Truth::Proved) return verdictOf(canonical, std::nullopt);
  }
  const auto sameDigit = [](const Digit& x, const Digit& y) { return x.extent == y.extent && x.kind == y.kind; };
  if (!rungs_.forced(Method::Exhaustive) &&
      std::equal(a.f.digits().begin(), a.f.digits().end(), a.g.digits().begin(), a.g.digits().end(), sameDigit)) {
    Answer all = everywhere(a, [&](const Pointwise& p) {
      return rungs_.forced(Method::Z3) ? rungs_.pointwise(p, "equal") : structural(p, claim_.method);
    });
    if (all.truth == Truth::Proved) {
      all.detail += ", replica by replica";
      return verdictOf(all, std::nullopt);
    }
  }
  if (!rungs_.allowed(Method::Exhaustive)) return equalByMembership(f, g, a);
  Answer sets = exhaustiveSets(a.f, a.g, rungs_.limit(), rungs_.budget());
  if (sets.truth == Truth::Unknown && !rungs_.forced(Method::Exhaustive)) {  // too many points, or symbolic sizes
    if (Answer each = replicaByReplica(a); each.truth == Truth::Proved) return verdictOf(each, std::nullopt);
    if (Verdict v = equalByMembership(f, g, a); v.truth != Truth::Unknown) return v;
  }
  return verdictOf(sets, replayEqual(f, g, a, sets, profiles()));
}

// Mutual inclusion, without enumerating the sets.
Verdict Ladder::equalByMembership(const Map& f, const Map& g, const Aligned& a) {
  Verdict v = equalUnions({a.f}, {a.g}, rungs_);
  if (v.truth != Truth::Refuted) return v;
  std::vector<i64> params;  // after the coordinate and the element
  const auto& found = *v.counterexample;
  for (std::size_t k = 2; k < found.witnesses.size(); ++k) params.push_back(found.witnesses[k].values.at(0));
  const Answer answer = refuted(v.method, {found.points.at(0)}, params);
  return verdictOf(answer, replayEqual(f, g, a, answer, profiles()));
}

// For parts of modules: the claim must hold for every operand.
Verdict Ladder::operandByOperand() {
  std::string methods, open;
  std::size_t maps = 0;
  for (const MapUnion& u : claim_.unions) {
    std::vector<Verdict> parts;
    if (claim_.kind() == ClaimKind::Equal) parts.push_back(equalUnions(u.f, u.g, rungs_));
    for (const Map& m : u.f) {
      ++maps;
      if (claim_.kind() == ClaimKind::InBounds) parts.push_back(inBounds(m));
    }
    for (Verdict& v : parts) {
      if (v.truth == Truth::Refuted) {
        v.counterexample->text = fmt::format("operand {}: {}", u.name, v.counterexample->text);
        return v;
      }
      if (v.truth == Truth::Unknown && open.empty()) open = fmt::format("operand {}: {}", u.name, v.detail);
      if (methods.find(v.method) == std::string::npos) methods += (methods.empty() ? "" : " + ") + v.method;
    }
  }
  if (!open.empty()) return unknownVerdict(open);
  return verdictOf(proved(methods.empty() ? "simplify" : methods,
                          fmt::format("{} operand{}, {} map{}", claim_.unions.size(),
                                      claim_.unions.size() == 1 ? "" : "s", maps, maps == 1 ? "" : "s")),
                   std::nullopt);
}

Verdict Ladder::roundtrip(const Map& f, const Map& g) {
  const auto reduced = roundtripObligation(f, g);
  if (const auto* why = std::get_if<std::string>(&reduced)) return unknownVerdict(*why);
  const Roundtrip& r = std::get<Roundtrip>(reduced);
  Answer a = rungs_.pointwise(r.obligation, "roundtrip");
  return verdictOf(a, replayRoundtrip(f, g, r, a, profiles()));
}

Verdict Ladder::run() {
  Verdict v = decided();
  const bool forAll = claim_.kind() != ClaimKind::Surjective && claim_.kind() != ClaimKind::Bijective;
  if (!claim_.partial.empty() && !(v.truth == Truth::Refuted && forAll))
    v = unknownVerdict(fmt::format("{} (of these it is {})", claim_.partial, name(v.truth)));
  if (!claim_.reading.empty()) v.detail += (v.detail.empty() ? "" : "; ") + claim_.reading;
  return finished(std::move(v));
}

Verdict Ladder::decided() {
  const std::span<const Map> maps = claim_.maps();
  const bool two = claim_.kind() == ClaimKind::Equal || (claim_.kind() == ClaimKind::Roundtrip && maps.size() != 1);
  if (!claim_.undecided.empty()) return unknownVerdict(claim_.undecided);
  if (!claim_.unions.empty()) return operandByOperand();
  if (two && maps.size() != 2)
    return unknownVerdict(fmt::format("{} takes two maps and got {}", name(claim_.kind()), maps.size()));
  if (claim_.kind() == ClaimKind::Threads) return threadVerdict(claim_);
  const Map& f = maps[0];
  switch (claim_.kind()) {
    case ClaimKind::Injective:
      return injective(f);
    case ClaimKind::Surjective:
      return surjective(f);
    case ClaimKind::Bijective:
      return bijective(f);
    case ClaimKind::InBounds:
      return inBounds(f);
    case ClaimKind::Equal:
      return equal(f, maps[1]);
    case ClaimKind::Roundtrip:
      return two ? roundtrip(f, maps[1])
                 : roundTrip(f, rungs_, profile(0), [&](const Map& map) { return pairs(map, "roundtrip"); });
    default:  // about memory
      return accessVerdict(claim_, rungs_);
  }
}

Verdict Ladder::finished(Verdict v) {
  v.claim = claim_.text;
  v.smt2 = rungs_.takeSmt2();
  for (auto& [file, text] : v.smt2) text.insert(0, smt::comment(claim_.text));
  v.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  return v;
}

Verdict Ladder::gaveUp(const OutOfBudget& end) {
  Verdict v = unknownVerdict(end.what());
  if (rungs_.lastAsked() && !end.cancelled()) {
    v.method = name(*rungs_.lastAsked());
    v.detail += fmt::format(", in {}", v.method);
  }
  return finished(std::move(v));
}

}  // namespace
}  // namespace prover

Verdict prove(const Claim& claim, const ProveOptions& options) {
  const WorkBudget limit({.seconds = options.budgetSeconds, .cancel = options.cancel});
  prover::Ladder ladder(claim, options);
  try {
    return ladder.run();
  } catch (const OutOfBudget& end) {
    return ladder.gaveUp(end);
  }
}

}  // namespace tessera
