// The literals of the language: one row per notation, in the order in which they are tried.
//
//     {"mesh", "m", false, " mesh ", false, readBy<axe::parseMeshPrefix>}
//
// A new notation is a folder (core/notation/NAME) and a line in kRows. A reader returns the value at the cursor and
// moves the cursor past it; nullopt, without moving, if no literal of its notation begins there; a Diag, with spans in
// the whole text, if the literal is faulty.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/worksheet/any_value.h"
#include "core/worksheet/language/syntax.h"

namespace tessera {

struct LiteralRow {
  std::string_view notation;
  std::string_view first;  // possible first bytes: a filter, because readers are called very often
  bool names = false;      // also letters and _
  std::string_view calls;  // words that a `(` may follow, separated by blanks; composition(A, B) is not a literal
  bool numbers = false;    // also a digit after an opening `(`: (8,4):(4,1) is not an XLA tuple
  Result<std::optional<Value>> (*read)(Cursor& in, const NameLookup& names);
};
[[nodiscard]] std::span<const LiteralRow> literalRows();

// The lists of a text that begin no literal of a row, as learned from lists around them (Cursor::gaveUp). Without it an
// expression in n brackets is tried n times.
class NotLiterals {
 public:
  // Of what row `row` could not read from `from`: every list after `from` that was open where it gave up.
  void learn(std::size_t row, std::string_view text, std::size_t from, std::size_t gaveUp);
  [[nodiscard]] bool has(std::size_t row, std::size_t at) const;

 private:
  std::set<std::pair<std::size_t, std::size_t>> known_;  // row, position of the `(`
};

// The literal that begins at text[from], and its end; nullopt if there is none.
struct Literal {
  Shared<Value> value;
  LiteralKind kind = LiteralKind::Integer;
  std::size_t end = 0;
  const LiteralRow* row = nullptr;
};
[[nodiscard]] Result<std::optional<Literal>> readLiteral(std::string_view text, std::size_t from, std::size_t to,
                                                         const NameLookup& names, NotLiterals& none);
// Remarks on a literal that is legal but unusual.
[[nodiscard]] std::vector<Diag> literalNotes(const Value& value);

}  // namespace tessera
