// Functions: the values that a specification assigns to its outputs, as terms over the previous values of its operands.
//
//     MatMul    %C[m,n] becomes  %C[m,n] + {%A[m,0]*%B[0,n], ...}
//     Move      %y[3] becomes %x[3];   with `holds` in registers: register r of thread t becomes the element it holds
//
// The elements of an operand are numbered in logical order (slots). An element of global or shared memory has one
// place; an element of a register tensor has the places that `holds` gives or, for a single thread, that thread's
// registers.
//
// Law: implemented once, on the emulator's terms; tests compare the emulator's numbers with plain loops.
#pragma once

#include <functional>

#include "solver/emulate/machine.h"

namespace tessera::graphene {

// A run has a million of them, so they have 32 bits each.
struct PlaceOf {
  PlaceOf() = default;
  // Requires: both have 32 bits.
  PlaceOf(i64 t, i64 a) : thread(static_cast<std::int32_t>(t)), address(static_cast<std::int32_t>(a)) {}
  std::int32_t thread = 0, address = 0;
};

// The elements of one operand in one activation.
struct Elements {
  int root = 0;
  std::vector<i64> extents = {};                       // logical; their product is the number of elements
  std::vector<i64> rowMajor = {};                      // element (slot) of each row-major index; empty: identity
  std::vector<PlaceOf> place = {};                     // of each element, in slot order
  std::vector<std::pair<i64, PlaceOf>> replicas = {};  // further places of an element
};

// `threads`: the threads that execute the specification together, in order. A Diag for registers of several threads
// without `holds`, or a part of a tensor with it.
[[nodiscard]] Result<Elements> elementsOf(const Plan& plan, const Machine<Terms>& machine, const PlanSpec& spec,
                                          std::size_t operand, i64 block, const std::vector<i64>& threads,
                                          const std::vector<i64>& loops);

// The same for memory or a single thread, ignoring `holds`: registers are places of that thread.
[[nodiscard]] Result<Elements> placesByShape(const Machine<Terms>& machine, const PlanSpec& spec, std::size_t operand,
                                             i64 block, i64 thread, const std::vector<i64>& loops);

// The effect of a specification on logical elements. Operands: the output, then the inputs.
class Function {
 public:
  using Read = std::function<Terms::Value(std::size_t operand, i64 element)>;
  // The operands must outlive it. A Diag if it has no function, or its operands do not match it.
  [[nodiscard]] static Result<Function> of(const Spec& spec, std::span<const Elements> operands);
  // The factors of the rows and columns of a product, for one `terms` and `read`.
  struct Factors {
    std::vector<Dots::Row> rows, columns;  // 0: not read
  };
  // The new value of an output element; `read` returns previous values.
  [[nodiscard]] Terms::Value expected(Terms& terms, i64 element, const Read& read, Factors& factors) const;
  // Whether the function commutes with a shift of the output by by[0] and of the inputs by by[1], ..., within their
  // extents.
  [[nodiscard]] bool shifts(const std::vector<std::vector<i64>>& by) const;

 private:
  [[nodiscard]] Terms::Value product(Terms& terms, i64 element, const Read& read, Factors& factors) const;
  [[nodiscard]] Terms::Value reduction(Terms& terms, i64 element, const Read& read) const;

  SpecKind kind_ = SpecKind::Move;
  std::span<const Elements> operands_;
  std::vector<i64> number_;    // of the output: row-major index of each slot; empty: identity
  std::vector<char> reduced_;  // Reduction: by dimension of the input
  std::string operation_;
};

}  // namespace tessera::graphene
