// local_names: names that belong to the body of one statement: tensors, threads, indices and parameters of a Graphene
// program, variables of a block of code.
//
//     graphene move {                        caret on %s: every %s of the block, and of move.%s below it
//       %s : [16,16].fp16.SH ...             (until move is bound again), never %s of another block
//     C = cuda { int row = tid / 8; ... }    caret on row: every row of the block
//     over (tid = 128) with LD = 72          tid and LD are its names, too; C.tile below is its array
//
// A body reads no name of the sheet, so a name of the sheet is never renamed in it. All equal names of a body are one
// name: a rename of all of them keeps the meaning, also across the scopes inside. The names of an XLA module (hlo) are
// not renamed.
//
// Law (tests/gui/local_names_test.cpp): a rename leaves every answer of the sheet as it was.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

struct LocalName {
  std::size_t block = 0;  // of the statements
  char sigil = 0;         // '%', '#', '@'; 0: none
  std::string name;
};

// Where the body of a statement begins in its text: at its brace; nullopt without a body.
[[nodiscard]] std::optional<std::size_t> bodyOf(const Statement& statement);
// The local name at a byte; nullopt if the byte is at no name of a body. `name` is empty for words that the body does
// not define: instructions, types, functions.
[[nodiscard]] std::optional<LocalName> localAt(std::string_view text, std::span<const Statement> statements,
                                               std::size_t byte);
// Its places, without their sigils.
[[nodiscard]] std::vector<Span> usesOf(const LocalName& local, std::span<const Statement> statements);
// Refuses a name that the body already has, or that has a meaning in it.
[[nodiscard]] Result<void> freeIn(const LocalName& local, std::span<const Statement> statements, std::string_view name);

// A statement's text, of the same length, with blanks for comments and for texts in quotes; the quoted pieces of a
// task's answers stay.
[[nodiscard]] std::string withoutTexts(const Statement& statement);

}  // namespace tessera
