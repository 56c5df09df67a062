// Module: a program of XLA's compiler, HLO, as its text dumps write it (--xla_dump_to, `jax.jit(f).lower(x).compile().as_text()`).
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
//     called(module, that instruction)                   {0}
//     sourceOf(module, that instruction)                 "model.py:12 (softmax)", by its stack frame or metadata
//
// Names are kept without their %. Everything that is text is a view into `text`, which the module owns; shapes that are written
// alike are kept once. Attributes are kept as they stand and read when they are asked for (attributes.h).
//
// Grammar: as XLA prints modules today and did before: with and without %, types of operands, signatures of computations, /*index=5*/
// comments, tables (FileNames, FunctionNames, FileLocations, StackFrames), bodies written in full behind calls= and to_apply=,
// results without a shape (result_shape.h), instructions as operands of others.
//
// Law: reading never fails as a whole. What is wrong is a Problem with its line, and every other instruction stands. A cause is one
// Problem; of instructions that only need what was lost it says how many there are. Work grows as the text does.
// Not here: what operations mean (op_maps.h).
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/notation/xla/shape.h"

namespace tessera::hlo {

struct Attribute {
  std::string_view name;   // "dimensions"
  std::string_view value;  // "{1,0}", without blanks around it
};

struct Instruction {
  std::string_view name;    // "t"
  std::string_view opcode;  // "transpose"
  int shape = -1;           // into Module::shapes
  bool root = false;
  std::vector<int> operands;  // instructions of the same computation; -1: there is no such (a Problem says so)
  std::string_view
      literal;  // what stands in the brackets of a constant, or of an opcode that has no operands: "{1, 2}", "0"
  std::vector<Attribute> attributes;
  Span span;  // of the instruction in the text, ROOT included

  // nullptr: it has none of that name.
  [[nodiscard]] const Attribute* find(std::string_view attribute) const;
};

struct Computation {
  std::string_view name;  // empty: the dump left it out
  bool entry = false;
  bool written = false;  // where it is called, in the value of an attribute; `name` is then the caller's
  std::vector<Instruction> instructions;  // in the order of the text
  int root = -1;                          // the one that says ROOT, or the last; -1: there is none, or it was lost
  std::vector<int> parameters;            // by number; -1: missing
  int lost =
      0;  // instructions of it that could not be read: Problems say why. Where ROOT is one of them there is no root.
  Span span;  // of its head
};

struct Problem {
  std::string computation, instruction;  // empty: of none
  int line = 0;                          // from 1
  Diag diag;                             // its span lies in Module::text
};

// "line 4: %b: there is no aa in e; expected: an instruction of the same computation; did you mean a?"
[[nodiscard]] std::string textOf(const Problem& problem);

struct Module {
  std::shared_ptr<const std::string> text;
  std::shared_ptr<std::deque<std::string>> made;  // names of instructions that stand as operands: negate(add(a, b))
  std::string_view name;
  std::vector<Attribute> attributes;  // of the module: is_scheduled=true ...
  std::vector<Computation> computations;
  int entry = -1;
  std::vector<xla::Shape> shapes;
  std::unordered_map<std::string_view, int> byName;  // computations
  std::vector<Problem> problems;                     // in the order of the text
  // FileNames and so on: by table, the rows' texts by their numbers.
  std::unordered_map<std::string_view, std::unordered_map<i64, std::string_view>> tables;

  [[nodiscard]] const xla::Shape& shapeOf(const Instruction& i) const {
    return shapes[static_cast<std::size_t>(i.shape)];
  }
  // From 1; 0 for a place outside the text.
  [[nodiscard]] int lineAt(std::size_t at) const;
};

// A text of at most 1 GB. Takes about 10 ms for each MB.
[[nodiscard]] Module readModule(std::string text);

// Whether a text is worth reading as one: it begins with "HloModule", a computation's head or an instruction.
[[nodiscard]] bool opensModule(std::string_view text);

// calls, to_apply, condition, body ...: whether the value of an attribute names computations.
[[nodiscard]] bool namesComputations(std::string_view attribute);
// The computations that an instruction names by calls, to_apply, condition, body, branch_computations ...; unknown ones left out.
[[nodiscard]] std::vector<int> calledBy(const Module& module, const Instruction& instruction);

// Where the instruction came from in the program that was traced: "model.py:12 (softmax)"; empty: the text does not say.
[[nodiscard]] std::string sourceOf(const Module& module, const Instruction& instruction);

// The module once more, one instruction a line, with % and without types of operands. Law: readModule(print(m)) prints the same.
[[nodiscard]] std::string print(const Module& module);

}  // namespace tessera::hlo
