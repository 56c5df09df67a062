// Arithmetic: the function of a leaf's atom on the values of its operands, over a domain.
//
//     values.a = {1, 2}, values.b = {3, 4}      add.f32: Binary, out[i] = a[terms[i].a] + b[terms[i].b]
//     arithmetic.compute(leaf, order, values)   values.out = {4, 6}
//     arithmetic.convert(leaf, values.out)      rounded to the element type of the output
#pragma once

#include <vector>

#include "solver/emulate/machine/leaf_access.h"
#include "solver/emulate/numbers.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

template <class Domain>
class Arithmetic {
 public:
  using Value = typename Domain::Value;
  struct Values {  // slots of the lanes, by position; `out` holds the old values of an accumulator
    std::vector<Value> out, a, b;
  };

  Arithmetic(const Plan& plan, Domain& domain);
  void compute(int leaf, const LaneOrder& order, Values& values);
  void convert(int leaf, std::vector<Value>& values);

 private:
  struct Row {              // of a leaf
    int operation = 0;      // number in the domain
    NumberFormat from, to;  // of the value copied or computed: fp64 if a floating operand takes part; of the output
    bool integers = false;  // all operands are integers, so integer arithmetic applies
    bool converts = false;  // the output has another type than the input, or is computed
    int conversion = -1;    // number in the domain
  };
  [[nodiscard]] Row rowOf(const PlanLeaf& leaf);

  const Plan& plan_;
  Domain& domain_;
  std::vector<Row> rows_;
};

extern template class Arithmetic<Numbers>;
extern template class Arithmetic<Terms>;

}  // namespace tessera::graphene
