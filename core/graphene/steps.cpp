#include "core/graphene/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/graphene/assumptions.h"
#include "core/graphene/walk.h"

namespace tessera::graphene {
namespace {

constexpr i64 kMostSteps = i64{1} << 60;
constexpr i64 kMostWork = 1 << 20;  // values of loops whose inner loops vary

Diag tooMany() { return Diag{"this program has too many steps to play", "fewer iterations"}; }

// a * b + c for counts; a Diag beyond kMostSteps.
Result<i64> counted(i64 a, i64 b, i64 c) {
  const auto product = checkedMul(a, b);
  const auto sum = product ? checkedAdd(*product, c) : std::nullopt;
  if (!sum || *sum > kMostSteps) return tooMany();
  return *sum;
}

bool holds(const Comparison& c, std::span<const i64> values) {
  const auto a = Formula(c.left).at(values), b = Formula(c.right).at(values);
  return a && b && comparisonHolds(*a, c.op, *b);
}

i64 sizeOf(const std::vector<Tensor>& group, std::span<const i64> values) {
  const auto size = group.empty() ? std::nullopt : Formula(elementCount(group.front())).at(values);
  return std::max<i64>(size.value_or(1), 1);
}

bool isStep(const Statement& s) {
  const auto* spec = std::get_if<Spec>(&s.what);
  return (spec != nullptr && !spec->decomposed) || std::holds_alternative<Sync>(s.what) ||
         std::holds_alternative<Commit>(s.what) || std::holds_alternative<Wait>(s.what) ||
         std::holds_alternative<Fence>(s.what) || std::holds_alternative<Mbarrier>(s.what);
}

}  // namespace

Result<void> Steps::Totals::add(const Result<Totals>& other) {
  if (!other) return other.error();
  TESSERA_TRY(steps, counted(1, steps, other->steps));
  syncs += other->syncs;
  return {};
}

// What the descent to one step collects.
struct Steps::Descent {
  Step step;
  std::vector<i64> values;
  i64 left = 0;  // steps that are still to be passed
  void pass(const Totals& t, i64 times = 1) {
    left -= times * t.steps;
    step.phase += times * t.syncs;
  }
};

Result<Steps> Steps::of(std::shared_ptr<const Program> program, const std::map<std::string, i64>& sizes,
                        std::string_view architecture) {
  Steps out;
  out.program_ = std::move(program);
  out.tree_ = specTree(*out.program_, architecture);
  for (const Variable& v : out.program_->variables) {
    out.index_.emplace_back(v.kind == Variable::Kind::Index ? v.value : Expr::constant(0));
    i64 value = 0;
    if (v.kind == Variable::Kind::Size) {
      const auto given = sizes.find(v.name);
      if (given == sizes.end() || given->second < 1)
        return Diag{fmt::format("the size {} is not known", v.name), fmt::format("{} and a number", v.name),
                    fmt::format("player {} 256, for example", v.name)};
      value = given->second;
    }
    out.sizes_.push_back(value);
  }
  TESSERA_CHECKED(holdAt(*out.program_, sizes));
  TESSERA_CHECKED(out.prepare());
  std::vector<i64> values = out.sizes_;
  i64 work = kMostWork;
  TESSERA_TRY(const Totals all, out.totals(out.program_->specs, values, work));
  out.count_ = all.steps;
  return out;
}

// Stores the bounds of each loop as formulas, and whether inner loops depend on its variable.
Result<void> Steps::prepare() {
  for (Walk walk(program_->specs); const Statement* s = walk.next();) {
    const auto* loop = std::get_if<Loop>(&s->what);
    if (loop == nullptr) continue;
    const Variable& v = program_->variables[static_cast<std::size_t>(loop->variable)];
    Bounds b{Formula(v.lo), Formula(v.hi), std::max<i64>(v.step, 1), false};
    for (std::size_t k = 0; k < program_->variables.size(); ++k) {
      const Variable::Kind kind = program_->variables[k].kind;
      const bool own = kind == Variable::Kind::Thread || kind == Variable::Kind::Block || kind == Variable::Kind::Index;
      if (!own || (!b.lo.mentions(static_cast<int>(k)) && !b.hi.mentions(static_cast<int>(k)))) continue;
      return Diag{fmt::format("the number of iterations of the loop over {} differs between threads", v.name),
                  "bounds that all threads share", "", s->span};
    }
    for (const Loop* outer : walk.around<Loop>())
      if (b.lo.mentions(outer->variable) || b.hi.mentions(outer->variable)) bounds_.at(outer).varies = true;
    bounds_.emplace(loop, b);
  }
  return {};
}

Result<Steps::Totals> Steps::totals(const Body& body, std::vector<i64>& values, i64& work) const {
  Totals sum;
  for (const Statement& s : body) TESSERA_CHECKED(sum.add(totals(s, values, work)));
  return sum;
}

Result<Steps::Totals> Steps::totals(const Statement& s, std::vector<i64>& values, i64& work) const {
  if (const auto* loop = std::get_if<Loop>(&s.what)) return ofLoop(*loop, values, work);
  const auto* sync = std::get_if<Sync>(&s.what);
  Totals sum{isStep(s) ? 1 : 0, sync != nullptr && !sync->warp ? 1 : 0};
  for (const Body* inside : bodiesOf(s)) TESSERA_CHECKED(sum.add(totals(*inside, values, work)));
  return sum;
}

Result<Steps::Totals> Steps::ofLoop(const Loop& loop, std::vector<i64>& values, i64& work) const {
  const Bounds& b = bounds_.at(&loop);
  const auto lo = b.lo.at(values), hi = b.hi.at(values);
  const auto span = lo && hi ? checkedSub(*hi, *lo) : std::nullopt;
  if (!span) return Diag{"the bounds of a loop have no value", "numbers"};
  if (*span <= 0) return Totals{};
  const i64 trips = (*span - 1) / b.step + 1;
  i64& value = values[static_cast<std::size_t>(loop.variable)];
  Totals sum;
  for (i64 k = 0; k < (b.varies ? trips : 1); ++k) {
    if (--work < 0) return tooMany();
    value = *lo + k * b.step;
    TESSERA_CHECKED(sum.add(totals(loop.body, values, work)));
  }
  value = 0;
  if (b.varies) return sum;
  TESSERA_TRY(sum.steps, counted(trips, sum.steps, 0));
  TESSERA_TRY(sum.syncs, counted(trips, sum.syncs, 0));
  return sum;
}

Step Steps::at(i64 n) const {
  Descent d;
  d.step.number = n;
  d.values = sizes_;
  d.left = n;
  descend(program_->specs, d);
  return std::move(d.step);
}

void Steps::descend(const Body& body, Descent& d) const {
  for (const Statement& s : body) {
    i64 work = kMostWork;
    const auto total = totals(s, d.values, work);
    if (!total) return;
    if (d.left >= total->steps) {
      d.pass(*total);
      continue;
    }
    d.step.statement = &s;
    const i64 first = d.step.number - d.left;
    if (const auto* spec = std::get_if<Spec>(&s.what)) {
      const int row = tree_.rowOf(spec);
      if (d.step.kernel < 0) {
        d.step.kernel = row;
        d.step.phase = 0;
      }
      if (!spec->decomposed) {
        d.step.row = row;
        return;
      }
      d.step.passages.push_back({row, &spec->body, first, total->steps});
      return descend(spec->body, d);
    }
    if (const auto* loop = std::get_if<Loop>(&s.what)) return enterLoop(*loop, d);
    if (const auto* branch = std::get_if<Branch>(&s.what)) {
      i64 enough = kMostWork;
      const auto then = totals(branch->then, d.values, enough);
      const bool inThen = then && d.left < then->steps;
      const Body& taken = inThen ? branch->then : branch->otherwise;
      if (!inThen && then) d.pass(*then);
      d.step.branches.emplace_back(branch, inThen);
      d.step.passages.push_back({-1, &taken, d.step.number - d.left, 0});
      return descend(taken, d);
    }
    return;
  }
}

void Steps::enterLoop(const Loop& loop, Descent& d) const {
  const Bounds& b = bounds_.at(&loop);
  i64& value = d.values[static_cast<std::size_t>(loop.variable)];
  value = b.lo.at(d.values).value_or(0);
  i64 work = kMostWork;
  auto one = totals(loop.body, d.values, work);
  if (!one) return;
  if (!b.varies) {
    const i64 trip = one->steps > 0 ? d.left / one->steps : 0;
    value += trip * b.step;
    d.pass(*one, trip);
  } else {
    while (d.left >= one->steps) {
      d.pass(*one);
      value += b.step;
      one = totals(loop.body, d.values, work);
      if (!one) return;
    }
  }
  d.step.loops.emplace_back(loop.variable, value);
  d.step.passages.push_back({-1, &loop.body, d.step.number - d.left, one->steps});
  descend(loop.body, d);
}

bool Steps::firstIn(const Body& body, const Spec* wanted, std::vector<i64>& values, i64& n) const {
  for (const Statement& s : body) {
    i64 work = kMostWork;
    const auto total = totals(s, values, work);
    if (!total) return false;
    const auto* spec = std::get_if<Spec>(&s.what);
    if (spec == wanted && spec != nullptr) return total->steps > 0;
    const i64 before = n;
    if (total->steps > 0) {
      const auto* loop = std::get_if<Loop>(&s.what);
      if (loop != nullptr)
        values[static_cast<std::size_t>(loop->variable)] = bounds_.at(loop).lo.at(values).value_or(0);
      for (const Body* inside : bodiesOf(s))
        if (firstIn(*inside, wanted, values, n)) return true;
      if (loop != nullptr) values[static_cast<std::size_t>(loop->variable)] = 0;
    }
    n = before + total->steps;
  }
  return false;
}

i64 Steps::firstOf(int row) const {
  if (row < 0 || row >= static_cast<int>(tree_.rows.size())) return -1;
  std::vector<i64> values = sizes_;
  i64 n = 0;
  return firstIn(program_->specs, tree_.rows[static_cast<std::size_t>(row)].spec, values, n) ? n : -1;
}

i64 Steps::blocks(int kernel) const {
  return kernel < 0 ? 1 : sizeOf(tree_.rows[static_cast<std::size_t>(kernel)].spec->blocks, sizes_);
}
i64 Steps::threads(int kernel) const {
  return kernel < 0 ? 1 : sizeOf(tree_.rows[static_cast<std::size_t>(kernel)].spec->threads, sizes_);
}

std::vector<i64> Steps::values(const Step& step, i64 block, i64 thread) const {
  std::vector<i64> out = sizes_;
  for (const auto& [variable, value] : step.loops) out[static_cast<std::size_t>(variable)] = value;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Variable& v = program_->variables[k];
    if (v.kind == Variable::Kind::Block) out[k] = block;
    if (v.kind == Variable::Kind::Thread) out[k] = thread;
    if (v.kind == Variable::Kind::Index) out[k] = index_[k].at(out).value_or(0);
  }
  return out;
}

