// simplified(Map): propagates information between the box and the guards of a map.
//
//     d0 in [0, 9], d1 in [0, 4], d0 * 2 in [3, 9], d0 + d1 in [0, 20]
//     d0 * 2 in [3, 9]      is d0 in [2, 4]: the range of d0, and the guard is dropped
//     d0 + d1 in [0, 20]    always holds
//
// Everything here is in coordinates (map/compose.h), so the printed result matches the input.
#include "core/expr/simplify.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/arith.h"
#include "core/expr/by_node.h"
#include "core/expr/compile.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/domain/narrow.h"

namespace tessera {
namespace {

constexpr i64 kMaxSearched = i64{1} << 16;

bool open(i64 bound) { return bound == INT64_MIN || bound == INT64_MAX; }
// lo <= e + k <= hi as bounds on e; an open end stays open.
std::optional<Range> shifted(i64 lo, i64 hi, i64 k) {
  const auto a = open(lo) ? lo : checkedSub(lo, k), b = open(hi) ? hi : checkedSub(hi, k);
  if (!a || !b) return std::nullopt;
  return Range{*a, *b};
}

// Undoes the outermost operation of a constraint as long as that is exact:
//     d0 * 2 + 1 in [3, 9]    d0 in [1, 4]           (d0 mod 8) * 2 in [4, 9]    d0 mod 8 in [2, 4]
// A sum of several variables keeps its constant, as written.
Guard peeled(Guard g) {
  for (;;) {
    const Expr e = g.value;
    if (isLeaf(e.op()) || !e.rhs().isConstant()) return g;
    const i64 c = e.rhs().value();
    if (e.op() == Op::Add && e.lhs().op() != Op::Add) {
      const auto range = shifted(g.lo, g.hi, c);
      if (!range) return g;
      g = {e.lhs(), range->lo, range->hi};
    } else if (e.op() == Op::Mul && std::abs(c) < i64{1} << 60 && c != 0 && g.lo > -(i64{1} << 61) &&
               g.hi < i64{1} << 61) {
      // lo <= c x <= hi: ceil(lo / c) <= x <= floor(hi / c), reversed for c < 0
      const i64 a = c > 0 ? g.lo : -g.hi, b = c > 0 ? g.hi : -g.lo, m = std::abs(c);
      g = {e.lhs(), -floorDiv(-a, m), floorDiv(b, m)};
    } else if (e.op() == Op::FloorDiv && c > 0 && c < i64{1} << 30 && g.lo > -(i64{1} << 30) && g.hi < i64{1} << 30) {
      g = {e.lhs(), g.lo * c, g.hi * c + c - 1};  // lo <= x div c <= hi: c lo <= x <= c hi + c - 1
    } else {
      return g;
    }
  }
}

// Operations and operands when printed; a shared part counts each time.
i64 writtenSize(const Expr& e) {
  constexpr i64 kMany = i64{1} << 40;
  ByNode<i64> sizes;
  childrenFirst(e, [&](const Expr& n) {
    sizes.add(n, isLeaf(n.op()) ? 1 : std::min(kMany, 1 + sizes.at(n.lhs()) + sizes.at(n.rhs())));
  });
  return sizes.at(e);
}
// The simplified form may be longer, (d0 + d1) * 3: then keep the written one.
Expr shorter(const Expr& simple, const Expr& written) {
  return writtenSize(simple) <= writtenSize(written) ? simple : written;
}

class Tightener {
 public:
  Tightener(const Map& map, std::vector<MapRewrite>* steps) : map_(map), steps_(steps), box_(coordinateBox(map)) {
    for (const Guard& g : map.guards()) guards_.push_back({inCoordinates(g.value, map.digits()), g.lo, g.hi});
  }

  Map run() {
    if (map_.isEmpty()) return emptied(map_);
    while (round() || narrowed()) {
    }
    if (empty_ || hasNoPoint()) {
      noted("no-point", std::nullopt, Guard{Expr::constant(0), 1, 1});
      return emptied(map_);
    }
    auto made = rebuilt();
    if (steps_ != nullptr && (!made || *made == map_)) steps_->clear();  // reverted: the written form is shorter
    // Only if coordinates and digits overflow differently.
    return made ? *std::move(made) : withSimplerValues(map_);
  }

