// module_input: reads an HLO dump given in place of an expression, FILE.hlo or a .txt that starts with HloModule.
//
//     tessera eval softmax.hlo 'reads(softmax.%fusion, 0)'      the module's name is the file name up to the first dot
//     tessera draw softmax.hlo -o graph.svg                     the entry computation
//     tessera draw softmax.hlo --instruction fusion --as reads -o r.svg
//
// Errors in the text are reported with their line; the valid instructions are kept.
#pragma once

#include <optional>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/commands/draw_program.h"
#include "core/hlo/listing.h"

namespace tessera {

// Whether a command-line argument names such a file.
[[nodiscard]] bool isModuleInput(const std::string& word);
// nullopt if it has no instruction, which is reported. `wrong`: set if other errors were reported.
[[nodiscard]] std::optional<hlo::Listing> readModuleInput(const std::string& file, std::string text, bool& wrong,
                                                          const Complaints& complaints);
// nullopt if the module cannot be read or has no such instruction; this has then been reported.
[[nodiscard]] std::optional<Drawn> drawModuleText(const std::string& file, const std::string& text,
                                                  const DrawCommandOptions& options, const Complaints& wrong);

}  // namespace tessera
