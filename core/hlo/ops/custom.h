// Custom calls: what the rules of their targets share. A rule states the reads of one output; uses are the reads turned
// round (converse.h). Internal to core/hlo.
//
//     targetOf(op)                                    "__cublas$gemm"
//     configured(op, "dot_dimension_numbers")         {"lhs_contracting_dimensions":["1"],...}, from backend_config
//     configured(op, "mask_type")                     3, of {mask_type = 3 : i64} too
//
// Law: a call whose configuration is missing or not understood is Over, with every element of every operand, never
// exact and never nothing.
#pragma once

#include "core/hlo/ops/op.h"

namespace tessera::hlo {

// Without quotes; empty: there is none.
[[nodiscard]] std::string_view targetOf(const Op& op);
// The text of a member of backend_config, at any depth, without quotes; nullopt: there is none.
[[nodiscard]] std::optional<std::string> configured(const Op& op, std::string_view name);
[[nodiscard]] std::optional<i64> configuredNumber(const Op& op, std::string_view name);

// Everything that an output may read: each element of each operand, Over.
[[nodiscard]] Reaches everything(const Op& op, int output, const std::string& why);
// The same within the first `batch` coordinates, of the operands and the output that have them.
[[nodiscard]] Reaches withinBatch(const Op& op, int output, std::size_t batch, const std::string& why);
// No read of any operand.
[[nodiscard]] Reaches nothingOf(const Op& op);
// One operand's reads, all of its elements in the other dimensions: coordinate at[k] of the output, or all if -1.
[[nodiscard]] Result<Map> alongOutput(const Ints& output, const Ints& array, const Ints& at);

using CustomRule = Reaches (*)(const Op& op, int output);
struct CustomRow {
  std::string_view target;  // a whole name, or its beginning if it ends in *
  CustomRule reads;
};
[[nodiscard]] std::span<const CustomRow> attentionTargets();  // custom_attention.cpp
[[nodiscard]] std::span<const CustomRow> libraryTargets();    // custom_library.cpp: cuBLAS, cuDNN, LAPACK, CUB

}  // namespace tessera::hlo
