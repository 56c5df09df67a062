#include "core/hlo/ops/op_maps.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/atlas/scalar_operation.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// Beside those of core/atlas/scalar_operation.h.
struct Elementwise {
  std::string_view opcode;
  std::size_t operands;  // 0: any number
};
constexpr Elementwise kElementwise[] = {
    // clang-format off
    {"abs", 1}, {"acos", 1}, {"acosh", 1}, {"asin", 1}, {"asinh", 1}, {"atanh", 1}, {"cbrt", 1}, {"ceil", 1},
    {"convert", 1}, {"cos", 1}, {"cosh", 1}, {"cosine", 1}, {"count-leading-zeros", 1}, {"erf", 1},
    {"exponential-minus-one", 1}, {"floor", 1}, {"imag", 1}, {"is-finite", 1}, {"log-plus-one", 1}, {"not", 1},
    {"popcnt", 1}, {"real", 1}, {"reduce-precision", 1}, {"round-nearest-afz", 1}, {"round-nearest-even", 1},
    {"sign", 1}, {"sine", 1}, {"sinh", 1}, {"tan", 1},
    {"and", 2}, {"atan2", 2}, {"compare", 2}, {"complex", 2}, {"mulhi", 2}, {"or", 2}, {"power", 2}, {"remainder", 2},
    {"shift-left", 2}, {"shift-right-arithmetic", 2}, {"shift-right-logical", 2}, {"stochastic-convert", 2}, {"xor", 2},
    {"clamp", 3}, {"select", 3},
    {"map", 0},
    // clang-format on
};
std::optional<std::size_t> elementwiseOperands(std::string_view opcode) {
  for (const ScalarOperation& o : scalarOperations())
    if (!opcode.empty() && o.opcode == opcode) return o.arity;
  for (const Elementwise& e : kElementwise)
    if (e.opcode == opcode) return e.operands;
  return std::nullopt;
}

// One element from the elements at the same index; a scalar is broadcast.
Reaches readElementwise(const Op& op, int output) {
  TESSERA_TRY(const Ints out, op.outputSizes(static_cast<std::size_t>(output)));
  if (const std::size_t count = elementwiseOperands(op.opcode()).value_or(0); count > 0)
    TESSERA_CHECKED(op.expectOperands(count));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    if (op.outputs() > 1 && static_cast<int>(k) != output) return none(k);  // an all-reduce of arrays of other sizes
    if (!in.empty()) TESSERA_CHECKED(op.expectSizes(in, out, op.nameOf(k)));
    return exact(k, in.empty() ? scalarOf(out) : identityOf(out));
  });
}

Reaches useElementwise(const Op& op, int operand) {
  TESSERA_TRY(const Ints in, op.operandSizes(static_cast<std::size_t>(operand)));
  return each(op.outputs(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints out, op.outputSizes(k));
    if (op.outputs() > 1 && static_cast<int>(k) != operand) return none(k);
    MapBuilder m(in);
    for (std::size_t d = 0; d < out.size(); ++d) m.result(in.empty() ? m.s(out[d]) : m.d(d));
    if (!in.empty()) TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
    return exact(k, m.build());
  });
}

Reaches readNothing(const Op&, int) { return std::vector<Reach>{}; }

Result<void> expectElement(const Op& op, const xla::Shape& tuple, int element, const Ints& out) {
  const auto k = static_cast<std::size_t>(element);
  if (k >= tuple.elements().size() || !tuple.elements()[k].isArray())
    return op.wrong(op.nameOf(0) + " has no array " + std::to_string(element), "what the operation hands on");
  return op.expectSizes(out, tuple.elements()[k].sizes(), "the result");
}

// A non-array output: nothing is read of a token; a nested tuple is unknown.
Reaches handedOn(const Op& op, int output, const xla::Shape& shape) {
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    const bool tuple = shape.kind() == xla::Shape::Kind::Tuple && (op.operands() == 1 || static_cast<int>(k) == output);
    return tuple ? unknown(k, "a tuple in a tuple") : none(k);
  });
}

// Forwards its operands: an array, each element of a tuple, or the k-th array to output k. Nothing is read of a token.
Reaches readSame(const Op& op, int output) {
  if (op.opcode().ends_with("-done")) TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const xla::Shape* const shape, op.output(static_cast<std::size_t>(output)));
  if (!shape->isArray()) return handedOn(op, output, *shape);
  TESSERA_TRY(const Ints out, op.outputSizes(static_cast<std::size_t>(output)));
  TESSERA_TRY(Map map, identityOf(out));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const xla::Shape* const in, op.operand(k));
    const bool whole = in->kind() == xla::Shape::Kind::Tuple && op.operands() == 1;
    if (whole) TESSERA_CHECKED(expectElement(op, *in, elementAskedOf(op.instruction(), output), out));
    if (!whole && (!in->isArray() || static_cast<int>(k) != output)) return none(k);
    if (!whole) TESSERA_CHECKED(op.expectSizes(out, in->sizes(), "the result"));
    return exact(k, map);
  });
}

