// program_words: help inside a Graphene program: what could stand at the caret, and what the word under the mouse is.
//
//     graphene move {
//       %q = %src.ti|          tile(       operations behind a dot
//       %f <- Mo|              Move        kinds of specifications
//       %row = %m[@r|          @r          names that the text above defines
//     }
//
// Law: nothing is offered outside a block, and nothing that the reader would not take as a word there.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/engine/completions.h"
#include "app/engine/hover_info.h"
#include "core/graphene/listing.h"

namespace tessera {

struct ProgramWords {
  std::size_t begin = 0;  // of the word that is being typed, its % # @ or dot included
  std::vector<Completion> items;
};
// Nothing where the caret is in no block; no items in comments and numbers.
[[nodiscard]] std::optional<ProgramWords> programWordsAt(std::string_view text, std::size_t caret);

// `byte` counts in the listing's text: a tensor, an index, a kind, an operation.
[[nodiscard]] std::optional<HoverInfo> programInfo(const graphene::Listing& listing, std::size_t byte);

// The first byte behind the `{` of the block that `at` is in.
[[nodiscard]] std::optional<std::size_t> blockAround(std::string_view text, std::size_t at);

}  // namespace tessera
