// predictions: the table of core/analysis/prediction.h as a picture: a line an access, what is predicted and what was measured; what
// disagrees is lit, and everything that agrees is quiet.
#pragma once

#include "core/analysis/prediction.h"
#include "core/base/result.h"
#include "render/draw/draw.h"

namespace tessera {

[[nodiscard]] Result<Figure> drawPredictions(const PredictionTable& table, const DrawOptions& options);

}  // namespace tessera
