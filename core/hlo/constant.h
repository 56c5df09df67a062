// The whole number that an instruction is in every run: a constant, or made of constants by scalar operations.
//
//     c = s32[] constant(3);  n = s32[] constant(-1);  z = s32[] constant(0)
//     lt = pred[] compare(n, z), direction=LT;  a = s32[] add(n, c);  s = s32[] select(lt, a, n)      constantOf(s) == 2
//
// Follows constant, broadcast, reshape, bitcast, slice, copy, convert, add, subtract, multiply, minimum, maximum, clamp, negate, compare,
// select and elements of tuples. jax writes indices this way: x[-1] is the select above.
//
// Law: the value is that of the operation's definition. Where a result leaves the range of its type, or 2^40, there is none.
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/types.h"
#include "core/hlo/module.h"

namespace tessera::hlo {

// Of an array: its element `element` in row-major order. nullopt: it is not known before the program runs, or was not found.
[[nodiscard]] std::optional<i64> constantOf(const Module& module, const Computation& computation, int instruction,
                                            std::size_t element = 0);

}  // namespace tessera::hlo
