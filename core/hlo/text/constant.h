// The compile-time integer value of an instruction: a constant, or scalar operations on constants.
//
//     c = s32[] constant(3);  n = s32[] constant(-1);  z = s32[] constant(0)
//     lt = pred[] compare(n, z), direction=LT;  a = s32[] add(n, c);  s = s32[] select(lt, a, n)     constantOf(s) == 2
//
// Follows constant, broadcast, reshape, bitcast, slice, copy, convert, add, subtract, multiply, minimum, maximum,
// clamp, negate, compare, select and tuple elements. jax writes indices this way: x[-1] is the select above.
//
// Law: the value is the one the operation defines. nullopt if a result leaves the range of its type or exceeds 2^40.
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/types.h"
#include "core/hlo/text/module.h"

namespace tessera::hlo {

// For an array: `element` in row-major order. nullopt: a run-time value, or not found.
[[nodiscard]] std::optional<i64> constantOf(const Module& module, const Computation& computation, int instruction,
                                            std::size_t element = 0);

}  // namespace tessera::hlo
