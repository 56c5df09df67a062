// Module: a program in HLO, the intermediate language of the XLA compiler, read from its text dumps (--xla_dump_to,
// `jax.jit(f).lower(x).compile().as_text()`).
//
//     HloModule jit_f, is_scheduled=true
//     %fused (p: f32[8,4]) -> f32[4,8] {
//       %p = f32[8,4]{1,0} parameter(0)
//       ROOT %t = f32[4,8]{1,0} transpose(%p), dimensions={1,0}
//     }
//     ENTRY %main (x: f32[8,4]) -> f32[4,8] {
//       %x = f32[8,4]{1,0} parameter(0)
//       ROOT %f = f32[4,8]{1,0} fusion(%x), kind=kLoop, calls=%fused
//     }
//
//     module.computations[1].instructions[1].opcode      "fusion"
//     calledBy(module, that instruction)                 {0}
//     sourceOf(module, that instruction)                 "model.py:12 (softmax)", from its stack frame or metadata
//
// Names are stored without %. All strings are views into `text`, which the module owns; equal shapes are stored once.
// Attributes are stored as text and parsed on demand (attributes.h).
//
// Grammar: all current and former output of XLA: with and without %, operand types, computation signatures, /*index=5*/
// comments, tables (FileNames, FunctionNames, FileLocations, StackFrames), inline bodies after calls= and to_apply=,
// results without a shape (op_maps.h), nested instructions as operands.
//
// Law: readModule never fails as a whole. Each error is a Problem with its line; all other instructions are kept. One
// cause gives one Problem, which counts the instructions that failed only because of it. Time is linear in the text.
// Not here: what operations mean (op_maps.h).
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/notation/xla/shape.h"

namespace tessera::hlo {

struct Attribute {
  std::string_view name;   // "dimensions"
  std::string_view value;  // "{1,0}", trimmed
};

struct Instruction {
  std::string_view name;    // "t"
  std::string_view opcode;  // "transpose"
  int shape = -1;           // into Module::shapes
  bool root = false;
  std::vector<int> operands;  // indices in the same computation; -1: not found (reported as a Problem)
  std::string_view literal;   // bracket text of a constant or an opcode without operands: "{1, 2}", "0"
  std::vector<Attribute> attributes;
  Span span;  // of the instruction in the text, ROOT included

  // nullptr: no attribute of that name.
  [[nodiscard]] const Attribute* find(std::string_view attribute) const;
  // Its text; `otherwise` if there is none.
  [[nodiscard]] std::string_view value(std::string_view attribute, std::string_view otherwise = {}) const {
    const Attribute* const a = find(attribute);
    return a == nullptr ? otherwise : a->value;
  }
};

struct Computation {
  std::string_view name;  // empty: the dump left it out
  bool entry = false;
  bool written = false;                   // an attribute's value, inline; then `name` is the caller's
  std::vector<Instruction> instructions;  // in text order
  int root = -1;                          // marked ROOT, or else the last; -1: none, or lost
  std::vector<int> parameters;            // by number; -1: missing
  int lost = 0;  // instructions that could not be parsed (see Problems); there is no root if ROOT is among them
  Span span;     // of its head

  [[nodiscard]] const Instruction& at(int i) const { return instructions[static_cast<std::size_t>(i)]; }
};

struct Where {
  int computation = 0, instruction = 0;
  bool operator==(const Where&) const = default;
};

struct Problem {
  std::string computation, instruction;  // empty: none in particular
  int line = 0;                          // from 1
  Diag diag;                             // its span lies in Module::text
};

// "line 4: %b: there is no aa in e; expected: an instruction of the same computation; did you mean a?"
[[nodiscard]] std::string textOf(const Problem& problem);

// The devices that run a module: a partition of a replica each, numbered replica * partitions + partition.
struct Devices {
  i64 count = 1;        // replicas times partitions; or as many as the collectives name (device_groups.h)
  i64 partitions = 1;   // of a replica; divides `count`
  bool stated = false;  // the head gives replica_count or num_partitions
};

class CustomCalls;  // rules of the user for custom calls: core/hlo/ops/custom_calls.h
struct Kept;        // core/hlo/text/kept.h

struct Module {
  std::shared_ptr<const std::string> text;
  std::shared_ptr<std::deque<std::string>> made;  // names for nested operands: negate(add(a, b))
  std::string_view name;
  std::vector<Attribute> attributes;  // of the module: is_scheduled=true ...
  std::vector<Computation> computations;
  int entry = -1;
  std::vector<xla::Shape> shapes;
  std::unordered_map<std::string_view, int> byName;  // computations
  std::vector<Problem> problems;                     // in text order
  // FileNames and the other tables: row number -> row text, by table name.
  std::unordered_map<std::string_view, std::unordered_map<i64, std::string_view>> tables;
  std::shared_ptr<const CustomCalls> customCalls = {};  // nullptr: none
  std::shared_ptr<Kept> kept = {};                      // shared with copies; nullptr: nothing is kept
  Devices devices = {};

