// Definitions: what a program's specifications say about its outputs, as normal forms (forms.h), for every size.
//
//     %Z[i,j] = sum(k < 64) %A[i,k] * %B[k,j]                     first kernel
//     %Y[i,j] = relu(%Z[i,j] + %b[j])                             second kernel
//
//     %Y: max(%b[d1] + S1, 0)                                     S1: sum(b0 < 64) %A[d0,b0] * %B[b0,d1]
//
// Named values, and tensors that an earlier kernel wrote, are replaced by their equations. A value that refers to
// itself is a function: two are one if they have the same rank and the same form, with itself as an unknown in it.
// MatMul of matrices, Move and element-wise kernels have equations; other kinds are functions of whole tensors.
//
// Law: if two programs have an equal form and equal extents for an output, and each of their kernels computes what it
// states, then the output is equal over the real numbers, wherever both are defined.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graphene/program.h"
#include "solver/graphene/equal/forms.h"

namespace tessera::graphene {

class Definitions {
 public:
  struct Output {
    Forms::Id form = 0;
    std::string extents;  // "[128*M,128]"
    bool passed = false;  // a later kernel reads it
    [[nodiscard]] bool same(const Output& other) const { return extents == other.extents && form == other.form; }
  };
  using Outputs = std::map<std::string, Output>;
  // By the names of the tensors that the kernels write. A Diag: a kernel states no function, works on a part of a
  // tensor, a type is no floating type, or the equations are too long.
  // `before`: kernels of another program that write inputs of this one; sizes of equal names are equal.
  [[nodiscard]] Result<Outputs> of(const Program& program, const Program* before = nullptr);
  // "x(y + z) = xy + xz"
  [[nodiscard]] std::vector<std::string> laws() const { return forms_.laws(); }

 private:
  friend class FormOfSpecs;
  [[nodiscard]] Expr size(const std::string& name);
  Forms forms_;
  std::map<std::string, int> sizes_;                     // parameters, of all programs
  std::map<std::pair<int, Forms::Id>, int> recursions_;  // by rank and form
};

}  // namespace tessera::graphene
