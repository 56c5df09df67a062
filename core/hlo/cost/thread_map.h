// Thread map: which elements of an array each thread of a kernel works on. The first digit counts the threads of a
// block (32 consecutive ones are a warp), further Index digits count blocks, and Fan digits count a thread's sequential
// steps, the last digit fastest.
//
//     f32[5,40], a loop, 128 threads a block
//         (th, bl)[v] -> (L floordiv 40, L mod 40) with L = bl * 128 + th + v, th in [0, 127], bl in [0, 1], L < 200
//     f32[5,40]{0,1}: the first dimension varies fastest, because it is minor in the layout
//
// A plan also names the array whose elements these are. It depends on XLA's emitter: a loop iterates over the output; a
// reduction over its input, with lanes along the minor dimension; a transposition over its input, in 32x32 tiles
// through shared memory. `planOf` chooses as XLA does (docs/design/hlo.md, with XLA's rule for small reductions). Its
// loops take one element per thread; XLA may take more, depending on the device (planWith).
//
// Not the kernel that a given build of XLA runs, only its general shape; a dump of the kernel is exact.
#pragma once

#include <string>

#include "core/hlo/ops/op_maps.h"
#include "core/notation/xla/shape.h"

namespace tessera::hlo {

inline constexpr i64 kWarp = 32;

struct ThreadPlan {
  std::string name;  // "a loop over the output", "a row reduction" ...
  Map threads = {};
  // The reduction or transposition whose inputs the threads iterate over, in the instruction's computation or in the
  // computation that it calls; computation -1: they iterate over the output.
  Where hero{-1, -1};
};

// Elements in memory order (ignoring the layout's tiles, as XLA does), `each` consecutive ones per thread.
[[nodiscard]] Result<Map> threadsInOrder(const xla::Shape& array, i64 threads = 128, i64 each = 1);
[[nodiscard]] Result<ThreadPlan> planOf(const Module& module, Where where, int output = 0);
// A plan from the caller's map, which is like those of planOf and over the output. A Diag: its results are not
// coordinates of the output.
[[nodiscard]] Result<ThreadPlan> planWith(const Module& module, Where where, int output, Map threads);

// What the plan's elements need of each operand. An operand that other threads read is Unknown; all threads read a
// scalar.
[[nodiscard]] Result<std::vector<Reach>> readsOfPlan(const Module& module, Where where, int output,
                                                     const ThreadPlan& plan);

}  // namespace tessera::hlo
