// Multiprocessor: what the blocks of a kernel share, by architecture; and how many of them fit at once.
//
//     sm_80   163 KiB of shared memory a block at most, 164 a multiprocessor, 1 KiB of each block's is the system's
//     128 threads of 210 registers with 49152 bytes: registers 65536 / (4 warps * 32 * 216) = 2, shared 167936 / 50176 = 3: 2 blocks
//
// Law: blocksThatFit is what cuOccupancyMaxActiveBlocksPerMultiprocessor says with the largest carve-out.
//
// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; granules: the CUDA Occupancy Calculator.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/types.h"

namespace tessera::codegen {

constexpr i64 kMostStaticShared = i64{48} * 1024;  // bytes that a kernel may declare as arrays, on every architecture

struct Multiprocessor {
  int architecture = 0;    // 80
  i64 sharedOfBlock = 0;   // bytes, at most, by cudaFuncAttributeMaxDynamicSharedMemorySize
  i64 shared = 0;          // bytes of all blocks
  i64 sharedOfSystem = 0;  // bytes that each block takes besides its own
  int threads = 0, blocks = 0;
  int registers = 65536;
};
// "sm_90a"; nothing for what the table has not.
[[nodiscard]] std::optional<Multiprocessor> multiprocessorOf(std::string_view architecture);

// 0: not even one.
[[nodiscard]] int blocksThatFit(const Multiprocessor& m, i64 threads, int registers, i64 sharedBytes);

}  // namespace tessera::codegen
