#include "solver/graphene/sizes/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/work_budget.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/graphene/assumptions.h"
#include "core/graphene/walk.h"
#include "solver/graphene/sizes/kernel_text.h"
#include "solver/graphene/sizes/own_inputs.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {
namespace {

constexpr i64 kMostSize = Box::kMostSize, kManyBlocks = i64{1} << 31;
constexpr i64 kMostBound = 64;      // of a size without a law
constexpr i64 kMostGuarded = 4096;  // of a size whose values are run at once
constexpr const char* kAnother = "another period";
constexpr i64 kMostPeriod = 12, kMostTail = 8, kLatestFrom = 32;

// Whether the comparison has one truth for all values of left - right in the range, and which.
std::optional<bool> truthOf(const std::string& op, const Range& r) {
  if (op == "<") return r.hi < 0 ? std::optional(true) : r.lo >= 0 ? std::optional(false) : std::nullopt;
  if (op == "<=") return r.hi <= 0 ? std::optional(true) : r.lo > 0 ? std::optional(false) : std::nullopt;
  if (op == ">") return r.lo > 0 ? std::optional(true) : r.hi <= 0 ? std::optional(false) : std::nullopt;
  if (op == ">=") return r.lo >= 0 ? std::optional(true) : r.hi < 0 ? std::optional(false) : std::nullopt;
  const std::optional<bool> same = r.lo == 0 && r.hi == 0 ? std::optional(true)
                                   : r.lo > 0 || r.hi < 0 ? std::optional(false)
                                                          : std::nullopt;
  return op == "==" || !same ? same : !*same;
}

class Grower {
 public:
  Grower(const Sites& sites, int kernel, int size)
      : sites_(sites), program_(*sites.program), spec_(*sites.specs[kernel].spec), kernel_(kernel) {
    out_.size = size;
    for (std::size_t v = 0; v < program_.variables.size(); ++v) same_.push_back(Expr::param(static_cast<int>(v)));
    free_ = static_cast<int>(same_.size());
    box_ = boxFrom(1);
  }

  Result<Growth> run() {
    TESSERA_CHECKED(grid());
    TESSERA_CHECKED(loop());
    TESSERA_TRY(text_, kernelText(sites_, kernel_, out_.loops.variables, out_.repeats));
    TESSERA_CHECKED(oneBlock());
    std::string why;
    for (i64 p = 1; p <= (out_.loops.variables.empty() ? 1 : kMostPeriod); ++p) {
      auto tried = with(p);
      if (!tried) {
        if (why.empty() || tried.error().expected != kAnother) why = tried.error().message;
        continue;
      }
      TESSERA_CHECKED(extents());
      TESSERA_CHECKED(parts());
      return std::move(out_);
    }
    return Diag{why};
  }

  // A size with guards; `bound`: its largest value.
  Result<Growth> guarded(i64 bound) {
    TESSERA_CHECKED(tiles(bound));
    TESSERA_TRY(text_, kernelText(sites_, kernel_, {}, -1));
    TESSERA_CHECKED(oneBlock());
    std::vector<Expr> next = same_;
    next[out_.size] = size() + 1;
    for (const TextValue& f : text_.fixed)
      if (!(f.isEnd && out_.blocks == 0) && change(f.value, next) != 0) return Diag{"a size or a loop depends on it"};
    for (const TextStored& s : text_.stored)
      if (change(s.view->offset, next) != 0) return Diag{"a place in shared memory or registers depends on it"};
    for (const TextWaited& w : text_.waited)
      if (change(w.wait->value, next) != 0) return Diag{"the phase of a wait depends on it"};
    for (const TextAccess& p : text_.placed)
      for (const Expr& e : p.origin)
        if (change(e, next) != 0) return Diag{"a coordinate depends on it"};
    for (const Mode& m : modesOf(spec_.threads.front()))
      if (mentionsParam(m.size, out_.size)) return Diag{"the number of threads depends on it"};
    if (out_.blocks != 0) {
      TESSERA_CHECKED(extents());
      TESSERA_CHECKED(parts());
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const std::string& nameOf(int v) const { return program_.variables[v].name; }
  [[nodiscard]] Expr size() const { return Expr::param(out_.size); }

  // Ranges of the variables if the size is at least `from`; the last parameter is free.
  [[nodiscard]] Environment boxFrom(i64 from) const {
    Environment box;
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
      Range r{0, kManyBlocks};
      if (program_.variables[v].kind == Variable::Kind::Size) r = boundsOf(program_, static_cast<int>(v), kMostSize);
      if (static_cast<int>(v) == out_.size) r = {from, std::max(from, r.hi)};
      box.params.push_back(r);
    }
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
      const Variable& variable = program_.variables[v];
      Range& r = box.params[v];
      if (variable.kind == Variable::Kind::Thread)
        r = {0, spec_.threads.empty() ? 0 : std::max<i64>(1, countOf(spec_.threads.front())) - 1};
      if (variable.kind == Variable::Kind::Index) r = factsOf(variable.value, box).interval;
      if (variable.kind == Variable::Kind::Loop) {
        const Range lo = factsOf(variable.lo, box).interval, hi = factsOf(variable.hi, box).interval;
        r = {lo.lo, std::max(hi.hi - 1, lo.lo)};
      }
    }
    box.params.push_back({0, i64{1} << 40});
    return box;
  }