 private:
  // One round over the guards; false if nothing changed.
  bool round() {
    bool changed = false;
    std::vector<Guard> kept;
    for (const Guard& g : std::exchange(guards_, {})) {
      const Guard plain{traced(g.value, "constraint"), g.lo, g.hi}, s = peeled(plain);
      if (!(s == plain)) noted("constraint-undone", plain, s);
      const Facts facts = factsOf(s.value, box_);
      if (facts.fits && facts.interval.lo >= s.lo && facts.interval.hi <= s.hi) {
        noted("constraint-always-holds", s, std::nullopt);
        changed = true;
        continue;
      }
      empty_ = empty_ || s.lo > s.hi || (facts.fits && (facts.interval.lo > s.hi || facts.interval.hi < s.lo));
      if (s.value.op() == Op::Digit || s.value.op() == Op::Param) {
        Range& r = rangeOf(box_, s.value);
        r = {std::max(r.lo, s.lo), std::min(r.hi, s.hi)};
        noted("constraint-is-a-range", s, Guard{s.value, r.lo, r.hi});
        empty_ = empty_ || r.lo > r.hi;
        changed = true;
      } else if (const auto same = std::ranges::find(kept, s.value, &Guard::value); same != kept.end()) {
        same->lo = std::max(same->lo, s.lo);
        same->hi = std::min(same->hi, s.hi);
        noted("constraint-twice", s, *same);
        empty_ = empty_ || same->lo > same->hi;
        changed = true;
      } else {
        kept.push_back(s);
      }
      if (empty_) return false;
    }
    guards_ = std::move(kept);
    return changed;
  }

  bool narrowed() {
    if (empty_) return false;
    const std::vector<Guard> guards = steps_ != nullptr ? guards_ : std::vector<Guard>();
    const Environment box = steps_ != nullptr ? box_ : Environment();
    const Narrowing n = narrow(guards_, box_);
    empty_ = n == Narrowing::Empty;
    if (steps_ != nullptr && n == Narrowing::Changed) noteNarrowed(guards, box);
    return n == Narrowing::Changed;
  }

  // --- recording of steps -------------------------------------------------------------------------------------------

  static constexpr std::size_t kMostSteps = 1000;

  void noted(std::string_view rule, std::optional<Guard> held, std::optional<Guard> kept) const {
    if (steps_ == nullptr || steps_->size() >= kMostSteps) return;
    steps_->push_back({std::string(rule), "constraint", {}, {}, box_, std::move(held), std::move(kept)});
  }
  [[nodiscard]] Expr simpler(const Expr& e, std::vector<RewriteStep>& reported) const {
    return simplified(e, box_, steps_ == nullptr ? nullptr : &reported);
  }
  // simplified, with its steps.
  [[nodiscard]] Expr traced(const Expr& e, const std::string& of) const {
    std::vector<RewriteStep> reported;
    Expr simple = simpler(e, reported);
    note(reported, of);
    return simple;
  }
  void note(const std::vector<RewriteStep>& reported, const std::string& of) const {
    for (const RewriteStep& s : reported)
      if (steps_->size() < kMostSteps)
        steps_->push_back({s.rule, of, s.before, s.after, box_, std::nullopt, std::nullopt});
  }
  void noteNarrowed(const std::vector<Guard>& guards, const Environment& box) const {
    for (std::size_t k = 0; k < box.digits.size(); ++k) {
      const Range &was = box.digits[k], &is = box_.digits[k];
      const Expr d = Expr::digit(static_cast<int>(k));
      if (was.lo != is.lo || was.hi != is.hi)
        noted("constraints-narrow", Guard{d, was.lo, was.hi}, Guard{d, is.lo, is.hi});
    }
    const auto without = [](std::vector<Guard> all, const std::vector<Guard>& those) {
      std::erase_if(all, [&](const Guard& g) { return std::ranges::find(those, g) != those.end(); });
      return all;
    };
    const std::vector<Guard> gone = without(guards, guards_), fresh = without(guards_, guards);
    for (std::size_t k = 0; k < std::max(gone.size(), fresh.size()); ++k)
      noted("constraints-narrow", k < gone.size() ? std::optional(gone[k]) : std::nullopt,
            k < fresh.size() ? std::optional(fresh[k]) : std::nullopt);
  }
  // The shorter of both, as in shorter(); steps that are not taken are not recorded.
  [[nodiscard]] Expr shorterOf(const Expr& written, std::size_t result) const {
    std::vector<RewriteStep> reported;
    const Expr simple = simpler(written, reported), taken = shorter(simple, written);
    if (taken == simple) note(reported, "result " + std::to_string(result));
    return taken;
  }

