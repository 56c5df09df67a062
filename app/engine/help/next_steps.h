// Next steps: statements to try after a refuted claim or an error. Pure text: the window offers them as links, a
// command line may print them as hints.
//
//     prove conflict_free(A, ldmatrix.x4, fp16)   refuted  -> show A as banks fp16 ldmatrix.x4
//                                                             find swizzle for A where conflict_free(ldmatrix.x4, fp16)
//     prove equal(A, B)                           refuted  -> show A as grid, show B as grid
//     prove injctive(A)                           an error -> `injctive` becomes `injective`
//     find swizzle for A where ...                found    -> A_swizzled = Sw<3,3,3> o 0 o (64,64):(64,1), and proofs
//     prove KERNEL                                refuted  -> show KERNEL as player, thread 33
//
// Law (tests/engine/next_steps_test.cpp): for every kind of claim, every offered statement evaluates without error at
// the claim's position; every replacement removes its error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

struct NextStep {
  std::string label;            // "show A as banks"
  std::string statement;        // to insert after the outcome's line (one or more lines), or in place of `replace`
  std::optional<Span> replace;  // bytes of the document
  // The text, of this or of an earlier statement, that `statement` replaces; the claim then holds. "": none
  std::string corrects = {};
  bool operator==(const NextStep&) const = default;
};

// The edit of a sheet that takes a step of a statement: text[replace] becomes `with`. nullopt if the statement, or what
// the step corrects, is no longer in the text.
struct StepEdit {
  Span replace;
  std::string with;
};
[[nodiscard]] std::optional<StepEdit> editOf(std::string_view text, const Statement& of, const NextStep& step);
// Whether the statement is still in the text at its position.
[[nodiscard]] bool isThere(std::string_view text, const Statement& statement);
// The end of its last line: where a step inserts its statements, after a newline.
[[nodiscard]] std::size_t lineEndAfter(std::string_view text, const Statement& statement);

// Most likely first; empty for a claim that holds.
[[nodiscard]] std::vector<NextStep> nextSteps(const Outcome& outcome);

// What to do with a layout that a statement gives: name it, prove it, find a swizzle, write it as code. Empty for other
// values, and for a text of several lines.
//
//     (64,64):(64,1)           my_layout = (64,64):(64,1);  prove injective((64,64):(64,1));  find swizzle for ...
[[nodiscard]] std::vector<NextStep> layoutSteps(const Outcome& outcome);

}  // namespace tessera
