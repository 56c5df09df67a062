// align: two arrows brought to one domain and one codomain, so that a claim can compare them.
//
//     (4,8):(8,1)  and  f32[4,8]                     same modes: coordinate by coordinate
//     (4,8):(1,4)  and  32:1                         both colex: by linear index, first mode fastest
//     S[(4,8):(8,1)] over (4,8)  and  f32[32]        both lex: by linear index, last mode fastest
//     #mma over (16,8)  and  S[(16,8) on lane, reg]  one maps from the hardware, the other to it: one is inverted
//     #mma over (16,8)  and  ((4,8),(2,2)):(...)     the CuTe layout is read as (thread, value) -> index of the tile
//
// Law. Two arrows between the same kinds of spaces are compared
//   - coordinate by coordinate when their modes have the same extents (nested modes are one number),
//   - otherwise by linear index, if both count it in the same order;
//   - not at all if modes and orders differ: no reading of "the same element" would be an equivalence. (4,8):(8,1)
//     equals S[(4,8):(8,1)], which equals S[32:1] (Axe counts the last fastest), which equals 32:1, but (4,8):(8,1) is
//     not 32:1 (CuTe counts the first fastest). The refusal says how to give both one shape.
// Where it is defined, equality is reflexive, symmetric and transitive (tests/agree/notations).
// Hardware axes are matched by name (register is reg, block is cta, offset is m ...); an axis that only one side names
// is 0 on the other. Coordinates without a meaning (an indexing map) match any space with as many numbers.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/layout/layout.h"

namespace tessera {

struct Aligned {
  Map f, g;
  LinearOrder order = LinearOrder::Colex;  // of the linear index, if the extents differ
  std::string reading;                     // "by linear index, the last mode fastest"; for the verdict
};
[[nodiscard]] Result<Aligned> align(const Layout& a, const Layout& b);
// Arrows of one direction, or one inverted; without the alternative reading of a Layout (threadValueArrow).
[[nodiscard]] Result<Aligned> align(const Arrow& a, const Arrow& b);

}  // namespace tessera
