// Fusion: which elements of each operand a whole computation reads: the maps of its instructions, composed along every path from an
// output to a parameter, and each different map once.
//
//     a = f32[20,20] transpose(p0); ROOT r = add(p0, a)      p0: (d0, d1) -> (d0, d1) and (d0, d1) -> (d1, d0)
//     p0 + p0, whatever is done to the values                p0: (d0, d1) -> (d0, d1), once
//
// Two maps of an operand are one when they are shown to be the same (same_maps.h): by core alone, or by the decision that the caller hands
// in, a prover. What neither shows nor refutes stays two maps, and `undecided` says which.
//
// Laws: the union of the maps of a parameter at an index is the set of its elements that the computation reads there, as an interpreter
// that follows every element finds it (tests/hlo); a path through an operation that nobody has a rule for makes its parameters Unknown;
// a path that no point takes adds nothing.
// Source: XLA, ComputeOutputToInputIndexing of fusions.
#pragma once

#include "core/hlo/op_maps.h"
#include "core/hlo/same_maps.h"

namespace tessera::hlo {

struct ReachedMap {
  Map map;
  std::vector<RuntimeValue> runtime;  // `operand`: an instruction of the computation
  // Behind a collective: the map with one more value, the replica's number; and which collective's groups it is a number of.
  std::optional<Map> replica = {};
  std::string groups = {};
};
struct Reached {
  int instruction = 0;  // of the computation
  int output = 0;       // its element where it is a tuple
  Soundness soundness = Soundness::Exact;
  std::string why;
  std::vector<ReachedMap> maps;
  std::string undecided = {};  // which of the maps may be one
};
// Everything that an output of the computation reads, instruction by instruction (each output of a tuple on its own), the root first.
[[nodiscard]] Result<std::vector<Reached>> reachedIn(const Module& module, int computation, int output = 0,
                                                     const SameMaps& same = {});

// The same from one of its instructions on: what elements of that one need.
[[nodiscard]] Result<std::vector<Reached>> reachedFrom(const Module& module, Where from, int output = 0,
                                                       const SameMaps& same = {});

// readsOf, through fusions and calls as well: one Reach for each operand.
[[nodiscard]] Result<std::vector<Reach>> readsThrough(const Module& module, Where where, int output = 0,
                                                      const SameMaps& same = {});
// What elements of an instruction inside a fusion or call need of the fusion's operands.
[[nodiscard]] Result<std::vector<Reach>> readsFromInside(const Module& module, Where fusion, Where inside);
// The computation that a fusion or call stands for; a Diag: there is not one, or it has other operands or another result.
[[nodiscard]] Result<int> bodyOf(const Module& module, Where fusion);
// Why nothing is known of what a fusion or call reads: lines of its computation could not be read. Empty: it is not so.
[[nodiscard]] std::string lostIn(const Module& module, Where fusion);
// What was found in the computation that `caller` calls, for the caller: run-time values that a parameter holds are its operand's.
[[nodiscard]] Reach asReach(const Reached& reached, const Computation& body, std::string_view caller);

}  // namespace tessera::hlo
