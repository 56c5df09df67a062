// That an inverse undoes its function: shown, not assumed.
//
//     offset = i * 64 + j,  back = (offset floordiv 64, offset mod 64)       back o forward simplifies to (i, j)
//     a swizzle's                                                            back o forward is the identity's bit matrix
//     anything else small                                                    every coordinate is tried
//
// Law: an answer that is no Diag says that back(forward(c)) == c for every coordinate c with forward's guards, and how
// that is known.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/codegen/index_function.h"

namespace tessera::codegen {

// "Proved: tried at all 24 coordinates." A Diag: it could not be shown.
[[nodiscard]] Result<std::string> shownInverse(const IndexFunction& forward, const IndexFunction& back);

}  // namespace tessera::codegen
