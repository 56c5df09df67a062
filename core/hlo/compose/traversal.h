// Traversal: visits a computation in topological order and accumulates, for each instruction, the maps that reach it
// from a start instruction. A subclass chooses the direction: to operands (what is read) or to users (where elements
// go). Internal to core/hlo.
//
//     t = transpose(p); ROOT r = add(p, t)      from r to operands: r, t, p;  from p to users: p, t, r
//
// Law: pass(i) runs after pass of every instruction that leads to i, so all maps that reach i are known. A cycle is a
// Diag.
//
// Composing: what reaches an instruction is what reached the previous one, followed by the map between the two. Each
// distinct map is kept once. Also composed:
//   run-time values    each is one unknown number. If the instruction that reads it is itself read at many elements per
//                      coordinate (a gather inside a reduction), each element has its own value. The map then ranges
//                      over all possible values and becomes Over.
//   devices            after a collective, elements belong to another device. The device is one more coordinate of the
//                      map (core/hlo/ops/devices.h). A run-time value that another device holds becomes a range, so
//                      the read is Over.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/hlo/compose/fusion.h"

namespace tessera::hlo {

// The results of one query so far. A computation called from several places is traversed once; otherwise nested calls
// take time exponential in their depth.
struct QueryCache {
  SameMaps same = {};
  int undecided = 0;  // pairs of maps that `same` could not decide: after a few, it is asked no more
  // Whether the value that an instruction holds is the same on every device, such as the counter of a loop.
  std::function<bool(Where)> uniform = {};
  std::map<std::pair<int, int>, std::vector<Reached>> bodies = {};     // reads, by computation and output
  std::map<std::array<int, 3>, std::vector<Reached>> parameters = {};  // uses, by computation, parameter, element
};

// Reads and uses of any instruction, through what it calls; of the public functions in fusion.h at depth 0. `element`:
// of operand `operand`, if it is a tuple; -1: each of them.
[[nodiscard]] Result<std::vector<Reach>> readThrough(const Module& module, Where where, int output, int depth,
                                                     QueryCache& cache);
[[nodiscard]] Result<std::vector<Reach>> useThrough(const Module& module, Where where, int operand, int element,
                                                    int depth, QueryCache& cache);
// What an output of a computation reads of its parameters, as reads of operands: parameter k is operand `first` + k of
// `operands`. `caller`: its name, for RuntimeValue::inside.
[[nodiscard]] Result<std::vector<Reach>> readsInside(const Module& module, int computation, int output,
                                                     std::string_view caller, std::size_t operands, std::size_t first,
                                                     int depth, QueryCache& cache);

class Traversal {
 public:
  virtual ~Traversal() = default;
  Traversal(const Traversal&) = delete;
  Traversal& operator=(const Traversal&) = delete;

  // Everything reached from an output of the start instruction, which comes first; one entry per output of a tuple.
  [[nodiscard]] Result<std::vector<Reached>> run(int output);

 protected:
  Traversal(const Module& module, Where from, int depth, QueryCache& cache);

  // The successors of i; entries below 0 are skipped.
  [[nodiscard]] virtual std::span<const int> next(int i) const = 0;
  // Propagates what was reached at one output of i to its successors, by calling lead.
  virtual Result<void> pass(int i, const Reached& from) = 0;

  [[nodiscard]] const Instruction& at(int i) const { return c_.at(i); }
  [[nodiscard]] Where where(int i) const { return {from_.computation, i}; }
  // Adds the maps of `from` composed with those of `reach`, which belong to instruction i, to an output of `to`.
  void lead(int to, int output, const Reached& from, int i, const Reach& reach);

  const Module& module_;
  const Computation& c_;
  const int depth_;  // nesting depth of fusions
  QueryCache& cache_;

 private:
  Result<void> order();
  Result<void> begin(int output);
  Reached& node(int instruction, int output);

  Where from_;
  std::vector<i64> start_;  // sizes of the array at the start
  std::vector<int> order_;  // reverse topological order
  std::map<std::pair<int, int>, Reached> nodes_;
};

}  // namespace tessera::hlo
