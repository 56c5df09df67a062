// Roofline: the least that a specification costs, counted from its text: bytes of global memory that must move, operations that
// must be done, and the time that a device needs for them at its best.
//
//     %C <- MatMul(%A,%B)   8192^3, fp16      reads A, B and C, writes C: 4 * 2^27 bytes; 2 * 8192^3 operations
//     H100: 2^29 B / 3.35 TB/s = 160 us;  1.1e12 / 989 T/s = 1112 us     at least 1112 us, bound by operations
//
// Bytes are counted once a tensor of the caller in global memory, however often a kernel reads them; operations once a value:
// a product and a sum are two, everything else one. Of a specification without a function of its own (Spec) the operations are
// counted in its decomposition: those of each inner specification, times how often it is executed (loops, and the blocks and threads
// beside the ones that it names). What stands under a condition is counted as if it were taken: `least` is then no bound.
//
// What a device can do comes from its clocks and from the table of its architecture (roofline.cpp, with the sources).
#pragma once

#include <map>
#include <string>

#include "core/graphene/program.h"
#include "solver/measure/driver.h"

namespace tessera::measure {

struct Work {
  double bytesRead = 0, bytesWritten = 0;
  double products =
      0;  // operations inside of MatMul, whose inputs have 16 bits or fewer or are tf32: matrix units do these
  double others = 0;            // all other operations
  bool conditional = false;     // something stands under a condition
  std::string products16 = {};  // element type of their inputs, "fp16"; empty: none
};

// Of all kernels of the program together. A Diag: a size that is not known.
[[nodiscard]] Result<Work> workOf(const graphene::Program& program, const std::map<std::string, i64>& sizes);

struct Roofline {
  double memoryMicroseconds = 0;   // 0: the device does not say how fast its memory is
  double computeMicroseconds = 0;  // 0: nothing is known of this architecture
  [[nodiscard]] double microseconds() const {
    return memoryMicroseconds > computeMicroseconds ? memoryMicroseconds : computeMicroseconds;
  }
  [[nodiscard]] const char* bound() const { return memoryMicroseconds > computeMicroseconds ? "memory" : "operations"; }
};
[[nodiscard]] Roofline rooflineOf(const Work& work, const DeviceInfo& device);

}  // namespace tessera::measure
