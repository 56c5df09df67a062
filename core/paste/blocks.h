// blocks: whole programs and modules as blocks of a worksheet. asBlock: a Graphene program.
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

// asModuleBlock: a dump of an HLO module.
//
//     HloModule jit_f ...           hlo jit_f {
//     ENTRY main { ... }      ->    HloModule jit_f ...
//                                   ENTRY main { ... }
//                                   }
//                                   show jit_f
//
// Law: the block parses as the module of the text. A truncated dump gets its missing braces.

// True if the text starts with HloModule, after blanks and comments.
[[nodiscard]] bool isModuleText(std::string_view text);
// Whether a file is opened as a module: by name, .hlo, or for a .txt by its text.
[[nodiscard]] bool isModuleFile(std::string_view path, std::string_view text);
[[nodiscard]] std::string asModuleBlock(std::string_view name, std::string_view text);

}  // namespace tessera
