// Kernel roofline: the minimum time of a kernel of an HLO module on a device, and the resource that limits it.
//
//     bf16 dot of [8192,8192] and [8192,8192]   402 MB, 1.1e12 operations     H100: at least 1.11 ms, operations
//     f32[1000,1000] x + transpose(x)           8 MB, 1e6 operations          H100: at least 2.39 us, memory
//
// Bytes: each distinct element of the operands that is read, once, and the outputs. Products of 16-bit and 8-bit types
// run on matrix units; those of f32 are assumed to be tf32, as XLA does by default. Not a prediction: a lower bound.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/cost/operations.h"
#include "core/hlo/cost/waste.h"
#include "solver/measure/predict/roofline.h"

namespace tessera::measure {

struct KernelRoofline {
  hlo::Where where;
  double bytes = 0, operations = 0;  // of one run
  Roofline roofline;
  i64 runs = 1;
  std::string plan = {}, why = {};  // why: what is not counted, so the time is a weaker bound
  [[nodiscard]] double microseconds() const { return roofline.microseconds() * static_cast<double>(runs); }
};
// The longest first.
[[nodiscard]] std::vector<KernelRoofline> rooflinesOf(const hlo::Module& module, const hlo::Ranking& ranking,
                                                      const DeviceInfo& device);

}  // namespace tessera::measure
