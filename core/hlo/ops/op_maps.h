// Op maps: which elements of each operand an output element reads, and which outputs an operand element goes to.
//
//     %t = f32[4,8] transpose(%p), dimensions={1,0}        reads   %p: (d0, d1) -> (d1, d0)
//     %r = f32[4] reduce(%x, %zero), dimensions={1}        reads   %x: (d0)[s0] -> (d0, s0);  %zero: (d0) -> ()
//     %s = f32[2,4] dynamic-slice(%x, %i, %j), ...         reads   %x: (d0, d1){rt0, rt1} -> (d0 + rt0, d1 + rt1)
//
// d0.. are the queried coordinates (Index digits), s0.. range over everything that is read (Fan digits), and rt0.. are
// run-time values (parameters); `runtime` gives the element and operand that hold each. The domain is the box of the
// digits with the guards: a point outside reads nothing of that operand (padding, another part of a concatenation).
//
// Laws: if Exact, the map's image at an index is the set of elements that the operation's definition reads there
// (tests/hlo: against an interpreter of each operation, on small shapes); if Over, a superset. Unknown is no
// information, and never treated as "reads nothing". Where XLA's own analysis is wider than the definition (padding of
// a convolution's kernel, batch groups, updates of a slice), ours follows the definition. Where XLA has none (general
// gathers, sort, dynamic-slice from a constant start), ours gives a sound map.
// Source: XLA, hlo/analysis/indexing_analysis.cc and the operations' semantics page.
//
// Result shape: infers the shape that the text leaves out: `ROOT out = add(p0, p1)` is f32[8] if p0 and p1 are.
//
//     dot(f32[8,4], f32[4,6]), lhs_contracting_dims={1}, rhs_contracting_dims={0}      f32[8,6]
//     transpose(f32[8,4]{0,1}), dimensions={1,0}                                       f32[4,8]{1,0}, layout too
//
// Law: it infers what XLA's parser infers (tests/cases/hlo_accepted.jsonl). If the operands do not determine the shape
// (convert, reshape, broadcast, slice, custom-call ...), a Diag asks for it, as in XLA.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/text/module.h"
#include "core/map/map.h"

namespace tessera::hlo {

enum class Soundness : unsigned char { Exact, Over, Unknown };

struct RuntimeValue {
  std::string name;         // "rt0": a parameter of the map
  int operand = 0;          // of the instruction; inside a fusion, an instruction of its computation; -1: not there
  Map index;                // from the map's digits to the element that holds it; run0.. are further run-time values
  std::string inside = {};  // if operand is -1: "fusion.1/index", the instruction that holds it
  std::vector<Where> path = {};  // if operand is -1: the calls, outermost first, then the instruction that holds it
  bool operator==(const RuntimeValue&) const = default;
};

// What is read of one operand; in the other direction, where an operand goes in one output.
struct Reach {
  int slot = 0;  // the operand's number, or the output's
  // If the operand is a tuple: which of its elements; -1: any of them (only if Unknown). An array has element 0 only.
  int element = 0;
  Soundness soundness = Soundness::Exact;
  std::string why = {};                                 // why it is not exact
  std::vector<Map> maps = {};                           // the reads are their union; empty: nothing, or Unknown
  std::vector<std::vector<RuntimeValue>> runtime = {};  // per map; empty: none
  // Across a collective, per map: the number, within its group, of the replica at the other end, as a map. nullopt:
  // this replica itself. Empty: nullopt for all maps.
  std::vector<std::optional<Map>> replicas = {};
  // Per map: the groups that the number counts in, as groupsText writes them. Missing: those of the instruction.
  std::vector<std::string> groups = {};
  std::string undecided = {};  // for a fusion: names maps that may be equal
  [[nodiscard]] const std::vector<RuntimeValue>& runtimeOf(std::size_t map) const {
    static const std::vector<RuntimeValue> none;
    return map < runtime.size() ? runtime[map] : none;
  }
};

// One Reach per operand, in order; those of further elements of tuple operands follow. A constant, a parameter or an
// iota reads nothing: an empty list. A Diag, with a span in the module's text: the instruction contradicts itself or
// its operands (shapes, attributes). Elements of tuples and outputs are numbered as leaves
// (core/notation/xla/shape.h).
[[nodiscard]] Result<std::vector<Reach>> readsOf(const Module& module, Where where, int output = 0);
// One Reach per output of the instruction (one, or several for a tuple), for elements of operand `operand`; those of
// further elements of a tuple operand follow.
[[nodiscard]] Result<std::vector<Reach>> usesOf(const Module& module, Where where, int operand);

[[nodiscard]] bool isElementwise(std::string_view opcode);

// `operands`: the operands' shapes. `called`: the result shape of the called computation; nullptr: none, or unknown.
[[nodiscard]] Result<xla::Shape> resultShape(const Instruction& instruction,
                                             const std::vector<const xla::Shape*>& operands, const xla::Shape* called);

}  // namespace tessera::hlo
