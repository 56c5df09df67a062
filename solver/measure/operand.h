// Operand: a tensor that a program's caller owns, with its sizes known: where its elements lie in a buffer.
//
//     %A:[4,8:1,4].fp16.GL     32 elements, 64 bytes; element 9 is A[1,1] at address 5
//     %f:[2,2].[1,2].fp16.RF   in registers: a copy for each thread of each block, one behind the other (core/codegen/kernel.h)
//
// Elements are numbered in logical order, copy by copy (block, thread, element), as the emulator's tensors are.
//
// Law: address(e) is what slotsOf (solver/emulate/slots.h) says of element e, without its table: a matrix of 2^26 elements is asked
// for some of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/codegen/kernel.h"
#include "solver/emulate/format.h"

namespace tessera::measure {

class Operand {
 public:
  std::string name;  // "A"
  std::string element;
  graphene::NumberFormat type;
  i64 elements = 0;     // of all copies
  i64 copies = 1;       // threads or blocks that have one each
  i64 places = 0;       // elements that the storage of all copies spans
  bool input = false;   // somebody reads what the caller put there
  bool output = false;  // somebody writes it
  [[nodiscard]] i64 bytes() const { return places * (type.bits / 8); }
  [[nodiscard]] i64 address(i64 e) const;                  // of an element, in elements
  [[nodiscard]] std::vector<i64> coordinate(i64 e) const;  // in the declared dimensions
  [[nodiscard]] i64 copyOf(i64 e) const { return e / (elements / copies); }
  [[nodiscard]] const std::vector<i64>& extents() const { return extents_; }
  // "C[3,5]"; of a copy "f[1,0] of thread 7".
  [[nodiscard]] std::string print(i64 e) const;

 private:
  friend Result<Operand> operandOf(const graphene::Tensor&, const std::vector<Expr>&, i64 copies);
  struct Digit {
    i64 size, stride, step;
    std::size_t dim;
  };
  std::vector<Digit> digits_;  // the slowest first
  std::vector<i64> extents_;
  i64 offset_ = 0, copyPlaces_ = 0;
  cute::Swizzle swizzle_;
};

// `values`: of the program's variables, in their order. A Diag for sizes that stay unknown and for storage beyond 2^40 elements.
[[nodiscard]] Result<Operand> operandOf(const graphene::Tensor& tensor, const std::vector<Expr>& values, i64 copies);

// What a program is launched with at given sizes.
struct Launch {
  std::string kernel;  // its function's name
  i64 blocks = 1, threads = 1;
  i64 dynamicBytes = 0;                                 // of shared memory, given by the launch
  std::vector<int> operands;                            // by parameter: which operand; -1: a size
  std::vector<i64> sizes;                               // by parameter
  std::vector<std::optional<codegen::TensorMap>> maps;  // by parameter: of the operand, where TMA copies it
};
struct Launches {
  std::vector<Operand> operands;  // the program's, in order
  std::vector<Launch> launches;   // the kernels, in order
};
// The operands that a run of all specifications needs: `blocks` and `threads` of the largest kernel.
[[nodiscard]] Result<std::vector<Operand>> operandsOf(const graphene::Program& program,
                                                      const std::map<std::string, i64>& sizes, i64 blocks, i64 threads);
// A Diag: a size that is not given, a kernel of another program, more blocks than a launch has.
[[nodiscard]] Result<Launches> launchesOf(const codegen::CudaSource& source, const graphene::Program& program,
                                          const std::map<std::string, i64>& sizes);

}  // namespace tessera::measure
