// withSizes: a program with numbers for some of its symbolic sizes, from the tree.
//
//     withSizes(p, {{"M", 2}})        %x:[64*M,128] is %x:[128,128]; loops to M end at 2
//
// For callers that have a program but not its text, and need many sizes. The places in the text, the order of the
// specifications and the numbers of the variables stay the same.
//
// Law: a check of it decides what a check of readSized(text, sizes) decides (tests/check/every_size_test.cpp).
#pragma once

#include <functional>

#include "core/graphene/program.h"
#include "core/graphene/reader/sized.h"

namespace tessera::graphene {

// Names that are not sizes of the program are ignored. Requires: a size is a multiple of its variable's unit.
[[nodiscard]] Program withSizes(const Program& program, const Sizes& sizes);
// With `change` of each of its expressions, also in equations and assumptions.
[[nodiscard]] Program withExpressions(Program program, const std::function<Expr(const Expr&)>& change);

// With the names of its variables in all tensors, after variables were added.
[[nodiscard]] Program withSymbols(Program program);

// Replaces every expression of a tensor's sizes, strides and places by `change` of it.
template <typename Change>
void changeExpressions(Tensor& tensor, const Change& change) {
  for (Level& level : tensor.levels)
    for (Dim& dim : level.dims)
      for (Mode& m : dim)
        for (Expr* e : {&m.size, &m.stride, &m.step}) *e = change(*e);
  for (Expr& e : tensor.extents) e = change(e);
  for (Expr& e : tensor.origin) e = change(e);
  tensor.offset = change(tensor.offset);
}

}  // namespace tessera::graphene
