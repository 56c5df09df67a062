// A first guess at an instruction: what a person means who has not learnt how the table spells its names.
//
//     ldmatrix.x4          the row of that name
//     mma.m16n8k16         mma.m16n8k16.f32.f16.f16.f32, with a note: fp16 in, f32 accumulate is the common one; "name another
//                          type behind it: mma.m16n8k16.f32.bf16.bf16.f32 ..."
//     mma.m16n8k16.s8      mma.m16n8k16.s32.s8.s8.s32: words may be left out, and the last one may be cut short
//     wgmma.m64n128k16     wgmma.m64n128k16.f32.f16.f16.ss
//     ldmatrix             refused: ldmatrix.x4, ldmatrix.x2, ldmatrix.x1 ... are different instructions
//
// The rule. Names are words between dots. A row fits when the words that were typed are among its own, in that order, the
// last one perhaps only begun; `mma.` in front may be missing; of the rows that fit, those with the fewest words left out
// between the typed ones (mma.m16n8k16 is no mma.sp.m16n8k16). One row that fits is meant. Several rows of one shape differ
// in types alone: the common one is meant, which is the first with fp16 in and f32 out, then bf16, then fp16 throughout,
// then the table's order. Rows of several shapes are different instructions: a Diag names them, the common ones first.
//
// Law: a name that findInstruction knows is that row, without a note; whatever is guessed, findInstruction knows the
// guess by the name that the note says.
//
// What it is not: a way to say what is to be proved. Claims and searches take exact names (findInstruction), so that a
// verdict never rests on a guess.
#pragma once

#include <string>
#include <string_view>

#include "core/atlas/atlas.h"
#include "core/base/result.h"

namespace tessera {

struct InstructionGuess {
  AtlasRow row;
  std::string note;  // empty: the name was exact; else "mma.m16n8k16 is read as ...", and how to name another
  std::string hint;
};
[[nodiscard]] Result<InstructionGuess> guessInstruction(std::string_view name);

// Whether a single word begins names of the table, so that it is an instruction and no forgotten variable: "ldmatrix",
// "wgmma", "SM80_16x8x16_F32F16F16F32_TN"; not "A", not "ld".
[[nodiscard]] bool isInstructionWord(std::string_view word);

}  // namespace tessera
