// Kernel: a top-level specification of a Graphene program as a CUDA kernel, with what a caller needs to launch it.
//
//     %C <- MatMul<<<#grid,#cta>>>(%A,%B) { ... }      extern "C" __global__ void __launch_bounds__(256)
//                                                      C_MatMul(const half* __restrict__ A, const half* __restrict__ B, half* C)
//     blocks 64, threads 256; params A, B, C with 1048576 places each
//
// The operands of the program are pointers to global memory. One in registers or shared memory (a program may be a part of
// a larger kernel: an epilogue that begins at accumulators) has a copy for each thread or block, as the emulator keeps it: value
// `i` of thread t of block b lies at (b * threads + t) * n + i with n the places of one copy, and the kernel begins by fetching its copy
// and ends by storing what it has written.
//
// A tensor that TMA copies (Move<bulk %f>) is a tensor map, a parameter by value: const __grid_constant__ tessera::TensorMap A_map.
//
// Law: text and program do the same: every address that the text computes is the address of the tensor's element, for every
// block, thread, loop and size. core/codegen/prelude.h says which functions the text calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graphene/program.h"

namespace tessera::codegen {

// How TMA finds a box in global memory: what the caller makes a CUtensorMap of (cuTensorMapEncodeTiled), with the tensor's address.
// Innermost dimension first; strides count elements, and the first is 1.
struct TensorMap {
  std::vector<i64> extents, strides, box;
  std::string swizzle;  // the mode, "128B" (core/atlas/tma.h)
  bool operator==(const TensorMap&) const = default;
};

struct KernelParam {
  std::string name;                   // "A", and "M" for a size
  bool size = false;                  // an int parameter
  bool written = false;               // T* instead of const T* __restrict__
  std::string element;                // "fp16": graphene's element name
  Expr places;                        // how many elements its storage spans; over the sizes, by the program's variables
  std::optional<TensorMap> map = {};  // a const __grid_constant__ tensor map of it, 128 bytes, instead of a pointer
};

struct Kernel {
  std::string name;                 // of the __global__ function
  int spec = 0;                     // which top-level specification of the program, counted from 0
  std::vector<KernelParam> params;  // tensors in the order of the program's operands, tensor maps, sizes
  Expr blocks;                      // of the launch (1-D); over the sizes
  i64 threads = 1;                  // of a block
  i64 sharedBytes = 0;              // of shared memory
  i64 dynamicBytes = 0;             // of these, what the launch has to give: all arrays, where they are beyond 48 KiB
};

struct CudaSource {
  std::string architecture;  // "sm_80"
  std::string text;          // a whole translation unit: prelude, kernels
  std::vector<Span>
      lines;  // by line of `text` (0-based): the statement of the Graphene text that it came from; empty: none
  std::vector<Kernel> kernels;
};

struct CodegenOptions {
  std::string architecture = "sm_80";
};

// Refused, with the place: a leaf that is no instruction of the architecture, operands beside each other that no address can
// be printed for, kernels without a configuration or with a thread count that is a symbol.
[[nodiscard]] Result<CudaSource> emitCuda(const graphene::Program& program, const CodegenOptions& options = {});

// Why emitCuda refuses the program; nothing: it does not. `resources`: a block of the architecture has not the shared memory.
struct Refusal {
  Diag diag;
  bool resources = false;
};
[[nodiscard]] std::optional<Refusal> refusalOf(const graphene::Program& program, const CodegenOptions& options = {});

}  // namespace tessera::codegen
