// Words of a statement: the clauses `as`, `by`, `for`, `where`, and names that are taken literally.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/worksheet/language/syntax.h"

namespace tessera {

[[nodiscard]] std::size_t skipBlanks(std::string_view text, std::size_t i);
[[nodiscard]] std::size_t skipWord(std::string_view text, std::size_t i);
[[nodiscard]] std::size_t trimEnd(std::string_view text, std::size_t begin, std::size_t end);
// The last ` word ` outside brackets and strings in text[from, to); npos if there is none.
[[nodiscard]] std::size_t findClause(std::string_view text, std::size_t from, std::size_t to, std::string_view word);

// fp16, ldmatrix.x4, "ld.shared.v4": the text of a name, a dotted word or a string.
[[nodiscard]] Result<std::string> wordOf(const Node& node, std::string_view expected);

// A Diag without a place is given this one, or the node's.
template <typename T>
[[nodiscard]] Result<T> placed(Result<T> result, Span span) {
  if (!result && result.error().span.empty()) result.error().span = span;
  return result;
}
template <typename T>
[[nodiscard]] Result<T> placedAt(const Node& node, Result<T> result) {
  return placed(std::move(result), node.span);
}

}  // namespace tessera
