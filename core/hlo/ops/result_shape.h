// Result shape: infers the shape that the text leaves out: `ROOT out = add(p0, p1)` is f32[8] if p0 and p1 are.
//
//     dot(f32[8,4], f32[4,6]), lhs_contracting_dims={1}, rhs_contracting_dims={0}      f32[8,6]
//     transpose(f32[8,4]{0,1}), dimensions={1,0}                                       f32[4,8]{1,0}, layout too
//
// Law: what XLA's parser infers (tests/cases/hlo_accepted.jsonl). If the operands do not determine the result (convert,
// reshape, broadcast, slice, custom-call ...), the result is a Diag that requests the shape, as in XLA.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/hlo/text/module.h"

namespace tessera::hlo {

// `operands`: their shapes, in order. `called`: the result shape of the called computation; nullptr: none, or unknown.
[[nodiscard]] Result<xla::Shape> resultShape(const Instruction& instruction,
                                             const std::vector<const xla::Shape*>& operands, const xla::Shape* called);

}  // namespace tessera::hlo
