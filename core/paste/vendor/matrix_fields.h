// The fields of a shared-memory matrix descriptor of wgmma or tcgen05, set one by one, shifted together, or in one
// number. Offsets of the hardware count 16 bytes.
//
//     desc.bitfield.layout_type_ = 0x1; desc.bitfield.stride_byte_offset_ = 64;      128B, stride 1024 bytes
//     desc |= matrix_descriptor_encode((uint64_t)1024) << 32; desc |= 1llu << 62;    the same
//     uint64_t desc = 0x4000004000010000                                             the same, leading 16 bytes
//
// layout_type_ has 2 bits on sm_90 (0 none, 1 128B, 2 64B, 3 32B) and 3 bits on sm_100 (0 none, 2 128B, 4 64B, 6 32B),
// where version_ is 1.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/paste/vendor/source.h"

namespace tessera::paste::vendor {

[[nodiscard]] bool looksLikeMatrixDescriptor(std::string_view text);
[[nodiscard]] Result<void> readMatrixFields(Source& source);

}  // namespace tessera::paste::vendor
