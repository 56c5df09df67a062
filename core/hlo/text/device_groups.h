// Device groups: which devices take part in a collective together, in each of XLA's spellings.
//
//     replica_groups={{0,1},{2,3}}                                       {0,1} {2,3}
//     replica_groups=[2,4]<=[8]                                          {0,1,2,3} {4,5,6,7}
//     replica_groups=[4,2]<=[2,4]T(1,0)                                  {0,4} {1,5} {2,6} {3,7}
//     replica_groups=mesh['x'=2,'y'=4] {'y'}                             {0,1,2,3} {4,5,6,7}
//     replica_groups=mesh['x'=8], device_ids=([4,2]T(1,0)) {'x':(2)4}    along part of an axis, in any order of devices
//     replica_groups={}                                                  all
//     source_target_pairs={{0,1},{1,0}}                                  0 to 1, 1 to 0
//
// A device is one partition of one replica: replica * num_partitions + partition. The ids in a text are devices
// (use_global_device_ids), partitions (a channel), replicas with all of their partitions (a channel, of a reduction or
// gather), or replicas (no channel). If the head does not say how many there are, ids are devices, as many as the
// collectives name.
//
// Laws: a device is in at most one group. The order in a group is the collective's: a gather concatenates in it.
// Source: XLA, service/collective_ops_utils.h.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/types.h"
#include "core/hlo/text/attributes.h"
#include "core/hlo/text/module.h"

namespace tessera::hlo {

inline constexpr i64 kMostDevices = i64{1} << 16;  // whose groups are listed
inline constexpr i64 kManyDevices = i64{1} << 40;

// Sets Module::devices.
void countDevices(Module& module);

using DeviceGroups = std::vector<Ints>;
// nullopt: the text does not state them, or names devices that do not exist.
[[nodiscard]] std::optional<DeviceGroups> groupsOf(const Module& module, const Instruction& instruction);
// The number of devices that take part together, in the first group; nullopt: the text does not state it.
[[nodiscard]] std::optional<i64> groupSize(const Module& module, const Instruction& instruction);
// By device: the source of what it gets in a collective-permute; -1: none. nullopt: the pairs are not understood.
[[nodiscard]] std::optional<Ints> sourcesOf(const Module& module, const Instruction& instruction);

}  // namespace tessera::hlo