Reaches useSame(const Op& op, int operand) {
  return eachOutput(op, [&](std::size_t o) -> Result<Reach> {
    TESSERA_TRY(std::vector<Reach> reads, readSame(op, static_cast<int>(o)));
    return std::move(reads.at(static_cast<std::size_t>(operand)));
  });
}

// copy-start outputs: the copy, the array itself, and device state.
Reaches readCopyStart(const Op& op, int output) {
  TESSERA_CHECKED(op.expectOperands(1));
  if (output >= 2) return only(none(0));
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(const Ints out, op.outputSizes(static_cast<std::size_t>(output)));
  TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
  return only(identityOf(in));
}

Reaches useCopyStart(const Op& op, int) {
  return eachOutput(op, [&](std::size_t o) -> Result<Reach> {
    TESSERA_TRY(std::vector<Reach> reads, readCopyStart(op, static_cast<int>(o)));
    return std::move(reads.front());
  });
}

constexpr RuleRow kRules[] = {
    {"parameter", readNothing},
    {"constant", readNothing},
    {"iota", readNothing},
    {"partition-id", readNothing},
    {"replica-id", readNothing},
    {"opt-barrier", readSame, useSame},
    {"domain", readSame, useSame},
    {"add-dependency", readSame, useSame},
    {"all-gather-done", readSame, useSame},
    {"all-reduce-done", readSame, useSame},
    {"collective-permute-done", readSame, useSame},
    {"copy-done", readSame, useSame},
    {"copy-start", readCopyStart, useCopyStart},
};
constexpr RuleRow kElementwiseRule{"", readElementwise, useElementwise};

}  // namespace

const RuleRow* ruleOf(std::string_view opcode) {
  for (const Rules rules : {Rules(kRules), moveRules(), partRules(), runtimeRules(), scatterRules(), collectiveRules(),
                            sumRules(), scanRules(), wholeRules()})
    for (const RuleRow& row : rules)
      if (row.opcode == opcode) return &row;
  return isElementwise(opcode) ? &kElementwiseRule : nullptr;
}

int elementAskedOf(const Instruction& instruction, int output) {
  for (const std::string_view hands : {"opt-barrier", "domain", "all-reduce-done"})
    if (instruction.opcode == hands) return output;
  if (instruction.opcode == "all-gather-done" || instruction.opcode == "collective-permute-done") return 1;
  if (instruction.opcode != "get-tuple-element") return 0;
  const Attribute* const index = instruction.find("index");
  return index == nullptr ? 0 : static_cast<int>(std::clamp<i64>(wholeNumber(index->value).value_or(0), 0, 1 << 20));
}

bool isElementwise(std::string_view opcode) { return elementwiseOperands(opcode).has_value(); }
bool hasReads(std::string_view opcode) { return ruleOf(opcode) != nullptr && ruleOf(opcode)->reads != nullptr; }
bool hasUses(std::string_view opcode) { return ruleOf(opcode) != nullptr && ruleOf(opcode)->uses != nullptr; }

namespace {

// If an operand was lost, nothing is known; a Problem of the module says why.
bool isWhole(const Op& op) {
  const std::vector<int>& operands = op.instruction().operands;
  return std::all_of(operands.begin(), operands.end(), [](int o) { return o >= 0; });
}
constexpr const char* kLost = "an operand could not be read";

}  // namespace

Reaches readsOf(const Module& module, Where where, int output) {
  const Op op(module, where);
  const RuleRow* const row = ruleOf(op.opcode());
  if (isWhole(op) && row != nullptr && row->reads != nullptr) return row->reads(op, output);
  const std::string why = isWhole(op) ? "there is no rule for " + std::string(op.opcode()) : kLost;
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> { return unknown(k, why); });
}

Reaches usesOf(const Module& module, Where where, int operand) {
  const Op op(module, where);
  if (operand < 0 || static_cast<std::size_t>(operand) >= op.operands())
    return op.wrong("it has " + std::to_string(op.operands()) + " operands", "one of them, from 0");
  const RuleRow* const row = ruleOf(op.opcode());
  if (isWhole(op) && row != nullptr && row->uses != nullptr) return row->uses(op, operand);
  const std::string why =
      isWhole(op) ? "there is no rule for " + std::string(op.opcode()) + " in this direction" : kLost;
  return each(op.outputs(), [&](std::size_t k) -> Result<Reach> { return unknown(k, why); });
}

}  // namespace tessera::hlo
