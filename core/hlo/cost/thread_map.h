// Thread map: which elements of an array each thread of a kernel works on. The first digit counts the threads of a
// block (32 consecutive ones are a warp), further Index digits count blocks, and Fan digits count a thread's sequential
// steps, the last digit fastest.
//
//     f32[5,40], a loop, 128 threads a block
//         (th, bl)[v] -> (L floordiv 40, L mod 40) with L = bl * 128 + th + v, th in [0, 127], bl in [0, 1], L < 200
//     f32[5,40]{0,1}: the first dimension varies fastest, because it is minor in the layout
//
// Law: each builder gives every element of the array to exactly one thread and step.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/text/attributes.h"
#include "core/map/map.h"
#include "core/notation/xla/shape.h"

namespace tessera::hlo {

inline constexpr i64 kWarp = 32;

// Elements in memory order (ignoring the layout's tiles, as XLA does), `each` consecutive ones per thread.
[[nodiscard]] Result<Map> threadsInOrder(const xla::Shape& array, i64 threads = 128, i64 each = 1);

// The threads of XLA's emitters over their input; nullopt: XLA would not use the emitter for these shapes.
struct ThreadMap {
  std::string name;  // "a row reduction"
  Map threads;
};
// Lanes along the minor dimension, a warp per row or 32 warps down a column.
[[nodiscard]] Result<std::optional<ThreadMap>> reductionThreads(const xla::Shape& in, const Ints& reduced);
// Tiles of 32x32 through shared memory. out[k] = in[order[k]].
[[nodiscard]] Result<std::optional<ThreadMap>> transposeThreads(const xla::Shape& in, const xla::Shape& out,
                                                                const Ints& order);

}  // namespace tessera::hlo
