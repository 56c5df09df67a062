#include "solver/graphene/running/translation.h"

#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/expr/facts.h"
#include "core/expr/walk.h"
#include "core/graphene/meaning.h"
#include "solver/graphene/z3/z3_kernel.h"
#include "solver/prove/structure/normal.h"

namespace tessera::graphene {

namespace {

// Whether the equations of a specification name a variable of the program.
bool meaningNames(const Spec& spec, const std::string& variable) {
  if (spec.outputs.empty()) return true;
  const auto& symbols = spec.outputs.front().symbols;
  for (std::size_t p = 0; p < symbols.size(); ++p) {
    if (symbols[p] != variable) continue;
    const auto in = [&](const Expr& e) { return mentionsParam(e, static_cast<int>(p)); };
    for (const MeaningNode& n : spec.meaning->nodes)
      if (in(n.lo) || in(n.hi) || std::ranges::any_of(n.at, in) ||
          std::ranges::any_of(n.condition, [&](const Comparison& c) { return in(c.left) || in(c.right); }))
        return true;
  }
  return false;
}

class Reader {
 public:
  Reader(const Plan& plan, const Machine<Terms>& machine, int kernel)
      : plan_(plan), machine_(machine), kernel_(plan.specs[kernel]) {
    digits_.push_back({"blockIdx.x", kernel_.blocks, DigitKind::Index, 0});
    digits_.push_back({"threadIdx.x", kernel_.threads, DigitKind::Index, 0});
    Environment env{{{0, kernel_.blocks - 1}, {0, kernel_.threads - 1}}, {}};
    for (std::size_t l = 0; l < plan.loops.size(); ++l) env.digits.push_back({0, i64{1} << 30});
    for (std::size_t l = 0; l < plan.loops.size(); ++l) {
      const Facts hi = factsOf(expression(plan.loops[l].hi), env), lo = factsOf(expression(plan.loops[l].lo), env);
      const i64 most = std::clamp<i64>(hi.interval.hi, 1, i64{1} << 30);
      if (lo.interval.lo < 0) out_.obstacle = fmt::format("loop {} may start below 0", plan.loops[l].name);
      env.digits[2 + l] = {0, most - 1};
      digits_.push_back({plan.loops[l].name, most, DigitKind::Index, 0});
    }
  }

