// Use: what the accesses of a moment cost: wavefronts of shared memory, sectors of global memory, warp by warp.
//
//     transpose, pitch 32: warp 0 stores a column     32 wavefronts, 1 would do
//
// Law: the addresses are those of the touches, the phases and widths the atom's; what is counted is core/analysis' own.
#pragma once

#include "core/analysis/banks.h"
#include "core/analysis/coalescing.h"
#include "render/draw/graphene/moment.h"

namespace tessera::graphene {

struct WarpUse {
  i64 warp = 0;
  std::optional<WarpAccess> shared;
  BankReport banks;
  std::optional<SectorReport> global;
};

struct Use {
  int operand = -1;  // whose addresses these are
  bool shared = false;
  std::vector<WarpUse> warps;
  std::string fault;  // misaligned: nothing can be counted
  [[nodiscard]] int wavefronts() const;
  [[nodiscard]] int ideal() const;
};
// Nothing in `warps` where the moment touches no memory, or its atom is not known.
[[nodiscard]] Use useOf(const Moment& moment);

}  // namespace tessera::graphene
