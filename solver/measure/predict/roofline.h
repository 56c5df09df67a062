// Roofline: the minimum cost of a specification, counted from its text: bytes of global memory to move, operations to
// perform, and the time a device needs for them at its peak.
//
//     %C <- MatMul(%A,%B)   8192^3, fp16      reads A, B and C, writes C: 4 * 2^27 bytes; 2 * 8192^3 operations
//     H100: 2^29 B / 3.35 TB/s = 160 us;  1.1e12 / 989 T/s = 1112 us     at least 1112 us, bound by operations
//
// Bytes count once per global tensor of the caller, however often a kernel reads it. Operations count once per value: a
// multiply-add is two, everything else one. For a specification without a predefined function (Spec), they are counted
// in its decomposition: the operations of each inner specification times its executions (loops, and the groups of
// blocks and threads that run it). Code under a condition counts as taken; `conditional` then marks that the count is
// no lower bound.
//
// Device peaks come from its clocks and a table by name and compute capability (peaks.h).
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "core/graphene/program.h"
#include "solver/measure/device/driver.h"

namespace tessera::measure {

struct Work {
  double bytesRead = 0, bytesWritten = 0;
  double products = 0;          // operations of MatMul on inputs of 16 bits or fewer, or tf32: run on matrix units
  double others = 0;            // all other operations
  bool conditional = false;     // some code is under a condition
  std::string products16 = {};  // element type of their inputs, "fp16"; empty: none
  bool halfSums = false;        // some of them add up in fp16
};

// Of all kernels of the program together. Returns a Diag if a size is unknown.
[[nodiscard]] Result<Work> workOf(const graphene::Program& program, const std::map<std::string, i64>& sizes);

struct Roofline {
  double memoryMicroseconds = 0;   // 0: memory speed not reported
  double computeMicroseconds = 0;  // 0: peak unknown
  std::string peak = {};           // where the peak of operations is from, or why there is none
  [[nodiscard]] double microseconds() const {
    return memoryMicroseconds > computeMicroseconds ? memoryMicroseconds : computeMicroseconds;
  }
  [[nodiscard]] const char* bound() const { return memoryMicroseconds > computeMicroseconds ? "memory" : "operations"; }
};
[[nodiscard]] Roofline rooflineOf(const Work& work, const DeviceInfo& device);

// Occupancy: the number of a kernel's warps resident on a multiprocessor, limited by registers, shared memory, warps
// and blocks.
//
//     sm_80, 256 threads of 128 registers, 48 KiB shared: registers allow 2 blocks, shared memory 3, warps 8
//         2 blocks: 16 of 64 warps
//
// Limits and rule come from core/codegen/kernel/multiprocessor.h: registers are allocated per warp in steps of 256,
// from one of the four quarters of the multiprocessor; a block may have any number of warps. With one warp of 24
// registers per block, registers allow 84 warps, but only 32 blocks fit.
//
// Law: the result equals the driver's cuOccupancyMaxActiveBlocksPerMultiprocessor, without a driver.

struct Occupancy {
  i64 blocks = 0, warps = 0, mostWarps = 0;
};
// nullopt if the architecture is not in the table. Requires: threads >= 1.
[[nodiscard]] std::optional<Occupancy> occupancyOf(std::string_view architecture, i64 threads, i64 registers,
                                                   i64 sharedBytes);

}  // namespace tessera::measure
