#include "core/hlo/tiles/tile_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/linear_sum.h"
#include "core/expr/walk.h"

namespace tessera::hlo {
namespace {

constexpr i64 kNoBound = INT64_MAX;
constexpr Range kEverywhere{-kNoBound, kNoBound};
constexpr std::size_t kMostStates = 256;

std::set<int> digitsOf(const Expr& e) {
  const std::vector<int> found = leavesIn(e, Op::Digit);
  return {found.begin(), found.end()};
}

// A variable of a sum: a digit, or a window of another sum.
struct Atom {
  int digit = -1;
  std::size_t base = 0, window = 0;
};
struct Sum {
  Expr constant = Expr::constant(0);  // the part without digits
  std::vector<std::pair<i64, Atom>> terms;
};
struct Base {
  Expr of;
  Sum sum;
  std::vector<Window> windows;
  std::vector<std::pair<i64, i64>> residues;  // (modulus, residue): other values are excluded
  Range within = kEverywhere;                 // values outside are excluded too
};

struct WindowOf {
  Expr base;
  Window window;
};
// x floordiv a, x mod m, (x floordiv a) mod m, (x mod m) floordiv a where a divides m.
std::optional<WindowOf> windowOf(const Expr& e) {
  const auto by = [](const Expr& x, Op op) { return x.op() == op && x.rhs().isConstant() && x.rhs().value() > 0; };
  if (by(e, Op::Mod)) {
    const Expr in = e.lhs();
    const i64 of = e.rhs().value();
    if (by(in, Op::FloorDiv)) return WindowOf{in.lhs(), {in.rhs().value(), of}};
    return WindowOf{in, {1, of}};
  }
  if (!by(e, Op::FloorDiv)) return std::nullopt;
  const Expr in = e.lhs();
  const i64 div = e.rhs().value();
  if (!by(in, Op::Mod) || in.rhs().value() % div != 0) return WindowOf{in, {div, 0}};
  const i64 of = in.rhs().value() / div;
  if (of == 1) return WindowOf{in, {div, 0}};
  if (by(in.lhs(), Op::FloorDiv))
    if (const auto both = checkedMul(in.lhs().rhs().value(), div)) return WindowOf{in.lhs().lhs(), {*both, of}};
  return WindowOf{in.lhs(), {div, of}};
}

// What prevents a tile, and the digits that would have to be one element each.
struct Reason {
  std::string why;
  std::set<int> digits;
};

// One case so far.
struct State {
  Conditions where;
  bool nothing = false;
  std::vector<Progression> digits;
  std::vector<std::vector<Progression>> windows;  // by base
};

class PartReader {
 public:
  PartReader(const MapOfTile& map, const PartOfMap& part, std::set<int> single)
      : map_(map), part_(part), single_(std::move(single)), can_(map.box) {}

  // The ways, or what prevents them.
  std::optional<Reason> run(std::vector<SymbolicTile::Way>& ways) {
    begin();
    for (const Expr& v : values_) {
      auto sum = sumOf(v);
      if (!sum) return Reason{fmt::format("`{}` is not a sum of multiples of windows", text(v)), digitsOf(v)};
      sums_.push_back(*std::move(sum));
    }
    within_.resize(values_.size());
    for (const Guard& g : guards_)
      if (auto reason = constrain(g)) return reason;
    if (auto reason = usedTwice()) return reason;
    for (std::size_t b = 0; b < bases_.size(); ++b)
      if (auto reason = cut(b)) return reason;
    for (State& s : states_) addWays(std::move(s), ways);
    return std::nullopt;
  }

 private:
  std::string text(const Expr& e) const { return print(e, map_.names, map_.paramNames); }

