// Part reads: what a part of a module reads of one operand, as one map for claims, views and compositions.
//
//     %r = f32[4] reduce(%x, %zero), dimensions={1}       mapOf(reads(r, 0))     (d0)[s0] -> (d0, s0), inside of [4,8]
//     p + transpose(p), fused                             reads(f, 0).maps       two: mapOf needs `which`
//     a computation                                       operand k is its parameter k, through all calls
//
// Laws: the map's axes have the operand's sizes as extents, so in_bounds is a claim about the operand; an unknown read
// is a Diag, never an empty map.
#pragma once

#include <string>

#include "core/hlo/listing.h"

namespace tessera::hlo {

// The number of operands of an instruction, or of parameters of a computation.
[[nodiscard]] int operandsOf(const Part& part);
[[nodiscard]] std::string operandName(const Part& part, int operand);  // "x"; "?": not in the text
[[nodiscard]] Result<xla::Shape> operandShape(const Part& part, int operand);
// The shape of the instruction or of the computation's root; for several outputs, the selected one.
[[nodiscard]] Result<xla::Shape> shapeOf(const Part& part);

// Everything known about the reads of one operand. A Diag: no such operand, or the instruction contradicts itself.
[[nodiscard]] Result<Reach> reads(const Part& part, int operand);
// Where an element of the operand goes in the selected output; for a computation, in that of its root.
[[nodiscard]] Result<Reach> uses(const Part& part, int operand);

// Map number `which` (-1: the only one) into an array of these sizes. A Diag: unknown, nothing read, or several.
[[nodiscard]] Result<Map> mapOf(const Reach& reach, const std::vector<i64>& sizes, int which = -1);

}  // namespace tessera::hlo
