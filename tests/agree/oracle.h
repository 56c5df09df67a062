// The second opinion: plain loops over evaluate() decide every claim and check every counterexample.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "prove/maps.h"

namespace tessera::testing {

struct RealPoint {
  std::vector<i64> digits;
  std::vector<i64> value;
};

// Every real point of a map without parameters.
inline std::vector<RealPoint> realPoints(const Map& m) {
  std::vector<RealPoint> points;
  std::vector<i64> at(m.digits().size(), 0);
  while (true) {
    bool real = true;
    for (const Guard& g : m.guards()) {
      const i64 v = evaluate(g.value, at);
      real = real && v >= g.lo && v <= g.hi;
    }
    if (real) {
      RealPoint p{at, {}};
      for (const Axis& a : m.axes()) p.value.push_back(evaluate(a.value, at));
      points.push_back(p);
    }
    std::size_t k = 0;
    for (; k < at.size(); ++k) {
      if (++at[k] < m.digits()[k].extent) break;
      at[k] = 0;
    }
    if (k == at.size()) return points;
  }
}

inline bool oracleInjective(const Map& m) {
  std::set<std::vector<i64>> seen;
  for (const RealPoint& p : realPoints(m))
    if (!seen.insert(p.value).second) return false;
  return true;
}

inline bool inside(const Map& m, const std::vector<i64>& value) {
  for (std::size_t a = 0; a < value.size(); ++a)
    if (value[a] < 0 || value[a] >= *m.axes()[a].extent) return false;
  return true;
}

inline bool oracleSurjective(const Map& m) {
  std::set<std::vector<i64>> seen;
  for (const RealPoint& p : realPoints(m))
    if (inside(m, p.value)) seen.insert(p.value);
  i64 places = 1;
  for (const Axis& a : m.axes()) places *= *a.extent;
  return static_cast<i64>(seen.size()) == places;
}

inline bool oracleInBounds(const Map& m) {
  for (const RealPoint& p : realPoints(m))
    if (!inside(m, p.value)) return false;
  return true;
}

inline std::vector<i64> indexPart(const Map& m, const std::vector<i64>& digits) {
  std::vector<i64> index;
  for (std::size_t k = 0; k < digits.size(); ++k)
    if (m.digits()[k].kind == DigitKind::Index) index.push_back(digits[k]);
  return index;
}

inline i64 colexIndex(const Map& m, const std::vector<i64>& digits) {
  i64 linear = 0, place = 1;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (m.digits()[k].kind != DigitKind::Index) continue;
    linear += place * digits[k];
    place *= m.digits()[k].extent;
  }
  return linear;
}

// f(x) as a set for every colex index of the Index digits.
inline std::map<i64, std::set<std::vector<i64>>> imageSets(const Map& m) {
  std::map<i64, std::set<std::vector<i64>>> sets;
  for (const RealPoint& p : realPoints(m)) sets[colexIndex(m, p.digits)].insert(p.value);
  return sets;
}

inline bool oracleEqual(const Map& f, const Map& g) { return f.size() == g.size() && imageSets(f) == imageSets(g); }

// g's axes give back f's Index digits (as many axes as digits), g takes f's axes.
inline bool oracleRoundtrip(const Map& f, const Map& g) {
  std::map<std::vector<i64>, std::vector<i64>> back;
  for (const RealPoint& p : realPoints(g)) back[p.digits] = p.value;
  for (const RealPoint& p : realPoints(f)) {
    const auto found = back.find(p.value);
    if (found == back.end() || found->second != indexPart(f, p.digits)) return false;
  }
  return true;
}

inline bool oracle(ClaimKind kind, const std::vector<Map>& maps) {
  switch (kind) {
    case ClaimKind::Injective:
      return oracleInjective(maps[0]);
    case ClaimKind::Surjective:
      return oracleSurjective(maps[0]);
    case ClaimKind::Bijective:
      return oracleInjective(maps[0]) && oracleSurjective(maps[0]);
    case ClaimKind::Equal:
      return oracleEqual(maps[0], maps[1]);
    case ClaimKind::Roundtrip:
      return oracleRoundtrip(maps[0], maps[1]);
    case ClaimKind::InBounds:
      return oracleInBounds(maps[0]);
    default:
      break;  // the claims about memory have an oracle of their own: access_claims_test.cpp
  }
  return false;
}

inline std::optional<std::vector<i64>> witness(const Verdict& v, const std::string& wanted) {
  for (const Witness& w : v.counterexample->witnesses)
    if (w.name == wanted) return w.values;
  return std::nullopt;
}

// The counterexample shows what the verdict says, read from the map's own expressions (maps without Fan digits).
inline bool showsIt(const Map& f, const Verdict& v, ClaimKind kind) {
  const Counterexample& c = *v.counterexample;
  if (c.text.empty()) return false;
  const auto valueAt = [&](const std::vector<i64>& x) -> std::optional<std::vector<i64>> {
    for (const RealPoint& p : realPoints(f))
      if (p.digits == x) return p.value;
    return std::nullopt;
  };
  if (kind == ClaimKind::Injective) {
    if (c.points.size() != 2 || c.points[0] == c.points[1]) return false;
    const auto a = valueAt(c.points[0]), b = valueAt(c.points[1]);
    return a && b && *a == *b && witness(v, "f(x)") == a;
  }
  if (kind == ClaimKind::Surjective) {
    const auto place = witness(v, "place");
    if (!place) return c.points.size() == 2 || c.points.size() == 1;  // pigeonhole: a pair, or a point outside
    if (!inside(f, *place)) return false;
    for (const RealPoint& p : realPoints(f))
      if (p.value == *place) return false;
    return true;
  }
  if (kind == ClaimKind::InBounds) {
    if (c.points.size() != 1) return false;
    const auto a = valueAt(c.points[0]);
    return a && !inside(f, *a);
  }
  return true;
}

// Asks every method of the list; each must answer as the oracle does or not at all. Returns how many answered.
inline int agreesWithOracle(ClaimKind kind, const std::vector<Map>& maps, const std::vector<Method>& methods,
                            const ProveOptions& options = {}) {
  const bool truth = oracle(kind, maps);
  int answered = 0;
  for (Method method : methods) {
    if (method == Method::Z3 && !haveZ3()) continue;
    const Verdict v = prove({claimAbout(kind, maps), method}, options);
    if (v.truth == Truth::Unknown && !v.detail.empty() && v.detail.find("bug") == std::string::npos) continue;
    ++answered;
    const bool right = v.truth == (truth ? Truth::Proved : Truth::Refuted) && !v.method.empty();
    const bool shown = v.truth != Truth::Refuted || (v.counterexample && showsIt(maps[0], v, kind));
    if (right && shown) continue;
    INFO(name(kind) << " by " << name(method) << " on " << print(maps[0])
                    << (maps.size() > 1 ? " and " + print(maps[1]) : ""));
    INFO("says " << name(v.truth) << ", oracle says " << truth << "; " << v.detail
                 << (v.counterexample ? v.counterexample->text : ""));
    CHECK(right);
    CHECK(shown);
  }
  return answered;
}

}  // namespace tessera::testing
