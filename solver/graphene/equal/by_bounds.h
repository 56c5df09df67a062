// Bounds: how far the outputs of both sides can be apart in their types, for all inputs in the stated ranges.
//
//     mlp against a reference, inputs in [-1, 1]      |mlp - the reference| <= 2.3e-03 for the 16384 elements of %Y
//
// Each side is run once on enclosures (solver/emulate/error/enclosures.h), which bound the distance of its computed
// outputs from its exact ones. If both are equal over the real numbers, the outputs are at most the sum of both bounds
// apart. A reference is exact.
//
// Law: no run of both sides in their types on inputs in the ranges leaves outputs further apart (tests/equal).
#pragma once

#include "solver/emulate/error/interval.h"
#include "solver/graphene/equal/sides.h"

namespace tessera::graphene {

struct OutputBounds {
  double most = 0;     // infinity: unknown
  std::string reason;  // then why
  std::string text;    // "|a - b| <= 2.3e-03 for the 16384 elements of %Y (inputs in [-1, 1]; ...)"
};
[[nodiscard]] OutputBounds boundsOf(const Sides& sides);

// Where the elements of an input are: the stated range, or [-1, 1], and -8 to 7 for integers.
[[nodiscard]] Interval inputInterval(const Sides& sides, std::string_view name, const NumberFormat& type);
// "inputs in [-1, 1]", "inputs with |X| <= 4, others in [-1, 1]"
[[nodiscard]] std::string inputsText(const Sides& sides);

}  // namespace tessera::graphene
