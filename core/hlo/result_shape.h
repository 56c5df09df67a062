// The shape of a result that the text leaves out: `ROOT out = add(p0, p1)` is f32[8] where p0 and p1 are.
//
//     dot(f32[8,4], f32[4,6]), lhs_contracting_dims={1}, rhs_contracting_dims={0}      f32[8,6]
//     transpose(f32[8,4]{0,1}), dimensions={1,0}                                       f32[4,8]{1,0}: the layout goes along
//
// Law: what XLA's parser infers (tests/cases/hlo_accepted.jsonl). An operation whose result its operands do not fix (convert, reshape,
// broadcast, slice, custom-call ...) is a Diag that asks for the shape, as it is for XLA.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera::hlo {

// `operands`: their shapes, in order. `called`: that of the result of the computation it calls; nullptr: it calls none that is known.
[[nodiscard]] Result<xla::Shape> resultShape(const Instruction& instruction,
                                             const std::vector<const xla::Shape*>& operands, const xla::Shape* called);

}  // namespace tessera::hlo
