#include "core/hlo/ops/op_maps.h"

#include <algorithm>

#include "core/atlas/scalar_operation.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// In addition to those of core/atlas/scalar_operation.h: opcode and number of operands; 0: any number.
constexpr std::pair<std::string_view, std::size_t> kElementwise[] = {
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
  for (const auto& [name, operands] : kElementwise)
    if (name == opcode) return operands;
  return std::nullopt;
}

// One element from the elements at the same index; a scalar is broadcast.
Reaches readElementwise(const Op& op, int output) {
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
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
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
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

// Forwards its operands: an array, each element of a tuple, or the k-th operand to output k. Nothing is read of a
// token. `first`: the element of a tuple operand that becomes output 0.
Result<Reach> forwards(const Op& op, std::size_t k, std::size_t output, std::size_t first) {
  TESSERA_TRY(const xla::Shape* const shape, op.output(output));
  TESSERA_TRY(const xla::Shape* const in, op.operand(k));
  Reach reach = none(k);
  const xla::Shape* from = in;
  if (in->kind() == xla::Shape::Kind::Tuple) {
    if (op.operands() > 1) return unknown(k, "a tuple among several operands");
    const std::size_t leaf = first + output;
    if (leaf >= in->leaves() || (shape->isArray() && !in->leaf(leaf).isArray()))
      return op.wrong(fmt::format("{} has no array {}", op.nameOf(k), leaf), "an array that the operation forwards");
    from = &in->leaf(leaf);
    reach.element = static_cast<int>(leaf);
  } else if (k != output || !in->isArray()) {
    return reach;
  }
  if (!shape->isArray() || !from->isArray()) return reach;
  TESSERA_CHECKED(op.expectSizes(shape->sizes(), from->sizes(), "the result"));
  TESSERA_TRY(Map map, identityOf(from->sizes()));
  reach.maps.push_back(std::move(map));
  return reach;
}

Result<Reach> same(const Op& op, std::size_t k, std::size_t output, bool) {
  if (op.opcode().ends_with("-done")) TESSERA_CHECKED(op.expectOperands(1));
  return forwards(op, k, output, 0);
}

// The second half of an asynchronous operation, whose first half has the operands before the results.
Result<Reach> second(const Op& op, std::size_t k, std::size_t output, bool) {
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const xla::Shape* const in, op.operand(0));
  const bool tuple = in->kind() == xla::Shape::Kind::Tuple && in->elements().size() > 1;
  return forwards(op, k, output, tuple ? in->firstLeaf(1) : 0);
}

// copy-start outputs: the copy, the array itself, and device state.
Result<Reach> copyStart(const Op& op, std::size_t, std::size_t output, bool) {
  TESSERA_CHECKED(op.expectOperands(1));
  if (output >= 2) return none(0);
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(const Ints out, op.outputSizes(output));
  TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
  return exact(0, identityOf(in));
}

constexpr RuleRow kRules[] = {
    {"parameter", readNothing},
    {"constant", readNothing},
    {"iota", readNothing},
    {"partition-id", readNothing},
    {"replica-id", readNothing},
    bothWays<same>("opt-barrier"),
    bothWays<same>("domain"),
    bothWays<same>("add-dependency"),
    bothWays<second>("all-gather-done"),
    bothWays<same>("all-reduce-done"),
    bothWays<second>("collective-permute-done"),
    bothWays<second>("async-done"),
    bothWays<same>("async-update"),
    bothWays<same>("copy-done"),
    bothWays<copyStart>("copy-start"),
};
constexpr RuleRow kElementwiseRule{"", readElementwise, useElementwise};

}  // namespace

const RuleRow* ruleOf(std::string_view opcode) {
  for (const Rules rules : {Rules(kRules), moveRules(), partRules(), runtimeRules(), scatterRules(), collectiveRules(),
                            sumRules(), scanRules(), wholeRules(), customRules(), dynamicRules()})
    for (const RuleRow& row : rules)
      if (row.opcode == opcode) return &row;
  return isElementwise(opcode) ? &kElementwiseRule : nullptr;
}

bool isElementwise(std::string_view opcode) { return elementwiseOperands(opcode).has_value(); }

// Applies the rule of that member. If an operand was lost, the result is Unknown; a Problem of the module has the
// reason.
static Reaches byRule(const Op& op, Rule RuleRow::*rule, int which, std::size_t count, std::string_view direction) {
  const std::vector<int>& operands = op.instruction().operands;
  const bool whole = std::ranges::all_of(operands, [](int o) { return o >= 0; });
  const RuleRow* const row = ruleOf(op.opcode());
  if (whole && row != nullptr && row->*rule != nullptr) return (row->*rule)(op, which);
  const std::string why =
      whole ? fmt::format("there is no rule for {}{}", op.opcode(), direction) : "an operand could not be read";
  return each(count, [&](std::size_t k) -> Result<Reach> { return unknown(k, why); });
}

Reaches readsOf(const Module& module, Where where, int output) {
  const Op op(module, where);
  return byRule(op, &RuleRow::reads, output, op.operands(), "");
}

Reaches usesOf(const Module& module, Where where, int operand) {
  const Op op(module, where);
  if (operand < 0 || n(operand) >= op.operands())
    return op.wrong(fmt::format("it has {} operands", op.operands()), "one of them, from 0");
  return byRule(op, &RuleRow::uses, operand, op.outputs(), " in this direction");
}

}  // namespace tessera::hlo
