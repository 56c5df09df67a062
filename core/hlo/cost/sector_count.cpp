#include "core/hlo/cost/sector_count.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/base/work_budget.h"
#include "core/expr/compile.h"
#include "core/expr/facts.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"

namespace tessera::hlo {
namespace {

constexpr i64 kLanes = 32, kWidestAccess = 16, kBitsOfSector = 256;
constexpr i64 kFewClasses = 128;       // enumerated without looking for a period
constexpr i64 kMostClasses = 1 << 14;  // of one piece
constexpr std::size_t kMostPieces = 512;
constexpr i64 kMostCuts = 64;
constexpr std::size_t kLane = 0, kUnit = 1, kFirst = 2;  // digits of a piece: lane, element of an access, the others

struct Overflow {};  // a count exceeds 2^63

i64 times(i64 a, i64 b) {
  const auto c = checkedMul(a, b);
  if (!c) throw Overflow();
  return *c;
}
void add(i64& to, i64 a) {
  if (!addInto(to, a)) throw Overflow();
}

// Slots of the lanes, from the start of the first one's sector on; kInactive: none.
using Pattern = std::array<i64, static_cast<std::size_t>(kLanes)>;
struct PatternHash {
  std::size_t operator()(const Pattern& p) const {
    u64 h = 0;
    for (const i64 v : p) h = splitMix(h ^ static_cast<u64>(v));
    return static_cast<std::size_t>(h);
  }
};
struct Touched {
  i64 sectors = 0, ideal = 0, aligned = 0;
};

// The number of different values of `of` over the sorted active slots. `of` does not decrease.
template <typename Of>
i64 distinctOf(const Pattern& sorted, std::size_t active, Of of) {
  i64 count = 0;
  for (std::size_t k = 0; k < active; ++k) count += k == 0 || of(sorted[k]) != of(sorted[k - 1]);
  return count;
}

// `width`: bytes per lane.
Touched touchedBy(Pattern lanes, i64 bits, i64 width) {
  const auto end = std::remove(lanes.begin(), lanes.end(), kInactive);
  std::sort(lanes.begin(), end);
  const auto active = static_cast<std::size_t>(end - lanes.begin());
  const auto byte = [&](i64 slot) { return slot * bits / 8; };
  const i64 moved = byte(lanes[0]) % kSectorBytes;
  Touched t;
  t.sectors = distinctOf(lanes, active, [&](i64 s) { return byte(s) / kSectorBytes; });
  t.aligned = distinctOf(lanes, active, [&](i64 s) { return (byte(s) - moved) / kSectorBytes; });
  t.ideal = ceilDiv(distinctOf(lanes, active, byte) * width, kSectorBytes);
  return t;
}

// A box of digits, each from 0, with the slot and the constraints over them.
struct Piece {
  std::vector<i64> extents;
  Expr slot;
  std::vector<Guard> guards;
  Expr block, warp;  // whose they are

