// pasted_program: turns Graphene text from elsewhere into a block of a worksheet.
//
//     %A:[4].fp16.GL ...            graphene kernel {
//     %A <- Move ... { }      ->      %A:[4].fp16.GL ...
//                                   }
//                                   check kernel
//
// Law: the block parses as the program of the text.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// Whether the whole text is a program with a specification. Fast for other texts: checks the first bytes first.
[[nodiscard]] bool isProgram(std::string_view text);
// A valid block name from a file name: "figure_8" for /tmp/figure-8.graphene.
[[nodiscard]] std::string blockNameOf(std::string_view path);
[[nodiscard]] std::string asBlock(std::string_view name, std::string_view text);

}  // namespace tessera
