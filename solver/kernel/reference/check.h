// Compares the buffers of a run with a reference.
//
//     check("C = A @ B", given, 0, report)       C within 2.4e-07 of the reference; or a finding `wrong` in the report:
//                                                "C[3,5] is 1.25, and the reference gives 2.5"
//
// The error of an element is |got - reference| / max(1, max |reference|). Law: the verdict becomes Wrong if and only if
// an element's error is above the tolerance and no finding of the run comes first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solver/kernel/kernel.h"
#include "solver/kernel/launch/arguments.h"

namespace tessera::kernel::reference {

struct Compared {
  std::string name;
  i64 elements = 0, wrong = 0;
  double error = 0, tolerance = 0;  // the largest error
};

// `tolerance` 0: by the type of each buffer. A Diag if the reference cannot be evaluated, or names no buffer.
[[nodiscard]] Result<std::vector<Compared>> check(std::string_view text, const std::vector<Given>& given,
                                                  double tolerance, Report& report);
[[nodiscard]] std::string textOf(const Compared& compared);

}  // namespace tessera::kernel::reference