  // A single digit equals its offset.
  void begin() {
    std::vector<Expr> digits;
    for (std::size_t k = 0; k < map_.ranges.size(); ++k)
      digits.push_back(single_.count(static_cast<int>(k)) != 0 ? map_.ranges[k].offset
                                                               : Expr::digit(static_cast<int>(k)));
    for (const Expr& v : part_.values) values_.push_back(can_.simple(substitute(v, digits)));
    for (const Guard& g : part_.guards) guards_.push_back({can_.simple(substitute(g.value, digits)), g.lo, g.hi});
    State first;
    first.digits = map_.ranges;
    bool possible = true;
    for (const int k : single_)
      possible = possible && can_.require(first.where, map_.ranges[static_cast<std::size_t>(k)].size, 1, 1);
    if (possible) states_.push_back(std::move(first));
  }

  // The items, with each that is not empty replaced by those that `step` adds.
  template <class Item, class Step>
  static std::vector<Item> advanced(std::vector<Item> all, Step step) {
    std::vector<Item> next;
    for (Item& item : all) {
      if (item.nothing)
        next.push_back(std::move(item));
      else
        step(item, next);
    }
    return next;
  }
  template <class Step>
  void advance(Step step) {
    states_ = advanced(std::move(states_), step);
    if (states_.size() > kMostStates) states_.resize(kMostStates);
  }

  // Requires value in [lo, hi] in every state; where it certainly fails, the state is empty.
  void split(const Expr& least, const Expr& most, i64 lo, i64 hi) {
    advance([&](const State& s, std::vector<State>& next) {
      State good = s, below = s, above = s;
      if (can_.require(good.where, least, lo, kNoBound) && can_.require(good.where, most, -kNoBound, hi))
        next.push_back(std::move(good));
      below.nothing = above.nothing = true;
      if (lo > -kNoBound && can_.require(below.where, most, -kNoBound, lo - 1)) next.push_back(std::move(below));
      if (hi < kNoBound && can_.require(above.where, least, hi + 1, kNoBound)) next.push_back(std::move(above));
    });
  }

