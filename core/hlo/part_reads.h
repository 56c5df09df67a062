// Part reads: what a part of a module reads of one operand, as one map that claims, views and compositions take.
//
//     %r = f32[4] reduce(%x, %zero), dimensions={1}       mapOf(reads(r, 0))     (d0)[s0] -> (d0, s0), inside of [4,8]
//     p + transpose(p), fused                             reads(f, 0).maps       two: mapOf asks which
//     a computation                                       operand k is its parameter k, through everything that it calls
//
// Laws: the map's axes have the operand's sizes as their extents, so that in_bounds is a claim about the operand; a read that is not
// known is a Diag and never an empty map.
#pragma once

#include <string>

#include "core/hlo/listing.h"

namespace tessera::hlo {

// Of an instruction its operands, of a computation its parameters.
[[nodiscard]] int operandsOf(const Part& part);
[[nodiscard]] std::string operandName(const Part& part, int operand);  // "x"; "?": the text has none
[[nodiscard]] Result<xla::Shape> operandShape(const Part& part, int operand);
// Of the instruction, or of the computation's root; where there are several outputs, of the one that is meant.
[[nodiscard]] Result<xla::Shape> shapeOf(const Part& part);

// All that one operand has to tell. A Diag: there is no such operand, or the instruction contradicts itself.
[[nodiscard]] Result<Reach> reads(const Part& part, int operand);
// Where an element of the operand goes in the output that is meant: of a computation, in that of its root.
[[nodiscard]] Result<Reach> uses(const Part& part, int operand);

// The map number `which` (-1: the only one) into an array of these sizes. A Diag: unknown, nothing is read, or several.
[[nodiscard]] Result<Map> mapOf(const Reach& reach, const std::vector<i64>& sizes, int which = -1);

}  // namespace tessera::hlo
