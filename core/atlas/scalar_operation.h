// ScalarOperation: what one thread computes from one or two values. One row holds everything specific to the operation:
// its value, its instructions, its CUDA text and its HLO opcode.
//
//     {"rsqrt", 1, 1 / sqrt(a), {"hrsqrt", "h2rsqrt", "rsqrt.approx.f32", ...}, {..., "rsqrtf({})", ...}, "rsqrt"}
//
//     UnaryPointwise<rsqrt>, rsqrt(x) in equations    core/graphene
//     on numbers, on terms                            solver/emulate, solver/graphene/values
//     rsqrtf(x) in a kernel                           core/codegen/kernel/scalar.h
//     rsqrt as an element-wise instruction of HLO     core/hlo/ops/op_maps.h
//
// Law: a row is enough: each of these finds a new one (tests/host_check/operation_test.cpp adds one). A row cannot
// state a law over the reals (solver/emulate/equality/algebra.cpp); without one an operation equals only itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct ScalarOperation {
  // By element type; empty: not available for it.
  struct Spelling {
    std::string_view half, pair;     // fp16 and bf16: one, two at once
    std::string_view single, twice;  // fp32 and tf32; fp64
    std::string_view integer;
  };
  std::string_view name;  // "rsqrt", "+"
  int arity = 1;
  double (*value)(double a, double b);  // the second is ignored if arity is 1
  Spelling atom;                        // the instruction's name in a checklist
  // C++ with one {} for each operand, in order; an operation that uses an operand twice calls a function of the prelude
  // (core/codegen/kernel/prelude.cpp). Halves: {0} and {00} are zero and two of them, {<} and {>} convert from and to
  // float. Integers: {i} is the type, {u} the unsigned type in which its arithmetic wraps.
  Spelling text;
  std::string_view opcode = {};  // of HLO
  bool reduces = false;          // Reduction<max>: the order of the values has no effect
};

[[nodiscard]] std::span<const ScalarOperation> scalarOperations();
// nullptr: none.
[[nodiscard]] const ScalarOperation* scalarOperation(std::string_view name);
[[nodiscard]] const ScalarOperation* scalarOperation(std::string_view name, int arity);
// "exp exp2 log ...": all operations with that many operands, in table order. `words`: without symbols such as +.
[[nodiscard]] std::string scalarNames(int arity, bool words = false);

// For tests: adds a row until the end of the block. Not thread-safe.
class ExtraScalarOperation {
 public:
  explicit ExtraScalarOperation(const ScalarOperation& row);
  ~ExtraScalarOperation();
  ExtraScalarOperation(const ExtraScalarOperation&) = delete;
  ExtraScalarOperation& operator=(const ExtraScalarOperation&) = delete;

 private:
  std::vector<ScalarOperation> rows_;
};

}  // namespace tessera
