// mended: the one small edit that makes a statement readable, for "did you mean ...?".
//
//     (4,8:(8,1)                            (4,8):(8,1)          a bracket put in, taken out or replaced
//     Layout<Shape<_4,_8>,Stride<_8,_1>     ...Stride<_8,_1>>
//     Sw<3,3,3> 0 (64,64):(64,1)            Sw<3,3,3> o ...      a zero for the letter o
//     bf17[8,16]                            bf16[8,16]           the type before the bracket
//
// How: a bounded list of edits is tried: brackets of the one kind whose count is off by one, at the ends of words. An edit counts when
// the statement then evaluates without an error; of several, those that give a layout come first, then the others.
// Laws: what is returned evaluates. Nothing is returned where two edits give different values of the same rank: which of them was
// meant, no text says. The search spends at most kMendSteps, and none is made for statements above kMendBytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

inline constexpr std::size_t kMendBytes = 2048;
inline constexpr std::int64_t kMendSteps = 2'000'000;

struct Mended {
  std::string text;     // the statement's, with the edit
  std::string message;  // "a ')' is missing", "a ')' too many"
  Span place;           // in the old text
};
// evaluate() of worksheet.h without the search for an edit.
[[nodiscard]] Evaluated evaluateAsWritten(const Statement& statement, Scope& scope);

// `at`: where the error was found, in the statement's text.
[[nodiscard]] std::optional<Mended> mended(const Statement& statement, const Scope& scope, Span at);

}  // namespace tessera
