// Reports which elements an HLO instruction reads, or where the elements of its operands go: a line per operand, as
// JSON or as text.
//
//     {"op":"t","opcode":"transpose","computation":"main","line":3,"direction":"output_to_input",
//      "operand":0,"of":"p","output":0,
//      "maps":["(d0, d1) -> (d1, d0), domain: ..."],"exact":true,"sound":"exact",...}
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/engine/json_writer.h"
#include "core/hlo/cost/usage.h"
#include "core/hlo/ops/op_maps.h"

namespace tessera {

[[nodiscard]] std::string_view name(hlo::Soundness s);
[[nodiscard]] std::string mapText(const Map& map);

// One reported instruction, in one direction.
struct Reported {
  const hlo::Module& module;
  const hlo::Computation& computation;
  const hlo::Instruction& instruction;
  int line = 0;
  bool reads = true;
  int operand = 0;  // for uses; reads are reported for all operands
  int output = 0;   // for reads; uses are reported for all outputs
};

// The shape of an operand, or of that element of a tuple, if it is an array; else null.
[[nodiscard]] const xla::Shape* operandArray(const Reported& t, int operand, int element = 0);
// The operand's name; "?" if it has none.
[[nodiscard]] std::string nameOf(const Reported& t, int operand);
[[nodiscard]] std::string_view directionOf(const Reported& t);
// Writes the members common to all lines: the instruction and its position.
void beginJson(const Reported& t, std::string_view direction, JsonWriter& json);
// How much of the operand is read; nullopt if it is not an array or its reads are unknown.
[[nodiscard]] std::optional<hlo::Usage> usageOf(const Reported& t, const hlo::Reach& r, i64 mostPoints);
inline constexpr i64 kUnaskedUsage = i64{1} << 16;  // points of a count that was not requested

[[nodiscard]] std::string jsonOf(const Reported& t, const hlo::Reach& r, const std::optional<hlo::Usage>& usage);

// A line's content without the names of its instruction and operand: the same for every instruction of one structure
// (core/hlo/compose/structure.h), unless `names`.
struct ReachLine {
  bool reads = true;
  int operand = 0, output = 0;
  std::optional<int> element = {};
  bool names = false;  // `maps` has names: of run-time values, or in a reason
  std::string maps = {};
};
[[nodiscard]] ReachLine lineOf(const Reported& t, const hlo::Reach& r, const std::optional<hlo::Usage>& usage);
[[nodiscard]] std::string jsonOf(Reported t, const ReachLine& line);
[[nodiscard]] std::string textOf(const Reported& t, const hlo::Reach& r, const std::optional<hlo::Usage>& usage);

}  // namespace tessera
