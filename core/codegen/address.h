// The address of a tensor's slot as an expression to print: simplified over the ranges of its variables, and a swizzle taken
// to the part of the sum that it changes.
//
//     Sw<2,3,3> of st * 4096 + i * 2048 + r * 32 + c * 8        st * 4096 + i * 2048 + r * 32 + ((c * 8) ^ ((r / 2 % 4) * 8))
//     of the same with k * 16, k a loop                         ... + ((k * 16) ^ (c * 8 ^ ...)): the inner one can be computed before it
//
// Why: what a swizzle changes are a few bits above its base. Multiples of the next power of two pass by it, terms that share no
// bit with the others or with what is exchanged too; so that machine code has one exclusive or a thread, and offsets that are numbers.
//
// Law: evaluate(addressExpr(x, s, ...)) == s(evaluate(x)) for every point of the box.
#pragma once

#include <functional>

#include "core/expr/facts.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::codegen {

// `late`: terms that change in a loop, which go outside of the inner exclusive or.
[[nodiscard]] Expr addressExpr(const Expr& x, const cute::Swizzle& swizzle, FactBase& facts,
                               const std::function<bool(const Expr&)>& late);

}  // namespace tessera::codegen
