#include "solver/emulate/meaning_value.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera::graphene {
namespace {

// Describes unresolved params of `e` and divisors that are not positive constants.
std::string whyNotRunnable(const Expr& e) {
  const std::vector<Expr> nodes = nodesIn(e);
  for (auto x = nodes.rbegin(); x != nodes.rend(); ++x) {  // parents first
    if (x->op() == Op::Param) return "its equations use a size or an index that is not known";
    if ((x->op() == Op::FloorDiv || x->op() == Op::Mod) && !(x->rhs().isConstant() && x->rhs().value() > 0))
      return "its equations divide by something that is not a positive number";
  }
  return "";
}

int paramsOf(const Spec& spec) {
  std::size_t most = 0;
  for (const auto* tensors : {&spec.outputs, &spec.inputs, &spec.threads})
    for (const Tensor& t : *tensors) most = std::max(most, t.symbols.size());
  return static_cast<int>(most);
}

}  // namespace

i64 MeaningPort::count() const {
  i64 out = 1;
  for (const i64 e : extents) out = checkedMul(out, e).value_or(INT64_MAX);
  return out;
}

MeaningIndices::MeaningIndices(const Spec& spec, const Params& params, const Spec* open,
                               const std::vector<PlanGuard>& sizes)
    : spec_(spec), params_(params) {
  const Meaning& meaning = *spec.meaning;
  for (const MeaningNode& n : meaning.nodes) {
    Node& out = nodes.emplace_back();
    for (const Expr& e : n.at) out.at.push_back(index(e));
    out.lo = index(n.lo);
    out.hi = index(n.hi);
    for (const Comparison& c : n.condition) out.condition.emplace_back(index(c.left), index(c.right));
    if (n.kind == MeaningNode::Kind::Operand) out.port = port(n.what, n.at.size());
  }
  for (const Equation& e : meaning.equations) {
    std::vector<int> scope(static_cast<std::size_t>(e.rank));
    std::iota(scope.begin(), scope.end(), 0);
    freeDigits(e.node, scope);
  }
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const int at = meaning.of(static_cast<int>(k));
    outputs.push_back(port(static_cast<int>(k), static_cast<std::size_t>(meaning.equations[at].rank)));
  }
  if (open != nullptr) guards(*open, sizes);
}

void MeaningIndices::guards(const Spec& open, const std::vector<PlanGuard>& sizes) {
  const auto extentOf = [&](const Expr& e) {
    GuardedExtent out;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      if (!mentionsParam(e, sizes[g].variable)) continue;
      const auto sum = linearSum(simplified(e, {}));
      const Term* term = sum ? sum->find(Expr::param(sizes[g].variable)) : nullptr;
      const bool once = term != nullptr && term->coefficient > 0 && out.guard < 0 &&
                        std::ranges::none_of(sum->terms, [&](const Term& t) {
                          return &t != term && mentionsParam(t.part, sizes[g].variable);
                        });
      if (!once) {
        if (fault.empty()) fault = "its equations use a size in another way than as an end";
        return out;
      }
      out = {static_cast<int>(g), term->coefficient, 0};
    }
    return out;
  };
  const auto isFixed = [&](const Expr& e) {
    if (extentOf(e).guard >= 0 && fault.empty()) fault = "its equations use a size in another way than as an end";
  };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const MeaningNode& n = open.meaning->nodes[k];
    for (const Expr& e : n.at) isFixed(e);
    for (const Comparison& c : n.condition) isFixed(c.left), isFixed(c.right);
    if (n.kind == MeaningNode::Kind::Index) {
      nodes[k].guarded = extentOf(n.lo);
    } else if (n.kind == MeaningNode::Kind::Reduce) {
      isFixed(n.lo);
      nodes[k].guarded = extentOf(n.hi);
    }
  }
  for (const MeaningPort& p : ports) {
    const auto shape = meaningShape(open, operandOf(open, static_cast<std::size_t>(p.operand)), p.extents.size());
    std::vector<GuardedExtent>& out = guarded.emplace_back();
    for (std::size_t d = 0; shape && d < p.extents.size(); ++d) {
      out.push_back(extentOf(shape->extents[d]));
      out[d].more = p.extents[d];
      if (out[d].guard >= 0) out[d].more -= out[d].unit * sizes[out[d].guard].most;
    }
  }
}

MeaningIndices::Index MeaningIndices::index(const Expr& e) {
  Index out;
  std::vector<Expr> values;
  const int count = paramsOf(spec_);
  for (int k = 0; k < count; ++k) {
    const auto known = params_(k);
    values.push_back(known ? Expr::constant(*known) : Expr::param(k));
  }
  std::vector<Expr> digits;  // digits are kept
  for (const Equation& equation : spec_.meaning->equations)
    while (digits.size() < equation.variables.size()) digits.push_back(Expr::digit(static_cast<int>(digits.size())));
  const Expr known = substitute(e, digits, values);
  if (std::string why = whyNotRunnable(known); !why.empty()) {
    if (fault.empty()) fault = std::move(why);
    return out;
  }
  const auto sum = linearSum(known);
  if (sum && std::ranges::all_of(sum->terms, [](const Term& t) { return t.part.op() == Op::Digit; })) {
    out.constant = sum->constant;
    for (const Term& t : sum->terms) out.digits.emplace_back(t.part.index(), t.coefficient);
  } else {
    out.program = tessera::Program::compile(known);
  }
  out.reads = leavesIn(known, Op::Digit);
  return out;
}

void MeaningIndices::freeDigits(int k, std::vector<int> scope) {
  const MeaningNode& n = spec_.meaning->nodes[k];
  Node& out = nodes[k];
  const bool reduces = n.kind == MeaningNode::Kind::Reduce;
  const std::size_t around = scope.size();
  if (reduces) scope.push_back(n.variable);
  std::set<int> free;
  const auto add = [&](const std::vector<int>& digits) { free.insert(digits.begin(), digits.end()); };
  add(out.lo.reads);
  add(out.hi.reads);
  for (const Index& e : out.at) add(e.reads);
  for (const auto& [left, right] : out.condition) add(left.reads), add(right.reads);
  for (const int part : n.parts) {
    freeDigits(part, scope);
    add(nodes[part].free);
  }
  if (reduces) free.erase(n.variable);
  out.free.assign(free.begin(), free.end());
  out.kept = reduces && out.free.size() < around;
}

int MeaningIndices::port(int operand, std::size_t rank) {
  for (std::size_t k = 0; k < ports.size(); ++k)
    if (ports[k].operand == operand && ports[k].shape.extents.size() == rank) return static_cast<int>(k);
  MeaningPort out;
  out.operand = operand;
  if (auto shape = meaningShape(spec_, operandOf(spec_, static_cast<std::size_t>(operand)), rank))
    out.shape = *std::move(shape);
  for (const Expr& e : out.shape.extents) out.extents.push_back(index(e)({}));
  ports.push_back(std::move(out));
  return static_cast<int>(ports.size()) - 1;
}

std::string meaningPlace(std::span<const i64> at) { return fmt::format("[{}]", fmt::join(at, ",")); }

}  // namespace tessera::graphene
