// Changes the kind of variables: ranged or run-time variables become coordinates.
//
//     (d0)[s0, s1]{rt0} -> (d0 + s0, s1 + rt0)
//     rangesAsDims(m, {1})      (d0, s1)[s0]{rt0} -> (d0 + s0, s1 + rt0)
//     symbolsAsDims(m)          (d0, d1, d2, d3) -> (d0 + d1, d2 + d3)
//
// New dimensions follow the old ones, in order. symbolsAsDims names them d<place> if that name is free.
// Law: the same points, their coordinates in the new order, with the same values.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera {

// ranges: places among the Fan digits.
[[nodiscard]] Result<Map> rangesAsDims(const Map& map, std::span<const i64> ranges);
// A Diag: a parameter has more than 2^63-1 values.
[[nodiscard]] Result<Map> symbolsAsDims(const Map& map);

}  // namespace tessera
