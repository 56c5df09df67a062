// tessera draw FILE.graphene: draws the program as `show NAME as VIEW` does.
//
//     tessera draw gemm.graphene -o tree.svg                            the code and its specifications
//     tessera draw gemm.graphene --as 'player, step 3' -o step.png      one moment; spec 1, checklist
//
// A checklist is proved first; if anything is refuted or unknown it is drawn and reported, and the command fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/show/show.h"
#include "render/figure/figure.h"

namespace tessera {

struct Drawn {
  std::vector<Figure> figures;
  bool failed = false;
};

// A file whose name ends in .graphene ("": no file), or text that reads as a program.
[[nodiscard]] bool isProgramInput(std::string_view file, std::string_view text);
// nullopt if the program cannot be read; the error has then been reported.
[[nodiscard]] std::optional<Drawn> drawProgramText(const std::string& file, const std::string& text,
                                                   const DrawCommandOptions& options, const Complaints& wrong);
// Answers `show` through the view of the options, and adds its picture or its failure, which is reported, to `drawn`.
Outcome drawShow(ShowRequest show, const DrawCommandOptions& options, const Complaints& wrong, Drawn& drawn);

}  // namespace tessera
