// InputRanges: between which numbers the inputs of a program are, for bounds on its rounding errors
// (solver/graphene/equal/by_bounds.h).
//
//     |X| <= 4, 0 <= W <= 0.5        X in [-4, 4], W in [0, 0.5], all other inputs in [-1, 1]
//     |inputs| <= 2                  all inputs that are not named
//
// Without ranges floating inputs are in [-1, 1] and integers in [-8, 7], unsigned ones from 0: those of random inputs.
//
// Law: print(inputRanges(text)) reads as the same ranges.
#pragma once

#include <string>
#include <vector>

#include "core/base/cursor.h"

namespace tessera::graphene {

struct InputRange {
  std::string name;  // empty: `inputs`, all that are not named
  double least = -1, most = 1;
  Span place = {};
  bool operator==(const InputRange& o) const { return name == o.name && least == o.least && most == o.most; }
};
using InputRanges = std::vector<InputRange>;

// Reads ranges separated by commas. Each name occurs once.
[[nodiscard]] Result<InputRanges> inputRanges(Cursor& in);
[[nodiscard]] Result<InputRanges> inputRanges(std::string_view text);
// A number, 0.5 or 1e-3; `what` begins the sentence if there is none.
[[nodiscard]] Result<double> realNumber(Cursor& in, std::string_view what);
// nullptr: neither this input nor `inputs` is given.
[[nodiscard]] const InputRange* rangeOf(const InputRanges& ranges, std::string_view name);
// "|X| <= 4, 0 <= W <= 0.5"
[[nodiscard]] std::string print(const InputRanges& ranges);

}  // namespace tessera::graphene
