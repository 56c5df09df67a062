// Fusion: which elements of each operand a computation reads: the maps of its instructions, composed along every path
// from an output to a parameter. Each distinct map is kept once.
//
//     a = f32[20,20] transpose(p0); ROOT r = add(p0, a)      p0: (d0, d1) -> (d0, d1) and (d0, d1) -> (d1, d0)
//     p0 + p0, or any elementwise use of it                  p0: (d0, d1) -> (d0, d1), once
//
// Two maps of an operand are merged if they are proved equal (same_maps.h), by core or by the prover that the caller
// passes in. Maps that are neither proved equal nor refuted stay separate; `undecided` names them.
//
// Laws: the union of a parameter's maps at an index is the set of elements that the computation reads there (tests/hlo:
// against an interpreter that tracks every element). A path through an operation without a rule makes its parameters
// Unknown. A path that no point takes adds nothing.
// Source: XLA, ComputeOutputToInputIndexing of fusions.
//
// The other direction is where the elements of an instruction go: the maps of its users, of their users and so on,
// composed from an operand to the outputs.
//
//     a = f32[20,20] transpose(p0); ROOT r = add(p0, a)      p0 in r: (d0, d1) -> (d0, d1) and (d0, d1) -> (d1, d0)
//     t = transpose(p0); a0 = bitcast(t); ROOT log(a0)       t in log: (d0, d1) -> (d1 * 1000 + d0), an epilogue
//
// Laws: if both directions are Exact, a result element is in the image of an operand element if and only if it reads
// that element; if either is Over, only the "if" holds (tests/hlo). Operations without a rule give Unknown.
#pragma once

#include "core/hlo/compose/same_maps.h"
#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {

struct ReachedMap {
  Map map;
  std::vector<RuntimeValue> runtime;  // `operand`: an instruction of the computation
  std::optional<Map> position = {};   // as in Reach::devices; its parameters are those of `runtime` but p
};
struct Reached {
  int instruction = 0;  // of the computation
  int output = 0;       // tuple element, if it is a tuple
  Soundness soundness = Soundness::Exact;
  std::string why = {};
  std::vector<ReachedMap> maps = {};
  std::string undecided = {};  // names maps that may be equal
  bool collapsed = false;      // one map stands for more than could be listed
};
// How often a while runs: by known_trip_count, or by a condition that compares a counter. nullopt: it is not known.
[[nodiscard]] std::optional<i64> tripsOf(const Module& module, Where loop);

// Everything that an output of the computation reads, per instruction (and per output of a tuple), root first.
[[nodiscard]] Result<std::vector<Reached>> reachedIn(const Module& module, int computation, int output = 0);

// The same, starting at one instruction of the computation.
[[nodiscard]] Result<std::vector<Reached>> reachedFrom(const Module& module, Where from, int output = 0);

// readsOf that also looks through fusions, calls, conditionals, loops and asynchronous computations.
[[nodiscard]] Result<std::vector<Reach>> readsThrough(const Module& module, Where where, int output = 0,
                                                      const SameMaps& same = {});
// The elements of the fusion's operands that an instruction inside the fusion needs.
[[nodiscard]] Result<std::vector<Reach>> readsFromInside(const Module& module, Where fusion, Where inside);
// The computation that a fusion or call runs. A Diag: there is none, or its parameters or result do not match.
[[nodiscard]] Result<int> bodyOf(const Module& module, Where fusion);
// Why the reads of a fusion or call are unknown: lines of its computation could not be parsed. Empty: all were parsed.
[[nodiscard]] std::string lostIn(const Module& module, Where fusion);
// Converts a result inside a called computation to the caller's view: run-time values that a parameter holds become
// values of the caller's operand.
// `computation`: the body's number, for RuntimeValue::path; -1: no paths.
[[nodiscard]] Reach asReach(const Reached& reached, const Computation& body, std::string_view caller,
                            int computation = -1);

// Every instruction that elements of `from` reach (one entry per output of a tuple), `from` first. If `from` is a
// tuple, `element` selects its output.
[[nodiscard]] Result<std::vector<Reached>> usesFrom(const Module& module, Where from, int element = 0);

// usesOf that also looks through fusions, calls, conditionals, loops and asynchronous computations.
[[nodiscard]] Result<std::vector<Reach>> usesThrough(const Module& module, Where where, int operand,
                                                     const SameMaps& same = {});
// Where the elements of a parameter go in the computation's root: one Reach per output; those of further elements of a
// tuple follow.
[[nodiscard]] Result<std::vector<Reach>> usesOfParameter(const Module& module, int computation, int parameter);

}  // namespace tessera::hlo
