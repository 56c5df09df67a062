#include "solver/kernel/machine/matrix_descriptor.h"

#include <fmt/format.h>

#include <cstring>

namespace tessera::kernel {

Result<MatrixDescriptorWord> MatrixDescriptorWord::of(u64 bits, int swizzle, int lines) {
  const auto field = [&](int from) { return (bits >> from & 0x3fff) << 4; };
  MatrixDescriptorWord d;
  d.start_ = field(0);
  d.leading_ = field(16);
  d.stride_ = field(32);
  d.swizzle_ = swizzle;
  d.lines_ = static_cast<u64>(lines);
  // The pattern of the swizzle does not begin at a multiple of its length.
  if (swizzle != 16 && (bits >> 49 & 7) != 0)
    return Diag{fmt::format("the descriptor {:#x} has a base offset, which is not supported", bits)};
  return d;
}

Result<MatrixDescriptorWord> MatrixDescriptorWord::ofWgmma(u64 bits) {
  constexpr int kBytes[] = {16, 128, 64, 32};
  return of(bits, kBytes[bits >> 62], 8);
}

Result<MatrixDescriptorWord> MatrixDescriptorWord::ofTcgen05(u64 bits) {
  if ((bits >> 46 & 7) != 1)
    return Diag{
        fmt::format("the descriptor {:#x} has {} in its bits 46 to 48, and tcgen05 requires 1", bits, bits >> 46 & 7)};
  if ((bits >> 52 & 1) != 0)
    return Diag{fmt::format("the descriptor {:#x} has an absolute leading address, which is not supported", bits)};
  switch (bits >> 61) {
    case 0:
      return of(bits, 16, 8);
    case 1:
      return of(bits, 128, 4);
    case 2:
      return of(bits, 128, 8);
    case 4:
      return of(bits, 64, 8);
    case 6:
      return of(bits, 32, 8);
    default:
      return Diag{fmt::format("the descriptor {:#x} has the swizzle {}, which does not exist", bits, bits >> 61)};
  }
}

u64 MatrixDescriptorWord::swizzled(u64 address) const {
  if (lines_ == 4) return address ^ (address >> 2 & 0x60);
  const u64 mask = static_cast<u64>(swizzle_ / 16 - 1) << 4;
  return address ^ (address >> 3 & mask);
}

u64 MatrixDescriptorWord::kMajor(int row, int at) const {
  const auto r = static_cast<u64>(row), b = static_cast<u64>(at);
  if (swizzle_ == 16) return start_ + r / 8 * stride_ + b / 16 * leading_ + r % 8 * 16 + b % 16;
  return swizzled(start_ + r / 8 * stride_ + r % 8 * static_cast<u64>(swizzle_) + b);
}

u64 MatrixDescriptorWord::mnMajor(int k, int at) const {
  const auto r = static_cast<u64>(k), b = static_cast<u64>(at), width = static_cast<u64>(swizzle_);
  if (swizzle_ == 16) return start_ + b / 16 * stride_ + r / 8 * leading_ + r % 8 * 16 + b % 16;
  return swizzled(start_ + b / width * leading_ + r / lines_ * stride_ + r % lines_ * width + b % width);
}

u64 SharedOperand::bits(u64 address, int bytes) {
  const auto [at, made] = chunks_.try_emplace(address & ~u64{15});
  if (made) {
    const auto target = memory_.access(block_, warp_, actor_, ptx::Space::Shared,
                                       sharedAddressIn(block_, rank_, at->first), 16, nullptr);
    if (target) std::memcpy(at->second.bytes.data(), target->bytes, 16);
    if (Symbolic* const values = memory_.symbolic(); values != nullptr)
      at->second.slots = target ? values->slotsAt(warp_, 0, *target, 16) : std::vector<Slot>(16);
  }
  u64 out = 0;
  std::memcpy(&out, at->second.bytes.data() + (address & 15), static_cast<std::size_t>(bytes));
  return out;
}

std::span<const Slot> SharedOperand::slots(u64 address) const {
  return std::span(chunks_.at(address & ~u64{15}).slots).subspan(address & 15);
}

}  // namespace tessera::kernel
