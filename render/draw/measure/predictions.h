// predictions: the table of core/analysis/memory/prediction.h as a picture: one line per access with predicted and
// measured values; disagreements are lit, agreements muted.
#pragma once

#include "core/analysis/memory/prediction.h"
#include "core/base/result.h"
#include "render/draw/draw.h"

namespace tessera {

[[nodiscard]] Result<Figure> drawPredictions(const PredictionTable& table, const DrawOptions& options);

}  // namespace tessera
