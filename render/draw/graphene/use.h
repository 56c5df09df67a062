// Use: the memory cost of one moment's accesses, warp by warp: shared-memory wavefronts, global-memory sectors.
//
//     transpose, pitch 32: warp 0 stores a column     32 wavefronts, 1 would suffice
//
// Law: addresses come from the touches, phases and widths from the atom; counting is done by core/analysis.
#pragma once

#include "core/analysis/memory/banks.h"
#include "render/draw/graphene/moment.h"

namespace tessera::graphene {

struct WarpUse {
  i64 warp = 0;
  std::optional<BankAccess> shared;
  std::optional<SectorReport> global;
};

struct Use {
  int operand = -1;  // the operand with these addresses
  bool shared = false;
  std::vector<WarpUse> warps;
  std::string fault;  // misaligned: counting is not possible
  [[nodiscard]] int wavefronts() const;
  [[nodiscard]] int ideal() const;
};
// `warps` is empty if the moment accesses no memory or its atom is unknown.
[[nodiscard]] Use useOf(const Moment& moment);

}  // namespace tessera::graphene
