// Places: the storage of a kernel, and the operand of an instruction as texts that C++ can read, write and point to.
//
//     %a1 = %A8[64*i + @r, @c]      root A, address r * 1024 + c * 8 + i * 65536       &A[r * 1024 + c * 8 + i * 65536]
//     %sum:[].fp32.RF               one value                                          sum, &sum
#pragma once

#include <string>
#include <vector>

#include "core/codegen/scalar.h"
#include "core/codegen/writer.h"
#include "core/graphene/program.h"

namespace tessera::codegen {

struct Root {
  graphene::Tensor tensor;
  ScalarType type;
  Writer::Name name = -1;    // of what the kernel's body reads and writes
  Writer::Name caller = -1;  // of the parameter, where that is another one
  Expr places;               // of one copy
  int depth = 1;             // the scope that it is declared in
  bool operand = false;      // the caller's
  bool one = false;          // a register that is no array
  bool used = false, written = false;
  bool sums = false;    // products of a warpgroup are added to it, and arrive later
  bool matrix = false;  // they read it by descriptors, or TMA writes it
};

struct Place {
  Root* root = nullptr;
  Expr offset;
  std::vector<Expr> slots;  // relative to it, before the swizzle
  cute::Swizzle swizzle;
  bool dense = false;  // 0, 1, 2 ..., and a swizzle keeps them together
};

// Elements that a tensor's storage spans: its last address + 1, whole periods of its swizzle.
[[nodiscard]] Expr placesOf(const graphene::Tensor& tensor);
// The slots of a tensor relative to its offset, in the atom's order. A Diag for sizes that are not numbers, or too many.
[[nodiscard]] Result<std::vector<Expr>> slotsOf(const graphene::Tensor& tensor);
// Numbers 0 to n - 1 as a launch: n. A Diag where the tensor leaves some out, or its sizes are not numbers.
[[nodiscard]] Result<i64> threadsOf(const graphene::Tensor& threads, Span span);

}  // namespace tessera::codegen
