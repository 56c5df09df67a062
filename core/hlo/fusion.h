// Fusion: which elements of each operand a whole computation reads: the maps of its instructions, composed along every path from an
// output to a parameter, and each different map once.
//
//     a = f32[20,20] transpose(p0); ROOT r = add(p0, a)      p0: (d0, d1) -> (d0, d1) and (d0, d1) -> (d1, d0)
//     p0 + p0, whatever is done to the values                p0: (d0, d1) -> (d0, d1), once
//
// Two maps are the same when they are proved to be: their simplified text, a difference of values that simplifies to 0 over one box
// with the same guards, or every index tried (up to 2^12 points).
//
// Laws: the union of the maps of a parameter at an index is the set of its elements that the computation reads there, as an interpreter
// that follows every element finds it (tests/hlo); a path through an operation that nobody has a rule for makes its parameters Unknown;
// a path that no point takes adds nothing.
// Source: XLA, ComputeOutputToInputIndexing of fusions; facts/xla.md section 7.
#pragma once

#include "core/hlo/op_maps.h"

namespace tessera::hlo {

// Of every parameter of a computation, for output `output` of its root. `runtime` of a Reach is left empty; that of each map is in
// `ReachedMap`.
struct ReachedMap {
  Map map;
  std::vector<RuntimeValue> runtime;  // `operand`: an instruction of the computation
};
struct Reached {
  int instruction = 0;  // of the computation
  int output = 0;       // its element where it is a tuple
  Soundness soundness = Soundness::Exact;
  std::string why;
  std::vector<ReachedMap> maps;
};
// Everything that an output of the computation reads, instruction by instruction (each output of a tuple on its own), the root first.
[[nodiscard]] Result<std::vector<Reached>> reachedIn(const Module& module, int computation, int output = 0);

// The same from one of its instructions on: what elements of that one need.
[[nodiscard]] Result<std::vector<Reached>> reachedFrom(const Module& module, Where from, int output = 0);

// readsOf, through fusions and calls as well: one Reach for each operand.
[[nodiscard]] Result<std::vector<Reach>> readsThrough(const Module& module, Where where, int output = 0);
// What elements of an instruction inside a fusion or call need of the fusion's operands.
[[nodiscard]] Result<std::vector<Reach>> readsFromInside(const Module& module, Where fusion, Where inside);
// The computation that a fusion or call stands for; a Diag: there is not one, or it does not fit.
[[nodiscard]] Result<int> bodyOf(const Module& module, Where fusion);

// Proved to be the same set of elements at every index.
[[nodiscard]] bool sameReads(const Map& a, const Map& b);

}  // namespace tessera::hlo
