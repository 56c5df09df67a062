// Canonical names of hardware axes, for the names of all notations.
//
//     linear layouts, Triton    register  lane  warp  block  offset  row    col
//     Axe, and here             reg       lane  warp  cta    m       TLane  TCol        (also laneid, warpid)
#pragma once

#include <string>

namespace tessera {

// register -> reg, laneid -> lane, block -> cta ...; other names are unchanged.
[[nodiscard]] std::string hardwareAxis(const std::string& name);
// The name in linear layouts: reg -> register, cta -> block ...; other names are unchanged.
[[nodiscard]] std::string linearAxis(const std::string& name);

// What an axis counts in a (thread, value) layout.
[[nodiscard]] bool isThreadAxis(const std::string& name);  // lane, warp, cta, and fusions of them
[[nodiscard]] bool isValueAxis(const std::string& name);   // reg

}  // namespace tessera
