// Addresses: the operands of instructions as C++ text: values and pointers.
//
//     %a1 = %A8[64*i + @r, @c]      place: root A, offset r * 1024 + c * 8 + i * 65536
//                                   value(p, 0): A[r * 1024 + c * 8 + i * 65536]      pointer(p, 0): &A[...]
#pragma once

#include <functional>
#include <string>

#include "core/codegen/address/scoped_text.h"
#include "core/codegen/operand/storage.h"
#include "core/expr/facts.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::codegen {

class Addresses : KernelText {
 public:
  Addresses(const KernelText& kernel, Storage& storage, Bases& bases)
      : KernelText(kernel), storage_(storage), bases_(bases) {}

  Result<Place> place(const graphene::Tensor& tensor);
  // The first slot of a tensor, where no swizzle applies.
  Result<Place> startOf(const graphene::Tensor& tensor);
  std::string value(const Place& p, std::size_t slot);
  std::string pointer(const Place& p, std::size_t slot);
  // The place number `index`, a counter, of contiguous places.
  std::string counted(const Place& p, const std::string& index);
  [[nodiscard]] bool aligned(const Place& p, i64 elements);

 private:
  Expr address(const Place& p, std::size_t slot);
  void keepLoops(const Place& p, const Expr& address);

  Storage& storage_;
  Bases& bases_;
};

// Address: the address of a tensor's slot as an expression, simplified over the ranges of its variables. A swizzle
// applies only to the part of the sum that it changes.
//
//     Sw<2,3,3> of st * 4096 + i * 2048 + r * 32 + c * 8
//                                      st * 4096 + i * 2048 + r * 32 + ((c * 8) ^ ((r / 2 % 4) * 8))
//     the same with k * 16, k a loop   ... + ((k * 16) ^ (c * 8 ^ ...)): invariant inner xor
//
// Why: a swizzle changes only a few bits above its base. It affects no multiples of the next power of two, and no terms
// that share no bit with other terms or with the swizzled bits. So the machine code has one xor per thread, and
// constant offsets.
//
// Law: evaluate(addressExpr(x, s, ...)) == s(evaluate(x)) for every point of the box.

// `late`: whether a term changes in a loop. Such terms stay outside the inner xor.
[[nodiscard]] Expr addressExpr(const Expr& x, const cute::Swizzle& swizzle, FactBase& facts,
                               const std::function<bool(const Expr&)>& late);

}  // namespace tessera::codegen
