// The main loop of a kernel's machine code, read from the cubin, and its instructions per tensor-core product.
//
//     loop of gemm, sm_80:  308 instructions, 192 HMMA, 48 LDSM, 24 LDGSTS        308 / 192 = 1.60
//
// The main loop is the shortest backward branch around an HMMA. Instructions are 16 bytes since Volta; the low 12 bits
// are the operation, and bits 105 to 108 the stall count. Law: the same counts as in a listing of `cuobjdump -sass`.
#pragma once

#include <string>

namespace tessera::codegen {

struct MainLoop {
  int instructions = 0;  // 0: there is no such loop
  int products = 0, matrixLoads = 0, copies = 0;
  int cycles = 0;  // sum of the stall counts
  [[nodiscard]] double ofProduct() const { return static_cast<double>(instructions) / products; }
  [[nodiscard]] double cyclesOfProduct() const { return static_cast<double>(cycles) / products; }
};

// Of the first kernel of the image.
[[nodiscard]] MainLoop mainLoop(const std::string& cubin, const std::string& architecture);

}  // namespace tessera::codegen
