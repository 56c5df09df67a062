// Peaks: operations per clock and multiprocessor of a device, dense, a multiply-add counting as two.
//
//     peakOf("NVIDIA H100 80GB HBM3", 9.0)          matrix 4096 with fp32 sums, 4096 with fp16 sums; ordinary 256
//     peakOf("NVIDIA GeForce RTX 4090", 8.9)        matrix  512 with fp32 sums, 1024 with fp16 sums
//     peakOf("NVIDIA RTX 6000 Ada Generation", 8.9) matrix 1024 with either
//
// Devices of one compute capability differ: the matrix units of GeForce boards, and of some for data centres (A10G,
// L40, L20), multiply with fp32 sums at half the rate of fp16 sums. A table of names knows which (peaks.cpp, with
// sources). A name that the table lacks has the higher rate, so that a time from it remains a lower bound; `source`
// says so.
//
// Law: clocks times multiprocessors times these peaks are the operations per second of the data sheets to 2 %
// (tests/measure/peaks_test.cpp).
#pragma once

#include <string>
#include <string_view>

#include "solver/measure/device/driver.h"

namespace tessera::measure {

struct Peak {
  double matrix = 0;      // matrix units on 16-bit inputs, with fp32 sums
  double matrixHalf = 0;  // the same with fp16 sums
  double ordinary = 0;    // fp32 units
  std::string source;     // "peak of GeForce: half rate with fp32 sums (...)", "peak by compute capability ..."
  // Of a product of inputs of a type, "fp16": 8-bit types twice the rate, tf32 half. Integers have integer sums, which
  // no board halves.
  [[nodiscard]] double matrixOf(std::string_view input, bool halfSums) const;
};

// Diag: the compute capability is not known, or the name is, but not its rate.
[[nodiscard]] Result<Peak> peakOf(const DeviceInfo& device);

}  // namespace tessera::measure
