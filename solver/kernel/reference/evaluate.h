// Evaluates a reference: assignments in the manner of NumPy.
//
//     C = 0.5 * (A @ B) + 2.0 * C
//     scores = softmax(0.125 * Q @ K.swapaxes(-1, -2)); O = scores @ V
//
// A text that begins with an indexed name, C[i,j] = ..., consists of equations (equations.h).
//
// A name on the right is a name given, or assigned before in the text. np., numpy., torch. and math. before a function
// are accepted. Slices, `[f(b) for b in range(4)]`, `x if c else y`, comparisons, & | ^ << >> // % ** @ have Python's
// meaning.
//
// Laws: NumPy's values in doubles. A Diag at the place of the text; nothing recurses deeply, and every element is
// counted work.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "solver/kernel/reference/array.h"

namespace tessera::kernel::reference {

struct Assigned {
  std::string name;
  Array value;
};

[[nodiscard]] Result<std::vector<Assigned>> evaluate(std::string_view text,
                                                     const std::map<std::string, Array, std::less<>>& names);

}  // namespace tessera::kernel::reference
