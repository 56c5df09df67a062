// Explanation: the derivation of an operation's result, step by step, with the numbers of the given input.
//
//     explain composition((6,2):(8,2), (4,3):(3,1))
//       1  A = (6,2):(8,2) is already coalesced
//       2  mode 0 of B: 4:3      every 3rd of A's 6: ceil(6/3) = 2 of them, stride 3*8 = 24    2:24
//       3  ...
//
// Law: `result` is what the operation returns (or its Diag's message); the steps are those it took, in order.
// It is not a proof: the check R(i) = A(B(i)) is one of the steps and names its argument.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

struct ExplanationStep {
  std::string text;          // "mode 0 of B: 4:3 walks A in steps of 3"
  std::string formula = {};  // "ceil(6 / 3) = 2"; may be empty
  std::string layout = {};   // the layout so far; may be empty
  bool operator==(const ExplanationStep&) const = default;
};

struct Explanation {
  std::string title;  // "composition((6,2):(8,2), (4,3):(3,1))"
  std::vector<ExplanationStep> steps = {};
  std::string result = {};  // canonical text of the result, or the Diag's message
  bool refused = false;
  bool operator==(const Explanation&) const = default;
};

// Numbered lines with columns for text, formula and layout.
[[nodiscard]] std::string print(const Explanation& explanation);

[[nodiscard]] Explanation explainCoalesce(const Layout& a);
[[nodiscard]] Explanation explainComposition(const Layout& a, const Layout& b);
[[nodiscard]] Explanation explainComposition(const Layout& a, const Tiler& b);
[[nodiscard]] Explanation explainComplement(const Layout& a, i64 cotarget);
[[nodiscard]] Explanation explainRightInverse(const Layout& a);
[[nodiscard]] Explanation explainLeftInverse(const Layout& a);
[[nodiscard]] Explanation explainLogicalDivide(const Layout& a, const Layout& b);
[[nodiscard]] Explanation explainLogicalProduct(const Layout& a, const Layout& b);

}  // namespace tessera::cute
