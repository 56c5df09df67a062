// pasted_program: Graphene text that comes from elsewhere, as a block of a worksheet.
//
//     %A:[4].fp16.GL ...            graphene kernel {
//     %A <- Move ... { }      ->      %A:[4].fp16.GL ...
//                                   }
//                                   check kernel
//
// Law: the block reads as the program that the text is.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// The whole text is a program with a specification. Quick for everything that is none: it looks at the first bytes first.
[[nodiscard]] bool isProgram(std::string_view text);
// A name that a block may have, from a file's: "figure_8" of /tmp/figure-8.graphene.
[[nodiscard]] std::string blockNameOf(std::string_view path);
[[nodiscard]] std::string asBlock(std::string_view name, std::string_view text);

}  // namespace tessera
