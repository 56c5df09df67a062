// Functions: what a specification puts into its outputs, as terms over what its inputs held.
//
//     MatMul    %C[m,n] becomes  %C[m,n] + {%A[m,0]*%B[0,n], ...}
//     Move      %y[3] becomes %x[3];   into registers that say what they hold: register r of thread t becomes that element
//
// An operand's elements are numbered in logical order (slots). Elements of global and shared memory have one place; those of
// a register tensor have the places that its `holds` names, or, where one thread works for itself, its own registers.
//
// Law: written once, for the emulator's terms; the tests hold the emulator's numbers to plain loops beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solver/emulate/machine.h"

namespace tessera::graphene {

struct PlaceOf {
  i64 thread = 0, address = 0;
};

// The elements of one operand at one activation.
struct Elements {
  int root = 0;
  std::vector<i64> extents;                       // logical; their product is the number of elements
  std::vector<i64> rowMajor;                      // element (slot) of each row-major index; empty: the same
  std::vector<PlaceOf> place;                     // of each element, in the order of slots
  std::vector<std::pair<i64, PlaceOf>> replicas;  // further places of an element
};

// `threads`: those that execute the specification together, in order. nullopt: registers of several threads without `holds`, or a
// part of some with it (`why`).
[[nodiscard]] std::optional<Elements> elementsOf(const Plan& plan, const Machine<Terms>& machine, const PlanSpec& spec,
                                                 std::size_t operand, i64 block, const std::vector<i64>& threads,
                                                 const std::vector<i64>& loops, std::string& why);

// The same for one thread's, or memory's, whatever it says that it holds: registers are places of that thread.
[[nodiscard]] std::optional<Elements> placesByShape(const Plan& plan, const Machine<Terms>& machine,
                                                    const PlanSpec& spec, std::size_t operand, i64 block, i64 thread,
                                                    const std::vector<i64>& loops, std::string& why);

// What a specification does to logical elements. Operands: the output, then the inputs.
class Function {
 public:
  using Read = std::function<Terms::Value(std::size_t operand, i64 element)>;
  // nullopt: it has no function, or its operands do not fit it (`why`).
  [[nodiscard]] static std::optional<Function> of(const Spec& spec, const std::vector<const Elements*>& operands,
                                                  std::string& why);
  // Of an element of the output; `read` gives what was held before.
  [[nodiscard]] Terms::Value expected(Terms& terms, i64 element, const Read& read) const;
  // Blocks that shift the output by by[0] and the inputs by by[1], ... do the same to shifted elements: by their extents.
  [[nodiscard]] bool shifts(const std::vector<std::vector<i64>>& by) const;

 private:
  [[nodiscard]] i64 flat(const std::vector<i64>& at, std::size_t operand) const;
  [[nodiscard]] Terms::Value product(Terms& terms, i64 element, const Read& read) const;
  [[nodiscard]] Terms::Value reduction(Terms& terms, i64 element, const Read& read) const;

  SpecKind kind_ = SpecKind::Move;
  std::string attribute_;
  std::vector<const Elements*> operands_;
  std::vector<i64> number_;    // of the output: row-major index of each slot; empty: the same
  std::vector<char> reduced_;  // Reduction: by dimension of the input
  std::string operation_;
};

}  // namespace tessera::graphene
