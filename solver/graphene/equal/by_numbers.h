// Numbers: both sides run on the same numbers, without rounding or in their types. They refute, and never prove.
//
//     onRandomInputs(sides, verdict)     seed 1 without rounding and in the types, inputs up to 100, seed 2
//     differOn(sides, draw, "...", verdict)     other inputs, without rounding: refutes if the outputs differ
//     apartInTypes(sides, 1e-3, verdict)        inputs in their ranges, in the types: refutes if the outputs are
//                                               further apart
//
// The tolerance in the types is the sum of what `measure` grants each program (solver/measure/reference/compare.h);
// without rounding it is that of doubles.
#pragma once

#include "solver/graphene/equal/sides.h"

namespace tessera::graphene {

using ElementNumber = std::function<double(const std::string& name, i64 element, const NumberFormat& type)>;

struct RandomRuns {
  bool ended = false;   // else they would take too long
  std::string note;     // "in their types the relative difference is 2.0e-04 (...)"
  std::string finding;  // of a machine, "O6 races: ...", or why it stopped
};
// `inTypes`: a difference in the types that rounding does not explain refutes, too.
[[nodiscard]] RandomRuns onRandomInputs(const Sides& sides, bool inTypes, EqualVerdict& verdict);

// The largest difference |first - second| of an output's element in the types, over random inputs in their ranges and
// over the ends of the ranges. One beyond `within` refutes. Below 0: nothing was run.
[[nodiscard]] double apartInTypes(const Sides& sides, double within, EqualVerdict& verdict);

// Whether the outputs differ on these inputs; then the verdict is refuted.
[[nodiscard]] bool differOn(const Sides& sides, const ElementNumber& draw, const std::string& inputs,
                            EqualVerdict& verdict);

}  // namespace tessera::graphene
