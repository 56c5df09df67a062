#include "core/hlo/part_reads.h"

#include <fmt/format.h>

#include "core/hlo/compose/use_chain.h"

namespace tessera::hlo {
namespace {

Diag noOperand(const Part& part, int operand) {
  const int count = operandsOf(part);
  return Diag{fmt::format("%{} has {} {}{}, not number {}", part.name(), count,
                          part.isComputation() ? "parameter" : "operand", count == 1 ? "" : "s", operand),
              count == 0 ? "an instruction that reads something" : fmt::format("a number from 0 to {}", count - 1)};
}

// The operand as an instruction of the computation; -1: not in the text.
int instructionAt(const Part& part, int operand) {
  const auto k = static_cast<std::size_t>(operand);
  return part.isComputation() ? part.itsComputation().parameters[k] : part.itsInstruction().operands[k];
}

// A Diag about the module's text, for use in another text: gives the line instead of the span.
template <class T>
Result<T> inLine(const Part& part, Result<T> result) {
  if (result) return result;
  Diag diag = result.error();
  if (!diag.span.empty())
    diag.message += fmt::format(" (line {} of {})", part.module().lineAt(diag.span.begin), part.of.name);
  diag.span = {};
  return diag;
}

// All maps of a parameter of the computation, over all paths.
Result<Reach> readsOfParameter(const Part& part, int operand) {
  TESSERA_TRY(const std::vector<Reached> all, inLine(part, reachedIn(part.module(), part.computation, part.output)));
  Reach reach;
  reach.slot = operand;
  const int at = instructionAt(part, operand);
  for (const Reached& r : all) {
    if (r.instruction != at) continue;
    if (!part.module().shapeOf(part.itsComputation().instructions[static_cast<std::size_t>(at)]).isArray()) {
      reach.soundness = Soundness::Unknown;  // each tuple element has its own coordinates
      reach.why = "a tuple: what takes its elements reads them";
      return reach;
    }
    if (r.soundness > reach.soundness) {
      reach.soundness = r.soundness;
      reach.why = r.why;
    }
    Reach found = asReach(r, part.itsComputation(), part.name());
    reach.maps = std::move(found.maps);
    reach.runtime = std::move(found.runtime);
    reach.replicas = std::move(found.replicas);
    reach.undecided = std::move(found.undecided);
  }
  return reach;
}

}  // namespace

int operandsOf(const Part& part) {
  return static_cast<int>(part.isComputation() ? part.itsComputation().parameters.size()
                                               : part.itsInstruction().operands.size());
}

std::string operandName(const Part& part, int operand) {
  const int at = instructionAt(part, operand);
  return at < 0 ? "?" : std::string(part.itsComputation().instructions[static_cast<std::size_t>(at)].name);
}

Result<xla::Shape> operandShape(const Part& part, int operand) {
  if (operand < 0 || operand >= operandsOf(part)) return noOperand(part, operand);
  const int at = instructionAt(part, operand);
  if (at < 0) return Diag{fmt::format("the text has no operand {} of %{}", operand, part.name())};
  return part.module().shapeOf(part.itsComputation().instructions[static_cast<std::size_t>(at)]);
}

Result<xla::Shape> shapeOf(const Part& part) {
  if (!part.hasInstruction()) return Diag{fmt::format("%{} has no instruction", part.name())};
  const xla::Shape& whole = part.module().shapeOf(part.itsInstruction());
  if (whole.kind() != xla::Shape::Kind::Tuple || whole.elements().empty()) return whole;
  return whole.elements()[static_cast<std::size_t>(part.output)];
}

Result<Reach> reads(const Part& part, int operand) {
  if (operand < 0 || operand >= operandsOf(part)) return noOperand(part, operand);
  if (part.isComputation()) return readsOfParameter(part, operand);
  TESSERA_TRY(std::vector<Reach> all,
              inLine(part, readsThrough(part.module(), {part.computation, part.instruction}, part.output)));
  for (Reach& r : all)
    if (r.slot == operand) return std::move(r);
  Reach nothing;
  nothing.slot = operand;
  return nothing;
}

Result<Reach> uses(const Part& part, int operand) {
  if (operand < 0 || operand >= operandsOf(part)) return noOperand(part, operand);
  TESSERA_TRY(
      std::vector<Reach> all,
      inLine(part, part.isComputation() ? usesOfParameter(part.module(), part.computation, operand)
                                        : usesThrough(part.module(), {part.computation, part.instruction}, operand)));
  for (Reach& r : all)
    if (r.slot == part.output) return std::move(r);
  Reach nothing;
  nothing.slot = part.output;
  return nothing;
}

Result<Map> mapOf(const Reach& reach, const std::vector<i64>& sizes, int which) {
  if (reach.soundness == Soundness::Unknown)
    return Diag{"what is read here is unknown: " + reach.why, "an operation with a rule"};
  const int count = static_cast<int>(reach.maps.size());
  if (count == 0) return Diag{"nothing is read here", "an operand that is read"};
  if (which < 0 && count > 1)
    return Diag{fmt::format("{} maps together are what is read here", count),
                fmt::format("which of them, 0 to {}, as one more argument", count - 1)};
  if (which >= count)
    return Diag{fmt::format("there {} {} map{} here", count == 1 ? "is" : "are", count, count == 1 ? "" : "s"),
                fmt::format("a number from 0 to {}", count - 1)};
  const Map& map = reach.maps[static_cast<std::size_t>(which < 0 ? 0 : which)];
  std::vector<Axis> axes = map.axes();
  for (std::size_t k = 0; k < axes.size() && k < sizes.size(); ++k) axes[k].extent = sizes[k];
  return Map::create(map.digits(), std::move(axes), map.guards(), map.params());
}

}  // namespace tessera::hlo
