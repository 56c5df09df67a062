// Thread fix: a corrected version of the line of code whose access has bank conflicts.
//
//     S(t, i) = t * 32 + i over (32, 4), f32
//         S(t, i) = t * 32 + (i ^ t) over (32, 4)     Sw<5,0,5> on the offset
//         S(t, i) = t * 33 + i over (32, 4)           a pitch of 33 instead of 32
//
//     half b = As[tid % 16][tid / 16];
//         half b = As[tid % 16][(tid / 16) ^ (((tid % 16) & 7) << 1)];
//         __shared__ half As[16][66];                         instead of As[16][64]
//
// The swizzles are all Sw<B,M,S> with S > 0 within the bits of the largest offset, fewest bits first; the first one
// without conflicts is written into the line: as an exclusive or of the column if the line has the form row * 2^p +
// column, else of the whole offset. The paddings replace a number that something is multiplied by.
//
// Law: the corrected line is read again. It is returned only if its access has no conflicts, and if it equals the
// swizzle of the old offset at every coordinate (swizzle), or takes equal offsets to equal offsets and different ones
// to different ones (padding). Every other access to the same memory must be changed in the same way; a padded
// declaration changes them all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/access/thread_access.h"
#include "core/code/index_code.h"
#include "core/notation/cute/notation.h"

namespace tessera {

struct ThreadFix {
  std::string what;  // "Sw<5,0,5> on the offset, equal to it at all 128 coordinates"
  std::string line;  // the corrected statement
  // The text with every access to the memory changed alike: the statement of a formula, the inside of a block. Equal
  // and empty if one edit of each line does not do.
  std::string before = {}, after = {};
};
// Simplest first: at most one swizzle and one padding. Empty if there is none or no conflict.
//
// `source`: the statement of an index formula, NAME(NAMES) = BODY over (EXTENTS); no fix for another text.
[[nodiscard]] std::vector<ThreadFix> fixesOf(const ThreadAccess& access, const std::string& source);
// The access is the value of a block of code: `line` is the line of the block that changes. `others` access the same
// array. A swizzle under which all of them have no conflict is preferred; `what` says whether they have.
[[nodiscard]] std::vector<ThreadFix> fixesOf(const ThreadAccess& access, const code::IndexCode& code,
                                             const std::vector<ThreadAccess>& others);

// The swizzle of the offsets with the fewest bits under which no access has a conflict. It keeps the elements of a lane
// together. nullopt: none with S > 0 does within the bits of the largest offset.
// Requires: all have elements of one size, and some access has a conflict.
struct SharedSwizzle {
  cute::Swizzle swizzle;
  i64 extent = 1;  // a power of two above all offsets
};
[[nodiscard]] std::optional<SharedSwizzle> swizzleFor(const std::vector<ThreadAccess>& accesses);

}  // namespace tessera
