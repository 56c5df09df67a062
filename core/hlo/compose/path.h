// Path: composes maps one instruction at a time, from outputs to operands (fusion.h) or from an operand to outputs
// (use_chain.h), and keeps each distinct map once. Internal to core/hlo.
//
//     r = add(p, t), t = transpose(p)      p by (d0, d1) -> (d0, d1), directly, and by (d0, d1) -> (d1, d0), through t
//
// Besides composing the maps, Path tracks:
//   run-time values    each is one unknown number. If the instruction that reads it is itself read at many elements per
//                      coordinate (a gather under a reduction), each element has its own value; the map then ranges
//                      over all possible values and becomes Over.
//   replicas           after a collective, elements belong to another replica. Two collectives over the same groups:
//                      the last one decides whose. Different groups, or a run-time value per replica: Unknown.
#pragma once

#include "core/hlo/compose/fusion.h"

namespace tessera::hlo {

// The replica's number alone, from a map that has it as its last value.
[[nodiscard]] Map numberAlone(const Map& withReplica);
// Lowers `to` to `soundness` if that is weaker than what it has.
void doubt(Reached& to, Soundness soundness, const std::string& why);

class Path {
 public:
  Path(const Computation& computation, const SameMaps& same) : c_(computation), same_(same) {}

  // Adds to `to` the maps of `from` composed with those of `reach`, which belong to instruction i.
  void pass(Reached& to, const Reached& from, int i, const Reach& reach) const;

 private:
  void add(Reached& to, int i, const ReachedMap& f, const Reach& reach, std::size_t which) const;
  void keep(Reached& to, ReachedMap made) const;

  const Computation& c_;
  const SameMaps& same_;
};

}  // namespace tessera::hlo
