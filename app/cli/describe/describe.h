// tessera describe man [COMMAND] | bash | zsh | fish: pages and completions of the command line that CLI11 has, for
// packages. Not in --help.
#pragma once

#include <string_view>

#include "app/cli/io/output.h"

namespace CLI {
class App;
}

namespace tessera {

// Prints what was asked for; the exit code.
int runDescribe(const CLI::App& app, std::string_view what, std::string_view command, Output& out);

}  // namespace tessera
