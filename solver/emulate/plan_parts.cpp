#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/expr/walk.h"
#include "solver/emulate/plan.h"

namespace tessera::graphene {

Result<FlatSlots> slotsOf(const Tensor& tensor, i64 most, bool coordinates) {
  const auto digits = slotDigits(tensor);
  if (!digits) return Diag{fmt::format("a size or a stride of {} is not known", tensor.name), "sizes that are numbers"};
  if (!slotCount(*digits, most))
    return Diag{fmt::format("{} has too many elements", tensor.name), fmt::format("at most {}", most)};
  return flatSlots(*digits, coordinates ? tensor.extents.size() : 0);
}

Result<std::vector<int>> loopsOf(const Expr& e) {
  std::vector<int> out;
  bool divisible = true;
  childrenFirst(e, [&](const Expr& x) {
    if (x.op() == Op::Digit && x.index() >= 2) out.push_back(x.index() - 2);
    if (x.op() == Op::FloorDiv || x.op() == Op::Mod)
      divisible = divisible && x.rhs().isConstant() && !x.rhs().isConstant(0);
  });
  if (!divisible)
    return Diag{"a division can be run only if its divisor is a known number", "a known divisor other than 0"};
  std::ranges::sort(out);
  return out;
}

Result<i64> placesOf(const Tensor& t) {
  i64 last = 0;
  const Diag large{fmt::format("{} needs too much storage", nameOf(t)), fmt::format("at most {} places", kMaxPlaces)};
  for (const Mode& m : modesOf(t)) {
    if (!m.size.isConstant() || !m.stride.isConstant())
      return Diag{fmt::format("the size of {} is not known", nameOf(t)), "sizes that are numbers"};
    if (m.size.value() < 1 || m.stride.value() < 0)
      return Diag{fmt::format("{} has an extent below 1 or a stride below 0", nameOf(t)), "other numbers"};
    const auto reach = checkedMul(m.size.value() - 1, m.stride.value());
    if (!reach || *reach > kMaxPlaces) return large;
    last += *reach;
    if (last >= kMaxPlaces) return large;
  }
  if (t.swizzle.isIdentity()) return last + 1;
  const i64 period = t.swizzle.period();
  if (period > kMaxPlaces) return large;
  return (last / period + 1) * period;
}

Result<i64> launchOf(const Tensor& t, i64 most, Span span) {
  std::vector<std::pair<i64, i64>> modes;  // stride, size
  for (const Mode& m : modesOf(t)) {
    if (!m.size.isConstant() || !m.stride.isConstant())
      return Diag{fmt::format("the size of {} is not known", nameOf(t)), "a number", "", span};
    if (!m.size.isConstant(1)) modes.emplace_back(m.stride.value(), m.size.value());
  }
  std::ranges::sort(modes);
  i64 n = 1;
  for (const auto& [stride, size] : modes) {
    if (stride != n)
      return Diag{fmt::format("{} skips numbers: a kernel is launched with threads 0 to n - 1", nameOf(t)),
                  "strides that are 1, and the product of the sizes below", "", span};
    const auto product = checkedMul(n, size);
    if (!product || *product > most)
      return Diag{fmt::format("{} is too large to run", nameOf(t)), fmt::format("at most {}", most), "", span};
    n = *product;
  }
  return n;
}

Result<void> fitAtom(PlanLeaf& leaf) {
  const Atom& atom = leaf.atom;
  const auto lanes = static_cast<std::size_t>(atom.lanes);
  bool fits = leaf.outputs == 1 && atom.slots.size() == leaf.operands.size() && atom.lanes >= 1 &&
              (atom.lanes <= 32 || atom.lanes == 128) && (atom.lanes == 1 || leaf.members.size() == lanes);
  for (std::size_t k = 0; fits && k < leaf.operands.size(); ++k) {
    fits = static_cast<std::size_t>(atom.slots[k]) == leaf.operands[k].slots.count;
    leaf.operands[k].matrix = matrixOf(atom, k) != nullptr;
    const std::size_t hands = leaf.operands[k].matrix ? 1 : lanes;
    leaf.operands[k].used.assign(hands * leaf.operands[k].slots.count, k == 0 ? 1 : 0);
  }
  const bool constant = atom.function == AtomFunction::Constant;
  fits = fits && (constant || atom.terms.size() == lanes * leaf.operands[0].slots.count);
  const std::size_t inputs = constant                                                                      ? 0
                             : atom.function == AtomFunction::Copy || atom.function == AtomFunction::Unary ? 1
                                                                                                           : 2;
  fits = fits && leaf.operands.size() == inputs + 1;
  leaf.firstTerm.push_back(0);
  for (const auto& terms : atom.terms) {
    if (!fits || constant) break;
    fits = atom.function == AtomFunction::MultiplyAdd || terms.size() == 1 ||
           (atom.function == AtomFunction::Copy && terms.empty());
    if (fits && terms.empty() && atom.function == AtomFunction::Copy)
      leaf.operands[0].used[leaf.firstTerm.size() - 1] = 0;  // stmatrix: lanes that pass no row address
    for (const AtomTerm& t : terms) {
      const auto reads = [&](std::size_t operand, int slot) {
        auto& used = leaf.operands[operand].used;
        if (slot < 0 || static_cast<std::size_t>(slot) >= used.size()) return false;
        used[slot] = 1;
        return true;
      };
      fits = fits && reads(1, t.a) && (inputs < 2 || reads(2, t.b));
      leaf.terms.push_back(t);
    }
    leaf.firstTerm.push_back(static_cast<int>(leaf.terms.size()));
  }
  if (!fits)
    return Diag{fmt::format("{} does not fit its operands", atom.name), "the shapes of the instruction", "", leaf.span};
  for (const Alignment& a : atom.alignment)
    if (a.operand >= 0 && static_cast<std::size_t>(a.operand) < leaf.operands.size())
      leaf.operands[a.operand].alignment = a.elements;
  for (const AtomAccess& a : atom.accesses)
    if (a.operand >= 0 && static_cast<std::size_t>(a.operand) < leaf.operands.size())
      leaf.operands[a.operand].accesses.push_back(a.access);
  const auto number = initialNumber(atom.operation);
  if (constant && !number)
    return Diag{fmt::format("'{}' is not an initial value", atom.operation), "Init<0>, Init<-inf>", "", leaf.span};
  leaf.constant = constant ? *number : 0;
  return {};
}

}  // namespace tessera::graphene
