// Matrix descriptors: where the elements of an operand of wgmma or tcgen05 lie in shared memory.
//
// A descriptor gives the start address, two strides and the swizzle of a matrix:
//
//     K-major, swizzle of W bytes    start + row/8 * stride + row%8 * W + k bytes                 then the swizzle
//     MN-major, swizzle of W bytes   start + bytes/W * leading + k/8 * stride + k%8 * W + bytes%W   then the swizzle
//     without a swizzle, W is 16 and both strides are used
//
// The swizzle exclusive-ors bits 4 to 6 of the address with bits 7 to 9 (128 bytes; fewer for 64 and 32). Blackwell has
// one more, of 128 bytes in atoms of 32: bits 5 and 6 with bits 7 and 8, MN-major only, and 4 for the 8 above.
//
//     Result<MatrixDescriptorWord> a = MatrixDescriptorWord::ofTcgen05(word);
//     a->kMajor(9, 16)      the address of row 9, byte 16 along K
//
// Law: the descriptor that core/atlas/gmma.h writes for a tile leads to the tile's elements (tests/kernel).
//
// Source: PTX ISA 9.0, 9.7.15.5.1.2 (wgmma), 9.7.16.3 and 9.7.16.4.1 (tcgen05).
#pragma once

#include "solver/kernel/machine/memory_unit.h"

namespace tessera::kernel {

class MatrixDescriptorWord {
 public:
  // A Diag if the bits describe no matrix, or one that is not supported.
  static Result<MatrixDescriptorWord> ofWgmma(u64 bits);
  static Result<MatrixDescriptorWord> ofTcgen05(u64 bits);
  // The address of byte `at` along K (K-major), or of element k and byte `at` along M or N.
  [[nodiscard]] u64 kMajor(int row, int at) const;
  [[nodiscard]] u64 mnMajor(int k, int at) const;
  // A swizzle in atoms of 32 bytes: no K-major matrix has it.
  [[nodiscard]] bool wideAtoms() const { return lines_ == 4; }

 private:
  static Result<MatrixDescriptorWord> of(u64 bits, int swizzle, int lines);
  [[nodiscard]] u64 swizzled(u64 address) const;
  u64 start_ = 0, leading_ = 0, stride_ = 0;
  int swizzle_ = 16;  // bytes; 16: none
  u64 lines_ = 8;     // in an atom
};

// The bytes of an operand: each 16 bytes of shared memory are accessed once.
class SharedOperand {
 public:
  // `actor` reads. `rank`: of the block in the cluster whose memory it is.
  SharedOperand(MemoryUnit& memory, Block& block, Warp& w, const Actor& actor, u64 rank)
      : memory_(memory), block_(block), warp_(w), actor_(actor), rank_(rank) {}
  // Requires: they do not cross a multiple of 16.
  [[nodiscard]] u64 bits(u64 address, int bytes);
  // The slots from this address to the next multiple of 16. Requires: values are symbolic, and bits() was asked there.
  [[nodiscard]] std::span<const Slot> slots(u64 address) const;
  // Of distinct chunks of 16.
  [[nodiscard]] i64 bytesRead() const { return 16 * static_cast<i64>(chunks_.size()); }

 private:
  struct Read {
    std::array<std::uint8_t, 16> bytes{};
    std::vector<Slot> slots;
  };
  MemoryUnit& memory_;
  Block& block_;
  Warp& warp_;
  Actor actor_;
  u64 rank_;
  std::map<u64, Read> chunks_;
};

}  // namespace tessera::kernel
