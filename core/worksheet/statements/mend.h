// Mend: the single small edit that makes a statement valid, for "did you mean ...?".
//
//     (4,8:(8,1)                            (4,8):(8,1)          a bracket inserted, removed or replaced
//     Layout<Shape<_4,_8>,Stride<_8,_1>     ...Stride<_8,_1>>
//     Sw<3,3,3> 0 (64,64):(64,1)            Sw<3,3,3> o ...      a zero for the letter o
//     bf17[8,16]                            bf16[8,16]           the type before the bracket
//
// How: tries a bounded list of edits: brackets of the one kind whose count is off by one, at word boundaries. An edit
// counts if the statement then evaluates without an error; edits that give a layout rank first.
// Laws: the returned edit evaluates. Returns nullopt if two edits of the same rank give different values, because the
// intent is ambiguous. The search takes at most kMendSteps and is skipped for statements above kMendBytes.
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

// `at`: the position of the error, in the statement's text.
[[nodiscard]] std::optional<Mended> mended(const Statement& statement, const Scope& scope, Span at);

}  // namespace tessera
