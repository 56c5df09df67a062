// TensorMap: what a tensor map (CUtensorMap) says, and the tile that a tensor copy moves with it.
//
//     const __grid_constant__ CUtensorMap    128 bytes of .param; their encoding is not documented, so a launch gives
//                                            the map itself, and mapBytes(3) stands for that of parameter 3
//     f16[1024,512], box 64x64, swizzle 128B, at coordinates {c0 = 64, c1 = 1000}
//         row r, chunk c of the tile: 16 bytes at tensor[1000 + r][64 + 8 c], in shared memory at
//         swizzle(start + 128 r + 16 c); rows 24 to 63 lie beyond the tensor
//
// The swizzle is applied to the bits of the address in shared memory (core/atlas/tma.h), so a tile that starts at any
// multiple of 128 is placed as the hardware places it.
//
// Source: PTX ISA 9.0, 5.5 (tensors), 9.7.9.27 (tensor copies); CUDA driver API, cuTensorMapEncodeTiled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/atlas/tma.h"
#include "core/ptx/module.h"

namespace tessera::kernel {

struct TensorMap {
  TmaBox tile;                       // innermost dimension first; addresses are 0
  i64 offset = 0;                    // bytes from the start of its buffer to the tensor
  int buffer = -1;                   // the parameter whose buffer holds the tensor; -1: its own
  bool fillNan = false;              // beyond the tensor: NaN instead of zero
  ptx::Type type = ptx::Type::None;  // of an element, for reductions and NaN
  bool operator==(const TensorMap&) const = default;

  [[nodiscard]] std::size_t rank() const { return tile.box.size(); }
  [[nodiscard]] int elementBytes() const { return tile.element.bits / 8; }
  // From its first byte to the end of the last element; at most the largest i64.
  [[nodiscard]] i64 spanBytes() const;
};

// 16 bytes of a tile in shared memory.
struct TileChunk {
  u64 shared = 0;        // address, swizzled
  i64 tensor = 0;        // byte `from` of the chunk is this byte of the tensor
  int from = 0, to = 0;  // the bytes of the chunk that lie inside the tensor; from == to: none
};
// Requires: as many coordinates as dimensions, innermost first; `shared` is a multiple of 128.
[[nodiscard]] std::vector<TileChunk> tileOf(const TensorMap& map, std::span<const i64> coordinates, u64 shared);
// 16 bytes as a copy writes them beyond the tensor.
[[nodiscard]] std::array<std::uint8_t, 16> fillOf(const TensorMap& map);

// The elements of the tensor in C order, from the bytes of its buffer. Requires: the buffer holds the tensor.
[[nodiscard]] std::vector<std::byte> elementsOf(const TensorMap& map, std::span<const std::byte> buffer);

// The bytes of parameter number `parameter`, a tensor map.
[[nodiscard]] std::array<std::uint8_t, 128> mapBytes(std::size_t parameter);

}  // namespace tessera::kernel
