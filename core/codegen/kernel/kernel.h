// Kernel: a top-level specification of a Graphene program as a CUDA kernel with its launch parameters.
//
//     %C <- MatMul<<<#grid,#cta>>>(%A,%B) { ... }      extern "C" __global__ void __launch_bounds__(256)
//                                                      C_MatMul(const half* __restrict__ A,
//                                                               const half* __restrict__ B, half* C)
//     blocks 64, threads 256; params A, B, C with 1048576 elements each
//
// The program's operands become pointers to global memory. An operand may also be in registers or shared memory: the
// program may be part of a larger kernel, such as an epilogue that starts from accumulators. It is then passed as one
// copy per thread or block, as in the emulator: value `i` of thread t of block b is at (b * threads + t) * n + i, where
// n is the size of a copy. The kernel loads its copy at the start and stores it at the end if it has written to it.
//
// A tensor that TMA copies (Move<bulk %f>) becomes a tensor map, passed by value: const __grid_constant__
// tessera::TensorMap A_map.
//
// Law: text and program are equivalent: for every block, thread, loop value and size, every address in the text is the
// address of the tensor's element. core/codegen/kernel/prelude.h lists the functions that the text calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graphene/program.h"

namespace tessera::codegen {

// How TMA addresses a box in global memory. From this and the tensor's address, the caller makes a CUtensorMap
// (cuTensorMapEncodeTiled). Innermost dimension first; strides are in elements, and the first is 1.
struct TensorMap {
  std::vector<Expr> extents, strides;  // over the program's sizes
  std::vector<i64> box;
  std::string swizzle;  // the mode, "128B" (core/atlas/tma.h)
  bool operator==(const TensorMap&) const = default;
};

struct KernelParam {
  std::string name;                   // "A", and "M" for a size
  bool size = false;                  // an int parameter
  bool written = false;               // T* instead of const T* __restrict__
  std::string element;                // "fp16": graphene's element name
  Expr places;                        // elements that its storage spans, over the program's sizes
  std::optional<TensorMap> map = {};  // of a const __grid_constant__ tensor map, 128 bytes, instead of a pointer
};

struct Kernel {
  std::string name;                 // of the __global__ function
  int spec = 0;                     // index of the top-level specification in the program, from 0
  std::vector<KernelParam> params;  // tensors in the program's operand order, tensor maps, sizes
  Expr blocks;                      // blocks of the launch (1-D), over the program's sizes
  i64 threads = 1;                  // per block
  i64 sharedBytes = 0;              // shared memory
  i64 dynamicBytes = 0;             // the part that the launch provides: all arrays, if they exceed 48 KiB
};

struct CudaSource {
  std::string architecture;  // "sm_80"
  std::string text;          // a whole translation unit: prelude, kernels
  std::vector<Span> lines;   // per line of `text` (0-based), the Graphene statement it comes from; empty: none
  std::vector<Kernel> kernels;
};

struct CodegenOptions {
  std::string architecture = "sm_80";
};

// A Diag, with the place: a leaf is not an instruction of the architecture; the address of contiguous operands cannot
// be printed; a kernel has no configuration or a symbolic number of threads.
[[nodiscard]] Result<CudaSource> emitCuda(const graphene::Program& program, const CodegenOptions& options = {});

// Why emitCuda rejects the program; nullopt: it does not. `resources`: a block needs more shared memory than it can
// have.
struct Refusal {
  Diag diag;
  bool resources = false;
};
[[nodiscard]] std::optional<Refusal> refusalOf(const graphene::Program& program, const CodegenOptions& options = {});

}  // namespace tessera::codegen
