// Compare: an output beside its reference: how wrong as a whole, where most, and what was never written.
//
//     expected 1 2 3 4, got 1 2 3 5     relative error sqrt(1)/sqrt(30) = 0.18, worst element 3: 5 instead of 4
//
// The relative error is the Frobenius norm of the difference over that of the reference. It says nothing about one wrong element
// among millions; so no element may differ by more than `element` times (its own size + the root mean square of the reference).
//
// Law: a NaN where the reference has a number is infinitely wrong, and a number where the reference has NaN too; two NaN, and two
// infinities of one sign, are equal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/measure/inputs.h"

namespace tessera::measure {

struct Tolerance {
  double relative = 2e-3;  // of the whole
  double element = 3e-2;
};

struct Comparison {
  std::string output;  // "C"
  i64 elements = 0;    // of the tensor
  i64 compared = 0;    // fewer when some were drawn; 0: not compared
  std::string why;     // it was not
  double relativeError = 0;
  i64 worst = -1;  // an element
  std::vector<i64> coordinate;
  double expected = 0, actual = 0;  // of the worst one
  i64 unwritten = 0;                // of those compared
  Tolerance tolerance;
  bool good = true;       // nothing that was compared is wrong
  std::string complaint;  // why it is not good: one sentence
};

// What the elements of an output should be, computed as exactly as the caller can; the list is rising.
using Reference = std::function<Result<std::vector<double>>(const Inputs&, const std::string& output,
                                                            const std::vector<i64>& elements)>;

// Where a computation rounds to fewer bits of precision than fp32's 24; 0: nowhere.
struct Rounding {
  int values = 0;  // something that is computed
  int sums = 0;    // what is added up
};
// What rounding may make of an output of this type.
[[nodiscard]] Tolerance toleranceOf(const graphene::NumberFormat& type, const Rounding& rounding = {});

// All elements up to `most`, then so many: the corners and others drawn by `seed`, rising.
[[nodiscard]] std::vector<i64> elementsToCompare(i64 elements, i64 most, u64 seed);

// Of the results that lie in `inputs`.
[[nodiscard]] Comparison compared(const Inputs& inputs, int operand, const std::vector<i64>& elements,
                                  const std::vector<double>& expected, const Tolerance& tolerance);

}  // namespace tessera::measure
