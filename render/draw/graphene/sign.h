// Sign: the mark of a verdict as shape and colour: a tick, a cross, a question mark, a dash.
#pragma once

#include "render/draw/graphene/graphene.h"

namespace tessera::graphene {

[[nodiscard]] Role roleOf(Checked::State state);
[[nodiscard]] std::string_view wordOf(Checked::State state);  // "proved", "refuted", "unknown", "not stated", ""
// Centred at (x, y), about 2 * r high.
void addSign(Figure& figure, Checked::State state, double x, double y, double r);

}  // namespace tessera::graphene
