#include "solver/prove/unions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/map/compose.h"
#include "solver/prove/obligation.h"
#include "solver/prove/points/points.h"
#include "solver/prove/points/replay.h"
#include "solver/prove/structure/reduce.h"

namespace tessera::prover {
namespace {

using Maps = std::vector<Map>;
using Numbers = std::vector<i64>;

constexpr i64 kMostReplayed = i64{1} << 20;  // points of a map enumerated at one coordinate
constexpr i64 kFewPoints = i64{1} << 14;     // over all maps: enumerated before anything else
constexpr i64 kMostSampled = 256;            // elements of a map at a sampled coordinate
constexpr int kSamples = 24;

// The coordinates and parameters shared by all maps.
struct Common {
  std::vector<Digit> box;  // Index digits, lo 0
  Numbers lo;
  std::vector<Param> params;
  std::string why;  // why there are none
};

Common commonOf(const Maps& f, const Maps& g) {
  Common c;
  bool first = true;
  for (const Maps* side : {&f, &g})
    for (const Map& m : *side) {
      const std::vector<Digit> digits = digitsOf(m, m.indexDigits());
      if (!first && digits.size() != c.box.size()) {
        c.why = fmt::format("coordinates with {} and with {} numbers", c.box.size(), digits.size());
        return c;
      }
      for (std::size_t k = 0; k < digits.size(); ++k) {
        const Digit& d = digits[k];
        if (first) {
          c.box.push_back({d.name, d.extent, DigitKind::Index, 0});
          c.lo.push_back(d.lo);
          continue;
        }
        const i64 lo = std::min(c.lo[k], d.lo);
        const i64 end = std::max(c.lo[k] + c.box[k].extent, d.lo + d.extent);
        c.lo[k] = lo;
        c.box[k].extent = end - lo;
      }
      first = false;
      auto params = commonParams(c.params, m.params());
      if (!params) {
        c.why = "the maps depend on different run-time values";
        return c;
      }
      c.params = *std::move(params);
    }
  return c;
}

// The elements named by the maps of one side; nullopt: too many points.
using Image = std::set<Numbers>;
std::optional<Image> imageOf(const Maps& maps, const Numbers& coordinate, const Numbers& params) {
  Image all;
  for (const Map& m : maps) {
    Numbers index = coordinate;
    const std::vector<Digit> box = digitsOf(m, m.indexDigits());
    for (std::size_t k = 0; k < box.size(); ++k) index[k] -= box[k].lo;
    bool inside = inBox(box, index);
    for (std::size_t k = 0; k < m.params().size(); ++k)
      inside = inside && params[k] >= m.params()[k].lo && params[k] <= m.params()[k].hi;
    if (!inside) continue;
    if (fanPoints(m) > kMostReplayed) return std::nullopt;
    for (Numbers& e : m.imageOf(index, m.params().empty() ? Numbers{} : params)) all.insert(std::move(e));
  }
  return all;
}

// Looks the coordinate up on both sides again; nullopt: they agree there, or the lookup is not possible.
std::optional<Counterexample> replayed(const Maps& f, const Maps& g, const Common& common, const Numbers& at,
                                       const Numbers& params) {
  const auto first = imageOf(f, at, params), second = imageOf(g, at, params);
  if (!first || !second || *first == *second) return std::nullopt;
  const auto missing = [](const Image& of, const Image& in) {
    return std::ranges::find_if(of, [&](const Numbers& e) { return in.count(e) == 0; });
  };
  auto element = missing(*first, *second);
  const bool firstHas = element != first->end();
  if (!firstHas) element = missing(*second, *first);
  Counterexample c;
  Numbers index = at;
  for (std::size_t k = 0; k < index.size(); ++k) index[k] -= common.lo[k];
  c.points = {index};
  c.witnesses = {{"x", at}, {"element", *element}};
  addParams(c, common.params, params);
  c.text = fmt::format("{}at {} the {} has {}, the {} does not", forParams(common.params, params), tuple(at),
                       firstHas ? "first" : "second", tuple(*element), firstHas ? "second" : "first");
  return c;
}

class UnionProof {
 public:
  UnionProof(const Maps& f, const Maps& g, Rungs& rungs) : f_(f), g_(g), rungs_(rungs), common_(commonOf(f, g)) {}

