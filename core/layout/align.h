// align: two arrows brought to one domain and one codomain, so that a claim can compare them.
//
//     (4,8):(8,1)  and  f32[4,8]                     same modes: coordinate by coordinate
//     (4,8):(1,4)  and  32:1                         both colex: by linear index, first mode fastest
//     S[(4,8):(8,1)] over (4,8)  and  f32[32]        both lex: by linear index, last mode fastest
//     #mma over (16,8)  and  S[(16,8) on lane, reg]  one goes from the hardware, the other to it: one is turned round
//     #mma over (16,8)  and  ((4,8),(2,2)):(...)     the CuTe layout is read as (thread, value) -> index of the tile
//
// Law. Two arrows between the same kinds of spaces are compared
//   - coordinate by coordinate when their modes have the same extents (nested modes are one number),
//   - otherwise by linear index, when both count it in the same order;
//   - refused when modes and orders differ: then no reading of "the same element" is an equivalence. (4,8):(8,1) equals
//     S[(4,8):(8,1)], that equals S[32:1] (Axe counts the last fastest), that equals 32:1, and (4,8):(8,1) does not
//     equal 32:1 (CuTe counts the first fastest). The refusal says how to give both one shape.
// On what is answered, equality is reflexive, symmetric and transitive: tests/agree/notations holds it.
// Hardware axes are matched by name (register is reg, block is cta, offset is m ...); an axis that one side does not
// name is 0 there. Coordinates without a meaning (an indexing map) match anything with as many numbers.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/layout/layout.h"

namespace tessera {

struct Aligned {
  Map f, g;
  LinearOrder order = LinearOrder::Colex;  // how different Index extents are read
  std::string reading;                     // "by linear index, the last mode fastest"; for the verdict
};
[[nodiscard]] Result<Aligned> align(const Layout& a, const Layout& b);
// Arrows of the same direction, or one turned round; without the second reading that a Layout may have.
[[nodiscard]] Result<Aligned> align(const Arrow& a, const Arrow& b);

}  // namespace tessera