  // The box inside the branches around a place, as far as they compare a variable with a number.
  [[nodiscard]] Environment where(const TextPlace& at) const {
    Environment box = box_;
    for (const TextBound& bound : boundsOf(at.ways)) {
      if (bound.left.op() != Op::Param || bound.lo > bound.hi) continue;
      Range& r = box.params[static_cast<std::size_t>(bound.left.index())];
      r = {std::clamp(bound.lo, r.lo, r.hi), std::clamp(bound.hi, r.lo, r.hi)};
    }
    return box;
  }

  // ---- the grid

  // Block indices are the digits of the grid: they run through all combinations, so each is independent of the others.
  // `perTile`: the size of the digits of this size may be its number of tiles.
  Result<void> grid(bool perTile = false) {
    if (spec_.blocks.empty()) return Diag{"the kernel has no grid"};
    const std::vector<Mode> modes = modesOf(spec_.blocks.front());
    Expr stride = Expr::constant(1);
    for (std::size_t found = 0; found < modes.size(); ++found) {
      const auto next = std::ranges::find_if(modes, [&](const Mode& m) {
        return !m.size.isConstant(1) && simplified(m.stride - stride, box_).isConstant(0);
      });
      if (next == modes.end()) break;
      stride = stride * next->size;
      digits_.push_back(*next);
    }
    const auto parts = std::ranges::count_if(modes, [](const Mode& m) { return !m.size.isConstant(1); });
    if (parts != std::ssize(digits_)) return Diag{"the blocks are not numbered by the digits of the grid"};
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
      const Variable& variable = program_.variables[v];
      if (variable.kind != Variable::Kind::Index || !mentionsBlock(variable.value)) continue;
      const auto digit = std::ranges::find_if(digits_, [&](const Mode& m) {
        const Expr number = floorDiv(Expr::param(0), m.stride);
        return variable.value == tessera::mod(number, m.size) || variable.value == number;
      });
      if (digit == digits_.end()) {
        otherIndices_.insert(static_cast<int>(v));
        continue;
      }
      if (mentionsParam(digit->size, out_.size)) {
        const auto by = perTile ? std::optional<i64>(1) : multiple(digit->size);
        if (perTile && tileOf(digit->size) != out_.guarded) return Diag{"a digit of the grid is no number of tiles"};
        if (!by || (out_.blocks != 0 && out_.blocks != *by))
          return Diag{"a digit of the grid is not a multiple of the size"};
        out_.blocks = *by;
        ofGrid_.push_back(static_cast<int>(v));
      }
      digitIndices_.insert(static_cast<int>(v));
    }
    const bool grid = std::ranges::any_of(digits_, [&](const Mode& m) { return mentionsParam(m.size, out_.size); });
    if (grid && ofGrid_.empty()) return Diag{"blocks repeat each other along this size"};
    return {};
  }
  static bool mentionsBlock(const Expr& e) { return mentionsParam(e, 0); }
  // e is this number times the size.
  [[nodiscard]] std::optional<i64> multiple(const Expr& e) const {
    std::vector<Expr> next = same_, none = same_;
    next[out_.size] = size() + 1;
    none[out_.size] = Expr::constant(0);
    const auto by = change(e, next);
    return by && *by > 0 && simplified(substitute(e, {}, none), box_).isConstant(0) ? by : std::nullopt;
  }

