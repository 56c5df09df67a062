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
// Device peaks come from its clocks and a table by architecture (roofline.cpp, with sources).
#pragma once

#include <map>
#include <string>

#include "core/graphene/program.h"
#include "solver/measure/device/driver.h"

namespace tessera::measure {

struct Work {
  double bytesRead = 0, bytesWritten = 0;
  double products = 0;          // operations of MatMul on inputs of 16 bits or fewer, or tf32: run on matrix units
  double others = 0;            // all other operations
  bool conditional = false;     // some code is under a condition
  std::string products16 = {};  // element type of their inputs, "fp16"; empty: none
};

// Of all kernels of the program together. Returns a Diag if a size is unknown.
[[nodiscard]] Result<Work> workOf(const graphene::Program& program, const std::map<std::string, i64>& sizes);

struct Roofline {
  double memoryMicroseconds = 0;   // 0: memory speed not reported
  double computeMicroseconds = 0;  // 0: architecture unknown
  [[nodiscard]] double microseconds() const {
    return memoryMicroseconds > computeMicroseconds ? memoryMicroseconds : computeMicroseconds;
  }
  [[nodiscard]] const char* bound() const { return memoryMicroseconds > computeMicroseconds ? "memory" : "operations"; }
};
[[nodiscard]] Roofline rooflineOf(const Work& work, const DeviceInfo& device);

}  // namespace tessera::measure
