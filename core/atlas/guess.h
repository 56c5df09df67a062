// Guesses an instruction from an incomplete name.
//
//     ldmatrix.x4          the row of that name
//     mma.m16n8k16         mma.m16n8k16.f32.f16.f16.f32, with a note that fp16 in, f32 accumulate is the common
//                          one, and a hint: "to choose another, add its types: mma.m16n8k16.f32.bf16.bf16.f32 ..."
//     mma.m16n8k16.s8      mma.m16n8k16.s32.s8.s8.s32: words may be omitted, and the last one may be truncated
//     wgmma.m64n128k16     wgmma.m64n128k16.f32.f16.f16.ss
//     ldmatrix             rejected: ldmatrix.x4, ldmatrix.x2, ldmatrix.x1 ... are different instructions
//
// The rule: names are words between dots. A row matches if the typed words are among its own, in order, the last one
// possibly a prefix; a leading `mma.` may be missing. Of the matching rows, those with the fewest words omitted between
// the typed ones are kept (mma.m16n8k16 is not mma.sp.m16n8k16). A single row is the guess. Several rows of one shape
// differ only in types, and the most common is chosen: the first with fp16 in and f32 out, then bf16, then fp16
// throughout, then table order. Rows of several shapes are different instructions: a Diag lists them, the common ones
// first.
//
// Law: a name known to findInstruction gives that row, without a note; any guess is found by findInstruction under the
// name in the note.
//
// Not for claims and searches, which take exact names (findInstruction), so that no verdict depends on a guess.
#pragma once

#include <string>
#include <string_view>

#include "core/atlas/atlas.h"
#include "core/base/result.h"

namespace tessera {

struct InstructionGuess {
  AtlasRow row;
  std::string note;  // empty: an exact name; else "mma.m16n8k16 is read as ...", and how to choose another
  std::string hint;
};
[[nodiscard]] Result<InstructionGuess> guessInstruction(std::string_view name);

// Whether a single word begins names of the table, so that it is an instruction, not an undefined variable: "ldmatrix",
// "wgmma", "SM80_16x8x16_F32F16F16F32_TN"; not "A", not "ld".
[[nodiscard]] bool isInstructionWord(std::string_view word);

}  // namespace tessera
