// graphene_marks: verdicts as the pictures of a program show them.
//
// Law: every obligation of every verdict is in the marks, with its finding, at the span of its specification.
#pragma once

#include "render/draw/graphene/graphene.h"
#include "solver/graphene/check.h"

namespace tessera {

[[nodiscard]] graphene::Marks marksOf(const graphene::CheckResult& result);

}  // namespace tessera
