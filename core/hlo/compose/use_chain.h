// Use chain: where the elements of an instruction go: the maps of its users, their users and so on, composed from an
// operand to outputs. The converse of fusion.h.
//
//     a = f32[20,20] transpose(p0); ROOT r = add(p0, a)      p0 in r: (d0, d1) -> (d0, d1) and (d0, d1) -> (d1, d0)
//     t = transpose(p0); a0 = bitcast(t); ROOT log(a0)       t in log: (d0, d1) -> (d1 * 1000 + d0), an epilogue
//
// Laws: a result element is in the image of an operand element exactly when the result element reads it (fusion.h), if
// both are Exact; "if" holds where either is Over (tests/hlo). Operations without a rule give Unknown.
#pragma once

#include "core/hlo/compose/fusion.h"

namespace tessera::hlo {

// Every instruction that elements of `from` reach (one entry per output of a tuple), `from` first; `element` selects
// its output if it is a tuple.
[[nodiscard]] Result<std::vector<Reached>> usesFrom(const Module& module, Where from, int element = 0,
                                                    const SameMaps& same = {});

// usesOf that also looks through fusions and calls: one Reach per output.
[[nodiscard]] Result<std::vector<Reach>> usesThrough(const Module& module, Where where, int operand,
                                                     const SameMaps& same = {});
// Where elements of a parameter go in the computation's root: one Reach per output.
[[nodiscard]] Result<std::vector<Reach>> usesOfParameter(const Module& module, int computation, int parameter,
                                                         const SameMaps& same = {});

}  // namespace tessera::hlo
