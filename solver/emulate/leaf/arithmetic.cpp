#include "solver/emulate/leaf/arithmetic.h"

#include <algorithm>

namespace tessera::graphene {

template <class D>
Arithmetic<D>::Arithmetic(const Plan& plan, D& domain) : plan_(plan), domain_(domain) {
  for (std::size_t r = 0; r < plan.roots.size(); ++r) domain.describe(static_cast<int>(r), plan.roots[r].type);
  for (const PlanLeaf& leaf : plan.leaves) rows_.push_back(rowOf(leaf));
}

template <class D>
auto Arithmetic<D>::rowOf(const PlanLeaf& leaf) -> Row {
  Row out;
  out.operation = domain_.operation(leaf.atom.operation);
  const auto typeOf = [&](std::size_t k) -> const NumberFormat& { return plan_.roots[leaf.operands[k].root].type; };
  const Root& to = plan_.roots[leaf.operands[0].root];
  const bool copies = leaf.atom.function == AtomFunction::Copy && leaf.operands.size() > 1;
  out.to = to.type;
  out.integers = leaf.operands.size() > 1;
  for (std::size_t k = 1; k < leaf.operands.size(); ++k) out.integers = out.integers && typeOf(k).precision == 0;
  if (leaf.atom.function == AtomFunction::MultiplyAdd) out.integers = out.integers && to.type.precision == 0;
  out.from = copies || out.integers ? typeOf(1) : NumberFormat{64, 53, -1022, 1023};
  if (D::kRounds) {
    out.converts = !copies || !(out.from == to.type);
  } else if (!out.integers || copies || to.type.precision > 0) {  // over the integers (terms) arithmetic does not wrap
    out.conversion = domain_.conversion(out.from, to.type, to.tensor.element);
    out.converts = out.conversion >= 0;
  }
  return out;
}

template <class D>
void Arithmetic<D>::compute(int index, const LaneOrder& order, Values& values) {
  const PlanLeaf& leaf = plan_.leaves[index];
  const Row& row = rows_[index];
  const auto lanes = static_cast<std::size_t>(leaf.atom.lanes);
  const std::size_t outs = std::min<std::size_t>(lanes, kLanes) * leaf.operands[0].slots.count;
  const std::size_t ins0 = leaf.operands.size() > 1 ? lanes * leaf.operands[1].slots.count : 0;
  const std::size_t ins1 = leaf.operands.size() > 2 ? lanes * leaf.operands[2].slots.count : 0;
  const AtomTerm* terms = leaf.terms.data();
  const int* first = leaf.firstTerm.data() + (lanes > kLanes ? order.quarter * outs : 0);
  for (std::size_t g = 0; g * lanes < order.count; ++g) {
    Value* out = values.out.data() + g * outs;
    const Value* a = values.a.data() + g * ins0;
    const Value* b = values.b.data() + g * ins1;
    for (std::size_t i = 0; i < outs; ++i) {
      switch (leaf.atom.function) {
        case AtomFunction::Copy: {
          const int from = first[i];
          out[i] = from == first[i + 1] ? D::undefined() : a[terms[from].a];
          break;
        }
        case AtomFunction::Unary:
          out[i] = domain_.unary(row.operation, a[terms[i].a]);
          break;
        case AtomFunction::Binary:
          out[i] = row.integers ? domain_.integerBinary(row.operation, a[terms[i].a], b[terms[i].b], row.to)
                                : domain_.binary(row.operation, a[terms[i].a], b[terms[i].b]);
          break;
        case AtomFunction::Constant:
          out[i] = domain_.constant(leaf.constant);
          break;
        case AtomFunction::MultiplyAdd: {
          const std::span<const AtomTerm> products(terms + first[i], terms + first[i + 1]);
          out[i] = row.integers ? domain_.integerMultiplyAdd(out[i], products, a, b, row.to)
                                : domain_.multiplyAdd(out[i], products, a, b);
          break;
        }
      }
    }
  }
}

template <class D>
void Arithmetic<D>::convert(int leaf, std::vector<Value>& values) {
  const Row& row = rows_[leaf];
  if (row.converts)
    for (Value& v : values) v = domain_.convert(v, row.conversion, row.from, row.to);
}

template class Arithmetic<Numbers>;
template class Arithmetic<Terms>;

}  // namespace tessera::graphene