  Translation run() {
    for (std::size_t s = kernel_.begin; s <= kernel_.end && out_.holds(); ++s) {
      const PlanStep& step = plan_.steps[s];
      const auto index = static_cast<std::size_t>(step.index);
      if (step.code == PlanStep::Code::If)
        for (const PlanComparison& c : plan_.conditions[index])
          if (!free(c.left) || !free(c.right)) out_.obstacle = "a condition depends on the block";
      if (step.code == PlanStep::Code::Loop) {
        const PlanLoop& loop = plan_.loops[index];
        if (!free(loop.lo) || !free(loop.hi))
          out_.obstacle = fmt::format("the bounds of {} depend on the block", loop.name);
      }
      if (step.code != PlanStep::Code::Leaf) continue;
      const PlanLeaf& leaf = plan_.leaves[index];
      for (const PlanOperand& op : leaf.operands) operand(op);
      if (leaf.group >= 0 && !free(leaf.group)) out_.obstacle = "which threads work together depends on the block";
    }
    for (std::size_t s = 0; s < plan_.specs.size(); ++s)
      if (kernel_.blocks == 1 || (out_.holds() && alike(plan_.specs[s]))) out_.alike.insert(static_cast<int>(s));
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Expr& expression(int column) const { return plan_.columns[column].expression; }

  // f(thread, loops)
  [[nodiscard]] bool free(int column) const { return splits(column, /*shifted=*/false); }

  // The same, or if `shifted`, f(thread, loops) + g(block): no monomial depends on both.
  [[nodiscard]] bool splits(int column, bool shifted) const {
    const Expr& whole = expression(column);
    if (!anyLeaf(whole, [](const Expr& e) { return e.op() == Op::Digit && e.index() == 0; })) return true;
    const auto normal = prover::Normal::create(digits_, {}, std::span(&whole, 1));
    if (!normal) return false;
    return std::ranges::all_of(normal->forms()[0].terms, [&](const auto& term) {
      bool ofBlock = false, ofOther = false, known = true;
      for (const int a : term.first) {
        const prover::Atom& atom = normal->atoms()[a];
        known = known && atom.kind == prover::AtomKind::Part;
        (atom.source == 0 ? ofBlock : ofOther) = true;
      }
      return known && !(ofBlock && (ofOther || !shifted));
    });
  }

  static std::vector<int> columnsOf(const PlanOperand& op) {
    std::vector<int> columns = op.origin;
    columns.push_back(op.offset);
    return columns;
  }
  [[nodiscard]] bool isGlobal(const PlanOperand& op) const { return plan_.roots[op.root].memory == Memory::Global; }
  // Whether its places do not depend on the block, or in global memory are only shifted by it.
  [[nodiscard]] bool placed(const PlanOperand& op) const {
    const std::vector<int> columns = columnsOf(op);
    return std::ranges::all_of(columns, [&](int c) { return splits(c, isGlobal(op)); });
  }

  void operand(const PlanOperand& op) {
    const bool global = isGlobal(op);
    if (global && !op.swizzle.isIdentity()) out_.obstacle = fmt::format("{} is swizzled", op.name);
    if (!placed(op))
      out_.obstacle = global ? fmt::format("the block does more than shift {}", op.name)
                             : fmt::format("places of {} depend on the block", op.name);
    if (!global || !out_.holds() || !seen_.insert({op.root, columnsOf(op)}).second) return;
    std::vector<Shift> shifts;
    for (i64 b = 0; b < kernel_.blocks; ++b) {
      spend(4);
      shifts.push_back(shiftOf(machine_, op, b));
    }
    const auto [at, first] = out_.shifts.emplace(op.root, shifts);
    if (!first && at->second != shifts)
      out_.obstacle = fmt::format("two accesses to {} are shifted differently", op.name);
  }
  // The specification shifts with its operands. If it states nothing, only its outputs matter.
  [[nodiscard]] bool alike(const PlanSpec& spec) const {
    if (&plan_.specs[spec.kernel] != &kernel_) return false;
    const bool says = spec.spec->meaning || functionOf(*spec.spec) != SpecKind::Generic;
    const std::size_t operands = says ? spec.operands.size() : static_cast<std::size_t>(spec.outputs);
    for (std::size_t k = 0; k < operands; ++k)
      if (!shiftedAlike(spec.operands[k])) return false;
    if (spec.group >= 0 && !free(spec.group)) return false;
    if (!spec.spec->meaning) return true;
    return std::ranges::all_of(spec.variables,
                               [&](const auto& v) { return free(v.second) || !meaningNames(*spec.spec, v.first); });
  }
  [[nodiscard]] bool shiftedAlike(const PlanOperand& op) const {
    if (!placed(op)) return false;
    if (!isGlobal(op)) return true;
    const auto at = out_.shifts.find(op.root);
    for (i64 b = 0; b < kernel_.blocks; ++b) {
      const Shift own = shiftOf(machine_, op, b);
      const Shift none{0, std::vector<i64>(own.coordinate.size(), 0)};
      if (own != (at == out_.shifts.end() ? none : at->second[b])) return false;
    }
    return true;
  }

  const Plan& plan_;
  const Machine<Terms>& machine_;
  const PlanSpec& kernel_;
  std::vector<Digit> digits_;
  std::set<std::pair<int, std::vector<int>>> seen_;
  Translation out_;
};

// The steps of one view dimension along one tensor dimension: `size` places, `step` apart.
struct Run {
  i64 size = 1, step = 1;
  int dim = -1;
  bool even = true;  // places are equidistant
};

bool known(const Mode& m) { return m.size.isConstant() && m.step.isConstant(); }

// One per dimension, over all levels, innermost first. nullopt: a size is not a constant.
std::optional<std::vector<Run>> runsOf(const Tensor& view) {
  std::vector<Run> out(view.levels.front().dims.size());
  for (std::size_t l = view.levels.size(); l-- > 0;)
    for (std::size_t d = 0; d < out.size(); ++d)
      for (const Mode& m : view.levels[l].dims[d]) {
        if (!known(m)) return std::nullopt;
        if (m.size.value() == 1) continue;
        Run& run = out[d];
        if (run.dim < 0) {
          run = {m.size.value(), m.step.value(), m.dim, m.step.value() > 0};
        } else {
          run.even = run.even && run.dim == m.dim && m.step.value() == run.step * run.size;
          run.size *= m.size.value();
        }
      }
  return out;
}

bool ofOneRank(const Tensor& t) {
  return std::ranges::all_of(t.levels, [&](const Level& l) { return l.dims.size() == t.levels.front().dims.size(); });
}

// The run that absorbs a shift along `dim`: the one with the longest step, if the others span less than that step.
std::optional<std::size_t> takerOf(const std::vector<Run>& runs, int dim) {
  std::optional<std::size_t> out;
  i64 reach = 0;
  for (std::size_t d = 0; d < runs.size(); ++d) {
    if (runs[d].dim != dim) continue;
    if (!runs[d].even) return std::nullopt;
    reach += (runs[d].size - 1) * runs[d].step;
    if (!out || runs[d].step > runs[*out].step) out = d;
  }
  if (!out || reach - (runs[*out].size - 1) * runs[*out].step >= runs[*out].step) return std::nullopt;
  return out;
}

constexpr std::size_t kMostVisits = 4096;

// Decides from the index expressions only whether the equations of a specification shift with its operands.
class Shifts {
 public:
  Shifts(const Spec& spec, const std::vector<std::vector<i64>>& by) : meaning_(*spec.meaning), by_(by) {}