  // ------------------------------------------------------------------------------------------------------------------

  // All digits and parameters in one list, if the box is small enough to enumerate.
  [[nodiscard]] bool hasNoPoint() const {
    i64 points = 1;
    for (const auto* list : {&box_.digits, &box_.params}) {
      for (const Range& r : *list) {
        const auto width = checkedSub(r.hi, r.lo);
        if (!width || *width >= kMaxSearched / points) return false;
        points *= *width + 1;
      }
    }
    std::vector<Program> values;
    for (const Guard& g : guards_) {
      if (!factsOf(g.value, box_).fits) return false;
      values.push_back(Program::compile(g.value));
    }
    std::vector<i64> digits(box_.digits.size()), params(box_.params.size());
    for (i64 n = 0; n < points; ++n) {
      i64 rest = n;
      for (const auto& [list, to] : {std::pair{&box_.digits, &digits}, std::pair{&box_.params, &params}}) {
        for (std::size_t k = 0; k < list->size(); ++k) {
          const Range& r = (*list)[k];
          (*to)[k] = r.lo + rest % (r.hi - r.lo + 1);
          rest /= r.hi - r.lo + 1;
        }
      }
      std::size_t held = 0;
      for (; held < values.size(); ++held) {
        const i64 value = values[held].run(digits, params);
        if (value < guards_[held].lo || value > guards_[held].hi) break;
      }
      if (held == values.size()) return false;
    }
    return true;
  }

  // The constraint that this one came from, if that is shorter.
  [[nodiscard]] Guard asWritten(const Guard& g) const {
    for (const Guard& was : map_.guards()) {
      const Guard written{inCoordinates(was.value, map_.digits()), was.lo, was.hi};
      if (writtenSize(written.value) < writtenSize(g.value) &&
          peeled({simplified(written.value, box_), written.lo, written.hi}) == g)
        return written;
    }
    return g;
  }

  [[nodiscard]] Result<Map> rebuilt() const {
    std::vector<Digit> digits = map_.digits();
    std::vector<Param> params = map_.params();
    for (std::size_t k = 0; k < digits.size(); ++k) {
      digits[k].lo = box_.digits[k].lo;
      digits[k].extent = box_.digits[k].hi - box_.digits[k].lo + 1;
    }
    for (std::size_t k = 0; k < params.size(); ++k) {
      params[k].lo = box_.params[k].lo;
      params[k].hi = box_.params[k].hi;
    }
    std::vector<Axis> axes = map_.axes();
    for (std::size_t k = 0; k < axes.size(); ++k)
      axes[k].value = overDigits(shorterOf(inCoordinates(axes[k].value, map_.digits()), k), digits);
    std::vector<Guard> guards;
    for (const Guard& g : guards_) {
      guards.push_back(asWritten(g));
      if (!(guards.back() == g)) noted("constraint-as-written", g, guards.back());
      guards.back().value = overDigits(guards.back().value, digits);
    }
    return Map::create(std::move(digits), std::move(axes), std::move(guards), std::move(params));
  }

  const Map& map_;
  std::vector<MapRewrite>* steps_;  // null: not recorded
  Environment box_;
  std::vector<Guard> guards_;
  bool empty_ = false;
};

}  // namespace

Map simplified(const Map& map, std::vector<MapRewrite>* steps) {
  if (steps != nullptr) steps->clear();
  return Tightener(map, steps).run();
}

std::string_view lawOfConstraint(std::string_view rule) {
  constexpr std::pair<std::string_view, std::string_view> kLaws[] = {
      {"constraint-undone", "lo <= x * c + k <= hi bounds x itself"},
      {"constraint-always-holds", "the ranges of the variables stay within its bounds"},
      {"constraint-is-a-range", "a constraint on one variable is its range"},
      {"constraint-twice", "two constraints on one value become one"},
      {"constraints-narrow", "no point outside satisfies the constraints"},
      {"constraint-as-written", "the written form, which is shorter"},
      {"no-point", "no point satisfies the constraints"},
  };
  for (const auto& [name, law] : kLaws)
    if (name == rule) return law;
  return "";
}

}  // namespace tessera
