// The listings of tests/sass/data.
#pragma once

#include <string>
#include <vector>

#include "core/sass/listing.h"

namespace tessera::sass {

inline constexpr const char* kListings[] = {"dot.sm_80",    "dot.sm_90a",           "spill.sm_80",
                                            "spill.sm_90a", "gemm_pipelined.sm_80", "gemm_wgmma_pipelined.sm_90a"};
// The bytes of data/NAME.
[[nodiscard]] std::string dataText(const std::string& name);
// The kernels of data/NAME.sass.
[[nodiscard]] std::vector<Kernel> kernelsOf(const std::string& name);
[[nodiscard]] Kernel kernelOf(const std::string& name, const std::string& kernel);
// Sets the control word of an instruction.
void setControl(Instruction& i, const Control& control);

}  // namespace tessera::sass
