#include <algorithm>

#include "core/expr/by_node.h"
#include "core/expr/walk.h"
#include "core/graphene/meaning.h"
#include "solver/graphene/running/run_kernel.h"

namespace tessera::graphene {
namespace {

bool readsVariables(const Meaning& meaning) {
  const auto reads = [](const Expr& e) { return !leavesIn(e, Op::Param).empty(); };
  return std::ranges::any_of(meaning.nodes, [&](const MeaningNode& n) {
    return reads(n.lo) || reads(n.hi) || std::ranges::any_of(n.at, reads) ||
           std::ranges::any_of(n.condition, [&](const Comparison& c) { return reads(c.left) || reads(c.right); });
  });
}

// The greatest parts of an expression whose only variables are these loops: of 4096*(d2 mod 3) + 32*d1 and loop 0 it is
// 4096*(d2 mod 3). The loops determine the expression only through their values.
void addParts(const Expr& whole, const std::vector<int>& loops, std::vector<Expr>& out) {
  enum class Reads : unsigned char { Nothing, Loops, Others };
  ByNode<Reads> reads;
  childrenFirst(whole, [&](const Expr& e) {
    Reads r = Reads::Nothing;
    if (e.op() == Op::Digit) {
      r = std::ranges::count(loops, e.index() - 2) != 0 ? Reads::Loops : Reads::Others;
    } else if (e.op() == Op::Param) {
      r = Reads::Others;
    } else if (!isLeaf(e.op())) {
      r = std::max(*reads.find(e.lhs()), *reads.find(e.rhs()));
    }
    reads.add(e, r);
  });
  childrenFirst(
      whole,
      [&](const Expr& e) {
        const bool part = *reads.find(e) == Reads::Loops;
        if (part && std::ranges::find(out, e) == out.end()) out.push_back(e);
        return *reads.find(e) != Reads::Others;
      },
      [](const Expr&) {});
}

// nullopt: more than 64 bits.
std::optional<i64> valueOf(const Expr& e, const std::vector<i64>& loops) {
  ByNode<std::optional<i64>> values;
  childrenFirst(e, [&](const Expr& x) {
    std::optional<i64> value;
    if (x.op() == Op::Digit) {
      value = loops[static_cast<std::size_t>(x.index()) - 2];
    } else if (x.op() == Op::Constant) {
      value = x.value();
    } else if (!isLeaf(x.op())) {
      const auto a = *values.find(x.lhs()), b = *values.find(x.rhs());
      if (a && b) value = foldNumbers(x.op(), *a, *b);
    }
    values.add(x, value);
  });
  return *values.find(e);
}

}  // namespace

void Activations::begin(const Plan& plan, int spec) {
  const PlanSpec& of = plan.specs[spec];
  OfSpec now;
  const auto add = [&](int column) {
    if (column < 0) return;
    const Column& c = plan.columns[column];
    now.expressions.push_back(c.expression);
    now.loops.insert(c.loops.begin(), c.loops.end());
    addParts(c.expression, of.loops, now.parts);
  };
  const auto operand = [&](const PlanOperand& op) {
    const bool global = plan.roots[op.root].memory == Memory::Global;
    if (!global || oneSize_) add(op.offset);
    if (!global) return;
    for (const int c : op.origin) add(c);
  };
  for (const PlanOperand& op : of.operands) operand(op);
  add(of.group);
  if (of.spec->meaning && readsVariables(*of.spec->meaning))
    for (const auto& [name, column] : of.variables) add(column);
  for (std::size_t s = of.begin; s <= of.end; ++s) {
    const PlanStep& step = plan.steps[s];
    if (step.code == PlanStep::Code::Loop) {
      add(plan.loops[step.index].lo);
      add(plan.loops[step.index].hi);
    }
    if (step.code == PlanStep::Code::If)
      for (const PlanComparison& c : plan.conditions[step.index]) {
        add(c.left);
        add(c.right);
      }
    if (step.code != PlanStep::Code::Leaf) continue;
    for (const PlanOperand& op : plan.leaves[step.index].operands) operand(op);
    add(plan.leaves[step.index].group);
  }
  OfSpec& known = of_[spec];
  if (known.expressions != now.expressions || known.loops != now.loops) known = std::move(now);
}

bool Activations::isNew(int spec, i64 block, const std::vector<i64>& loops, const std::vector<char>& threads) {
  OfSpec& known = of_[spec];
  std::vector<i64> key;
  for (const Expr& part : known.parts) {
    const std::optional<i64> value = valueOf(part, loops);
    if (!value) {
      key.assign(1, -1);
      for (const int l : known.loops) key.push_back(loops[l]);
      break;
    }
    key.push_back(*value);
  }
  return known.done.insert({block, std::move(key), threads}).second;
}

}  // namespace tessera::graphene
