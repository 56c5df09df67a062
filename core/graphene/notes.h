// notes: what a reader of a program should know before anything is proved.
//
//     %y <- Move<<<#b, #t>>>(%x)     %x reaches coordinate 1023 of dimension 0, which has 1023: a condition is missing
//     if (@i < 16) { sync }          threads that skip the condition never arrive
//
// A note is said of the statement, in the text's order; it is a suspicion from intervals and no verdict (that is O1 and O2).
// Law: a program whose every enabled access is in bounds by intervals, and whose barriers stand outside of conditions, has none.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

[[nodiscard]] std::vector<Diag> notesOf(const Program& program);

}  // namespace tessera::graphene
