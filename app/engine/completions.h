// completions: what could stand at a place of a worksheet. Pure, and from the language's own tables: functions and claims
// (functions()), views (views(), viewsFor(value)), instructions and accesses (atlas()), element types, the clauses of the
// statements, and the names that lines above bind.
//
//     show S as ba|                           banks                       a view of what S is
//     prove conflict_free(S, ldm|             ldmatrix.x1, .x2, .x4 ...   an access: argument 2 is ACCESS
//     Tile = comp|                            composition(A, B), complement(...), ...
//
// Law (tests/gui/completion_test.cpp): every item, put in its place, is something that the language reads there.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

// A name, where it is bound, and what it is.
struct BoundName {
  std::string name;
  int line = 1;
  std::size_t begin = 0;  // byte of the binding
  std::shared_ptr<const Outcome> outcome;
};
// In the order of their lines; the last binding of a name is the one that counts below it.
[[nodiscard]] std::vector<BoundName> boundNames(std::span<const std::shared_ptr<const Outcome>> outcomes);

struct Completion {
  std::string text;    // "composition"
  std::string kind;    // "function" "claim" "name" "view" "instruction" "access" "type" "keyword" "method"
  std::string detail;  // "composition(A, B)"
  std::string insert;  // "composition("
};
struct Completions {
  std::size_t begin = 0, end = 0;  // what an accepted item replaces
  std::vector<Completion> items;   // the best first, at most kMostOffers
};
inline constexpr std::size_t kMostOffers = 60;

// Nothing in comments, texts and numbers, and nothing when the word is complete already.
[[nodiscard]] Completions completionsAt(std::string_view text, std::size_t caret, std::span<const BoundName> names);

// The statement that the caret is in, as far as the caret: its first byte. (A statement runs over lines that are indented.)
[[nodiscard]] std::size_t statementBegin(std::string_view text, std::size_t caret);

// The names of all instructions, families with each of their sizes; those of accesses to shared or global memory.
[[nodiscard]] const std::vector<std::string>& instructionNames();
[[nodiscard]] const std::vector<std::string>& accessNames();
[[nodiscard]] std::span<const std::string_view> elementTypeNames();

}  // namespace tessera
