// References: the expected values of an output, computed in doubles from exactly the inputs that the device gets.
//
//     statedReference(program)    %C <- MatMul(%A,%B): c + the sum of a * b, for the requested elements; also row sums
//                                 and maxima, element-wise operations and moves
//     equationReference(program)  a specification with equations (`means`), per requested element
//     emulatedReference(program)  any program: the emulator in doubles, without rounding, every element
//
// The first two follow only the specification's text, independently of the decomposition, and are fast for a few
// elements of a large tensor. The last one runs the decomposition (which `check` proves right), and is for small sizes.
//
// Law: where two of them apply, they agree up to the rounding of doubles.
#pragma once

#include <limits>
#include <optional>

#include "solver/emulate/plan.h"
#include "solver/measure/reference/compare.h"

namespace tessera::measure {

// Limit on the elements of all operands in an emulator run: 8192 x 8192 halves would take gigabytes.
constexpr i64 kMostEmulated = i64{1} << 25;

struct ReferenceOptions {
  std::map<std::string, i64> sizes = {};
  std::string architecture = "sm_80";
  i64 maxSteps = 2'000'000;  // of the emulator
  const std::atomic<bool>* cancel = nullptr;
  bool single = false;  // evaluate equations in fp32, rounding every operation: the best a device can do
};

// The only specification of a program; null: there are several, or none.
[[nodiscard]] const graphene::Spec* onlySpec(const graphene::Program& program);
// A caller's tensor of one level in global memory.
[[nodiscard]] bool isWhole(const graphene::Program& program, const graphene::Tensor& t);

// Position of an operand's element in the emulated machine (solver/emulate).
struct PlaceOfElement {
  i64 block = 0, thread = 0, address = 0;
};
[[nodiscard]] PlaceOfElement placeOf(const graphene::Plan& plan, const graphene::Root& root, const Operand& operand,
                                     i64 element);
// The same by copy and address.
[[nodiscard]] PlaceOfElement placeOf(const graphene::Plan& plan, const graphene::Root& root, const Operand& operand,
                                     i64 copy, i64 address);
// Visits the roots of the plan that are operands: visit(root, operand's index).
template <class Visit>
void eachOperand(const graphene::Plan& plan, const Inputs& in, Visit visit) {
  for (std::size_t r = 0; r < plan.roots.size(); ++r)
    if (const int index = plan.roots[r].operand ? in.find(plan.roots[r].tensor.name) : -1; index >= 0)
      visit(static_cast<int>(r), index);
}
// Gives a machine over numbers its inputs.
template <class Machine>
void putInputs(Machine& machine, const graphene::Plan& plan, const Inputs& in) {
  eachOperand(plan, in, [&](int root, int index) {
    const Operand& o = in.operands()[index];
    if (!o.input) return;
    o.each([&](i64, i64 copy, i64 address) {
      const PlaceOfElement at = placeOf(plan, plan.roots[root], o, copy, address);
      machine.set(root, at.block, at.thread, at.address, in.atAddress(index, address));
    });
  });
}
// An element's value after the run; NaN if it was never written.
template <class Machine>
[[nodiscard]] double valueAt(const Machine& machine, int root, const PlaceOfElement& at) {
  return machine.value(root, at.block, at.thread, at.address).value_or(std::numeric_limits<double>::quiet_NaN());
}

// nullopt unless the program is a single MatMul, Reduction, element-wise operation or Move over matrices in global
// memory.
[[nodiscard]] std::optional<Reference> statedReference(const graphene::Program& program);
[[nodiscard]] Reference emulatedReference(std::shared_ptr<const graphene::Program> program,
                                          const ReferenceOptions& options);
// The first of the three that applies.
[[nodiscard]] Reference referenceOf(const std::shared_ptr<const graphene::Program>& program,
                                    const ReferenceOptions& options);

// The reference given by a program's own equations (`means`, core/graphene/meaning.h), evaluated per requested element.
//
//     %O <- Spec<attention><<<#b, #t>>>(%Q, %K, %V) means { ... }    1000 of 12,582,912 elements; no run of the program
//
// Law: it agrees with emulatedReference (reference.h) up to the rounding of doubles where `check` proves the program.

// nullopt unless the program is one specification with equations over whole tensors in global memory.
[[nodiscard]] std::optional<Reference> equationReference(std::shared_ptr<const graphene::Program> program,
                                                         const ReferenceOptions& options);

}  // namespace tessera::measure
