// Helpers of the program reader that need no cursor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/program.h"

namespace tessera::graphene {

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

}  // namespace tessera::graphene
