// Plan: how a kernel of a module is assumed to run: which elements each block and thread works on.
//
//     loop fusion                        threads over the output, in memory order
//     fusion with a reduction            lanes along the minor dimension of the reduction's input
//     Triton fusion, sizes ["1","1024"]  a block per output tile of 1x1024; a block loads each tile of an operand once
//     dot                                a block per 128x128 tile of the output
//     dynamic-update-slice               in place: threads over the update; the rest of the array stays
//     sort, all-reduce, fft              a library kernel: each operand is read once
//
// The plan comes from the dump: tiles and warps of Triton in fusion_backend_config, and otherwise from the hero of the
// fusion (the reduction, transposition, concatenation or product under elementwise operations), as XLA chooses its
// emitter (docs/design/hlo.md). What the dump does not state is assumed. Loops take one element per thread; XLA may
// take more, depending on the device (planWith).
//
// Law: readsOfPlan covers what readsThrough says is read, for the plan's elements (tests/hlo/plan_test.cpp).
#pragma once

#include <string>
#include <vector>

#include "core/hlo/cost/warp_reads.h"
#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {

struct Plan {
  enum class Kind : unsigned char { Threads, Tiles, Once };
  Kind kind = Kind::Threads;
  std::string name =
      {};  // "a loop over the output", "Triton, output tiles of 1x1024, 4 warps", "a product, tiles of 128x128"
  Map threads = {};            // of Threads
  std::vector<i64> tile = {};  // of Tiles: elements of the output per block, per dimension
  // The instruction, in the kernel or in the computation that it calls, whose inputs (reduction, transposition,
  // concatenation) or output (product) the plan's elements are; computation -1: they are the kernel's output.
  Where hero{-1, -1};
};

[[nodiscard]] Result<Plan> planOf(const Module& module, Where where, int output = 0);
// A plan from the caller's map, over the output. A Diag: its results are not coordinates of the output.
[[nodiscard]] Result<Plan> planWith(const Module& module, Where where, int output, Map threads);
// "threads: (th, bl)[v] -> ..", "tiles: [1,1024]"
[[nodiscard]] std::string textOf(const Plan& plan);

// What the kernel reads of one operand. `elements`: (thread, block ..)[step ..] -> element, each a load of its own.
struct PlannedReads {
  Soundness soundness = Soundness::Exact;
  std::string why = {};
  std::vector<Map> elements = {};
  bool once = false;     // each element that is read, once; there are no threads
  bool inPlace = false;  // the array is updated where it is: nothing else of it is read
};
// One per operand. An operand that the hero does not need is read by a loop over the output.
[[nodiscard]] Result<std::vector<PlannedReads>> readsOfPlan(const Module& module, Where where, int output,
                                                            const Plan& plan);

// How warps read an operand of that shape (warp_reads.h). A Diag: the maps do not compose.
[[nodiscard]] Result<WarpReads> warpReads(const PlannedReads& reads, const xla::Shape& operand);

}  // namespace tessera::hlo
