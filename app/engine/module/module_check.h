// What `tessera check` says of an HLO module: the instructions whose reads are known, and a proof that each element
// that is read exists.
//
//     37 instructions in 5 computations: 30 exact, 5 read nothing, 1 over-approximate, 1 unsupported      coverageText
//     over-approximate  gather %g.1, line 12: ...   (and 2 more)                                          gapText
//     41 reads in bounds, proved, 1 not shown                                                             boundsText
//
// Law: a read outside its operand has a counterexample; it means that a rule is wrong or that the module is invalid.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/cost/coverage.h"
#include "core/hlo/text/module.h"

namespace tessera {

struct ReadBounds {
  i64 inside = 0, open = 0;          // proved; not shown in time
  std::vector<std::string> outside;  // "%f, line 3, operand 0: ..."
  std::vector<int> lines = {};       // of those
};
// All proofs together take at most `seconds` of counted work. Throws OutOfBudget if cancelled.
[[nodiscard]] ReadBounds boundsOf(const hlo::Module& module, double seconds, const std::atomic<bool>* cancel);

[[nodiscard]] std::string_view nameOf(hlo::Coverage::Kind kind);
[[nodiscard]] std::string coverageText(const hlo::Module& module, const hlo::Coverage& coverage);
[[nodiscard]] std::string gapText(const hlo::Module& module, const hlo::Coverage::Gap& gap);
[[nodiscard]] std::string boundsText(const ReadBounds& bounds);

}  // namespace tessera
