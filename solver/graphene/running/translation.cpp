#include "solver/graphene/running/translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

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
      if (in(n.lo) || in(n.hi) || std::any_of(n.at.begin(), n.at.end(), in) ||
          std::any_of(n.condition.begin(), n.condition.end(),
                      [&](const Comparison& c) { return in(c.left) || in(c.right); }))
        return true;
  }
  return false;
}

class Reader {
 public:
  Reader(const Plan& plan, const Machine<Terms>& machine, int kernel)
      : plan_(plan), machine_(machine), kernel_(plan.specs[static_cast<std::size_t>(kernel)]) {
    digits_.push_back({"blockIdx.x", kernel_.blocks, DigitKind::Index, 0});
    digits_.push_back({"threadIdx.x", kernel_.threads, DigitKind::Index, 0});
    Environment env{{{0, kernel_.blocks - 1}, {0, kernel_.threads - 1}}, {}};
    for (std::size_t l = 0; l < plan.loops.size(); ++l) env.digits.push_back({0, i64{1} << 30});
    for (std::size_t l = 0; l < plan.loops.size(); ++l) {
      const Facts hi = factsOf(expression(plan.loops[l].hi), env), lo = factsOf(expression(plan.loops[l].lo), env);
      const i64 most = std::clamp<i64>(hi.interval.hi, 1, i64{1} << 30);
      if (lo.interval.lo < 0) out_.obstacle = fmt::format("loop {} may count from below 0", plan.loops[l].name);
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
  [[nodiscard]] const Expr& expression(int column) const {
    return plan_.columns[static_cast<std::size_t>(column)].expression;
  }

  // f(thread, loops)
  [[nodiscard]] bool free(int column) const { return splits(column, /*shifted=*/false); }

  // The same, or if `shifted`, f(thread, loops) + g(block): no monomial depends on both.
  [[nodiscard]] bool splits(int column, bool shifted) const {
    const Expr& whole = expression(column);
    if (!anyLeaf(whole, [](const Expr& e) { return e.op() == Op::Digit && e.index() == 0; })) return true;
    const auto normal = prover::Normal::create(digits_, {}, std::span(&whole, 1));
    if (!normal) return false;
    return std::all_of(normal->forms()[0].terms.begin(), normal->forms()[0].terms.end(), [&](const auto& term) {
      bool ofBlock = false, ofOther = false, known = true;
      for (const int a : term.first) {
        const prover::Atom& atom = normal->atoms()[static_cast<std::size_t>(a)];
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
  [[nodiscard]] bool isGlobal(const PlanOperand& op) const {
    return plan_.roots[static_cast<std::size_t>(op.root)].memory == Memory::Global;
  }
  // Whether its places do not depend on the block, or in global memory are only shifted by it.
  [[nodiscard]] bool placed(const PlanOperand& op) const {
    const std::vector<int> columns = columnsOf(op);
    return std::all_of(columns.begin(), columns.end(), [&](int c) { return splits(c, isGlobal(op)); });
  }

  void operand(const PlanOperand& op) {
    const bool global = isGlobal(op);
    if (global && !op.swizzle.isIdentity()) out_.obstacle = fmt::format("{} is swizzled", op.name);
    if (!placed(op))
      out_.obstacle = global ? fmt::format("the block does not just shift {}", op.name)
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
    if (&plan_.specs[static_cast<std::size_t>(spec.kernel)] != &kernel_) return false;
    const bool says = spec.spec->meaning || functionOf(*spec.spec) != SpecKind::Generic;
    const std::size_t operands = says ? spec.operands.size() : static_cast<std::size_t>(spec.outputs);
    for (std::size_t k = 0; k < operands; ++k)
      if (!shiftedAlike(spec.operands[k])) return false;
    if (spec.group >= 0 && !free(spec.group)) return false;
    if (!spec.spec->meaning) return true;
    return std::all_of(spec.variables.begin(), spec.variables.end(),
                       [&](const auto& v) { return free(v.second) || !meaningNames(*spec.spec, v.first); });
  }
  [[nodiscard]] bool shiftedAlike(const PlanOperand& op) const {
    if (!placed(op)) return false;
    if (!isGlobal(op)) return true;
    const auto at = out_.shifts.find(op.root);
    for (i64 b = 0; b < kernel_.blocks; ++b) {
      const Shift own = shiftOf(machine_, op, b);
      const Shift none{0, std::vector<i64>(own.coordinate.size(), 0)};
      if (own != (at == out_.shifts.end() ? none : at->second[static_cast<std::size_t>(b)])) return false;
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

}  // namespace

Shift shiftOf(const Machine<Terms>& machine, const PlanOperand& op, i64 block) {
  const auto by = [&](int column) {
    return machine.evaluate(column, block, 0, {}) - machine.evaluate(column, 0, 0, {});
  };
  Shift out{by(op.offset), {}};
  for (const int c : op.origin) out.coordinate.push_back(by(c));
  return out;
}

Translation translationOf(const Plan& plan, const Machine<Terms>& machine, int kernel) {
  return Reader(plan, machine, kernel).run();
}

}  // namespace tessera::graphene
