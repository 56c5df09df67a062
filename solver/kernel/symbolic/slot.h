// Slot: what a byte of a register or of memory holds, if that is a symbol and not a number.
//
//     ld.global.f32 %f1, [A+8]     bytes 0 to 3 of %f1 are parts 0 to 3 of the term A[2], an f32 of 4 bytes
//     mov.b32 {%rs1, %rs2}, %f1    %rs1 has its parts 0 and 1, %rs2 its parts 2 and 3
//
// Law: the parts 0 .. bytes-1 of one term, side by side, are its value in `type`; any other arrangement has none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/ptx/module.h"

namespace tessera::kernel {

struct Slot {
  std::uint32_t term = 0;  // of graphene::Terms; 0: the byte is a number
  std::uint8_t part = 0, bytes = 0;
  ptx::Type type = ptx::Type::None;
  bool operator==(const Slot&) const = default;
};
using LaneSlots = std::array<Slot, 8>;  // of one lane of a register
using RegisterSlots = std::array<LaneSlots, 32>;

// The slots of a warp's registers and of its local memory; both empty unless a run has symbols.
struct WarpSlots {
  std::vector<std::unique_ptr<RegisterSlots>> registers;  // null: numbers
  std::vector<Slot> local;                                // localBytes of each lane
};

}  // namespace tessera::kernel
