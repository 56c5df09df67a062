// Path: maps composed one instruction at a time, from outputs to operands (fusion.h) or from an operand to outputs (use_chain.h), and each
// different map once. Internal to core/hlo.
//
// What a composition has to mind besides the maps:
//   run-time values    each is one unknown number. Where the instruction that reads it is itself asked for many elements at one coordinate
//                      (a gather under a reduction), there is a number for each, and the map ranges over all that they could be: Over.
//   replicas           behind a collective, elements are another replica's. Two collectives over the same groups: the last one says whose.
//                      Over different groups, or with a number that each replica's run has for itself: Unknown.
#pragma once

#include "core/hlo/fusion.h"

namespace tessera::hlo {

// Of a map with the replica's number as its last value: that alone.
[[nodiscard]] Map numberAlone(const Map& withReplica);
void doubt(Reached& to, Soundness soundness, const std::string& why);

class Path {
 public:
  Path(const Computation& computation, const SameMaps& same) : c_(computation), same_(same) {}

  // What `from` has, through the maps of `reach`, which are those of instruction i.
  void pass(Reached& to, const Reached& from, int i, const Reach& reach) const;

 private:
  void add(Reached& to, int i, const ReachedMap& f, const Reach& reach, std::size_t which) const;
  void keep(Reached& to, ReachedMap made) const;

  const Computation& c_;
  const SameMaps& same_;
};

}  // namespace tessera::hlo
