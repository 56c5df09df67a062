// The literals of the language: one row a notation, in the order in which they are tried.
//
//     {"mesh", "m", false, " mesh ", false, readBy<axe::parseMeshPrefix>}      the value that begins at a cursor, which is left behind it
//
// A new notation is a folder (core/notation/NAME) and a line in kRows. A reader returns nothing, and moves nothing, when no
// literal of its notation begins there; a Diag, with spans in the whole text, when a faulty one does.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/value.h"

namespace tessera {

struct LiteralRow {
  std::string_view notation;
  std::string_view first;  // the bytes that one can begin with: readers are asked a hundred thousand times a second
  bool names = false;      // and letters and _
  std::string_view calls;  // of these the ones that a `(` may follow, between blanks: composition(A, B) is no literal
  bool numbers = false;    // and a digit may stand behind the `(` that it begins with: (8,4):(4,1) is no XLA tuple
  Result<std::optional<Value>> (*read)(Cursor& in, const NameLookup& names);
};
[[nodiscard]] std::span<const LiteralRow> literalRows();

// The literal that begins at text[from], and where it ends; nothing when none does.
struct Literal {
  Value value;
  LiteralKind kind = LiteralKind::Integer;
  std::size_t end = 0;
  const LiteralRow* row = nullptr;
};
[[nodiscard]] Result<std::optional<Literal>> readLiteral(std::string_view text, std::size_t from, std::size_t to,
                                                         const NameLookup& names);
// What is odd but legal in a literal.
[[nodiscard]] std::vector<Diag> literalNotes(const Value& value);

}  // namespace tessera