bool Steps::enabled(const Step& step, std::span<const i64> values) const {
  return std::ranges::all_of(step.branches, [&](const auto& branch) {
    const auto& all = branch.first->condition;
    return branch.second == std::ranges::all_of(all, [&](const Comparison& c) { return holds(c, values); });
  });
}

std::vector<i64> Steps::group(const Step& step, std::span<const i64> values) const {
  const i64 self = values.size() > 1 ? values[1] : 0;
  if (step.row < 0) return {self};
  const Spec& spec = *tree_.rows[static_cast<std::size_t>(step.row)].spec;
  if (spec.threads.empty() || spec.threads.front().levels.empty()) return {self};
  const auto slots = Slots::of(spec.threads.front(), sizes_);
  if (!slots) return {self};
  std::vector<i64> lanes = slots->addresses(values);
  return lanes.size() < 2 ? std::vector<i64>{self} : lanes;
}

Result<Slots> Steps::slots(const Step& step, std::size_t o) const {
  return Slots::of(operandOf(*tree_.rows[static_cast<std::size_t>(step.row)].spec, o), sizes_);
}

Steps::Written Steps::writtenBefore(i64 n, int root, i64 block, i64 work) const {
  Written out;
  if (n <= 0 || root < 0) return out;
  const Step here = at(std::min(n, count_ - 1));
  const TreeRoot& r = tree_.roots[static_cast<std::size_t>(root)];
  const bool registers = r.tensor->memory == Memory::Register;
  const i64 threads = here.kernel < 0 ? 1 : std::min<i64>(this->threads(here.kernel), work);
  Step bare;  // index variables do not depend on loops, so they are computed once
  std::vector<std::vector<i64>> known;
  for (i64 t = 0; t < threads; ++t) known.push_back(values(bare, block, t));
  i64 from = 0, commits = 0, arrivedFrom = INT64_MAX;
  bool waited = false;  // at some mbarrier, for a bulk copy
  for (const Step::Passage& p : here.passages)
    if (p.body == r.body) from = p.first;
  for (i64 m = n; m-- > from;) {
    if (--work < 0) {
      out.complete = false;
      break;
    }
    const Step step = at(m);
    if (const auto* commit = std::get_if<Commit>(&step.statement->what)) commits += commit->product ? 0 : 1;
    if (const auto* wait = std::get_if<Wait>(&step.statement->what); wait != nullptr && !wait->product)
      arrivedFrom = std::min(arrivedFrom, commits + wait->pending + 1);
    if (const auto* barrier = std::get_if<Mbarrier>(&step.statement->what))
      waited = waited || barrier->op == Mbarrier::Op::Wait;
    if (step.row < 0) continue;
    const SpecRow& row = tree_.rows[static_cast<std::size_t>(step.row)];
    const bool async = row.spec->kind == SpecKind::Move && row.spec->attribute == "async";
    const bool flies = !row.spec->barriers.empty() ? !waited : async && commits < arrivedFrom;
    for (std::size_t o = 0; o < row.spec->outputs.size() && row.spec->kind != SpecKind::Allocate; ++o) {
      if (row.roots[o] != root) continue;
      const auto slots = this->slots(step, o);
      if (!slots) continue;
      if (step.kernel != here.kernel) continue;
      for (i64 t = 0; t < threads && work > 0; ++t) {
        std::vector<i64>& mine = known[static_cast<std::size_t>(t)];
        for (const auto& [variable, value] : step.loops) mine[static_cast<std::size_t>(variable)] = value;
        work -= 1 + static_cast<i64>(slots->count());
        if (!enabled(step, mine)) continue;
        for (const i64 a : slots->addresses(mine))
          out.places.try_emplace(registers ? t * kRegisters + a : a, Writing{m, !flies});
      }
    }
  }
  return out;
}

}  // namespace tessera::graphene
