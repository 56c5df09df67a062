// Replica groups: which replicas a collective joins, in each of XLA's spellings.
//
//     {{0,1},{2,3}}                                          groups of 2, listed
//     [4,2]<=[8]                                             4 groups of 2
//     mesh['x'=2,'y'=4] {'y'}                                groups along axes of a device mesh: 4 in a group
//     mesh['x'=8], device_ids=([4,2]T(1,0)) {'x':(2)4}       along part of an axis, length 4, in any device order
//     {}                                                     all: replica_count of the module; with a channel, times
//                                                            num_partitions
#pragma once

#include <optional>
#include <string>

#include "core/hlo/text/module.h"

namespace tessera::hlo {

// How many replicas a collective joins; nullopt: not stated in the text.
[[nodiscard]] std::optional<i64> groupSize(const Module& module, const Instruction& instruction);
// The groups as text; equal groups written alike give equal text.
[[nodiscard]] std::string groupsText(const Instruction& instruction);

}  // namespace tessera::hlo
