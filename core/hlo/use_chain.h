// Use chain: where elements of an instruction go: the maps of its users, their users and so on, composed from an operand to outputs.
// The other direction of fusion.h.
//
//     a = f32[20,20] transpose(p0); ROOT r = add(p0, a)      p0 in r: (d0, d1) -> (d0, d1) and (d0, d1) -> (d1, d0)
//     t = transpose(p0); a0 = bitcast(t); ROOT log(a0)       t in log: (d0, d1) -> (d1 * 1000 + d0), a fusion's epilogue
//
// Laws: an element of the result is in the image at an element of the operand exactly where that element is in what the result reads
// (fusion.h), where both are Exact; it is where either is Over (tests/hlo). What goes through an operation without a rule is Unknown.
#pragma once

#include "core/hlo/fusion.h"

namespace tessera::hlo {

// Every instruction (each output of a tuple on its own) that elements of `from` go into, itself first; `element`: which output is meant
// where it is a tuple.
[[nodiscard]] Result<std::vector<Reached>> usesFrom(const Module& module, Where from, int element = 0,
                                                    const SameMaps& same = {});

// usesOf, through fusions and calls as well: one Reach for each output.
[[nodiscard]] Result<std::vector<Reach>> usesThrough(const Module& module, Where where, int operand,
                                                     const SameMaps& same = {});
// Where elements of a parameter go in the computation's root, a Reach for each output.
[[nodiscard]] Result<std::vector<Reach>> usesOfParameter(const Module& module, int computation, int parameter,
                                                         const SameMaps& same = {});

}  // namespace tessera::hlo
