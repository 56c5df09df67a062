// Operand: a tensor owned by the program's caller, at known sizes: where its elements are stored in a buffer.
//
//     %A:[4,8:1,4].fp16.GL     32 elements, 64 bytes; element 9 is A[1,1] at address 5
//     %f:[2,2].[1,2].fp16.RF   registers: one copy per thread of each block (core/codegen/kernel/kernel.h)
//
// Elements are numbered in logical order, copy by copy (block, thread, element), like the emulator's tensors.
//
// Law: address(e) equals slotsOf (solver/emulate/plan.h) at element e. It builds no table, so a few elements of a
// matrix of 2^26 are cheap to look up.
#pragma once

#include <map>

#include "solver/emulate/format.h"
#include "solver/measure/device/execute.h"

namespace tessera::measure {

class Operand {
 public:
  std::string name;  // "A"
  std::string element;
  graphene::NumberFormat type;
  i64 elements = 0;     // in all copies
  i64 copies = 1;       // one per thread or per block
  i64 places = 0;       // span of the storage of all copies, in elements
  bool input = false;   // its initial contents are read
  bool output = false;  // it is written
  [[nodiscard]] i64 bytes() const { return places * (type.bits / 8); }
  [[nodiscard]] i64 address(i64 e) const;  // of element e, in elements
  // Visits the elements in order: visit(e, copyOf(e), address(e)).
  template <class Visit>
  void each(const Visit& visit) const {
    std::vector<i64> at(digits_.size(), 0);
    i64 address = offset_, copy = 0;
    for (i64 e = 0; e < elements; ++e) {
      visit(e, copy, copy * copyPlaces_ + (swizzle_.isIdentity() ? address : swizzle_(address)));
      std::size_t k = digits_.size();
      for (; k > 0 && ++at[k - 1] == digits_[k - 1].size; --k) {
        address -= (at[k - 1] - 1) * digits_[k - 1].stride;
        at[k - 1] = 0;
      }
      if (k > 0) {
        address += digits_[k - 1].stride;
      } else {
        ++copy;
      }
    }
  }
  [[nodiscard]] std::vector<i64> coordinate(i64 e) const;  // in the declared dimensions
  [[nodiscard]] i64 copyOf(i64 e) const { return e / (elements / copies); }
  [[nodiscard]] const std::vector<i64>& extents() const { return extents_; }
  // "C[3,5]"; for a copy "f[1,0] of thread 7".
  [[nodiscard]] std::string print(i64 e) const;

 private:
  friend Result<Operand> operandOf(const graphene::Tensor&, const std::vector<Expr>&, i64 copies);
  struct Digit {
    i64 size, stride, step;
    std::size_t dim;
  };
  std::vector<Digit> digits_;  // slowest first
  std::vector<i64> extents_;
  i64 offset_ = 0, copyPlaces_ = 0;
  cute::Swizzle swizzle_;
};

// Values of the program's variables, in order: sizes are numbers, the others, which no operand names, stay symbolic.
[[nodiscard]] Result<std::vector<Expr>> valuesOf(const graphene::Program& program,
                                                 const std::map<std::string, i64>& sizes);
// `values`: of the program's variables, in order. Returns a Diag for a size that stays unknown and for storage beyond
// 2^40 elements.
[[nodiscard]] Result<Operand> operandOf(const graphene::Tensor& tensor, const std::vector<Expr>& values, i64 copies);

// The launches of the program at given sizes.
struct Launches {
  std::vector<Operand> operands;        // the program's, in order
  std::vector<LaunchRequest> launches;  // the kernels, in order; a buffer is the index of an operand
};
// The operands for a run of all specifications; `blocks` and `threads` are those of the largest kernel.
[[nodiscard]] Result<std::vector<Operand>> operandsOf(const graphene::Program& program,
                                                      const std::map<std::string, i64>& sizes, i64 blocks, i64 threads);
// Returns a Diag if a size is missing, a kernel belongs to another program, or there are too many blocks for a launch.
[[nodiscard]] Result<Launches> launchesOf(const codegen::CudaSource& source, const graphene::Program& program,
                                          const std::map<std::string, i64>& sizes);

}  // namespace tessera::measure
