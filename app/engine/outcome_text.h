// Outcomes as text for people: what `tessera eval` prints.
#pragma once

#include <cstddef>
#include <string>

#include "app/engine/engine.h"

namespace tessera {

inline constexpr std::size_t kMaxPrintedBytes = 1 << 20;  // longer results are cut, and say so

// What eval prints for one outcome: the value, the picture of a show, the verdict. Empty for nothing.
[[nodiscard]] std::string textOf(const Outcome& outcome);
// "proved   injective(S)   F2 rank, 0.02 ms   (why)"; refuted ones have the counterexample on a second line.
[[nodiscard]] std::string textOf(const Verdict& verdict);
// The canonical text of a value, cut at kMaxPrintedBytes.
[[nodiscard]] std::string printLimited(const Value& value);

}  // namespace tessera