  [[nodiscard]] Environment box() const {
    Environment e;
    for (const i64 n : extents) e.digits.push_back({0, n - 1});
    return e;
  }
  [[nodiscard]] Piece with(std::size_t digit, i64 extent, const Expr& value, std::optional<i64> further = {}) const {
    Piece p = *this;
    std::vector<Expr> by = identityDigits(extents.size());
    by[digit] = value;
    p.extents[digit] = extent;
    if (further) p.extents.push_back(*further);
    for (Expr* e : {&p.slot, &p.block, &p.warp}) *e = substitute(*e, by);
    for (Guard& g : p.guards) g.value = substitute(g.value, by);
    return p;
  }
};

// How the values of a digit are divided: by a period, or into ranges that begin at `cuts`.
struct Division {
  std::size_t digit = 0;
  i64 period = 0;
  std::vector<i64> cuts;
};

Expr digitAt(std::size_t k) { return Expr::digit(static_cast<int>(k)); }

// Of a sum in which the digit occurs only as coefficient * digit: that, and the range of all else. nullopt: otherwise.
struct AlongDigit {
  i64 coefficient = 0;
  Range rest;
};
std::optional<AlongDigit> along(const Expr& e, std::size_t digit, const Environment& box) {
  const auto sum = linearSum(e);
  if (!sum) return std::nullopt;
  AlongDigit found;
  Expr rest = Expr::constant(sum->constant);
  for (const Term& t : sum->terms) {
    if (t.part == digitAt(digit)) {
      found.coefficient = t.coefficient;
    } else if (std::ranges::count(leavesIn(t.part, Op::Digit), static_cast<int>(digit)) > 0) {
      return std::nullopt;
    } else {
      rest = rest + t.part * t.coefficient;
    }
  }
  if (found.coefficient == 0) return std::nullopt;
  const Facts facts = factsOf(rest, box);
  if (!facts.fits) return std::nullopt;
  found.rest = facts.interval;
  return found;
}

// Adds the first value of the digit, of `extent`, on the other side of coefficient * digit >= bound.
void cutAt(i128 bound, i64 coefficient, i64 extent, std::vector<i64>& cuts) {
  const i128 at = coefficient > 0 ? -wideFloorDiv(-bound, coefficient) : wideFloorDiv(bound, coefficient) + 1;
  if (at > 0 && at < extent) cuts.push_back(static_cast<i64>(at));
}

// Where the guard becomes decided or undecided.
std::vector<i64> cutsOf(const Guard& g, std::size_t digit, i64 extent, const Environment& box) {
  std::vector<i64> cuts;
  const auto a = along(g.value, digit, box);
  if (!a) return cuts;
  for (const Range& r : {Range{a->rest.lo, a->rest.hi}, Range{a->rest.hi, a->rest.lo}}) {
    cutAt(i128{g.lo} - r.lo, a->coefficient, extent, cuts);
    cutAt(i128{g.hi} - r.hi + 1, a->coefficient, extent, cuts);
  }
  return cuts;
}

// Where value floordiv c becomes constant, or stops to be. Empty: at too many places.
std::vector<i64> cutsOf(const Expr& value, i64 c, std::size_t digit, i64 extent, const Environment& box) {
  std::vector<i64> cuts;
  const auto a = along(value, digit, box);
  if (!a) return cuts;
  const i128 last = i128{a->coefficient} * (extent - 1);
  const i128 from = wideFloorDiv(std::min<i128>(0, last) + a->rest.lo, c),
             to = wideFloorDiv(std::max<i128>(0, last) + a->rest.hi, c);
  if (to - from > kMostCuts) return cuts;
  for (i128 q = from + 1; q <= to; ++q) {
    cutAt(q * c - a->rest.lo, a->coefficient, extent, cuts);
    cutAt(q * c - a->rest.hi, a->coefficient, extent, cuts);
  }
  return cuts;
}

std::vector<i64> sortedOnce(std::vector<i64> cuts) {
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

class Counter {
 public:
  Counter(i64 bits, i64 width) : bits_(bits), width_(width), bytes_(std::max<i64>(1, bits / 8) * width) {
    slotsOfSector_ = kBitsOfSector / bits;
  }
  enum class End : unsigned char { Counted, NotTogether, Irregular };

  End count(Piece all) {
    std::vector<Piece> open{std::move(all)};
    std::size_t pieces = 0;
    while (!open.empty()) {
      Piece piece = std::move(open.back());
      open.pop_back();
      if (++pieces > kMostPieces) return End::Irregular;
      if (!simplify(piece)) continue;
      const std::vector<std::size_t> bound = boundDigits(piece);
      i64 classes = 1;
      for (const std::size_t k : bound) classes = checkedMul(classes, piece.extents[k]).value_or(INT64_MAX);
      const auto division = classes <= kFewClasses ? std::nullopt : divisionOf(piece, bound);
      if (division) {
        divide(piece, *division, open);
      } else if (classes > kMostClasses) {
        return End::Irregular;
      } else if (!enumerate(piece, bound)) {
        return End::NotTogether;
      }
    }
    return End::Counted;
  }

  [[nodiscard]] SectorCount take() {
    found_.width = bytes_;
    return std::move(found_);
  }

 private:
  // False: no point of the piece meets the guards.
  static bool simplify(Piece& p) {
    const Environment box = p.box();
    std::vector<Guard> kept;
    for (Guard& g : p.guards) {
      Facts facts = factsOf(g.value, box);
      if (facts.interval.lo < g.lo || facts.interval.hi > g.hi) {
        g.value = simplified(g.value, box);
        facts = factsOf(g.value, box);
      }
      if (facts.interval.lo > g.hi || facts.interval.hi < g.lo) return false;
      if (facts.interval.lo < g.lo || facts.interval.hi > g.hi) kept.push_back(std::move(g));
    }
    p.guards = std::move(kept);
    p.slot = simplified(p.slot, box);
    return true;
  }

  // Digits that do not only move an access, with more than one value; without the lane and the unit.
  static std::vector<std::size_t> boundDigits(const Piece& p) {
    std::vector<bool> bound(p.extents.size(), false);
    const auto bind = [&](const Expr& e) {
      for (const int k : leavesIn(e, Op::Digit)) bound[static_cast<std::size_t>(k)] = true;
    };
    for (const Guard& g : p.guards) bind(g.value);
    if (const auto sum = linearSum(p.slot)) {
      for (const Term& t : sum->terms)
        if (t.part.op() != Op::Digit) bind(t.part);
    } else {
      bind(p.slot);
    }
    std::vector<std::size_t> list;
    for (std::size_t k = kFirst; k < bound.size(); ++k)
      if (bound[k] && p.extents[k] > 1) list.push_back(k);
    return list;
  }

  // Of the largest digit that can be divided.
  static std::optional<Division> divisionOf(const Piece& p, std::vector<std::size_t> bound) {
    const Environment box = p.box();
    std::ranges::stable_sort(bound, [&](std::size_t a, std::size_t b) { return p.extents[a] > p.extents[b]; });
    std::vector<Expr> quotients;
    const auto collect = [&](const Expr& e) {
      childrenFirst(e, [&](const Expr& n) {
        if ((n.op() == Op::FloorDiv || n.op() == Op::Mod) && n.rhs().isConstant() && n.rhs().value() > 1)
          quotients.push_back(n);
      });
    };
    collect(p.slot);
    for (const Guard& g : p.guards) collect(g.value);
    for (const std::size_t digit : bound) {
      const i64 extent = p.extents[digit];
      for (const Guard& g : p.guards)
        if (auto cuts = sortedOnce(cutsOf(g, digit, extent, box)); !cuts.empty()) return Division{digit, 0, cuts};
      i64 period = extent;
      for (const Expr& q : quotients)
        if (const auto a = along(q.lhs(), digit, box)) {
          const i64 own = q.rhs().value() / std::gcd(q.rhs().value(), a->coefficient);
          if (own > 1) period = std::min(period, own);
        }
      if (period < extent) return Division{digit, period, {}};
      for (const Expr& q : quotients)
        if (auto cuts = sortedOnce(cutsOf(q.lhs(), q.rhs().value(), digit, extent, box));
            !cuts.empty() && static_cast<i64>(cuts.size()) * 4 < extent)
          return Division{digit, 0, cuts};
    }
    return std::nullopt;
  }

  static void divide(const Piece& p, const Division& by, std::vector<Piece>& open) {
    const i64 extent = p.extents[by.digit];
    const Expr digit = digitAt(by.digit);
    std::vector<i64> starts = by.cuts;
    if (by.period > 0) {
      const i64 whole = extent / by.period;
      open.push_back(p.with(by.digit, by.period, digit + digitAt(p.extents.size()) * by.period, whole));
      if (whole * by.period == extent) return;
      starts = {whole * by.period};
    } else {
      starts.insert(starts.begin(), 0);
    }
    for (std::size_t k = starts.size(); k-- > 0;) {
      const i64 end = k + 1 < starts.size() ? starts[k + 1] : extent;
      open.push_back(p.with(by.digit, end - starts[k], digit + starts[k]));
    }
  }

  // The digits that only move an access: how often each residue of the sum of coefficient * digit, modulo a sector.
  struct Shift {
    std::size_t digit = 0;
    i64 coefficient = 0;
  };
  [[nodiscard]] std::vector<std::vector<i64>> residues(const Piece& p, const std::vector<Shift>& shifts) const {
    const auto size = static_cast<std::size_t>(slotsOfSector_);
    std::vector<std::vector<i64>> tables{std::vector<i64>(size, 0)};  // after each shift, for `worst`
    tables[0][0] = 1;
    for (const Shift& s : shifts) {
      const std::vector<i64>& before = tables.back();
      std::vector<i64> after(size, 0);
      const i64 extent = p.extents[s.digit];
      const i64 period = slotsOfSector_ / std::gcd(slotsOfSector_, s.coefficient);
      for (i64 i = 0; i < std::min(extent, period); ++i) {
        const i64 step = floorMod(floorMod(s.coefficient, slotsOfSector_) * i, slotsOfSector_);
        const i64 count = (extent - 1 - i) / period + 1;
        for (std::size_t r = 0; r < size; ++r)
          if (before[r] > 0) add(after[(r + static_cast<std::size_t>(step)) % size], times(before[r], count));
      }
      tables.push_back(std::move(after));
    }
    return tables;
  }

  // False: the elements of an access are not together.
  bool enumerate(const Piece& p, const std::vector<std::size_t>& bound) {
    std::vector<Shift> shifts;
    std::vector<Expr> still = identityDigits(p.extents.size());
    for (std::size_t k = kFirst; k < p.extents.size(); ++k) {
      if (std::ranges::count(bound, k) > 0) continue;
      still[k] = Expr::constant(0);
      if (p.extents[k] == 1) continue;
      const auto sum = linearSum(p.slot);
      const Term* const t = sum ? sum->find(digitAt(k)) : nullptr;
      shifts.push_back({k, t == nullptr ? 0 : t->coefficient});
    }
    const auto tables = residues(p, shifts);
    const Program slot = Program::compile(substitute(p.slot, still));
    std::vector<Program> guards;
    for (const Guard& g : p.guards) guards.push_back(Program::compile(g.value));
    std::vector<i64> point(p.extents.size(), 0);
    do {
      if (!oneClass(p, slot, guards, point, shifts, tables)) return false;
    } while (next(p, bound, point));
    return true;
  }

  static bool next(const Piece& p, const std::vector<std::size_t>& digits, std::vector<i64>& point) {
    for (std::size_t k = digits.size(); k-- > 0;) {
      if (++point[digits[k]] < p.extents[digits[k]]) return true;
      point[digits[k]] = 0;
    }
    return false;
  }

  // The lanes' slots at one element of the access.
  static Pattern lanesAt(const Piece& p, const Program& slot, const std::vector<Program>& guards,
                         std::vector<i64>& point) {
    Pattern lanes;
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      point[kLane] = static_cast<i64>(l);
      bool real = true;
      for (std::size_t g = 0; g < guards.size() && real; ++g) {
        const i64 value = guards[g].run(point);
        real = value >= p.guards[g].lo && value <= p.guards[g].hi;
      }
      lanes[l] = real ? slot.run(point) : kInactive;
    }
    point[kLane] = 0;
    return lanes;
  }

  bool oneClass(const Piece& p, const Program& slot, const std::vector<Program>& guards, std::vector<i64>& point,
                const std::vector<Shift>& shifts, const std::vector<std::vector<i64>>& tables) {
    spend(kLanes * width_);
    point[kUnit] = 0;
    const Pattern lanes = lanesAt(p, slot, guards, point);
    for (i64 u = 1; u < width_; ++u) {
      point[kUnit] = u;
      const Pattern others = lanesAt(p, slot, guards, point);
      for (std::size_t l = 0; l < lanes.size(); ++l)
        if (others[l] != (lanes[l] == kInactive ? kInactive : lanes[l] + u)) return false;
    }
    point[kUnit] = 0;
    i64 first = INT64_MAX;
    for (const i64 s : lanes)
      if (s != kInactive) first = std::min(first, s);
    if (first == INT64_MAX) return true;
    const std::vector<i64>& counts = tables.back();
    for (std::size_t r = 0; r < counts.size(); ++r) {
      if (counts[r] == 0) continue;
      Pattern moved = lanes;
      const i64 base = floorMod(first + static_cast<i64>(r), slotsOfSector_) - first;
      for (i64& s : moved) {
        if (s == kInactive) continue;
        s += base;
        if (width_ > 1 && s % width_ != 0) return false;
      }
      const auto known = known_.try_emplace(moved);
      if (known.second) known.first->second = touchedBy(moved, bits_, bytes_);
      const Touched& t = known.first->second;
      add(found_.accesses, counts[r]);
      add(found_.sectors, times(t.sectors, counts[r]));
      add(found_.ideal, times(t.ideal, counts[r]));
      add(found_.aligned, times(t.aligned, counts[r]));
      if (t.sectors - t.ideal > above_) {
        above_ = t.sectors - t.ideal;
        keepWorst(p, guards, point, shifts, tables, r);
      }
    }
    return true;
  }

  // The first values of the shifts that give the residue.
  void keepWorst(const Piece& p, const std::vector<Program>& guards, std::vector<i64> point,
                 const std::vector<Shift>& shifts, const std::vector<std::vector<i64>>& tables, std::size_t residue) {
    auto r = static_cast<i64>(residue);
    for (std::size_t k = shifts.size(); k-- > 0;) {
      i64 i = 0;
      const auto before = [&] {
        return floorMod(r - floorMod(shifts[k].coefficient, slotsOfSector_) * i, slotsOfSector_);
      };
      while (tables[k][static_cast<std::size_t>(before())] == 0) ++i;
      r = before();
      point[shifts[k].digit] = i;
    }
    const Pattern lanes = lanesAt(p, Program::compile(p.slot), guards, point);
    std::vector<std::optional<i64>> addresses;
    for (const i64 s : lanes) addresses.push_back(s == kInactive ? std::nullopt : std::optional(s * bits_ / 8));
    const auto report = sectorReport(addresses, static_cast<int>(bytes_));
    if (!report) return;
    std::optional<i64> stride;
    bool constant = true;
    for (std::size_t l = 1; l < addresses.size(); ++l) {
      if (!addresses[l] || !addresses[l - 1]) continue;
      const i64 here = *addresses[l] - *addresses[l - 1];
      constant = constant && here == stride.value_or(here);
      stride = here;
    }
    found_.worst = SectorCount::Access{evaluate(p.block, point), evaluate(p.warp, point), *report,
                                       constant ? stride : std::nullopt};
  }

  i64 bits_, width_, bytes_, slotsOfSector_ = 1;
  SectorCount found_;
  i64 above_ = 0;
  std::unordered_map<Pattern, Touched, PatternHash> known_;
};

// The digits of the map as lane, unit and the rest, for accesses of `width` elements.
Piece pieceOf(const Map& slots, i64 width, i64& warps) {
  Piece p;
  p.extents = {kLanes, width};
  std::vector<Expr> by(slots.digits().size());
  const auto digit = [&](i64 extent) {
    p.extents.push_back(extent);
    return digitAt(p.extents.size() - 1);
  };
  const std::vector<int> index = slots.indexDigits(), fans = slots.fanDigits();
  const Digit& th = slots.digit(index.at(0));
  const i64 firstWarp = th.lo / kLanes, count = (th.lo + th.extent - 1) / kLanes - firstWarp + 1;
  p.warp = digit(count) + firstWarp;
  const Expr thread = p.warp * kLanes + digitAt(kLane) - th.lo;
  by[static_cast<std::size_t>(index[0])] = thread;
  if (th.lo % kLanes != 0 || th.extent != count * kLanes) p.guards.push_back({thread, 0, th.extent - 1});
  warps = pointsOf(slots, {index.begin() + 1, index.end()}, count).value_or(-1);
  for (std::size_t k = 1; k < index.size(); ++k)
    by[static_cast<std::size_t>(index[k])] = digit(slots.digit(index[k]).extent);
  if (index.size() > 1) p.block = by[static_cast<std::size_t>(index[1])] + slots.digit(index[1]).lo;
  for (const int k : fans) {
    const bool last = k == fans.back();
    const Expr d = digit(slots.digit(k).extent / (last ? width : 1));
    by[static_cast<std::size_t>(k)] = last ? d * width + digitAt(kUnit) : d;
  }
  std::vector<Expr> params;
  for (const Param& q : slots.params()) params.push_back(Expr::constant(q.lo + (q.hi - q.lo) / 2));
  p.slot = substitute(slots.axes().at(0).value, by, params);
  for (Guard g : slots.guards()) {
    g.value = substitute(g.value, by, params);
    p.guards.push_back(std::move(g));
  }
  return p;
}

// The most elements of an access that its last steps may form.
i64 widestOf(const Map& slots, i64 bits) {
  const std::vector<int> fans = slots.fanDigits();
  if (fans.empty() || bits < 8) return 1;
  const Digit& last = slots.digit(fans.back());
  i64 width = 1;
  while (width * 2 * (bits / 8) <= kWidestAccess && last.extent % (width * 2) == 0 && last.lo % (width * 2) == 0)
    width *= 2;
  return width;
}

}  // namespace

Result<SectorCount> countSectors(const Map& slots, i64 bits) {
  const Diag tooMany{"there are more than 2^63 threads or steps", "fewer"};
  if (!slots.pointCount()) return tooMany;
  try {
    for (i64 width = widestOf(slots, bits);; width /= 2) {
      i64 warps = 0;
      Counter counter(bits, width);
      const Counter::End end = counter.count(pieceOf(slots, width, warps));
      if (end == Counter::End::NotTogether) continue;
      if (end == Counter::End::Irregular)
        return Diag{"the addresses have no period that is short enough to count them"};
      SectorCount found = counter.take();
      found.warps = warps;
      return found;
    }
  } catch (const Overflow&) {
    return tooMany;
  }
}

}  // namespace tessera::hlo