  // The grid has a digit ceildiv(size, out_.guarded), or none of this size, and the size is at most `bound`.
  Result<void> tiles(i64 bound) {
    if (spec_.blocks.empty()) return Diag{"the kernel has no grid"};
    out_.guarded = bound;
    for (const Mode& m : modesOf(spec_.blocks.front())) {
      if (!mentionsParam(m.size, out_.size)) continue;
      const std::optional<i64> tile = tileOf(m.size);
      if (!tile) return Diag{"a digit of the grid is no number of tiles"};
      out_.guarded = out_.period = *tile;
    }
    if (out_.guarded > kMostGuarded) return Diag{fmt::format("it has more than {} values", kMostGuarded)};
    return grid(/*perTile=*/true);
  }
  // t if e is ceildiv(size, t).
  [[nodiscard]] std::optional<i64> tileOf(const Expr& e) const {
    const auto isOne = [&](i64 s) {
      std::vector<Expr> at = same_;
      at[out_.size] = Expr::constant(s);
      return simplified(substitute(e, {}, at), box_).isConstant(1);
    };
    i64 tile = 0;
    while (tile < kMostGuarded && isOne(tile + 1)) ++tile;
    std::vector<Expr> next = same_;
    next[out_.size] = size() + tile;
    return tile > 0 && change(e, next) == 1 ? std::optional(tile) : std::nullopt;
  }

  // No expression but the coordinates in global memory tells the blocks along this size apart.
  Result<void> oneBlock() {
    const auto opaque = [&](const Expr& e) {
      return mentionsBlock(e) ||
             anyLeaf(e, [&](const Expr& l) { return l.op() == Op::Param && otherIndices_.contains(l.index()); });
    };
    bool known = true;
    for (const TextValue& f : text_.fixed) known = known && !opaque(f.value);
    for (const TextStored& s : text_.stored) known = known && !opaque(s.view->offset);
    for (const TextWaited& w : text_.waited) known = known && !opaque(w.wait->value);
    for (const TextCondition& d : text_.decided)
      known = known && !opaque(d.condition.left) && !opaque(d.condition.right);
    for (const TextAccess& p : text_.placed) known = known && std::ranges::none_of(p.origin, opaque);
    if (!known) return Diag{"an expression uses the number of the block, not the digits of the grid"};
    for (const Expr& e : text_.stated)
      if (mentionsBlock(e) || mentionsParam(e, out_.size) || mentionsLoop(e))
        return Diag{"the equations of an inner specification change with the size"};
    std::vector<Expr> next = same_;
    for (const int v : ofGrid_) next[v] = same_[v] + 1;
    if (out_.guarded > 0) next[out_.size] = size() + out_.guarded;
    for (const auto* all : {&text_.stated, &text_.statedOfAll})
      for (const Expr& e : *all)
        if (opaque(e) || change(e, next) != 0) return Diag{"the equations of an inner specification name the block"};
    if (out_.blocks == 0) return {};
    for (const TextValue& f : text_.fixed)
      if (change(f.value, next) != 0) return Diag{"a size or a loop depends on the block"};
    for (const TextStored& s : text_.stored)
      if (change(s.view->offset, next) != 0) return Diag{"a place in shared memory or registers depends on the block"};
    for (const TextWaited& w : text_.waited)
      if (change(w.wait->value, next) != 0) return Diag{"the phase of a wait depends on the block"};
    for (const TextCondition& d : text_.decided)
      if (change(d.condition.left - d.condition.right, next) != 0) return Diag{"a condition depends on the block"};
    for (const TextAccess& p : text_.placed)
      if (!moves(p, next, out_.ofBlock))
        return Diag{fmt::format("the block does more than shift {}", called(p.storage))};
    return {};
  }

  [[nodiscard]] std::string called(int storage) const { return graphene::nameOf(sites_.of(storage).declared); }

  // ---- the loop

  [[nodiscard]] bool mentionsLoop(const Expr& e) const {
    return std::ranges::any_of(out_.loops.variables, [&](int l) { return mentionsParam(e, l); });
  }

