// Loop: what an output of a while reads of its initial values, as a recurrence over its trips.
//
//     state (i, xs, ys, c), 4 trips:  c' = c + xs[i],  ys'[i] = c'
//         xs after it     xs: (d0) -> (d0)                                  carried unchanged
//         c after it      c: () -> ();  xs: ()[s0] -> (s0), s0 in [0, 3]    all steps
//         ys after it     c: (d0) -> ();  xs: (d0)[s0] -> (s0), s0 <= d0    what was carried when d0 was written
//
// How: x(t) is the state before trip t. For each part of the state, the maps of one step have the trip as a further
// coordinate; places at a counter are functions of it (step_values.h). A part that a step overwrites in one window, at
// a counter, is read at the trip that wrote the element last. A part that depends on itself is closed: the steps keep
// some coordinates and mix the others, so after one step or more an element depends on its own kept coordinates and on
// any others. That is exact if one step mixes them all (a product of matrices), else Over. Parts are solved in
// dependence order, and a result is what holds after the last trip.
//
// Laws: exact and Over as in op_maps.h, against an interpreter that runs the trips (tests/hlo). Without a number of
// trips, a result depends on everything that any step could read, and on what decides the number: Over. More than
// kMostLoopMaps maps of one part are replaced by all of its elements, Over. Work is bounded by the parts squared times
// the maps of a step. Results are kept with the module (core/hlo/text/kept.h).
#pragma once

#include <memory>

#include "core/hlo/compose/traversal.h"

namespace tessera::hlo {

inline constexpr std::size_t kMostLoopMaps = 32;

// Reads of every output of a while, as readsThrough gives them.
struct LoopReads {
  std::vector<std::vector<Reach>> outputs;
};
[[nodiscard]] Result<std::shared_ptr<const LoopReads>> loopReads(const Module& module, Where loop, int depth);

}  // namespace tessera::hlo
