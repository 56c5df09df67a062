// Variables: the variables of a kernel with the ranges of their values, and the loops that are split into rounds.
//
//     blocks 64: bm = @b / 8 in [0, 7]      for (k = 0; k < 1024; k += 16): k in [0, 1008]
//     kt, a loop over three stages          known(kt + 2) = round * 3 + stage + 1: two parameters after the program's
//
// Law: a range holds every value that the variable has in a launch of the kernel.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/codegen/address/rotation.h"
#include "core/expr/facts.h"

namespace tessera::codegen {

// The variables that an expression is of.
[[nodiscard]] std::vector<int> paramsOf(const Expr& e);

class Variables {
 public:
  // A Diag: the launch is not given, or its number of threads is a symbol.
  [[nodiscard]] static Result<Variables> of(const graphene::Program& program, const graphene::Spec& spec, Span span);

  // A variable of the program.
  [[nodiscard]] const graphene::Variable& operator[](int variable) const;
  [[nodiscard]] const Expr& valueOf(int index) const { return values_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::vector<int> sizes() const;
  [[nodiscard]] bool isSize(int param) const;
  [[nodiscard]] int count() const { return static_cast<int>(facts_.box().params.size()); }  // with rounds and stages
  [[nodiscard]] Rotation* rotationOf(int loop);                                             // nullptr: it is not split

  [[nodiscard]] FactBase& facts() { return facts_; }
  [[nodiscard]] Range range(const Expr& e) { return facts_.of(e).interval; }
  [[nodiscard]] Expr simple(const Expr& e) const;
  [[nodiscard]] Expr known(const Expr& e) const;  // over rounds and stages
  [[nodiscard]] Expr small(const Expr& e);        // that, simplified
  [[nodiscard]] bool inLoop(const Expr& e) const;
  // How often a loop that is unrolled runs, counted from 0 in steps of one; 0: it is no such loop.
  [[nodiscard]] i64 unrolledTrips(int loop) const;

  [[nodiscard]] i64 threads() const { return threads_; }
  [[nodiscard]] const Expr& blocks() const { return blocks_; }

 private:
  explicit Variables(const graphene::Program& program) : program_(program) {}
  void ranges(Environment& box);
  void rotations(const graphene::Spec& spec, Environment& box);

  const graphene::Program& program_;
  FactBase facts_{Environment{}};
  std::vector<Expr> values_;   // Index variables, simplified
  std::vector<Expr> meaning_;  // the expression for each variable: itself, or round * 3 + stage
  std::vector<Rotation> rotations_;
  std::unordered_map<Expr, Expr> small_;
  i64 threads_ = 1;
  Expr blocks_ = Expr::constant(1);
};

}  // namespace tessera::codegen