  Result<void> loop() {
    std::vector<std::vector<TextWay>> ways;  // to each of the loops
    for (Walk walk(spec_.body); const Statement* s = walk.next();)
      if (const auto* l = std::get_if<Loop>(&s->what)) {
        const Variable& v = program_.variables[l->variable];
        if (mentionsParam(v.lo, out_.size)) return Diag{fmt::format("the loop {} starts at this size", v.name)};
        if (!mentionsParam(v.hi, out_.size)) continue;
        ways.push_back(waysTo(walk));
        for (std::size_t k = 0; k < out_.loops.variables.size(); ++k) {
          const Variable& first = program_.variables[out_.loops.variables.front()];
          const bool same = v.lo == first.lo && v.hi == first.hi && v.step == first.step;
          if (!exclude(ways[k], ways.back(), program_.variables) || !same)
            return Diag{fmt::format("two loops end at {}", nameOf(out_.size))};
        }
        out_.loops.variables.push_back(l->variable);
      }
    if (out_.loops.variables.empty()) return {};
    const Variable& v = program_.variables[out_.loops.variables.front()];
    const bool ofSizes = !anyLeaf(v.hi, [&](const Expr& e) {
      return e.op() == Op::Param && program_.variables[e.index()].kind != Variable::Kind::Size;
    });
    if (!v.lo.isConstant() || !ofSizes)
      return Diag{fmt::format("the bounds of {} depend on a thread or block", v.name)};
    const bool writes =
        std::ranges::any_of(out_.loops.variables, [&](int l) { return writesOutputs(sites_, kernel_, l); });
    return out_.blocks == 0 && writes && out_.loops.variables.size() == 1 ? repeated(v) : Result<void>{};
  }
  // The iterations are blocks along the size.
  Result<void> repeated(const Variable& v) {
    const auto by = multiple(v.hi);
    if (!by || !v.lo.isConstant(0) || v.step != 1)
      return Diag{fmt::format("{} does not have a multiple of the size as iterations", v.name)};
    out_.repeats = out_.loops.variables.front();
    out_.loops.variables.clear();
    out_.blocks = *by;
    ofGrid_ = {out_.repeats};
    return {};
  }

  [[nodiscard]] std::optional<i64> change(const Expr& e, const std::vector<Expr>& view) const {
    spend(4);
    const Expr moved = substitute(e, {}, view);
    if (moved == e) return 0;
    const Expr by = simplified(moved - e, box_);
    return by.isConstant() ? std::optional(by.value()) : std::nullopt;
  }
  // One vector for all accesses to the tensor.
  bool moves(const TextAccess& p, const std::vector<Expr>& view, Shifts& all) const {
    std::vector<i64> by;
    for (const Expr& e : p.origin) {
      const auto one = change(e, view);
      if (!one || *one < 0) return false;
      by.push_back(*one);
    }
    return all.try_emplace(p.storage, by).first->second == by;
  }
  Result<void> with(i64 period) {
    out_.period = period;
    out_.loops.late.clear();
    std::vector<Expr> early = same_;
    early[out_.size] = size() + period;
    if (!out_.loops.variables.empty()) {
      const Variable& v = program_.variables[out_.loops.variables.front()];
      const auto added = change(v.hi, early);
      if (!added || *added <= 0 || *added % v.step != 0)
        return Diag{fmt::format("the end of {} does not grow evenly", v.name), kAnother};
      out_.loops.steps = *added;
    }
    std::vector<Expr> late = early;
    for (const int l : out_.loops.variables) late[l] = same_[l] + out_.loops.steps;
    for (std::size_t v = 0; v < program_.variables.size(); ++v)
      if (program_.variables[v].kind == Variable::Kind::Index && !digitIndices_.contains(static_cast<int>(v)) &&
          !otherIndices_.contains(static_cast<int>(v)) &&
          (change(program_.variables[v].value, early) != 0 || change(program_.variables[v].value, late) != 0))
        return Diag{fmt::format("{} depends on the size", nameOf(static_cast<int>(v)))};
    changes_.clear();
    for (const TextValue& f : text_.fixed) TESSERA_CHECKED(note({}, {f.value}, -1, f.at, early, late));
    for (const TextAccess& p : text_.placed) TESSERA_CHECKED(note({}, p.origin, p.storage, p.at, early, late));
    for (const TextCondition& d : text_.decided)
      TESSERA_CHECKED(note(d.condition.op, {d.condition.left - d.condition.right}, -1, d.at, early, late));
    for (const TextStored& s : text_.stored) TESSERA_CHECKED(noteStored(s, early, late));
    TESSERA_CHECKED(counted(early, late));
    if (!out_.loops.variables.empty()) return cut();
    if (!changes_.empty()) return Diag{fmt::format("an expression inside the block depends on {}", nameOf(out_.size))};
    return {};
  }

