// IntegerSteps: what a step that computes integers, predicates or addresses makes of terms.
//
//     IntegerSteps steps(program, terms);
//     steps.compute(step, read)     mad.lo.s32 %r3, %r1, 4, %r2;     {the sum 4 r1 + r2}
//     steps.compute(step, read)     fma.rn.f32 ...                   nullopt: unless its sources are constants
//
// Law: under every value of the variables the terms have the values that the machine computes from the values of the
// sources (tests/kernel/addresses_test.cpp runs both).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "solver/kernel/addresses/terms.h"
#include "solver/kernel/code/program.h"
#include "solver/kernel/kernel.h"

namespace tessera::kernel {

class IntegerSteps {
 public:
  // The term of a register or of a constant, of any width.
  using Read = std::function<Term(Place)>;
  // What is divided by: constants, or any term; then the caller excludes that it is 0.
  enum class Division : unsigned char { ByConstants, ByTerms };
  IntegerSteps(const Program& program, Terms& terms, Division division = Division::ByConstants)
      : program_(program), terms_(terms), division_(division) {}

  // The registers that the machine fills in, for a launch without clusters; -1: it has no term.
  [[nodiscard]] std::vector<Term> specials(const Launch& launch);
  // One term for each of step.outs. Requires: Kind::Compute, and not an exchange between lanes.
  [[nodiscard]] std::optional<std::vector<Term>> compute(const Step& step, const Read& read);
  [[nodiscard]] std::vector<Term> pack(const Step& step, const Read& read);
  // nullopt: it asks for the space of an address that is not constant.
  [[nodiscard]] std::optional<std::vector<Term>> convert(const Step& step, const Read& read);

 private:
  std::optional<std::vector<Term>> folded(const Step& step, const Read& read);
  std::optional<std::vector<Term>> integers(const Step& step, const Read& read);

  const Program& program_;
  Terms& terms_;
  Division division_;
};

}  // namespace tessera::kernel
