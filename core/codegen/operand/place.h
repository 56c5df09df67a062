// Place: an operand of an instruction: its storage (Root) and the addresses of its slots.
//
//     %a1 = %A8[64*i + @r, @c]      root A, address r * 1024 + c * 8 + i * 65536       &A[r * 1024 + c * 8 + i * 65536]
//     %sum:[].fp32.RF               one value                                          sum, &sum
#pragma once

#include <vector>

#include "core/codegen/kernel/scalar.h"
#include "core/codegen/kernel/writer.h"
#include "core/graphene/program.h"

namespace tessera::codegen {

struct Root {
  graphene::Tensor tensor;
  ScalarType type;
  Writer::Name name = -1;    // name in the kernel's body
  Writer::Name caller = -1;  // name of the parameter, if different
  Expr places;               // elements of one copy
  int depth = 1;             // scope of the declaration
  bool operand = false;      // the caller's tensor
  bool one = false;          // a single register, not an array
  bool used = false, written = false;
  bool sums = false;    // accumulates warpgroup products, which complete asynchronously
  bool matrix = false;  // read by wgmma through descriptors, or written by TMA
};

struct Place {
  Root* root = nullptr;
  Expr offset;
  std::vector<Expr> slots;  // relative to offset, before the swizzle
  cute::Swizzle swizzle;
  [[nodiscard]] bool isRegister() const { return root->tensor.memory == graphene::Memory::Register; }
  bool dense = false;  // slots are 0, 1, 2 ..., and the swizzle keeps them contiguous
};

// Elements that a tensor's storage spans: its last address + 1, rounded up to whole periods of its swizzle.
[[nodiscard]] Expr placesOf(const graphene::Tensor& tensor);
// The slots of a tensor relative to its offset, in the atom's order. A Diag: sizes are not numbers, or too large.
[[nodiscard]] Result<std::vector<Expr>> slotsOf(const graphene::Tensor& tensor);
// The number n of threads, which are 0 to n - 1. A Diag: the tensor skips some, or its sizes are not numbers.
[[nodiscard]] Result<i64> threadsOf(const graphene::Tensor& threads, Span span);

}  // namespace tessera::codegen
