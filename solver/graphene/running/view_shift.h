// The relation of a kernel's operands to the tensors that they are views of.
//
//     %r = %x.reshape(0,[16,16:1,16])           %r[i,j] is %x[j,i]: whole; a shift of %x by (8,0) shifts %r by (0,8)
//     %r = %x.tile([1:1],_)[1,0].reshape(0,[16])    a part: a shift of %x may leave it
//
// Obligations use the operands' coordinates, accesses the tensors'; confusing the two would prove a copy to be a
// transposition.
// Law: viewShift(v, s) == d means that v at c + d is the tensor's element at distance s from v at c.
#pragma once

#include <optional>
#include <vector>

#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// Whether the view equals the declared tensor, coordinate by coordinate.
[[nodiscard]] bool isWhole(const Tensor& view, const Tensor& declared);

// In the view's coordinates: levels of equal rank are tiles, whose coordinates run through the whole dimension; other
// levels form one linear coordinate. nullopt: the shift is not uniform, or the view has fewer elements than the tensor
// and would be left.
[[nodiscard]] std::optional<std::vector<i64>> viewShift(const Tensor& view, const Tensor& declared,
                                                        const std::vector<i64>& by);

}  // namespace tessera::graphene