  // The equation at coordinates shifted by `of` reads every operand at its own shift.
  bool equation(int k, const std::vector<i64>& of) {
    const Equation& e = meaning_.equations[k];
    if (!seen_.try_emplace({k, of}, true).second) return true;  // assumed: recursion ends elsewhere
    if (seen_.size() > kMostVisits || of.size() != static_cast<std::size_t>(e.rank)) return false;
    std::vector<i64> digits = of;
    digits.resize(e.variables.size(), 0);
    return node(e.node, digits);
  }

 private:
  static bool stays(const Expr& e, const std::vector<i64>& digits) { return changeOf(e, digits) == 0; }

  static bool moves(const std::vector<i64>& at, const std::vector<i64>& by) {
    return by.empty() ? std::ranges::all_of(at, [](i64 v) { return v == 0; }) : at == by;
  }

  bool node(int k, const std::vector<i64>& digits) {
    const MeaningNode& n = meaning_.nodes[k];
    std::vector<i64> at;
    for (const Expr& e : n.at) {
      const auto s = changeOf(e, digits);
      if (!s) return false;
      at.push_back(*s);
    }
    if (n.kind == MeaningNode::Kind::Operand && !moves(at, by_[n.what])) return false;
    if (n.kind == MeaningNode::Kind::Named && !equation(n.what, at)) return false;
    if (n.kind == MeaningNode::Kind::Index && !stays(n.lo, digits)) return false;
    if (n.kind == MeaningNode::Kind::Reduce && (!stays(n.lo, digits) || !stays(n.hi, digits))) return false;
    for (const Comparison& c : n.condition) {
      const auto left = changeOf(c.left, digits), right = changeOf(c.right, digits);
      if (!left || left != right) return false;
    }
    for (const int part : n.parts)
      if (!node(part, digits)) return false;
    return true;
  }