  // ---- where the two views meet

  // Expressions that one of the views changes. Allowed: the statement does not run in that view; a condition keeps its
  // truth; coordinates move by one vector for each storage, and places turn by one rule.
  struct Change {
    std::string op;  // of a condition
    std::vector<Expr> values;
    std::vector<i64> by;
    int storage = -1;  // of coordinates
    const TextPlace* at;
    bool late;
    std::optional<Turning> turning = {};  // of a storage that turns
    bool stored = false;
  };

  Result<void> note(const std::string& op, const std::vector<Expr>& values, int storage, const TextPlace& at,
                    const std::vector<Expr>& early, const std::vector<Expr>& late) {
    for (const bool isLate : {false, true}) {
      if (at.where == (isLate ? TextRegion::Before : TextRegion::After) || (isLate && out_.loops.variables.empty()))
        continue;
      std::vector<i64> by;
      for (const Expr& e : values) {
        const auto one = change(e, isLate ? late : early);
        if (!one) return Diag{fmt::format("an expression does not change evenly with {}", nameOf(out_.size)), kAnother};
        by.push_back(*one);
      }
      const bool same = std::ranges::all_of(by, [](i64 b) { return b == 0; });
      if (!same || (isLate && storage >= 0)) changes_.push_back({op, values, by, storage, &at, isLate});
    }
    return {};
  }

  Result<void> noteStored(const TextStored& s, const std::vector<Expr>& early, const std::vector<Expr>& late) {
    const Expr& offset = s.view->offset;
    if (s.at.where != TextRegion::After && change(offset, early) != 0)
      return Diag{fmt::format("places of {} depend on {}", called(s.storage), nameOf(out_.size)), kAnother};
    if (s.at.where == TextRegion::Before || out_.loops.variables.empty()) return {};
    Change c{"", {offset}, {0}, s.storage, &s.at, true, {}, true};
    if (change(offset, late) != 0) {
      c.turning = turningOf(s, late);
      if (!c.turning) return Diag{fmt::format("later steps use other places of {}", called(s.storage)), kAnother};
    }
    changes_.push_back(std::move(c));
    return {};
  }

  // The positions for which threads wait stay in the early view, and move by one constant per storage in the late one.
  Result<void> counted(const std::vector<Expr>& early, const std::vector<Expr>& late) {
    out_.loops.counted.clear();
    for (const TextWaited& w : text_.waited) {
      const Expr position = positionOf(w);
      const std::string name = called(w.storage);
      if (w.at.where != TextRegion::After && change(position, early) != 0)
        return Diag{fmt::format("a wait for {} depends on {}", name, nameOf(out_.size)), kAnother};
      if (w.at.where == TextRegion::Before || out_.loops.variables.empty()) continue;
      const auto by = change(position, late);
      if (!by || *by < 0 || out_.loops.counted.try_emplace(w.storage, *by).first->second != *by)
        return Diag{
            fmt::format("the phases of {} do not change evenly with {}", name, nameOf(out_.loops.variables.front())),
            kAnother};
    }
    return {};
  }
  // place + places * phase, where place = e mod places and phase = e / places + ...
  [[nodiscard]] Expr positionOf(const TextWaited& w) const {
    const i64 places = placesOf(w.storage);
    Expr position = w.wait->barrier.offset, phase = w.wait->value;
    if (const auto sum = linearSum(simplified(position, box_)))
      for (const Term& t : sum->terms) {
        if (t.part.op() != Op::Mod || !t.part.rhs().isConstant(places) || t.coefficient != 1) continue;
        position = position - t.part + t.part.lhs();
        phase = simplified(phase - floorDiv(t.part.lhs(), t.part.rhs()), box_);
        break;
      }
    return position + phase * places;
  }
  // Of a storage with constant modes.
  [[nodiscard]] i64 placesOf(int storage) const {
    i64 out = 1;
    for (const Mode& m : modesOf(sites_.of(storage).declared)) out *= m.size.isConstant() ? m.size.value() : 1;
    return out;
  }

