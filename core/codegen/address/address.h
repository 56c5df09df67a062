// Address: a tensor slot's address as a printable expression, simplified over the ranges of its variables. A swizzle is
// applied only to the part of the sum that it changes.
//
//     Sw<2,3,3> of st * 4096 + i * 2048 + r * 32 + c * 8
//                                      st * 4096 + i * 2048 + r * 32 + ((c * 8) ^ ((r / 2 % 4) * 8))
//     the same with k * 16, k a loop   ... + ((k * 16) ^ (c * 8 ^ ...)): invariant inner xor
//
// Why: a swizzle changes only a few bits above its base. Multiples of the next power
// of two are unaffected, as are terms that share no bit with the others or with the
// swizzled bits. So the machine code has one xor per thread, and constant offsets.
//
// Law: evaluate(addressExpr(x, s, ...)) == s(evaluate(x)) for every point of the box.
#pragma once

#include <functional>

#include "core/expr/facts.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::codegen {

// `late`: terms that change in a loop; they are placed outside the inner xor.
[[nodiscard]] Expr addressExpr(const Expr& x, const cute::Swizzle& swizzle, FactBase& facts,
                               const std::function<bool(const Expr&)>& late);

}  // namespace tessera::codegen
