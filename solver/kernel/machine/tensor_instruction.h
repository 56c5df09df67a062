// TensorInstruction: the instruction descriptor of tcgen05.mma: shape, types and major-ness of a product.
//
//     TensorInstruction::of(0x8100010, Opcode("tcgen05.mma.cta_group::1.kind::f16"), ...)    128x64x16, f16, sums f32
//
// Kinds of 32 bytes along K: f16, tf32, f8f6f4, i8. Elements of 4 and 6 bits of f8f6f4 are packed in the lower part of
// each 16 bytes of shared memory, which count as 16 elements, and take a byte each in tensor memory.
//
// mxf8f6f4, mxf4 and mxf4nvf4 have a scale for `block` elements along K of each row of A and each column of B; mxf4 and
// mxf4nvf4 pack two elements in a byte. Row r of a block's scales is in lane r%32 and column r/32 of tensor memory,
// from byte Multiplicand::scales of the cell on.
//
// Source: PTX ISA 9.0, 9.7.16.4.2 (instruction descriptor), 9.7.16.10.7 (block scaling).
#pragma once

#include "solver/kernel/lanes/fragments.h"

namespace tessera::kernel {

struct TensorInstruction {
  int kind = 0;  // a number of the kind
  int m = 0, n = 0, k = 0;
  struct Multiplicand {
    TileType type;
    bool negated = false, transposed = false;
    int scales = 0;  // the first byte in the cell of its scales
  };
  Multiplicand a, b;
  TileType d;
  bool saturates = false;
  int block = 0;  // 0: no scales
  bool ue4m3 = false;

  // A Diag if the hardware, or this machine, has no such product.
  static Result<TensorInstruction> of(std::uint32_t bits, const ptx::Opcode& opcode, int ctas, bool tensorA);
  // Bytes of shared memory that the addresses of `count` elements along a row span.
  [[nodiscard]] int bytes(const TileType& type, int count) const {
    return packed() ? count / 2 : count * std::max(type.bits, 8) / 8;
  }
  // Two elements in a byte.
  [[nodiscard]] bool packed() const { return block != 0 && k == 64; }
  [[nodiscard]] double scale(std::uint32_t cell, int first, int element) const;
};

}  // namespace tessera::kernel
