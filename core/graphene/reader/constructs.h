// The parts of a program's statements that are read by a function each. Each leaves the place after the construct, or
// returns a Diag with the offending bytes.
#pragma once

#include <vector>

#include "core/graphene/reader/program_text.h"

namespace tessera::graphene {

// (@m, @n), @i = #6.indices(), and "@i = ..." of one level
[[nodiscard]] Result<Statement> readIndices(ProgramText& text);
// sync, syncwarp, commit, wait 1, wgmma.fence, fence.async, mbarrier.wait %f, 0; and the Diag for an unknown word.
[[nodiscard]] Result<Statement> readKeyword(ProgramText& text);

// Of a specification: <+>, <exp>, <bulk %f> and Init(0); <<<#b, #t>>>(%1, %2); means { %y[i] = ... }, if it is there.
// `begin`: where its kind begins.
[[nodiscard]] Result<void> readAttribute(ProgramText& text, Spec& out, std::size_t begin);
[[nodiscard]] Result<void> readOperands(ProgramText& text, Spec& out);
[[nodiscard]] Result<void> readMeaning(ProgramText& text, Spec& out);

// A barrier, by the name of the tensor.
[[nodiscard]] Result<Tensor> readBarrier(ProgramText& text);
// A Diag: `t` is a barrier, where data is wanted; a barrier that is declared where none can be.
[[nodiscard]] Result<void> noBarrier(const Cursor& in, const Tensor& t, std::size_t begin);
[[nodiscard]] Result<void> barrierStorage(const Cursor& in, const Tensor& t, bool operand, std::size_t begin);

}  // namespace tessera::graphene
