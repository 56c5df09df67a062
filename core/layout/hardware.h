// Canonical names of hardware axes, and their names in the notations.
//
//     linear layouts, Triton    register  lane  warp  block  offset  row    col
//     Axe, and here             reg       lane  warp  cta    m       TLane  TCol        (also laneid, warpid)
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/layout/arrow.h"

namespace tessera {

// register -> reg, laneid -> lane, block -> cta ...; other names are unchanged.
[[nodiscard]] std::string hardwareAxis(const std::string& name);
// The name in linear layouts: reg -> register, cta -> block ...; other names are unchanged.
[[nodiscard]] std::string linearAxis(const std::string& name);

// What an axis counts in a (thread, value) layout.
[[nodiscard]] bool isThreadAxis(const std::string& name);  // lane, warp, cta, and fusions of them
[[nodiscard]] bool isValueAxis(const std::string& name);   // reg

// Hardware axes that count others in one number:
//
//     tx = lane + 32 * warp      tid_in_wg = lane + 32 * wid_in_wg      warp = wid_in_wg + 4 * wgid
//
//     S[128:1@tx]  and  S[(4,32):(1@warp,1@lane)]      withCommonAxes: both over lane and warp, and equal
//
// Law: withCommonAxes changes no place of the hardware, only the axes that name it.
// Source: PTX ISA, "Thread Hierarchy" and wgmma (a warpgroup is four consecutive warps); the names are those of TVM's
// Axe.
//
// Splits the fused axes of two arrows that name threads by different axes. Unchanged if the names agree, if one arrow
// has both an axis and one that fuses it, or if the radix does not divide an input's extent. Returns which axes were
// split: "tx as lane + 32 * warp"; empty: none.
[[nodiscard]] Result<std::string> withCommonAxes(Arrow& a, Arrow& b);

}  // namespace tessera
