// The front door's values of the program's own: verdicts, answers.
#pragma once

#include <tessera/tessera.h>

#include "app/engine/engine.h"
#include "app/library/layout/inside.h"
#include "core/worksheet/programs/programs.h"

namespace tessera::api {

// A program that uses any of tessera.h reads programs and modules, also in layout().
inline const bool kWithPrograms = (addPrograms(), true);

[[nodiscard]] Truth publicTruth(tessera::Truth truth);
[[nodiscard]] Verdict verdictOf(const tessera::Verdict& verdict);
[[nodiscard]] EngineOptions engineOptions(const Options& options, EngineOptions::Figures figures);

}  // namespace tessera::api
