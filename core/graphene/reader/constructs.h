// The parts of a program's statements that are read by a function each. Each leaves the place after the construct, or
// returns a Diag with the offending bytes.
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

// Helpers of the program reader that need no cursor.

// "Move", "MatMul", ... and other spellings (BinaryPW); nullopt for a word that is not a kind.
[[nodiscard]] std::optional<SpecKind> kindOf(std::string_view word);
[[nodiscard]] std::vector<std::string> kindWords();

// How a written type differs from what the operations give: "2 levels"; nullopt: they agree. Strides of unit dimensions
// are ignored, as are omitted ones (`plain`, per level).
[[nodiscard]] std::optional<std::string> typeDifference(const Tensor& written, const std::vector<bool>& plain,
                                                        const Tensor& made);

// The Diag for a wrong number of tensors for the kind; it has no place.
[[nodiscard]] std::optional<Diag> arityFault(const Spec& spec);

// One number for a hierarchical dimension, leftmost mode fastest.
[[nodiscard]] Expr joined(const Dim& dim, const std::vector<Expr>& modes);

// Sets the names of the variables in every tensor of the tree.
void nameSymbols(Body& body, const Names& names);

// Condition: a conjunction of comparisons, partly evaluated while it is read: `kt + 2 < 32 && stages == 3`.
//
//     k < 3 && stages == 3     with stages 3: k < 3; with 4: known to be false
//     order == row             words: a parameter and any word

struct Condition {
  std::vector<Comparison> open;  // comparisons decided at run time
  std::optional<bool> known;     // set if it is decided while reading
};

// The word that a parameter stands for; nullopt: no such parameter.
using WordOf = std::function<std::optional<std::string>(const std::string& name)>;

// i < 4
[[nodiscard]] Result<Comparison> readComparison(Reader& reader);
// Reads up to the first token that does not continue the condition.
[[nodiscard]] Result<Condition> readCondition(Reader& reader, const WordOf& wordOf);

}  // namespace tessera::graphene
