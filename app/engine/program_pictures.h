// program_pictures: what checking says of a Graphene program, as the marks that its pictures show.
//
//     prove move                   its checklist, the findings lit
//     show move as checklist       the same; the check is made for the show
//     show move as predictions     its accesses to shared memory with their wavefronts; the emulator is run for the show
//     show move as tree            boxes without signs: a tree is drawn at once
#pragma once

#include <optional>
#include <string_view>

#include "app/engine/engine.h"
#include "render/draw/graphene/graphene.h"
#include "solver/graphene/check.h"

namespace tessera {

[[nodiscard]] graphene::Marks marksOf(const graphene::CheckResult& result);
// The picture of a program with what is known of it; nothing for other outcomes and other views.
[[nodiscard]] std::optional<Result<Figure>> drawProgram(const Outcome& outcome, std::string_view view,
                                                        const DrawOptions& options);
// Whether that view of that value wants the program to be checked.
[[nodiscard]] bool wantsCheck(const Value& value, std::string_view view);
// Whether it wants the program's accesses to be predicted.
[[nodiscard]] bool wantsPredictions(const Value& value, std::string_view view);

}  // namespace tessera
