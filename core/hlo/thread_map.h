// Thread map: which element of an array each thread of a kernel works on. The first digit counts the threads of a block (32 in a row
// are a warp), other Index digits count blocks, Fan digits are what one thread does one after the other, the last the fastest.
//
//     f32[5,40], a loop, 128 threads a block
//         (th, bl)[v] -> (L floordiv 40, L mod 40) with L = bl * 128 + th + v,  th in [0, 127], bl in [0, 1], L in [0, 199]
//     f32[5,40]{0,1}: along the first dimension first, since that is how it lies
//
// A plan says whose elements those are. XLA's emitters differ in that: a loop goes over the elements of the output; a reduction over the
// elements of what is reduced, with lanes along its minor dimension; a transposition over its input, by tiles of 32x32 that pass through
// shared memory. `planOf` chooses as XLA does (docs/design/hlo.md, and its rule for small reductions), with a loop that takes one
// element a thread; how many more a thread takes depends on the device there, and is the caller's to say.
//
// One thing it is not: what a given build of XLA runs. It is the shape of it; a dump of the kernel says more.
#pragma once

#include <string>

#include "core/hlo/op_maps.h"
#include "core/notation/xla/shape.h"

namespace tessera::hlo {

inline constexpr i64 kWarp = 32;

struct ThreadPlan {
  std::string name;  // "a loop over the output", "a row reduction" ...
  Map threads;
  // The reduction or transposition whose inputs the elements are of, in the instruction's computation or in the one that it calls;
  // computation -1: elements of the output.
  Where hero{-1, -1};
};

// Elements in the order in which they lie (tiles of the layout left out, as XLA does), `each` neighbours a thread.
[[nodiscard]] Result<Map> threadsInOrder(const xla::Shape& array, i64 threads = 128, i64 each = 1);
[[nodiscard]] Result<ThreadPlan> planOf(const Module& module, Where where, int output = 0);
// A plan of the caller's: a map as planOf makes, over the output. A Diag: its results are not the output's coordinates.
[[nodiscard]] Result<ThreadPlan> planWith(const Module& module, Where where, int output, Map threads);

// What the plan's elements need of each operand. An operand that other threads read is Unknown; a scalar is read by all.
[[nodiscard]] Result<std::vector<Reach>> readsOfPlan(const Module& module, Where where, int output,
                                                     const ThreadPlan& plan);

}  // namespace tessera::hlo