  Verdict run() {
    if (!common_.why.empty()) return unknownVerdict(common_.why);
    if (rungs_.allowed(Method::Simplify) && sameMapsInSomeOrder())
      return verdictOf(proved("simplify", "the same maps"), std::nullopt);
    for (const Maps* side : {&f_, &g_})
      for (const Map& m : *side)
        if (m.axes().size() != axes()) return unknownVerdict("elements with different numbers of coordinates");
    if (rungs_.allowed(Method::Exhaustive))
      if (auto v = trySome()) return *std::move(v);
    if (const auto points = pointsOfAll(); points && *points <= kFewPoints && rungs_.allowed(Method::Exhaustive))
      return tryAll();
    Verdict one = included(f_, g_);
    if (one.truth == Truth::Refuted) return one;
    if (one.truth == Truth::Proved) {
      Verdict other = included(g_, f_);
      if (other.truth != Truth::Unknown) {
        other.detail = fmt::format("each contains the other ({})", one.detail);
        return other;
      }
      one = other;
    }
    const auto points = pointsOfAll();
    if (rungs_.allowed(Method::Exhaustive) && points && *points <= rungs_.limit()) return tryAll();
    return one;
  }

 private:
  [[nodiscard]] std::size_t axes() const {
    return !f_.empty() ? f_[0].axes().size() : !g_.empty() ? g_[0].axes().size() : 0;
  }

  [[nodiscard]] bool sameMapsInSomeOrder() const {
    if (f_.size() != g_.size()) return false;
    Maps left;
    for (const Map& m : g_) left.push_back(simplified(m));
    for (const Map& m : f_) {
      const auto same = std::ranges::find_if(left, [plain = simplified(m)](const Map& other) {
        return plain.digits() == other.digits() && plain.guards() == other.guards() &&
               plain.params() == other.params() &&
               std::equal(plain.axes().begin(), plain.axes().end(), other.axes().begin(), other.axes().end(),
                          [](const Axis& a, const Axis& b) { return a.value == b.value; });
      });
      if (same == left.end()) return false;
      left.erase(same);
    }
    return true;
  }

  // Points of the box times the ranges of each map, times the parameter values.
  [[nodiscard]] std::optional<i64> pointsOfAll() const {
    i64 box = countPoints(common_.box).value_or(INT64_MAX), total = 0;
    for (const Param& p : common_.params) box = checkedMul(box, p.hi - p.lo + 1).value_or(INT64_MAX);
    for (const Maps* side : {&f_, &g_})
      for (const Map& m : *side) {
        const i64 points = checkedMul(box, fanPoints(m)).value_or(INT64_MAX);
        total = checkedAdd(total, points).value_or(INT64_MAX);
      }
    return total < INT64_MAX ? std::optional(total) : std::nullopt;
  }

  [[nodiscard]] std::optional<Verdict> at(const Numbers& coordinate, const Numbers& params, const char* method) const {
    auto found = replayed(f_, g_, common_, coordinate, params);
    if (!found) return std::nullopt;
    return verdictOf(refuted(method, {}), std::move(found));
  }

  [[nodiscard]] std::optional<Verdict> trySome() const {
    for (const Maps* side : {&f_, &g_})
      for (const Map& m : *side)
        if (fanPoints(m) > kMostSampled) return std::nullopt;
    u64 state = 0x9E3779B97F4A7C15u;
    const auto draw = [&](i64 n) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<i64>((state >> 33) % static_cast<u64>(n));
    };
    for (int n = 0; n < kSamples; ++n) {
      Numbers coordinate = common_.lo, params;
      for (std::size_t k = 0; k < coordinate.size(); ++k)
        coordinate[k] += n == 0 ? 0 : n == 1 ? common_.box[k].extent - 1 : draw(common_.box[k].extent);
      for (const Param& p : common_.params) params.push_back(p.lo + draw(p.hi - p.lo + 1));
      if (auto v = at(coordinate, params, "exhaustive")) return v;
    }
    return std::nullopt;
  }

  Verdict tryAll() const {
    const Numbers extents = extentsOf(common_.box);
    const Numbers ranges = mapped<i64>(common_.params, [](const Param& p) { return p.hi - p.lo + 1; });
    const auto product = [](const Numbers& of) {
      return std::accumulate(of.begin(), of.end(), i64{1}, std::multiplies<>());
    };
    const i64 count = product(extents), values = product(ranges);
    for (i64 q = 0; q < values; ++q)
      for (i64 i = 0; i < count; ++i) {
        if (i % 256 == 255 && rungs_.budget().spent()) return unknownVerdict(rungs_.budget().reason());
        Numbers coordinate = delinearize(i, extents, LinearOrder::Lex),
                params = delinearize(q, ranges, LinearOrder::Lex);
        for (std::size_t k = 0; k < coordinate.size(); ++k) coordinate[k] += common_.lo[k];
        for (std::size_t k = 0; k < params.size(); ++k) params[k] += common_.params[k].lo;
        if (auto v = at(coordinate, params, "exhaustive")) return *v;
      }
    return verdictOf(proved("exhaustive", fmt::format("the elements are the same at all {} coordinates", count)),
                     std::nullopt);
  }

