// Names of hardware axes: one for each, whatever a notation calls it.
//
//     linear layouts, Triton    register  lane  warp  block  offset  row    col
//     Axe, and here             reg       lane  warp  cta    m       TLane  TCol        (laneid, warpid are read too)
#pragma once

#include <string>

namespace tessera {

// register -> reg, laneid -> lane, block -> cta ...; other names stay as they are.
[[nodiscard]] std::string hardwareAxis(const std::string& name);
// The name that linear layouts have for it: reg -> register, cta -> block ...; other names stay.
[[nodiscard]] std::string linearAxis(const std::string& name);

// What an axis counts, as far as a layout of (thread, value) cares.
[[nodiscard]] bool isThreadAxis(const std::string& name);  // lane, warp, cta, and those that fuse them
[[nodiscard]] bool isValueAxis(const std::string& name);   // reg

}  // namespace tessera
