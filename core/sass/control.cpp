#include "core/sass/control.h"

namespace tessera::sass {

namespace {

// The lowest bit of each field in the second half of an instruction.
constexpr unsigned kStall = 41, kYield = 45, kWrite = 46, kRead = 49, kWaits = 52, kReuse = 58;
constexpr std::uint64_t kWord = (std::uint64_t{1} << 21) - 1;

unsigned fieldOf(std::uint64_t high, unsigned at, unsigned bits) {
  return static_cast<unsigned>(high >> at & ((std::uint64_t{1} << bits) - 1));
}
std::uint64_t placed(unsigned value, unsigned at, unsigned bits) {
  return (value & ((std::uint64_t{1} << bits) - 1)) << at;
}

}  // namespace

Control decoded(std::uint64_t high) {
  Control c;
  c.stall = static_cast<int>(fieldOf(high, kStall, 4));
  c.yields = fieldOf(high, kYield, 1) == 0;
  c.writeBarrier = static_cast<int>(fieldOf(high, kWrite, 3));
  c.readBarrier = static_cast<int>(fieldOf(high, kRead, 3));
  c.waits = fieldOf(high, kWaits, 6);
  c.reuse = fieldOf(high, kReuse, 4);
  return c;
}

std::uint64_t encoded(const Control& control, std::uint64_t high) {
  const auto bits = [](int n) { return static_cast<unsigned>(n); };
  return (high & ~(kWord << kStall)) | placed(bits(control.stall), kStall, 4) |
         placed(control.yields ? 0 : 1, kYield, 1) | placed(bits(control.writeBarrier), kWrite, 3) |
         placed(bits(control.readBarrier), kRead, 3) | placed(control.waits, kWaits, 6) |
         placed(control.reuse, kReuse, 4);
}

}  // namespace tessera::sass
