// Rung 1, simplify: decides by normal forms only. A goal holds everywhere if its sides have the same form; a range goal
// holds if the interval of its form fits. A map with at most one point is injective.
//
// Rung 2a: maps that are linear over mixed-radix parts of their digits: strides, of any sign.
//
// Injective. Axes are first joined into one integer (mixed radix over their ranges, so images collide exactly when
// the integers do). Strides sorted by size nest when each is larger than everything below it can reach:
//
//     (4,8):(8,1)    |s| sorted 1 (extent 8), 8 (extent 4):  8 > 1*7           -> injective
//     (4,2):(1,2)    1 (extent 4), 2 (extent 2):  2 <= 1*3; 2*1 == 1*2         -> (2,0) and (0,1) both give 2
//
// (3,2):(2,3) does not nest, but 3*delta_j = 0 mod 2 forces delta_j = 0: sizes and divisibility together decide every
// pair of digits and most layouts. Two digits that collide by lcm(s,t) are a refutation. What is left, such as
// (2,2,2):(3,5,7), is a subset-sum question and goes to the next rung.
// Guards and uneven splits only remove points: a proof over the box remains valid, a refutation must avoid them.
//
// Cover. On one axis with strides >= 0 (negative ones flipped), sorted, the first stride that jumps over the reach
// below it leaves exactly the value after that reach unhit. Several axes: each digit must feed only one.
//
// Pointwise. A linear form meets its extremes at corners, so ranges and equalities are decided exactly on a box.
#include <algorithm>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "solver/prove/obligation.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover {

