#include "core/hlo/op_maps.h"

#include <algorithm>
#include <array>

#include "core/hlo/op.h"

namespace tessera::hlo {
namespace {

using Reaches = Result<std::vector<Reach>>;

constexpr std::string_view kElementwise[] = {"abs",
                                             "acos",
                                             "acosh",
                                             "add",
                                             "and",
                                             "asin",
                                             "asinh",
                                             "atan2",
                                             "atanh",
                                             "cbrt",
                                             "ceil",
                                             "clamp",
                                             "compare",
                                             "complex",
                                             "convert",
                                             "copy",
                                             "cos",
                                             "cosh",
                                             "cosine",
                                             "count-leading-zeros",
                                             "divide",
                                             "erf",
                                             "exponential",
                                             "exponential-minus-one",
                                             "floor",
                                             "imag",
                                             "is-finite",
                                             "log",
                                             "log-plus-one",
                                             "logistic",
                                             "maximum",
                                             "minimum",
                                             "multiply",
                                             "mulhi",
                                             "negate",
                                             "not",
                                             "or",
                                             "popcnt",
                                             "power",
                                             "real",
                                             "reduce-precision",
                                             "remainder",
                                             "round-nearest-afz",
                                             "round-nearest-even",
                                             "rsqrt",
                                             "select",
                                             "shift-left",
                                             "shift-right-arithmetic",
                                             "shift-right-logical",
                                             "sign",
                                             "sine",
                                             "sinh",
                                             "sqrt",
                                             "stochastic-convert",
                                             "subtract",
                                             "tan",
                                             "tanh",
                                             "xor",
                                             "map",
                                             "all-reduce"};

// One element from the elements of the same index; a scalar serves every index.
Reaches readElementwise(const Op& op, int output) {
  TESSERA_TRY(const Ints out, op.outputSizes(static_cast<std::size_t>(output)));
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < op.operands(); ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    if (!in.empty()) TESSERA_CHECKED(op.expectSizes(in, out, op.nameOf(k)));
    if (op.outputs() > 1 && static_cast<int>(k) != output) {
      Reach none;
      none.slot = static_cast<int>(k);
      reads.push_back(std::move(none));
      continue;
    }
    TESSERA_TRY(Map map, in.empty() ? scalarOf(out) : identityOf(out));
    reads.push_back(exact(k, std::move(map)));
  }
  return reads;
}

Reaches useElementwise(const Op& op, int operand) {
  TESSERA_TRY(const Ints in, op.operandSizes(static_cast<std::size_t>(operand)));
  std::vector<Reach> uses;
  for (std::size_t k = 0; k < op.outputs(); ++k) {
    TESSERA_TRY(const Ints out, op.outputSizes(k));
    Reach use;
    use.slot = static_cast<int>(k);
    if (op.outputs() == 1 || static_cast<int>(k) == operand) {
      MapBuilder m(in);
      for (std::size_t d = 0; d < out.size(); ++d) m.result(in.empty() ? m.s(out[d]) : m.d(d));
      if (!in.empty()) TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
      TESSERA_TRY(Map map, m.build());
      use = exact(k, std::move(map));
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

Reaches readNothing(const Op&, int) { return std::vector<Reach>{}; }

constexpr std::array kRules = {
    RuleRow{"parameter", readNothing},
    RuleRow{"constant", readNothing},
    RuleRow{"iota", readNothing},
    RuleRow{"broadcast", readBroadcast, useBroadcast},
    RuleRow{"transpose", readTranspose, useTranspose},
    RuleRow{"reverse", readReverse, readReverse},
    RuleRow{"reshape", readReshape, useReshape},
    RuleRow{"bitcast", readBitcast, useBitcast},
    RuleRow{"bitcast-convert", readBitcastConvert},
    RuleRow{"tuple", readTuple, useTuple},
    RuleRow{"get-tuple-element", readTupleElement, readTupleElement},
    RuleRow{"slice", readSlice, useSlice},
    RuleRow{"concatenate", readConcatenate, useConcatenate},
    RuleRow{"pad", readPad, usePad},
    RuleRow{"dynamic-slice", readDynamicSlice},
    RuleRow{"dynamic-update-slice", readDynamicUpdateSlice},
    RuleRow{"gather", readGather},
    RuleRow{"all-gather", readAllGather},
    RuleRow{"reduce", readReduce, useReduce},
    RuleRow{"reduce-window", readReduceWindow},
    RuleRow{"dot", readDot, useDot},
    RuleRow{"scaled-dot", readScaledDot},
    RuleRow{"convolution", readConvolution},
    RuleRow{"scan", readScan},
    RuleRow{"sort", readSort},
    RuleRow{"topk", readSort},
};
constexpr RuleRow kElementwiseRule{"", readElementwise, useElementwise};

}  // namespace

const RuleRow* ruleOf(std::string_view opcode) {
  for (const RuleRow& row : kRules)
    if (row.opcode == opcode) return &row;
  return isElementwise(opcode) ? &kElementwiseRule : nullptr;
}

bool isElementwise(std::string_view opcode) {
  return std::find(std::begin(kElementwise), std::end(kElementwise), opcode) != std::end(kElementwise);
}
bool hasReads(std::string_view opcode) { return ruleOf(opcode) != nullptr && ruleOf(opcode)->reads != nullptr; }
bool hasUses(std::string_view opcode) { return ruleOf(opcode) != nullptr && ruleOf(opcode)->uses != nullptr; }

Reaches readsOf(const Module& module, Where where, int output) {
  const Op op(module, where);
  if (const RuleRow* const row = ruleOf(op.opcode()); row != nullptr && row->reads != nullptr)
    return row->reads(op, output);
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < op.operands(); ++k)
    reads.push_back(unknown(k, "there is no rule for " + std::string(op.opcode())));
  return reads;
}

Reaches usesOf(const Module& module, Where where, int operand) {
  const Op op(module, where);
  if (operand < 0 || static_cast<std::size_t>(operand) >= op.operands())
    return op.wrong("it has " + std::to_string(op.operands()) + " operands", "one of them, from 0");
  if (const RuleRow* const row = ruleOf(op.opcode()); row != nullptr && row->uses != nullptr)
    return row->uses(op, operand);
  std::vector<Reach> uses;
  for (std::size_t k = 0; k < op.outputs(); ++k)
    uses.push_back(unknown(k, "there is no rule for " + std::string(op.opcode()) + " in this direction"));
  return uses;
}

}  // namespace tessera::hlo
