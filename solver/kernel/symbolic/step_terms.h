// StepTerms: what a step computes from registers, as terms (symbolic.h).
//
//     fma.rn.f32 %f3, %f1, %f2, %f3          A[5] * B[7] + the term of %f3
//     mov, shfl, prmt, selp, shl by 16       the step is run on tags in place of the symbols: where the tag of a byte
//                                            comes out, the byte was moved
//     @%p mov.f32 %f1, %f2, %p a condition   c * new + (1 - c) * old
//     xor.b32 of the bits of a symbol        opaque
//
// Law: as of Symbolic; the numbers that a step computes are the values of its terms, up to rounding.
#pragma once

#include "solver/kernel/symbolic/symbolic.h"

namespace tessera::kernel {

class StepTerms {
 public:
  StepTerms(const Program& program, Symbolic* symbolic) : program_(program), symbolic_(symbolic) {}
  // Before the numbers are computed. `group`: the lanes at this step, `mask`: those whose guard holds. Nothing if
  // `symbolic` is null.
  void compute(Warp& w, const Step& s, Mask mask, Mask group);

 private:
  using Results = std::vector<RegisterSlots>;  // by result of a step
  [[nodiscard]] bool symbolic(const Warp& w, const Step& s) const;
  [[nodiscard]] int symbolicSources(const Warp& w, const Step& s, int lane) const;
  // A source of a lane as `type`, from its byte `at` on.
  [[nodiscard]] std::optional<graphene::Terms::Value> source(const Warp& w, const Step& s, std::size_t k, int lane,
                                                             ptx::Type type, int at = 0);
  // Whether the step is one on numbers; `out` has the slots of its results.
  [[nodiscard]] bool arithmetic(const Warp& w, const Step& s, Mask mask, Results& out);
  [[nodiscard]] std::optional<graphene::Terms::Value> scalar(const Step& s, ptx::Type type,
                                                             std::span<const graphene::Terms::Value> x);
  void reduceLanes(const Warp& w, const Step& s, Mask mask, Results& out);
  [[nodiscard]] bool convert(const Warp& w, const Step& s, int lane, LaneSlots& out);
  [[nodiscard]] bool asSigned(const Warp& w, const Step& s, int lane, ptx::Type type) const;
  void compare(const Warp& w, const Step& s, int lane, Results& out);
  [[nodiscard]] bool select(const Warp& w, const Step& s, int lane, LaneSlots& out);
  void product(const Warp& w, const Step& s, Results& out);
  void pack(const Warp& w, const Step& s, Mask mask, Results& out);
  [[nodiscard]] bool shiftsToExponent(const Warp& w, const Step& s, Mask mask, Results& out);
  void moves(const Warp& w, const Step& s, Mask mask, Results& out);
  // Where the guard is a condition: the new value if it holds, else the old one.
  void choose(const Warp& w, const Step& s, Mask undecided, Results& out);
  [[nodiscard]] ValueTerms& values() const { return symbolic_->values(); }

  const Program& program_;
  Symbolic* symbolic_;
};

}  // namespace tessera::kernel
