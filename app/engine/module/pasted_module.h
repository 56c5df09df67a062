// pasted_module: turns a dump of an HLO module into a block of a worksheet.
//
//     HloModule jit_f ...           hlo jit_f {
//     ENTRY main { ... }      ->    HloModule jit_f ...
//                                   ENTRY main { ... }
//                                   }
//                                   show jit_f
//
// Law: the block parses as the module of the text. A truncated dump gets its missing braces.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// True if the text starts with HloModule, after blanks and comments.
[[nodiscard]] bool isModuleText(std::string_view text);
// Whether a file is opened as a module: by name, .hlo, or for a .txt by its text.
[[nodiscard]] bool isModuleFile(std::string_view path, std::string_view text);
[[nodiscard]] std::string asModuleBlock(std::string_view name, std::string_view text);

}  // namespace tessera
