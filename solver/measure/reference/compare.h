// Compare: an output against its reference: the error as a whole, the worst element, and the elements never written.
//
//     expected 1 2 3 4, got 1 2 3 5     relative error sqrt(1)/sqrt(30) = 0.18, worst element 3: 5 instead of 4
//
// The relative error is the Frobenius norm of the difference over that of the reference. It cannot reveal one wrong
// element among millions, so in addition no element may differ by more than `element` * (|expected| + root mean square
// of the reference).
//
// Law: NaN against a number, either way round, is an infinite error. NaN equals NaN, and an infinity equals one of the
// same sign.
#pragma once

#include <functional>

#include "solver/measure/reference/inputs.h"

namespace tessera::measure {

struct Tolerance {
  double relative = 2e-3;  // of the whole output
  double element = 3e-2;
};

struct Comparison {
  std::string output = {};  // "C"
  i64 elements = 0;         // of the output
  i64 compared = 0;         // fewer when sampled; 0: not compared
  std::string why = {};     // why it was not compared
  double relativeError = 0;
  i64 worst = -1;  // index of the worst element
  std::vector<i64> coordinate = {};
  double expected = 0, actual = 0;  // at the worst element
  i64 unwritten = 0;                // among those compared
  Tolerance tolerance = {};
  bool good = true;            // no compared element is wrong
  std::string complaint = {};  // why it is not good, one sentence
};

// Computes the expected values of some elements of an output, as exactly as it can. `elements` is ascending.
using Reference = std::function<Result<std::vector<double>>(const Inputs&, const std::string& output,
                                                            const std::vector<i64>& elements)>;

// Where a computation rounds to fewer bits of precision than fp32's 24. 0: nowhere.
struct Rounding {
  int values = 0;  // computed values
  int sums = 0;    // accumulated sums
};
// The error that rounding can cause in an output of this type.
[[nodiscard]] Tolerance toleranceOf(const graphene::NumberFormat& type, const Rounding& rounding = {});

// All elements if there are at most `most`; otherwise a sample of that size: the corners, and others drawn from `seed`.
// Ascending.
[[nodiscard]] std::vector<i64> elementsToCompare(i64 elements, i64 most, u64 seed);

[[nodiscard]] Comparison notCompared(const Operand& output, const std::string& why);
// Compares the results stored in `inputs` with `expected`.
[[nodiscard]] Comparison compared(const Inputs& inputs, int operand, const std::vector<i64>& elements,
                                  const std::vector<double>& expected, const Tolerance& tolerance);

}  // namespace tessera::measure
