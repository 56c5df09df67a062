// pasted_module: a dump of an HLO module, as a block of a worksheet.
//
//     HloModule jit_f ...           hlo jit_f {
//     ENTRY main { ... }      ->    HloModule jit_f ...
//                                   ENTRY main { ... }
//                                   }
//                                   show jit_f
//
// Law: the block reads as the module that the text is. A dump that was cut off gets the braces that it lacks.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// It begins with HloModule, behind blanks and comments.
[[nodiscard]] bool isModuleText(std::string_view text);
// Whether a file is opened as a module: by its name, .hlo, or as a .txt by its text.
[[nodiscard]] bool isModuleFile(std::string_view path, std::string_view text);
[[nodiscard]] std::string asModuleBlock(std::string_view name, std::string_view text);

}  // namespace tessera