  // offset = size * (index mod stages) + rest, where only the index changes, and the view stays in its stage.
  [[nodiscard]] std::optional<Turning> turningOf(const TextStored& s, const std::vector<Expr>& late) const {
    const auto sum = linearSum(simplified(s.view->offset, box_));
    if (!sum) return std::nullopt;
    std::optional<Turning> out;
    Linear rest{{}, sum->constant};
    for (const Term& t : sum->terms) {
      const bool ring = t.part.op() == Op::Mod && t.part.rhs().isConstant() && t.part.rhs().value() > 1;
      const auto by = ring ? change(t.part.lhs(), late) : std::optional<i64>();
      if (!by || *by <= 0) {
        rest.terms.push_back(t);
        continue;
      }
      if (out) return std::nullopt;
      const i64 stages = t.part.rhs().value();
      out = Turning{stages, t.coefficient, *by % stages};
    }
    const Expr inside = built(std::move(rest));
    if (!out || out->size <= 0 || change(inside, late) != 0) return std::nullopt;
    i64 reach = 0;
    for (const Mode& m : modesOf(*s.view)) {
      if (!m.size.isConstant() || !m.stride.isConstant() || m.stride.value() < 0) return std::nullopt;
      reach += (m.size.value() - 1) * m.stride.value();
    }
    const Range r = rangeOf(inside, where(s.at));
    if (r.lo < 0 || r.hi >= out->size - reach) return std::nullopt;
    const cute::Swizzle& w = s.view->swizzle;
    const i64 period = w.isIdentity() ? 1 : i64{1} << (w.base() + w.bits() + std::abs(w.shift()));
    return out->size % period == 0 ? out : std::nullopt;
  }

  // How far a step meets others.
  Result<void> overlap(const Variable& v) {
    i64 lag = 0, ring = 0;
    for (const TextLoop& l : text_.loops) {
      const std::pair<const TextGroups*, const char*> all[] = {{&l.copies, "asynchronous copies"},
                                                               {&l.products, "products of a warpgroup"}};
      for (const auto& [groups, name] : all) {
        if (!groups->issued) continue;
        if (!groups->commits || !groups->waits)
          return Diag{fmt::format("{} need a commit and a wait in each step of {}", name, v.name)};
        lag = std::max(lag, groups->pending);
      }
    }
    bool fences = false;
    for (const TextLoop& l : text_.loops) {
      if (std::ranges::none_of(l.plain, [&](int s) { return text_.proxied.contains(s); })) continue;
      fences = true;
      if (!l.fences)
        return Diag{fmt::format(
            "steps of {} write shared memory that products or TMA access, without a fence.async in each", v.name)};
    }
    // Each ring of stages usually has two barriers per stage, full and empty. Threads that pass data on through several
    // rings are as far apart as all have stages.
    i64 places = 0;
    for (const auto& [storage, by] : out_.loops.counted) {
      ring = std::max(ring, placesOf(storage));
      places += placesOf(storage);
    }
    ring = std::max(ring, (places + 1) / 2);
    if (text_.shares && !text_.meets && ring == 0)
      return Diag{fmt::format("the steps of {} share memory without a barrier in each", v.name)};
    out_.loops.lag = (lag + (fences ? 1 : 0)) * v.step;
    out_.loops.overlap = out_.loops.lag + std::max<i64>(1, ring) * v.step;
    return {};
  }

