// Completions at a position in a worksheet. Pure, and derived from the language's tables: functions and claims
// (functions()), views (views(), viewsFor(value)), instructions and accesses (atlas()), element types, the clauses of
// statements, and the names bound above.
//
//     show S as ba|                           banks                       a view applicable to S
//     prove conflict_free(S, ldm|             ldmatrix.x1, .x2, .x4 ...   an access: argument 2 is ACCESS
//     Tile = comp|                            composition(A, B), complement(...), ...
//
// Law (tests/gui/completion_test.cpp): the text with any item inserted is valid at that position.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

// A bound name, the position of its binding, and its value.
struct BoundName {
  std::string name;
  int line = 1;
  std::size_t begin = 0;  // byte of the binding
  std::shared_ptr<const Outcome> outcome;
};
// In line order; the last binding of a name applies below it.
[[nodiscard]] std::vector<BoundName> boundNames(std::span<const std::shared_ptr<const Outcome>> outcomes);

struct Completion {
  std::string text;    // "composition"
  std::string kind;    // "function" "claim" "name" "view" "instruction" "access" "type" "keyword" "method"
  std::string detail;  // "composition(A, B)"
  std::string insert;  // "composition("
};
struct Completions {
  std::size_t begin = 0, end = 0;  // range replaced by an accepted item
  std::vector<Completion> items;   // best first, at most kMostOffers
};
inline constexpr std::size_t kMostOffers = 60;

// Empty in comments, texts and numbers, and if the word is already complete.
[[nodiscard]] Completions completionsAt(std::string_view text, std::size_t caret, std::span<const BoundName> names);

// First byte of the statement that contains the caret. (A statement continues over indented lines.)
[[nodiscard]] std::size_t statementBegin(std::string_view text, std::size_t caret);

// The names of all instructions, families with each of their sizes; and of accesses to shared or global memory.
[[nodiscard]] const std::vector<std::string>& instructionNames();
[[nodiscard]] const std::vector<std::string>& accessNames();
[[nodiscard]] std::span<const std::string_view> elementTypeNames();

}  // namespace tessera
