// The text of MLIR as module.cpp scans it: statements, brackets, lists of types. Iterative; no reader here recurses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/notation/triton/module.h"

namespace tessera::triton::module_text {

// The text with // comments and loc(..) replaced by blanks, at the same positions.
[[nodiscard]] std::string withoutCommentsAndPlaces(std::string_view text);
// Where the statement that begins at `from` ends: the end of a line on which every bracket is closed, or whose last
// character opens a region.
[[nodiscard]] std::size_t statementEnd(std::string_view text, std::size_t from);

[[nodiscard]] std::size_t skipSpace(std::string_view text, std::size_t at);
// The end of the name that begins with the % or @ at `at`.
[[nodiscard]] std::size_t nameEnd(std::string_view text, std::size_t at);
// The bracket that closes the one at `open`; npos if none does. Brackets in strings and the > of -> do not count.
[[nodiscard]] std::size_t closing(std::string_view text, std::size_t open);
// The first place of `token` outside of brackets and strings; npos if there is none.
[[nodiscard]] std::size_t topLevel(std::string_view text, std::string_view token, std::size_t from = 0);

// The type at the start: up to a comma, a closing bracket or the attributes in braces.
[[nodiscard]] std::string typeAt(std::string_view text);
// The position of the last ` : ` outside of brackets; npos if there is none.
[[nodiscard]] std::size_t typesAt(std::string_view statement);

struct TypeLists {
  std::vector<std::string> operands, results;
  bool arrow = false;  // `->` or `to` separates them; else all are in operands
};
[[nodiscard]] TypeLists typeListsOf(std::string_view statement, std::size_t colon);

// %a, %b#1 .. in order, without the names that `=` binds in iter_args.
[[nodiscard]] std::vector<std::string> operandsIn(std::string_view text);
// %x of iter_args(%x = %init, ..), or of scf.while (%x = %init).
[[nodiscard]] std::vector<ModuleValue> iterationVariables(std::string_view statement, std::size_t begin);

}  // namespace tessera::triton::module_text