namespace {

constexpr const char* kSimplify = "simplify";
constexpr const char* kName = "strided";
constexpr std::size_t kMaxPairs = 256;  // limit on digits for pairwise comparison; beyond it only nesting is tried

i128 magnitude(i128 v) { return v < 0 ? -v : v; }

struct Stride {
  int part = 0;     // atom number
  i128 stride = 0;  // of the joined axes
  i128 extent = 1;
};

// The parts of the box with their strides under "all axes joined into one integer"; nullopt beyond 2^120.
std::optional<std::vector<Stride>> joinedStrides(const Normal& normal, std::span<const Form> axes) {
  std::vector<Stride> strides;
  for (std::size_t a = 0; a < normal.atoms().size(); ++a)
    if (normal.atoms()[a].kind == AtomKind::Part)
      strides.push_back({static_cast<int>(a), 0, normal.atoms()[a].range.hi + 1});
  i128 weight = 1;
  for (const Form& axis : axes) {
    for (Stride& s : strides) {
      const auto term = axis.terms.find({s.part});
      if (term != axis.terms.end()) s.stride += weight * term->second;
    }
    const Interval r = normal.range(axis);
    const i128 width = r.hi - r.lo + 1;
    if (width > (i128{1} << 100) / weight) return std::nullopt;
    weight *= width;
  }
  return strides;
}

i128 gcdOf(i128 a, i128 b) {
  while (b != 0) std::swap(a %= b, b);
  return a;
}

// Why sum delta_k * s_k = 0 forces every delta_k to 0, or nullptr if these two arguments do not show it:
//   size          |s_k| > sum of the others' reaches                       then delta_k = 0
//   divisibility  g = gcd of the others; g / gcd(s_k, g) >= extent_k       then delta_k = 0, as g divides s_k * delta_k
// Each digit eliminated leaves fewer for the next step.
const char* separation(std::vector<Stride> left) {
  std::ranges::sort(left, [](const Stride& a, const Stride& b) { return magnitude(a.stride) < magnitude(b.stride); });
  i128 below = 0;
  bool nests = true;
  for (const Stride& s : left) {
    nests = nests && magnitude(s.stride) > below;
    below += magnitude(s.stride) * (s.extent - 1);
  }
  if (nests) return "sorted strides nest: each is larger than the reach of those below it";
  if (left.size() > kMaxPairs) return nullptr;
  bool progress = true;
  while (!left.empty() && progress) {
    progress = false;
    for (std::size_t k = 0; k < left.size() && !progress; ++k) {
      spend(static_cast<i64>(left.size()));
      i128 reach = 0, g = 0;
      for (std::size_t j = 0; j < left.size(); ++j) {
        if (j == k) continue;
        reach += magnitude(left[j].stride) * (left[j].extent - 1);
        g = gcdOf(g, magnitude(left[j].stride));
      }
      const i128 s = magnitude(left[k].stride);
      const bool bySize = s > reach;
      if (!bySize && (s == 0 || g == 0 || g / gcdOf(s, g) < left[k].extent)) continue;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
      progress = true;
    }
  }
  return left.empty() ? "size and divisibility of the strides separate the digits" : nullptr;
}

std::vector<i64> pointAt(const Normal& normal, int part, i64 value) {
  std::vector<i64> values(normal.atoms().size(), 0);
  if (part >= 0) values[part] = value;
  return normal.digitsAt(values);
}

// Two parts (or one with stride 0) that collide on their own, at two real points.
std::optional<Answer> twoStrideCollision(const Normal& normal, const Map& map, std::vector<Stride> strides) {
  const auto answer = [&](const std::vector<i64>& x, const std::vector<i64>& y) -> std::optional<Answer> {
    if (!meets(map.guards(), map.digits(), x) || !meets(map.guards(), map.digits(), y)) return std::nullopt;
    return refuted(kName, {x, y});
  };
  for (const Stride& s : strides)
    if (s.stride == 0)
      if (auto found = answer(pointAt(normal, -1, 0), pointAt(normal, s.part, 1))) return found;
  // All pairs if there are few; otherwise only neighbours in size.
  const bool few = strides.size() <= kMaxPairs;
  if (!few)
    std::ranges::stable_sort(
        strides, [](const Stride& a, const Stride& b) { return magnitude(a.stride) < magnitude(b.stride); });
  for (std::size_t i = 0; i < strides.size(); ++i) {
    for (std::size_t j = i + 1; j < (few ? strides.size() : std::min(i + 2, strides.size())); ++j) {
      const Stride &s = strides[i], &t = strides[j];
      if (s.stride == 0 || t.stride == 0) continue;
      const i128 g = gcdOf(magnitude(s.stride), magnitude(t.stride));
      const i128 ofS = magnitude(t.stride) / g, ofT = magnitude(s.stride) / g;  // ofS * |s| == ofT * |t|
      if (ofS >= s.extent || ofT >= t.extent) continue;
      const i64 stepS = static_cast<i64>(ofS), stepT = static_cast<i64>(ofT);
      std::optional<Answer> found;
      if ((s.stride < 0) == (t.stride < 0)) {
        found = answer(pointAt(normal, s.part, stepS), pointAt(normal, t.part, stepT));
      } else {
        std::vector<i64> both(normal.atoms().size(), 0);
        both[s.part] = stepS;
        both[t.part] = stepT;
        found = answer(pointAt(normal, -1, 0), normal.digitsAt(both));
      }
      if (found) return found;
    }
  }
  return std::nullopt;
}

enum class Cover : unsigned char { Full, Hole, Undecided };
struct AxisCover {
  Cover cover = Cover::Undecided;
  i64 hole = 0;
};

// Does base + sum of strides reach all of [0, extent)? With strides made >= 0 and sorted, the values from the lowest
// one are reached without a gap up to the first stride that exceeds the reach below it plus one; the next value is
// missed.
AxisCover axisCover(i128 lowest, std::vector<Stride> strides, i64 extent) {
  for (Stride& s : strides) {
    if (s.stride < 0) lowest += s.stride * (s.extent - 1);
    s.stride = magnitude(s.stride);
  }
  std::ranges::sort(strides, [](const Stride& a, const Stride& b) { return a.stride < b.stride; });
  if (lowest > 0) return {Cover::Hole, 0};
  i128 reach = 0;
  bool whole = true;
  for (const Stride& s : strides) {
    whole = whole && s.stride <= reach + 1;
    if (!whole) break;
    reach += s.stride * (s.extent - 1);
  }
  const i128 next = lowest + reach + 1;
  if (next >= extent) return {Cover::Full, 0};
  if (next >= 0) return {Cover::Hole, static_cast<i64>(next)};
  return whole ? AxisCover{Cover::Hole, 0} : AxisCover{};
}

// A corner of the box where the linear form is largest (or smallest).
std::vector<i64> corner(const Normal& normal, const Form& form, bool largest) {
  std::vector<i64> values(normal.atoms().size(), 0);
  for (const auto& [monomial, coefficient] : form.terms)
    if (!monomial.empty() && (coefficient > 0) == largest)
      values[monomial.front()] = static_cast<i64>(normal.atoms()[monomial.front()].range.hi);
  return normal.digitsAt(values);
}

// A point where the linear form is not 0: the origin, or one step along the first digit in the form.
std::vector<i64> nonZero(const Normal& normal, const Form& form) {
  if (form.constantTerm() != 0) return pointAt(normal, -1, 0);
  return pointAt(normal, form.terms.begin()->first.front(), 1);
}

// The smallest step along one part that leaves [lo, hi], if one part suffices; otherwise the corner.
std::vector<i64> outside(const Normal& normal, const Form& form, i64 lo, i64 hi) {
  const i64 base = form.constantTerm();
  if (base < lo || base > hi) return pointAt(normal, -1, 0);
  for (const auto& [monomial, coefficient] : form.terms) {
    if (monomial.empty()) continue;
    const i128 room = coefficient > 0 ? i128{hi} - base : i128{base} - lo;
    const i128 step = room / magnitude(coefficient) + 1;
    if (step <= normal.atoms()[monomial.front()].range.hi)
      return pointAt(normal, monomial.front(), static_cast<i64>(step));
  }
  return corner(normal, form, /*largest=*/normal.range(form).hi > hi);
}

}  // namespace

