// Readers of the parts of statements, one function each. A reader leaves the cursor after its construct, or returns a
// Diag with the offending bytes.
//
//     readIndices at `(@m, @n), @i = #6.indices()`        the statement; @m, @n and @i are defined from here on
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/program.h"
#include "core/graphene/reader/program_text.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {

// (@m, @n), @i = #6.indices(), and "@i = ..." of one level
[[nodiscard]] Result<Statement> readIndices(ProgramText& text);
// sync, syncwarp, commit, wait 1, wgmma.fence, fence.async, mbarrier.wait %f, 0. Also gives the Diag for an unknown
// word.
[[nodiscard]] Result<Statement> readKeyword(ProgramText& text);

// The parts of a specification: <+>, <exp>, <bulk %f> or Init(0); <<<#b, #t>>>(%1, %2); means { %y[i] = ... }. Each may
// be absent. `begin`: where the kind begins.
[[nodiscard]] Result<void> readAttribute(ProgramText& text, Spec& out, std::size_t begin);
[[nodiscard]] Result<void> readOperands(ProgramText& text, Spec& out);
[[nodiscard]] Result<void> readMeaning(ProgramText& text, Spec& out);

// The name of a tensor that is a barrier.
[[nodiscard]] Result<Tensor> readBarrier(ProgramText& text);
// A Diag: `t` is a barrier where data is expected; a barrier is declared where none can be.
[[nodiscard]] Result<void> noBarrier(const Cursor& in, const Tensor& t, std::size_t begin);
[[nodiscard]] Result<void> barrierStorage(const Cursor& in, const Tensor& t, bool operand, std::size_t begin);

// Helpers without a cursor.

// "Move", "MatMul", ... and other spellings (BinaryPW); nullopt for a word that is not a kind.
[[nodiscard]] std::optional<SpecKind> kindOf(std::string_view word);
[[nodiscard]] std::vector<std::string> kindWords();

// How a written type differs from the result of the operations: "2 levels"; nullopt: it does not. Strides of unit
// dimensions and omitted strides (`plain`, per level) are ignored.
[[nodiscard]] std::optional<std::string> typeDifference(const Tensor& written, const std::vector<bool>& plain,
                                                        const Tensor& made);

// The Diag, without a place, for a number of tensors that is wrong for the kind.
[[nodiscard]] std::optional<Diag> arityFault(const Spec& spec);

// The index in a hierarchical dimension as one number, leftmost mode fastest.
[[nodiscard]] Expr joined(const Dim& dim, const std::vector<Expr>& modes);

// Sets the names of the variables in every tensor of the tree. Recursive, because Walk visits only constant statements.
void nameSymbols(Body& body, const Names& names);

// Condition: a conjunction of comparisons, partly evaluated while it is read: `kt + 2 < 32 && stages == 3`.
//
//     k < 3 && stages == 3     with stages 3: k < 3; with 4: known to be false
//     order == row             words: a parameter and its value

struct Condition {
  std::vector<Comparison> open;  // comparisons decided at run time
  std::optional<bool> known;     // set if it is decided while reading
};

// The value of a parameter that is a word; nullopt: there is none.
using WordOf = std::function<std::optional<std::string>(const std::string& name)>;

// i < 4
[[nodiscard]] Result<Comparison> readComparison(Reader& reader);
// Reads up to the first token that does not continue the condition.
[[nodiscard]] Result<Condition> readCondition(Reader& reader, const WordOf& wordOf);

}  // namespace tessera::graphene
