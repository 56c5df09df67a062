// Multiprocessor: the resources that the blocks of a kernel share, per architecture, and how many blocks fit.
//
//     sm_80   at most 163 KiB of shared memory per block, 164 per multiprocessor; the system takes 1 KiB of each block
//     128 threads of 210 registers with 49152 bytes: 2 blocks fit
//         registers 65536 / (4 warps * 32 * 216) = 2, shared 167936 / 50176 = 3
//
// Law: blocksThatFit equals cuOccupancyMaxActiveBlocksPerMultiprocessor with the largest carve-out.
//
// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; granules: the CUDA Occupancy
// Calculator.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/types.h"

namespace tessera::codegen {

constexpr i64 kMostStaticShared = i64{48} * 1024;  // bytes of arrays that a kernel may declare, on every architecture

struct Multiprocessor {
  int architecture = 0;    // 80
  i64 sharedOfBlock = 0;   // limit in bytes for cudaFuncAttributeMaxDynamicSharedMemorySize
  i64 shared = 0;          // bytes for all blocks
  i64 sharedOfSystem = 0;  // extra bytes per block
  int threads = 0, blocks = 0;
  int registers = 65536;
};
// "sm_90a"; nullopt: not in the table.
[[nodiscard]] std::optional<Multiprocessor> multiprocessorOf(std::string_view architecture);

// How many blocks run at once; 0: not even one fits.
[[nodiscard]] int blocksThatFit(const Multiprocessor& m, i64 threads, int registers, i64 sharedBytes);

}  // namespace tessera::codegen