Answer byStrided(const Map& pairs) {
  const auto normal = Normal::create(pairs.digits(), pairs.params(), axisExprs(pairs));
  if (!normal || !normal->isStrided(normal->forms()))
    return unknown(kName, "the axes are not linear over mixed-radix digits");
  auto strides = joinedStrides(*normal, normal->forms());
  if (!strides) return unknown(kName, "the strides do not fit the arithmetic");
  if (const char* why = separation(*strides)) return proved(kName, why);
  // An unevenly split digit has points in the box of parts that do not exist; meets() rejects them.
  if (pairs.params().empty())
    if (auto found = twoStrideCollision(*normal, pairs, *strides)) return *std::move(found);
  return unknown(kName, "the strides neither separate nor collide in pairs");
}

Answer byStridedCover(const Map& map) {
  if (!map.guards().empty()) return unknown(kName, "guards remove points");
  const auto normal = Normal::create(map.digits(), map.params(), axisExprs(map));
  if (!normal || !normal->isStrided(normal->forms()) || !map.params().empty())
    return unknown(kName, "the axes are not linear over mixed-radix digits");
  if (!normal->constraints().empty()) return unknown(kName, "a digit splits unevenly");
  std::vector<int> uses(normal->atoms().size(), 0);
  for (const Form& f : normal->forms())
    for (const auto& [monomial, coefficient] : f.terms)
      if (!monomial.empty()) ++uses[monomial.front()];
  if (std::ranges::any_of(uses, [](int n) { return n > 1; })) return unknown(kName, "one digit moves several axes");
  std::optional<std::vector<i64>> hole;
  for (std::size_t a = 0; a < map.axes().size(); ++a) {
    std::vector<Stride> strides;
    const Form& axis = normal->forms()[a];
    for (const auto& [monomial, coefficient] : axis.terms)
      if (!monomial.empty())
        strides.push_back({monomial.front(), coefficient, normal->atoms()[monomial.front()].range.hi + 1});
    const AxisCover covered = axisCover(axis.constantTerm(), strides, *map.axes()[a].extent);
    if (covered.cover == Cover::Undecided) return unknown(kName, "the image reaches below 0 and has gaps");
    if (covered.cover == Cover::Hole && !hole) {
      hole.emplace(map.axes().size(), 0);
      (*hole)[a] = covered.hole;
    }
  }
  if (hole) return uncovered(kName, *hole);
  return proved(kName, "sorted strides leave no gap");
}

Answer byStrided(const Pointwise& p) {
  const auto normal = Normal::create(p.digits, p.params, goalExprs(p.goals));
  if (!normal) return unknown(kName, "the expressions have no normal form");
  std::size_t k = 0;
  for (const Goal& g : p.goals) {
    std::optional<Form> form = normal->forms()[k++];
    if (g.right) {
      const auto minus = scaled(normal->forms()[k++], -1);
      form = minus ? sum(*form, *minus) : std::nullopt;
    }
    if (!form || !normal->isStrided(std::span(&*form, 1)))
      return unknown(kName, "the difference is not linear over mixed-radix digits");
    if (g.right ? form->terms.empty() : normal->range(*form).inside(g.lo, g.hi)) continue;
    if (!p.params.empty()) return unknown(kName, "symbolic sizes");
    const std::vector<i64> point = g.right ? nonZero(*normal, *form) : outside(*normal, *form, g.lo, g.hi);
    if (!meets(p.assume, p.digits, point)) return unknown(kName, "the extreme point is not real");
    return refuted(kName, {point});
  }
  return proved(kName, "linear in every digit, decided at the corners of the box");
}

Answer bySimplify(const Pointwise& p) {
  const auto normal = Normal::create(p.digits, p.params, goalExprs(p.goals));
  if (!normal) return unknown(kSimplify, "the expressions have no normal form");
  std::size_t k = 0;
  for (const Goal& g : p.goals) {
    const Form& left = normal->forms()[k++];
    if (g.right) {
      if (left != normal->forms()[k++])
        return unknown(kSimplify, "the two sides do not simplify to the same expression");
    } else if (!normal->range(left).inside(g.lo, g.hi)) {
      return unknown(kSimplify, "the interval of the simplified expression is not inside the bounds");
    }
  }
  const bool equality = !p.goals.empty() && p.goals.back().right.has_value();
  return proved(kSimplify, equality ? "both sides simplify to the same expression" : "the interval of each axis fits");
}

Answer bySimplify(const Map& pairs) {
  for (const Digit& d : pairs.digits())
    if (d.extent > 1) return unknown(kSimplify, "more than one point");
  return proved(kSimplify, "there is at most one point");
}

}  // namespace tessera::prover
