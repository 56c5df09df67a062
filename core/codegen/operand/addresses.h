// Addresses: operands of instructions as text: what they read, write and point to.
//
//     %a1 = %A8[64*i + @r, @c]      place: root A, offset r * 1024 + c * 8 + i * 65536
//                                   value(p, 0): A[r * 1024 + c * 8 + i * 65536]      pointer(p, 0): &A[...]
#pragma once

#include <string>

#include "core/codegen/address/bases.h"
#include "core/codegen/operand/storage.h"

namespace tessera::codegen {

class Addresses {
 public:
  Addresses(Variables& variables, ScopedText& text, Storage& storage, Bases& bases, Writer& out)
      : variables_(variables), text_(text), storage_(storage), bases_(bases), out_(out) {}

  Result<Place> place(const graphene::Tensor& tensor);
  // Where a tensor begins: one slot, which no swizzle moves.
  Result<Place> startOf(const graphene::Tensor& tensor);
  std::string value(const Place& p, std::size_t slot);
  std::string pointer(const Place& p, std::size_t slot);
  // Of places that lie side by side: the one that a counter, `index`, is at.
  std::string counted(const Place& p, const std::string& index);
  [[nodiscard]] bool aligned(const Place& p, i64 elements);

 private:
  Expr address(const Place& p, std::size_t slot);
  void keepLoops(const Place& p, const Expr& address);

  Variables& variables_;
  ScopedText& text_;
  Storage& storage_;
  Bases& bases_;
  Writer& out_;
};

}  // namespace tessera::codegen
