// References: what an output should be, as exactly as doubles say it, from the very numbers that the device is given.
//
//     statedReference(program)       %C <- MatMul(%A,%B): c + the sum of a * b, for the elements that are asked for; sums and
//                                    maxima of a row, element-wise operations and moves too
//     meantReference(program)        a generic specification that says what it computes (meant.h): its equations, likewise
//     emulatedReference(program)     any program: the emulator on doubles, nothing rounded on the way, every element
//
// The first two follow the specification's text alone, whatever the decomposition does, and are quick for a few elements of a
// large tensor. The last runs the decomposition (which `check` proves right), and is for small sizes.
//
// Law: where both answer they agree up to the rounding of doubles.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "solver/emulate/plan.h"
#include "solver/measure/compare.h"

namespace tessera::measure {

// Elements of all operands of a program that the emulator is given: with 8192 x 8192 halves it would want gigabytes.
constexpr i64 kMostEmulated = i64{1} << 25;

struct ReferenceOptions {
  std::map<std::string, i64> sizes;
  std::string architecture = "sm_80";
  i64 maxSteps = 2'000'000;  // of the emulator
  const std::atomic<bool>* cancel = nullptr;
  bool single = false;  // equations are computed as fp32 would, each operation rounded: what a device could do at best
};

// Where an element of an operand lies in a machine (solver/emulate).
struct PlaceOfElement {
  i64 block = 0, thread = 0, address = 0;
};
[[nodiscard]] PlaceOfElement placeOf(const graphene::Plan& plan, const graphene::Root& root, const Operand& operand,
                                     i64 element);

// Nothing where the program is no single MatMul, Reduction, element-wise operation or Move over matrices in global memory.
[[nodiscard]] std::optional<Reference> statedReference(const graphene::Program& program);
[[nodiscard]] Reference emulatedReference(std::shared_ptr<const graphene::Program> program,
                                          const ReferenceOptions& options);
// The first that there is.
[[nodiscard]] Reference referenceOf(const std::shared_ptr<const graphene::Program>& program,
                                    const ReferenceOptions& options);

}  // namespace tessera::measure
