// sheet_names: where a name of a worksheet is bound, and where it is used. Pure functions of the text; they evaluate
// nothing.
//
//     1  A = (4,8):(8,1)
//     2  size(A)                definitionOf: the A of line 1;  usesOf: the A of lines 1, 2 and the last of line 3
//     3  A = coalesce(A)        the first A is another name from here on
//
// Law (tests/gui/line_edits_test.cpp): replacing all places of placesToRename by the name leaves every value and
// verdict of the sheet as it was.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

struct Statement;

// Where a statement binds its name: `A` of `A = ...`, `gemm` of `graphene gemm {`, `mma` of `#mma = ...`.
[[nodiscard]] std::size_t placeOfName(const Statement& statement);
// The name at a byte of a statement, outside comments; empty if there is none.
[[nodiscard]] Span nameAt(std::string_view text, std::size_t byte);
// Where the name at `byte` is bound: by its own statement if that is its binding, else by the last one above it.
[[nodiscard]] std::optional<std::size_t> definitionOf(std::string_view text, std::size_t byte);
// The places of that name: its binding, and its uses until it is bound again. Parameters of index formulas, named
// arguments and the words of views are other names. At a name of a body (local_names.h): its places there, and below
// `BLOCK.name`.
[[nodiscard]] std::vector<Span> usesOf(std::string_view text, std::size_t byte);
// usesOf. Refuses a name that is none, or that the sheet already binds.
[[nodiscard]] Result<std::vector<Span>> placesToRename(std::string_view text, std::size_t byte, std::string_view name);

}  // namespace tessera
