// The files that `tessera check` reads for its arguments.
//
//     kernel.cu              itself
//     .                      the files below it whose ending check knows, in the order of their paths
//
// Of a folder, names that begin with a dot, links to folders and what the .gitignore files in it name are left out.
// Patterns of one name or path (build/, *.o, /out) are understood; one with **, [ or ! is not, and leaves nothing out.
#pragma once

#include <string>
#include <vector>

namespace tessera {

[[nodiscard]] std::vector<std::string> checkInputs(const std::vector<std::string>& arguments);

// .tess, .graphene, .hlo
[[nodiscard]] bool hasOwnFormat(const std::string& file);

}  // namespace tessera
