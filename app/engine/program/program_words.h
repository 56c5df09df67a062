// program_words: help inside a Graphene program: completions at the caret, and information on the word under the mouse.
//
//     graphene move {
//       %q = %src.ti|          tile(       operations after a dot
//       %f <- Mo|              Move        kinds of specifications
//       %row = %m[@r|          @r          names defined above
//     }
//
// Law: items are offered only inside a block, and only if they are valid words at that position.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/engine/help/completions.h"
#include "app/engine/help/hover_info.h"
#include "core/graphene/listing.h"

namespace tessera {

struct ProgramWords {
  std::size_t begin = 0;  // of the word being typed, including its % # @ or dot
  std::vector<Completion> items;
};
// nullopt if the caret is not in a block; no items in comments and numbers.
[[nodiscard]] std::optional<ProgramWords> programWordsAt(std::string_view text, std::size_t caret);

// The words of the language: kinds of specifications, statements, operations after a dot, types.
[[nodiscard]] std::vector<Completion> programVocabulary();

// `byte`: in the listing's text, on a tensor, an index, a kind, an operation.
[[nodiscard]] std::optional<HoverInfo> programInfo(const graphene::Listing& listing, std::size_t byte);

// Whether a `//` precedes `at` on its line.
[[nodiscard]] bool inComment(std::string_view text, std::size_t at);

// The first byte after the `{` of the block that contains `at`.
[[nodiscard]] std::optional<std::size_t> blockAround(std::string_view text, std::size_t at);

}  // namespace tessera