  // Each point of each map of `a` is in some map of `b`.
  Verdict included(const Maps& a, const Maps& b) {
    std::string why;
    for (const Map& m : a) {
      const auto p = inclusion(m, b);
      if (!p) return unknownVerdict("a range cannot be computed from its element, and there are too many points");
      Answer answer = rungs_.pointwise(*p, "contains");
      if (answer.truth == Truth::Unknown) return verdictOf(answer, std::nullopt);
      if (answer.truth == Truth::Refuted) {
        Numbers coordinate = common_.lo;
        for (std::size_t k = 0; k < coordinate.size(); ++k) coordinate[k] += answer.points.at(0).at(k);
        return verdictOf(answer, replayed(f_, g_, common_, coordinate, answer.params));
      }
      why = answer.method + (answer.detail.empty() ? "" : ": " + answer.detail);
      last_ = answer;
    }
    Answer all = proved(last_.method.empty() ? "simplify" : last_.method, why);
    return verdictOf(all, std::nullopt);
  }

  // Digits: the box, then m's ranges. For at least one map of b, the distances to all its conditions must sum to 0.
  [[nodiscard]] std::optional<Pointwise> inclusion(const Map& m, const Maps& b) const {
    Pointwise p;
    p.digits = common_.box;
    p.params = common_.params;
    std::vector<Expr> own, y;
    std::size_t next = 0;
    for (const Digit& d : m.digits()) {
      if (d.kind == DigitKind::Fan) {
        own.push_back(Expr::digit(static_cast<int>(p.digits.size())));
        p.digits.push_back({d.name, d.extent, DigitKind::Index, 0});
        continue;
      }
      own.push_back(Expr::digit(static_cast<int>(next)) + (common_.lo[next] - d.lo));
      if (common_.lo[next] != d.lo || common_.box[next].extent != d.extent)
        p.assume.push_back({own.back(), 0, d.extent - 1});
      ++next;
    }
    for (const Axis& axis : m.axes()) y.push_back(substitute(axis.value, own));
    for (const Guard& g : m.guards()) p.assume.push_back(substituted(g, own));
    addParamRanges(m, p.assume);
    std::vector<std::vector<Guard>> choices;
    for (const Map& other : b) {
      std::vector<Expr> x;
      for (const Digit& d : digitsOf(other, other.indexDigits()))
        x.push_back(Expr::digit(static_cast<int>(x.size())) + (common_.lo[x.size()] - d.lo));
      auto in = membership(other, x, y);
      if (!in) return std::nullopt;
      addParamRanges(other, *in);
      choices.push_back(*std::move(in));
    }
    if (choices.size() == 1) {
      for (const Guard& c : choices[0]) p.goals.push_back({c.value, std::nullopt, c.lo, c.hi});
    } else {
      p.goals.push_back({choices.empty() ? Expr::constant(1) : nearest(choices), std::nullopt, 0, 0});
    }
    return fits(p) ? std::optional(std::move(p)) : std::nullopt;
  }

  void addParamRanges(const Map& m, std::vector<Guard>& to) const {
    for (std::size_t k = 0; k < m.params().size(); ++k)
      if (m.params()[k].lo != common_.params[k].lo || m.params()[k].hi != common_.params[k].hi)
        to.push_back({Expr::param(static_cast<int>(k)), m.params()[k].lo, m.params()[k].hi});
  }

  static Expr nearest(const std::vector<std::vector<Guard>>& choices) {
    std::optional<Expr> best;
    for (const std::vector<Guard>& choice : choices) {
      Expr away;
      for (const Guard& c : choice) {
        away = away + greatest(c.value * -1 + c.lo, Expr::constant(0));
        away = away + greatest(c.value - c.hi, Expr::constant(0));
      }
      best = best ? least(*best, away) : away;
    }
    return *best;
  }

  // Map::create checks that every sub-expression fits 64 bits.
  static bool fits(const Pointwise& p) {
    auto axes = mapped<Axis>(p.goals, [](const Goal& g) { return Axis{"", g.left, std::nullopt}; });
    return Map::create(p.digits, std::move(axes), p.assume, p.params).ok();
  }

  const Maps &f_, &g_;
  Rungs& rungs_;
  Common common_;
  Answer last_;
};

}  // namespace

Verdict equalUnions(const std::vector<Map>& f, const std::vector<Map>& g, Rungs& rungs) {
  return UnionProof(f, g, rungs).run();
}

}  // namespace tessera::prover
