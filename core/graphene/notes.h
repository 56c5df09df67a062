// Notes: warnings about a program that need no proof.
//
//     %y <- Move<<<#b, #t>>>(%x)     %x reaches coordinate 1023 of dimension 0, which has 1023: a condition is missing
//     if (@i < 16) { sync }          threads that skip the condition never arrive
//
// A note belongs to a statement, in text order. It is an interval estimate, not a verdict (that is O1 and O2).
// Law: a program whose enabled accesses are all in bounds by
// intervals, with no barrier inside a condition, has no notes.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

[[nodiscard]] std::vector<Diag> notesOf(const Program& program);

}  // namespace tessera::graphene