  const Meaning& meaning_;
  const std::vector<std::vector<i64>>& by_;
  std::map<std::pair<int, std::vector<i64>>, bool> seen_;
};

}  // namespace

Shift shiftOf(const Machine<Terms>& machine, const PlanOperand& op, i64 block) {
  const auto by = [&](int column) {
    return machine.evaluate(column, block, 0, {}) - machine.evaluate(column, 0, 0, {});
  };
  Shift out{by(op.offset), {}};
  for (const int c : op.origin) out.coordinate.push_back(by(c));
  return out;
}

std::optional<i64> changeOf(const Expr& e, const std::vector<i64>& digits, const ParamChange& size) {
  switch (e.op()) {
    case Op::Constant:
      return 0;
    case Op::Param:
      return e.index() == size.param ? size.by : 0;
    case Op::Digit:
      return digits[e.index()];
    default:
      break;
  }
  const auto a = changeOf(e.lhs(), digits, size), b = changeOf(e.rhs(), digits, size);
  if (!a || !b) return std::nullopt;
  if (*a == 0 && *b == 0) return 0;
  switch (e.op()) {
    case Op::Add:
      return checkedAdd(*a, *b);
    case Op::Mul:
      if (e.rhs().isConstant()) return checkedMul(*a, e.rhs().value());
      if (e.lhs().isConstant()) return checkedMul(*b, e.lhs().value());
      return std::nullopt;
    case Op::FloorDiv:
    case Op::Mod: {
      const bool whole = e.rhs().isConstant() && e.rhs().value() > 0 && *a % e.rhs().value() == 0;
      if (!whole) return std::nullopt;
      return e.op() == Op::Mod ? 0 : *a / e.rhs().value();
    }
    case Op::Min:
    case Op::Max:
      return *a == *b ? a : std::nullopt;
    default:
      return std::nullopt;
  }
}

Translation translationOf(const Plan& plan, const Machine<Terms>& machine, int kernel) {
  return Reader(plan, machine, kernel).run();
}

std::optional<std::vector<i64>> viewShift(const Tensor& view, const Tensor& declared, const std::vector<i64>& by) {
  const std::size_t rank = view.levels.empty() ? 0 : ofOneRank(view) ? view.levels.front().dims.size() : 1;
  std::vector<i64> out(rank, 0);
  if (std::ranges::all_of(by, [](i64 v) { return v == 0; })) return out;
  const i64 places = countOf(view);
  if (places < 0 || places != countOf(declared) || view.levels.empty() || !ofOneRank(view)) return std::nullopt;
  const auto runs = runsOf(view);
  if (!runs) return std::nullopt;
  // A view dimension along several tensor dimensions is unaffected only if none of these is shifted.
  for (const Level& level : view.levels)
    for (std::size_t d = 0; d < level.dims.size(); ++d)
      for (const Mode& m : level.dims[d])
        if (!(*runs)[d].even && !m.size.isConstant(1) && by[m.dim] != 0) return std::nullopt;
  for (std::size_t dim = 0; dim < by.size(); ++dim) {
    if (by[dim] == 0) continue;
    const auto taker = takerOf(*runs, static_cast<int>(dim));
    if (!taker || by[dim] % (*runs)[*taker].step != 0) return std::nullopt;
    out[*taker] += by[dim] / (*runs)[*taker].step;
  }
  return out;
}

bool meaningShifts(const Spec& spec, const std::vector<std::vector<i64>>& by) {
  Shifts shifts(spec, by);
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const int equation = spec.meaning->of(static_cast<int>(k));
    const auto rank = static_cast<std::size_t>(spec.meaning->equations[equation].rank);
    if (!shifts.equation(equation, by[k].empty() ? std::vector<i64>(rank, 0) : by[k])) return false;
  }
  return true;
}

}  // namespace tessera::graphene
