// Index proof: proves that an inverse function inverts its forward function.
//
//     offset = i * 64 + j,  back = (offset floordiv 64, offset mod 64)       back o forward simplifies to (i, j)
//     a swizzle                                                              back o forward has the identity bit matrix
//     any other small function                                               every coordinate is tried
//
// Law: a result that is not a Diag means back(forward(c)) == c for every coordinate c that meets forward's guards; its
// text says how this was proved.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/codegen/index/index_function.h"

namespace tessera::codegen {

// "Proved: tried at all 24 coordinates." A Diag: no proof found.
[[nodiscard]] Result<std::string> shownInverse(const IndexFunction& forward, const IndexFunction& back);

}  // namespace tessera::codegen
