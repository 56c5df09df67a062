// What the operands of a kernel have to do with the tensors that they are views of.
//
//     %r = %x.reshape(0,[16,16:1,16])           %r[i,j] is %x[j,i]: whole, and a shift of %x by (8,0) is one of %r by (0,8)
//     %r = %x.tile([1:1],_)[1,0].reshape(0,[16])    a part: no shift of %x is known to stay inside of it
//
// The obligations speak of the operands' coordinates, accesses of the tensors': whoever takes one for the other proves a copy to be a
// transposition. Law: viewShift(v, s) == d means that v at c + d is the element of the tensor that is s from that of v at c.
#pragma once

#include <optional>
#include <vector>

#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// The view is the declared tensor itself, coordinate by coordinate.
[[nodiscard]] bool isWhole(const Tensor& view, const Tensor& declared);

// By the view's coordinates: levels of one rank are tiles, whose coordinates go on through all of a dimension; others are one
// linear coordinate. nullopt: it is not the same everywhere, or the view has fewer elements than the tensor and would be left.
[[nodiscard]] std::optional<std::vector<i64>> viewShift(const Tensor& view, const Tensor& declared,
                                                        const std::vector<i64>& by);

}  // namespace tessera::graphene