  Result<void> cut() {
    const Variable& v = program_.variables[out_.loops.variables.front()];
    TESSERA_CHECKED(overlap(v));
    const i64 overlap = out_.loops.overlap;
    std::vector<Expr> ends{v.hi}, first = same_;
    for (const int l : out_.loops.variables) first[l] = same_[out_.loops.variables.front()];
    for (const Change& c : changes_) {
      if (c.at->where != TextRegion::Inside || c.op.empty()) continue;
      for (const i64 sign : {1, -1}) {
        const Expr end =
            simplified(substitute(same_[out_.loops.variables.front()] - c.values[0] * sign, {}, first), box_);
        const bool ofSizes = !anyLeaf(end, [&](const Expr& e) {
          return e.op() == Op::Param && program_.variables[e.index()].kind != Variable::Kind::Size;
        });
        if (ofSizes && std::ranges::find(ends, end) == ends.end()) ends.push_back(end);
      }
    }
    std::optional<std::pair<i64, Expr>> best;
    for (const Expr& end : ends)
      for (i64 tail = 0; tail <= kMostTail; ++tail) {
        const Expr at = simplified(end - tail * v.step - out_.loops.steps, box_);
        if (!meetsFrom(at, overlap, kLatestFrom)) continue;
        i64 from = 1;
        while (!meetsFrom(at, overlap, from)) ++from;
        if (!best || from < best->first) best = {from, at};
      }
    if (!best) return Diag{fmt::format("the first and the last steps of {} differ at every size", v.name), kAnother};
    out_.from = best->first;
    out_.loops.cut = best->second;
    const Meeting meeting = *meetsFrom(out_.loops.cut, overlap, out_.from);
    out_.loops.late = meeting.shifts;
    out_.loops.turning = meeting.turning;
    return {};
  }

  [[nodiscard]] Range rangeOf(const Expr& e, const Environment& box) const {
    const Facts facts = factsOf(simplified(e, box), box);
    return facts.fits ? facts.interval : Range{INT64_MIN / 2, INT64_MAX / 2};
  }

  struct Meeting {
    Shifts shifts;
    std::map<int, Turning> turning;
  };

  // If the late view holds `overlap` before `at` and the early view until at + steps, for sizes >= from: the shifts of
  // the late view, and the storages that turn in it.
  [[nodiscard]] std::optional<Meeting> meetsFrom(const Expr& at, i64 overlap, i64 from) const {
    const Environment box = boxFrom(from);
    const Variable& v = program_.variables[out_.loops.variables.front()];
    if (rangeOf(at - overlap - v.lo, box).lo < 0 || rangeOf(v.hi - at - out_.loops.steps, box).lo < 0)
      return std::nullopt;
    std::vector<Expr> early = same_, late = same_;
    for (const int l : out_.loops.variables) {
      early[l] = at + out_.loops.steps - 1 - Expr::param(free_);
      late[l] = at - overlap + Expr::param(free_);
    }
    const auto truth = [&](const Comparison& c, const std::vector<Expr>& here) {
      return truthOf(c.op, rangeOf(substitute(c.left - c.right, {}, here), box));
    };
    Meeting out;
    std::set<int> still;
    for (const Change& c : changes_) {
      const std::vector<Expr>& here = c.at->where != TextRegion::Inside ? same_ : c.late ? late : early;
      const bool runs = std::ranges::none_of(c.at->ways, [&](const TextWay& way) {
        const auto& all = way.branch->condition;
        return way.first ? std::ranges::any_of(all, [&](const Comparison& k) { return truth(k, here) == false; })
                         : std::ranges::all_of(all, [&](const Comparison& k) { return truth(k, here) == true; });
      });
      if (!runs) continue;
      if (c.stored) {
        if (!c.turning) still.insert(c.storage);
        if (c.turning && out.turning.try_emplace(c.storage, *c.turning).first->second != *c.turning)
          return std::nullopt;
        continue;
      }
      if (c.op.empty()) {
        const bool may = c.late && c.storage >= 0 && std::ranges::all_of(c.by, [](i64 by) { return by >= 0; });
        if (!may || out.shifts.try_emplace(c.storage, c.by).first->second != c.by) return std::nullopt;
        continue;
      }
      const Range r = rangeOf(substitute(c.values[0], {}, here), box);
      const auto now = truthOf(c.op, r), then = truthOf(c.op, {r.lo + c.by[0], r.hi + c.by[0]});
      if (!now || now != then) return std::nullopt;
    }
    for (const int storage : still)
      if (out.turning.contains(storage)) return std::nullopt;
    return out;
  }

  // ---- extents