  [[nodiscard]] const xla::Shape& shapeOf(const Instruction& i) const {
    return shapes[static_cast<std::size_t>(i.shape)];
  }
  [[nodiscard]] const Computation& computation(int c) const { return computations[static_cast<std::size_t>(c)]; }
  [[nodiscard]] const Instruction& at(Where w) const { return computation(w.computation).at(w.instruction); }
  [[nodiscard]] bool isTuple(const Instruction& i) const { return shapeOf(i).kind() == xla::Shape::Kind::Tuple; }
  // 1, or the number of tuple elements; those of inner tuples count one by one (leaves in core/notation/xla/shape.h).
  [[nodiscard]] std::size_t outputsOf(const Instruction& i) const { return shapeOf(i).leaves(); }
  // Line number from 1; 0 for a position outside the text.
  [[nodiscard]] int lineAt(std::size_t at) const;
};

// Requires: a text of at most 1 GB. Takes about 10 ms per MB.
[[nodiscard]] Module readModule(std::string text);

// Whether the attribute's value names computations: calls, to_apply, condition, body ...
[[nodiscard]] bool namesComputations(std::string_view attribute);
// The computations that an instruction names in such attributes; unknown names are skipped.
[[nodiscard]] std::vector<int> calledBy(const Module& module, const Instruction& instruction);

// A dependency cycle, possible because a text may use an instruction before its definition: a = negate(b); b =
// negate(a)
struct Cycle {
  int instruction = 0, operand = 0;  // both on the cycle
};
// nullopt if and only if the instructions have a topological order, operands before users. Time and memory are linear
// in the number of operands.
[[nodiscard]] std::optional<Cycle> cycleIn(const Computation& c);

// The compile-time integer value of an instruction: a constant, or scalar operations on constants.
//
//     c = s32[] constant(3);  n = s32[] constant(-1);  z = s32[] constant(0)
//     lt = pred[] compare(n, z), direction=LT;  a = s32[] add(n, c);  s = s32[] select(lt, a, n)     constantOf(s) == 2
//
// Follows constant, broadcast, reshape, bitcast, slice, copy, convert, add, subtract, multiply, divide, remainder, and,
// or, xor, shifts, minimum, maximum, clamp, negate, compare, select and tuple elements, because jax writes indices this
// way: x[-1] is the select above.
// `element`: of an array, in row-major order.
// Law: the value is the one that the operations define. nullopt: it is a run-time value or was not found, or a result
// is out of the range of its type or exceeds 2^40.
[[nodiscard]] std::optional<i64> constantOf(const Module& module, const Computation& computation, int instruction,
                                            std::size_t element = 0);

// The scalar that an instruction holds on each device, if it depends on the device alone: partition-id, and what
// constantOf follows. It also follows dynamic slices of vectors (tables by device), fusions and calls. `calls`: the
// instructions that call the computation of `at`, outermost first; parameters are their operands.
//
//     t = s32[4] constant({0, 8, 0, 8});  p = u32[] partition-id();  s = s32[1] dynamic-slice(t, p)       0 8 0 8
//
// nullopt: it depends on data, or on no device.
[[nodiscard]] std::optional<std::vector<i64>> deviceValues(const Module& module, std::span<const Where> calls,
                                                           Where at);

// The location in the traced program, "model.py:12 (softmax)"; empty: the text has none.
[[nodiscard]] std::string sourceOf(const Module& module, const Instruction& instruction);

// The module in canonical form: one instruction per line, with %, without operand types.
// Law: readModule(print(m)) prints the same text.
[[nodiscard]] std::string print(const Module& module);

}  // namespace tessera::hlo
