// lineValue: what an editor shows beside a statement, in the line.
//
//     B = coalesce((4,8):(8,1))                   (4,8):(8,1)
//     A = (4,8):(8,1)                             "", because the line says it already
//     find swizzle for A where ...                Sw<3,3,3> o 0 o (64,64):(64,1), and 4 more
//     run gemm with M=8                           41.2 us
//
// Law: empty for statements that are an error, a claim or a show; those have a message, a sign or a picture.
#pragma once

#include <string>

#include "app/engine/engine.h"

namespace tessera {

// Complete: possibly long, and of several lines if the value is a text (code, a table).
[[nodiscard]] std::string lineValue(const Outcome& outcome);

}  // namespace tessera
