// A tensor map for a launch: what cuTensorMapEncodeTiled makes of a tensor's address, extents and box, 128 bytes that the kernel gets
// by value (const __grid_constant__).
//
//     %A:[1024,1024:1024,1].fp16 through boxes of 128 x 64, mode 128B
//         extents 1024 1024, strides - 2048 bytes, box 64 128 (innermost first), FLOAT16, SWIZZLE_128B
//
// Every refusal of the driver is a Diag that says what was asked for. Needs a driver of CUDA 12 or later.
//
// Source: CUDA driver API, cuTensorMapEncodeTiled.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solver/measure/driver.h"

namespace tessera::measure {

// What is wanted, as plain data (request.h); no extents: none is.
struct MapRequest {
  std::string element;                     // "fp16"
  std::vector<i64> extents, strides, box;  // of codegen::TensorMap, in elements
  std::string swizzle;
  template <class A>
  void fields(A& a) {
    a(element, extents, strides, box, swizzle);
  }
};

using TensorMapBytes = std::array<unsigned char, 128>;

[[nodiscard]] Result<TensorMapBytes> encoded(const Driver& driver, const MapRequest& map, DevicePointer start);

}  // namespace tessera::measure
