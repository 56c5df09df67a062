// Decides from the index expressions alone whether the equations of a specification shift with its operands.
#include <algorithm>
#include <map>
#include <optional>

#include "core/base/arith.h"
#include "solver/graphene/values/equation_check.h"

namespace tessera::graphene {
namespace {

constexpr std::size_t kMostVisits = 4096;

class Shifts {
 public:
  Shifts(const Spec& spec, const std::vector<std::vector<i64>>& by) : meaning_(*spec.meaning), by_(by) {}

  // The equation at coordinates shifted by `of` reads every operand at its own shift.
  bool equation(int k, const std::vector<i64>& of) {
    const Equation& e = meaning_.equations[static_cast<std::size_t>(k)];
    if (!seen_.try_emplace({k, of}, true).second) return true;  // assumed: recursion ends elsewhere
    if (seen_.size() > kMostVisits || of.size() != static_cast<std::size_t>(e.rank)) return false;
    std::vector<i64> digits = of;
    digits.resize(e.variables.size(), 0);
    return node(e.node, digits);
  }

 private:
  // The change of `e` under a shift of the digits; nullopt: it depends on the position.
  static std::optional<i64> shift(const Expr& e, const std::vector<i64>& digits) {
    switch (e.op()) {
      case Op::Constant:
      case Op::Param:
        return 0;
      case Op::Digit:
        return digits[static_cast<std::size_t>(e.index())];
      default:
        break;
    }
    const auto a = shift(e.lhs(), digits), b = shift(e.rhs(), digits);
    if (!a || !b) return std::nullopt;
    if (*a == 0 && *b == 0) return 0;
    switch (e.op()) {
      case Op::Add:
        return *a + *b;
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
  static bool stays(const Expr& e, const std::vector<i64>& digits) { return shift(e, digits) == 0; }

  static bool moves(const std::vector<i64>& at, const std::vector<i64>& by) {
    return by.empty() ? std::all_of(at.begin(), at.end(), [](i64 v) { return v == 0; }) : at == by;
  }

  bool node(int k, const std::vector<i64>& digits) {
    const MeaningNode& n = meaning_.nodes[static_cast<std::size_t>(k)];
    std::vector<i64> at;
    for (const Expr& e : n.at) {
      const auto s = shift(e, digits);
      if (!s) return false;
      at.push_back(*s);
    }
    if (n.kind == MeaningNode::Kind::Operand && !moves(at, by_[static_cast<std::size_t>(n.what)])) return false;
    if (n.kind == MeaningNode::Kind::Named && !equation(n.what, at)) return false;
    if (n.kind == MeaningNode::Kind::Index && !stays(n.lo, digits)) return false;
    if (n.kind == MeaningNode::Kind::Reduce && (!stays(n.lo, digits) || !stays(n.hi, digits))) return false;
    for (const Comparison& c : n.condition) {
      const auto left = shift(c.left, digits), right = shift(c.right, digits);
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

bool meaningShifts(const Spec& spec, const std::vector<std::vector<i64>>& by) {
  Shifts shifts(spec, by);
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const int equation = spec.meaning->of(static_cast<int>(k));
    const auto rank = static_cast<std::size_t>(spec.meaning->equations[static_cast<std::size_t>(equation)].rank);
    if (!shifts.equation(equation, by[k].empty() ? std::vector<i64>(rank, 0) : by[k])) return false;
  }
  return true;
}

}  // namespace tessera::graphene