  // What the guard allows of a value that differs from the guard's by a constant; nullopt: it differs otherwise.
  std::optional<Range> allowed(const Guard& g, const Expr& value) const {
    const Expr apart = can_.simple(g.value - value);
    if (!apart.isConstant()) return std::nullopt;
    const auto lo = checkedSub(g.lo, apart.value()), hi = checkedSub(g.hi, apart.value());
    return lo && hi ? std::optional(Range{*lo, *hi}) : std::nullopt;
  }
  static Range both(const Range& a, const Range& b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

  std::optional<Reason> constrain(const Guard& g) {
    const std::set<int> digits = digitsOf(g.value);
    if (digits.empty()) {
      split(g.value, g.value, g.lo, g.hi);
      return std::nullopt;
    }
    for (std::size_t k = 0; k < values_.size(); ++k)
      if (const auto range = allowed(g, values_[k])) {
        within_[k] = both(within_[k].value_or(kEverywhere), *range);
        return std::nullopt;
      }
    if (g.lo == g.hi && g.value.op() == Op::Mod && g.value.rhs().isConstant() && g.value.rhs().value() > 0) {
      if (digits.size() == 1 && filter(g, *digits.begin())) return std::nullopt;
      if (filterBase(g)) return std::nullopt;
    }
    for (Base& base : bases_)
      if (const auto range = allowed(g, base.of)) {
        base.within = both(base.within, *range);
        return std::nullopt;
      }
    const auto sum = linearSum(g.value);
    if (sum && wholly(*sum, g)) return std::nullopt;
    return Reason{fmt::format("the constraint `{}` in [{}, {}] does not describe a box", text(g.value), g.lo, g.hi),
                  digits};
  }

  // A guard on a sum of digits must hold for the whole tile.
  bool wholly(const Linear& sum, const Guard& g) {
    Expr least = Expr::constant(sum.constant), most = least;
    for (const Term& t : sum.terms) {
      if (digitsOf(t.part).empty()) {
        least = least + t.part * t.coefficient;
        most = most + t.part * t.coefficient;
        continue;
      }
      if (t.part.op() != Op::Digit) return false;
      const Progression& p = map_.ranges[static_cast<std::size_t>(t.part.index())];
      const Expr first = p.offset * t.coefficient, last = (p.offset + (p.size - 1) * p.stride) * t.coefficient;
      least = least + (t.coefficient > 0 ? first : last);
      most = most + (t.coefficient > 0 ? last : first);
    }
    split(least, most, g.lo, g.hi);
    return true;
  }

  // d or -d plus a constant has one residue: selects every k-th element of the digit.
  bool filter(const Guard& g, int digit) {
    const auto sum = linearSum(g.value.lhs());
    if (!sum || !filtered_.insert(digit).second) return false;
    Expr rest = Expr::constant(sum->constant);
    i64 by = 0;
    for (const Term& t : sum->terms) {
      if (t.part.op() == Op::Digit)
        by = t.coefficient;
      else if (digitsOf(t.part).empty())
        rest = rest + t.part * t.coefficient;
      else
        return false;
    }
    if (by != 1 && by != -1) return false;
    const Expr residue = (Expr::constant(g.lo) - rest) * by;
    advance([&](const State& s, std::vector<State>& next) {
      const Progression& p = s.digits[static_cast<std::size_t>(digit)];
      for (Filtered& f : can_.strideFilter(s.where, p, residue, g.value.rhs().value())) {
        State made = s;
        made.where = std::move(f.where);
        made.nothing = f.nothing;
        made.digits[static_cast<std::size_t>(digit)] = std::move(f.is);
        next.push_back(std::move(made));
      }
    });
    return true;
  }

  // A sum has one residue; `cut` applies it to the sum's values.
  bool filterBase(const Guard& g) {
    const i64 of = g.value.rhs().value();
    const auto base = baseOf({g.value.lhs(), {1, of}});
    if (!base || base->more != 0) return false;
    bases_[base->number].residues.push_back({of, g.lo});
    return true;
  }

  std::optional<Sum> sumOf(const Expr& e) {
    const auto linear = linearSum(e);
    if (!linear) return std::nullopt;
    Sum sum;
    sum.constant = Expr::constant(linear->constant);
    for (const Term& t : linear->terms) {
      if (digitsOf(t.part).empty()) {
        sum.constant = sum.constant + t.part * t.coefficient;
        continue;
      }
      if (t.part.op() == Op::Digit) {
        sum.terms.push_back({t.coefficient, {t.part.index(), 0, 0}});
        continue;
      }
      const auto window = windowOf(t.part);
      if (!window) return std::nullopt;
      const auto base = baseOf(*window);
      if (!base) return std::nullopt;
      bases_[base->number].windows.push_back(window->window);
      sum.constant = sum.constant + Expr::constant(base->more) * t.coefficient;
      sum.terms.push_back({t.coefficient, {-1, base->number, bases_[base->number].windows.size() - 1}});
    }
    return sum;
  }

  // Windows of x + 11 and x + 3, or of -x and 3 * x, share a base if the window cannot distinguish them: (x + 11) mod 4
  // = (x + 3) mod 4, (x + 11) floordiv 4 = (x + 3) floordiv 4 + 2. A base comes after the bases it uses.
  struct FoundBase {
    std::size_t number = 0;
    i64 more = 0;  // constant to add to the window
  };
  std::optional<FoundBase> baseOf(const WindowOf& w) {
    for (std::size_t b = 0; b < bases_.size(); ++b) {
      Base& base = bases_[b];
      if (base.of == w.base || sameBelow(w.base, base.of, w.window)) return FoundBase{b, 0};
      const auto apart = linearSum(can_.simple(w.base - base.of));
      if (apart && apart->terms.empty() && w.window.of == 0 && apart->constant % w.window.by == 0)
        return FoundBase{b, apart->constant / w.window.by};
      const bool can =
          std::ranges::all_of(base.windows, [&](const Window& there) { return sameBelow(w.base, base.of, there); }) &&
          std::ranges::all_of(base.residues, [&](const auto& r) {
            return sameBelow(w.base, base.of, {1, r.first});
          });
      if (!can || base.within != kEverywhere || !isOfDigits(w.base)) continue;
      base.of = w.base;  // the base's windows see no difference, but this one does
      base.sum = *sumOf(w.base);
      return FoundBase{b, 0};
    }
    auto sum = sumOf(w.base);
    if (!sum) return std::nullopt;
    bases_.push_back({w.base, *std::move(sum), {}, {}});
    return FoundBase{bases_.size() - 1, 0};
  }
  // A sum of digits, without windows.
  static bool isOfDigits(const Expr& e) {
    const auto sum = linearSum(e);
    return sum && std::ranges::all_of(
                      sum->terms, [](const Term& t) { return t.part.op() == Op::Digit || digitsOf(t.part).empty(); });
  }
  // a and b differ by multiples of everything the window sees.
  bool sameBelow(const Expr& a, const Expr& b, const Window& w) const {
    const auto seen = w.of == 0 ? std::nullopt : checkedMul(w.by, w.of);
    const auto apart = linearSum(can_.simple(a - b));
    return seen && apart && apart->constant % *seen == 0 &&
           std::ranges::all_of(apart->terms, [&](const Term& t) { return t.coefficient % *seen == 0; });
  }

  // Each window is a separate atom, so only digits can be used twice; `cut` rejects equal windows.
  std::optional<Reason> usedTwice() const {
    std::vector<int> uses(map_.ranges.size());
    const auto count = [&](const Sum& sum) {
      for (const auto& term : sum.terms)
        if (term.second.digit >= 0) ++uses[static_cast<std::size_t>(term.second.digit)];
    };
    for (const Sum& s : sums_) count(s);
    for (const Base& b : bases_) count(b.sum);
    std::set<int> twice;
    std::string names;
    for (std::size_t k = 0; k < uses.size(); ++k) {
      if (uses[k] < 2) continue;
      twice.insert(static_cast<int>(k));
      names += (names.empty() ? "" : ", ") + map_.names[k];
    }
    if (twice.empty()) return std::nullopt;
    for (const Base& b : bases_) {  // a guard on several digits, one of them used twice: make the others single
      const std::set<int> in = digitsOf(b.of);
      if (b.windows.empty() && std::ranges::any_of(in, [&](int k) { return twice.count(k) != 0; }))
        twice.insert(in.begin(), in.end());
    }
    return Reason{fmt::format("{} moves several numbers together, which is not a box", names), twice};
  }

  const Progression& valueOf(const State& s, const Atom& a) const {
    return a.digit >= 0 ? s.digits[static_cast<std::size_t>(a.digit)] : s.windows[a.base][a.window];
  }
  std::vector<ProgressionCase> casesOf(const State& s, const Sum& sum) const {
    std::vector<ProgressionArithmetic::Multiple> parts;
    for (const auto& term : sum.terms) parts.push_back({term.first, valueOf(s, term.second)});
    return can_.sum(sum.constant, std::move(parts));
  }

  // The values of a base's sum in one state, without the excluded ones.
  std::vector<Filtered> valuesOf(const State& s, const Base& base) const {
    std::vector<Filtered> all;
    for (ProgressionCase& c : casesOf(s, base.sum))
      if (Filtered f{s.where, false, std::move(c.is)}; can_.require(f.where, c.where)) all.push_back(std::move(f));
    for (const auto& r : base.residues)
      all = advanced(std::move(all), [&](const Filtered& f, std::vector<Filtered>& next) {
        std::ranges::move(can_.strideFilter(f.where, f.is, Expr::constant(r.second), r.first),
                          std::back_inserter(next));
      });
    if (base.within == kEverywhere) return all;
    return advanced(std::move(all), [&](const Filtered& f, std::vector<Filtered>& next) {
      std::ranges::move(can_.cut(f.where, f.is, base.within), std::back_inserter(next));
    });
  }

  // Splits the windows of a base, in every state.
  std::optional<Reason> cut(std::size_t b) {
    const Base& base = bases_[b];
    std::optional<Reason> reason;
    advance([&](const State& s, std::vector<State>& next) {
      for (Filtered& f : valuesOf(s, base)) {
        State made = s;
        made.where = std::move(f.where);
        made.nothing = f.nothing;
        made.windows.resize(bases_.size());
        if (f.nothing || base.windows.empty()) {
          next.push_back(std::move(made));
          continue;
        }
        const auto digits = digitsOfBase(base, f.is);
        if (!digits) {
          reason = Reason{fmt::format("`{}` is split in overlapping ways", text(base.of)), digitsOf(base.of)};
          return;
        }
        for (const DigitsCase& d : *digits) {
          State more = made;
          if (!can_.require(more.where, d.where)) continue;
          more.windows[b] = d.digits;
          next.push_back(std::move(more));
        }
      }
    });
    return reason;
  }
  std::optional<std::vector<DigitsCase>> digitsOfBase(const Base& base, const Progression& values) const {
    if (base.windows.size() > 1) return can_.split(values, base.windows);
    std::vector<DigitsCase> digits;
    for (ProgressionCase& w : can_.window(values, base.windows[0]))
      digits.push_back({std::move(w.where), {std::move(w.is)}});
    return digits;
  }

  // The cases of one state's values, in every combination.
  void addWays(State state, std::vector<SymbolicTile::Way>& ways) const {
    std::vector<SymbolicTile::Way> made{{std::move(state.where), state.nothing, {}}};
    for (std::size_t k = 0; k < sums_.size() && !state.nothing; ++k) {
      std::vector<SymbolicTile::Way> next;
      for (const ProgressionCase& c : casesOf(state, sums_[k]))
        for (const SymbolicTile::Way& w : made) {
          SymbolicTile::Way more = w;
          if (!can_.require(more.where, c.where)) continue;
          more.dimensions.push_back({c.is, within_[k]});
          next.push_back(std::move(more));
        }
      made = std::move(next);
      if (made.size() > kMostStates) made.resize(kMostStates);
    }
    for (SymbolicTile::Way& w : made) {
      std::vector<Progression> values = mapped<Progression>(w.dimensions, &SymbolicTile::Dimension::is);
      if (!can_.tidy(w.where, values)) continue;
      for (std::size_t k = 0; k < values.size(); ++k) w.dimensions[k].is = values[k];
      ways.push_back(std::move(w));
    }
  }

  const MapOfTile& map_;
  const PartOfMap& part_;
  std::set<int> single_, filtered_;
  ProgressionArithmetic can_;
  std::vector<Expr> values_;
  std::vector<Guard> guards_;
  std::vector<std::optional<Range>> within_;  // by value
  std::vector<Sum> sums_;                     // by value
  std::vector<Base> bases_;
  std::vector<State> states_;
};

// Drops duplicates and redundant ways; tiles come before `nothing`.
std::vector<SymbolicTile::Way> plainer(std::vector<SymbolicTile::Way> ways) {
  std::stable_partition(ways.begin(), ways.end(), [](const SymbolicTile::Way& w) { return !w.nothing; });
  ways = withoutNeedless(std::move(ways));
  std::vector<SymbolicTile::Way> kept;
  for (SymbolicTile::Way& w : ways) {
    const bool there = std::ranges::any_of(kept, [&](const SymbolicTile::Way& k) {
      return k.nothing == w.nothing && std::ranges::all_of(k.where, [&](const Guard& g) {
               return std::ranges::find(w.where, g) != w.where.end();
             });
    });
    if (!there) kept.push_back(std::move(w));
  }
  return kept;
}

}  // namespace

WaysOfPart waysOf(const MapOfTile& map, const PartOfMap& part) {
  WaysOfPart answer;
  std::set<int> single;
  for (;;) {
    std::vector<SymbolicTile::Way> ways;
    const auto reason = PartReader(map, part, single).run(ways);
    if (!reason) {
      answer.ways = plainer(std::move(ways));
      return answer;
    }
    if (answer.why.empty()) answer.why = reason->why;
    const std::size_t before = single.size();
    for (const int k : reason->digits)
      if (!map.isFan[static_cast<std::size_t>(k)]) single.insert(k);
    if (single.size() == before) return answer;
  }
}

}  // namespace tessera::hlo
