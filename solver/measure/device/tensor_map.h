// The tensor map of a launch: 128 bytes that cuTensorMapEncodeTiled makes from a tensor's address, extents and box,
// passed to the kernel by value (const __grid_constant__).
//
//     %A:[1024,1024:1024,1].fp16 through boxes of 128 x 64, mode 128B
//         extents 1024 1024, strides - 2048 bytes, box 64 128 (innermost first), FLOAT16, SWIZZLE_128B
//
// A rejection by the driver is a Diag with the requested map. Needs a driver of CUDA 12 or later.
//
// Source: CUDA driver API, cuTensorMapEncodeTiled.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solver/measure/device/driver.h"

namespace tessera::measure {

// A map to encode, as plain data (request.h); no extents: none.
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