  // Coordinates in a part of a tensor are not those of the tensor, so a part may only be read, and must stay.
  [[nodiscard]] Result<void> parts() const {
    const SpecNode& node = sites_.specs[kernel_];
    for (std::size_t k = 0; k < spec_.outputs.size() + spec_.inputs.size(); ++k) {
      const bool output = k < spec_.outputs.size();
      const int storage = sites_.storageOf(output ? node.outputs[k] : node.inputs[k - spec_.outputs.size()]);
      if (storage >= 0 && isWhole(operandOf(spec_, k), sites_.of(storage).declared)) continue;
      if (storage < 0 || output) return Diag{"an output of the kernel is a part of a tensor"};
      for (const Shifts* shifts : {&out_.ofBlock, &out_.loops.late, &out_.extents})
        if (const auto at = shifts->find(storage); at != shifts->end())
          if (std::ranges::any_of(at->second, [](i64 by) { return by != 0; }))
            return Diag{fmt::format("an operand is a part of {}, which grows", called(storage))};
    }
    return {};
  }

  [[nodiscard]] std::vector<i64> shiftIn(const Shifts& shifts, int storage, std::size_t rank) const {
    const auto at = shifts.find(storage);
    return at == shifts.end() ? std::vector<i64>(rank, 0) : at->second;
  }

  Result<void> extents() {
    std::vector<Expr> grown = same_, none = same_;
    grown[out_.size] = size() + out_.period;
    none[out_.size] = Expr::constant(0);
    std::set<int> storages;
    for (const TextAccess& p : text_.placed) storages.insert(p.storage);
    for (const int storage : storages) {
      const std::vector<Expr>& all = sites_.of(storage).declared.extents;
      const std::vector<i64> perBlock = shiftIn(out_.ofBlock, storage, all.size()),
                             perStep = shiftIn(out_.loops.late, storage, all.size());
      const bool written = text_.written.contains(storage);
      int along = 0;
      for (std::size_t d = 0; d < all.size(); ++d) {
        const auto by = change(all[d], grown);
        const i64 blocks = out_.guarded > 0 ? 1 : out_.period * out_.blocks;  // in a period
        const i64 moved = blocks * perBlock[d] + perStep[d];
        if (!by || *by < moved)
          return Diag{fmt::format("{} grows less than the places that are accessed", called(storage))};
        out_.extents[storage].push_back(*by);
        if (!written) continue;
        if (perStep[d] != 0 || *by != moved)
          return Diag{fmt::format("not every new element of {} is written", called(storage))};
        if (moved != 0) ++along;
        if (moved != 0 && !simplified(substitute(all[d], {}, none), box_).isConstant(0))
          return Diag{fmt::format("{} has more elements than its blocks", called(storage))};
      }
      if (written && along != (out_.blocks != 0 ? 1 : 0))
        return Diag{fmt::format("the blocks do not follow each other in {}", called(storage))};
    }
    return {};
  }

  const Sites& sites_;
  const Program& program_;
  const Spec& spec_;
  int kernel_;
  Growth out_;
  Environment box_;
  std::vector<Expr> same_;  // by variable: itself
  int free_ = 0;            // a parameter that is no variable
  std::vector<Mode> digits_;
  std::vector<int> ofGrid_;                    // index variables whose digit has this size
  std::set<int> digitIndices_, otherIndices_;  // those that are digits of the grid, and those that are not
  KernelText text_;
  std::vector<Change> changes_;
};

}  // namespace

Result<Growth> growthOf(const Sites& sites, int kernel, int size) {
  auto grown = Grower(sites, kernel, size).run();
  const i64 bound = boundsOf(*sites.program, size, kMostSize).hi;
  if (grown && bound >= grown->most()) return grown;
  if (bound <= kMostBound) {
    Growth all;
    all.size = size;
    all.bound = std::max<i64>(bound, 1);
    return all;
  }
  if (auto guarded = Grower(sites, kernel, size).guarded(bound)) return guarded;
  return grown;
}

std::vector<int> sizesOf(const Sites& sites) {
  std::vector<int> out;
  const auto& all = sites.program->variables;
  for (std::size_t v = 0; v < all.size(); ++v)
    if (all[v].kind == Variable::Kind::Size) out.push_back(static_cast<int>(v));
  return out;
}

}  // namespace tessera::graphene
