// program_pictures: draws a Graphene program with the results of checking it as marks.
//
//     prove move                   its checklist, the findings lit
//     show move as checklist       the same; the show runs the check
//     show move as predictions     its shared-memory accesses with wavefronts; the show runs the emulator
//     show move as tree            entries without signs: a tree is drawn immediately
#pragma once

#include <optional>
#include <string_view>

#include "app/engine/engine.h"
#include "render/draw/graphene/graphene.h"
#include "solver/graphene/check.h"

namespace tessera {

[[nodiscard]] graphene::Marks marksOf(const graphene::CheckResult& result);
// The picture of a program with its results; nullopt for other outcomes and views.
[[nodiscard]] std::optional<Result<Figure>> drawProgram(const Outcome& outcome, std::string_view view,
                                                        const DrawOptions& options);

}  // namespace tessera
