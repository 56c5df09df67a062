// Op: an instruction with the accessors its rules need: shapes, parsed attributes, located Diags. Internal to core/hlo.
//
//     Op op(module, where);
//     op.sizes(0)                  sizes of operand 0's array           op.output()         shape of output 0
//     op.ints("dimensions")        a Diag if it is missing              op.wrong("...")     a Diag at this instruction
//
// MapBuilder: builds a map from coordinates of given sizes, written like the formula.
//
//     MapBuilder m({4, 8});  m.results({m.d(1), m.s(3) + m.d(0)});  m.within(m.d(0), 1, 2);  m.build()
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/ops/op_maps.h"
#include "core/hlo/text/attributes.h"

namespace tessera::hlo {

class Op {
 public:
  Op(const Module& module, Where where);
  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] const Computation& computation() const { return computation_; }
  [[nodiscard]] const Instruction& instruction() const { return instruction_; }
  [[nodiscard]] std::string_view opcode() const { return instruction_.opcode; }
  [[nodiscard]] std::size_t operands() const { return instruction_.operands.size(); }

  // The shape of an operand or output. A Diag: there is none, or it is not an array.
  [[nodiscard]] Result<const xla::Shape*> operand(std::size_t k) const;
  [[nodiscard]] Result<const xla::Shape*> output(std::size_t k = 0) const;
  [[nodiscard]] Result<Ints> operandSizes(std::size_t k) const;
  [[nodiscard]] Result<Ints> outputSizes(std::size_t k = 0) const;
  [[nodiscard]] std::size_t outputs() const;  // 1, or the number of tuple elements
  [[nodiscard]] std::string nameOf(std::size_t operand) const;

  [[nodiscard]] Result<Ints> ints(std::string_view attribute) const;
  [[nodiscard]] Result<Ints> ints(std::string_view attribute, Ints otherwise) const;
  [[nodiscard]] Result<i64> number(std::string_view attribute, i64 otherwise) const;
  // A list of distinct dimensions of an array of that rank.
  [[nodiscard]] Result<Ints> dimensions(std::string_view attribute, std::size_t rank, bool orNone = false) const;
  [[nodiscard]] Diag wrong(std::string message, std::string expected = "") const;
  // Adds this instruction's location to the Diag of a parsed attribute.
  template <class T>
  [[nodiscard]] Result<T> placed(std::string_view attribute, Result<T> value) const {
    if (value) return value;
    return wrong(std::string(attribute) + ": " + value.error().message, value.error().expected);
  }
  // The compile-time integer value of an operand (constant.h); of a vector, one of its elements.
  [[nodiscard]] std::optional<i64> constant(std::size_t operand, std::size_t element = 0) const;
  [[nodiscard]] Result<void> expectOperands(std::size_t count) const;
  // A Diag if the sizes differ; its text says that `what` should have the expected sizes.
  [[nodiscard]] Result<void> expectSizes(const Ints& is, const Ints& expected, const std::string& what) const;

 private:
  const Module& module_;
  const Computation& computation_;
  const Instruction& instruction_;
};

class MapBuilder {
 public:
  explicit MapBuilder(const Ints& sizes);
  [[nodiscard]] Expr d(std::size_t k) const { return Expr::digit(static_cast<int>(k)); }
  Expr s(i64 extent);       // a new range, 0 to extent - 1
  Expr rt(i64 lo, i64 hi);  // a new run-time value
  void result(Expr value) { axes_.push_back({"", std::move(value), std::nullopt}); }
  void within(Expr value, i64 lo, i64 hi) { guards_.push_back({std::move(value), lo, hi}); }
  // The map, simplified.
  [[nodiscard]] Result<Map> build() const;

 private:
  void digit(const char* letter, std::size_t number, i64 extent, DigitKind kind);
  std::vector<Digit> digits_;
  std::vector<Axis> axes_;
  std::vector<Guard> guards_;
  std::vector<Param> params_;
  std::size_t ranges_ = 0;
};

[[nodiscard]] std::string sizesText(const Ints& sizes);  // "[4,8]"
[[nodiscard]] Result<Map> identityOf(const Ints& sizes);
[[nodiscard]] Result<Map> scalarOf(const Ints& sizes);  // (d..) -> ()
// Row-major reshape: coordinates over `from` to coordinates over `to`. Requires equal products.
[[nodiscard]] std::vector<Expr> reshaped(const std::vector<Expr>& coordinates, const Ints& from, const Ints& to);
[[nodiscard]] Reach exact(std::size_t slot, Map map);
[[nodiscard]] Reach over(std::size_t slot, Map map, std::string why);
[[nodiscard]] Reach unknown(std::size_t slot, std::string why);
// Each element of the operand goes to every element of every output: (d..)[s..] -> (s..).
[[nodiscard]] Result<std::vector<Reach>> everywhere(const Op& op, int operand);

// The rules, grouped by source file.
using Rule = Result<std::vector<Reach>> (*)(const Op& op, int which);
struct RuleRow {
  std::string_view opcode;
  Rule reads = nullptr;  // which: the output
  Rule uses = nullptr;   // which: the operand
};
[[nodiscard]] const RuleRow* ruleOf(std::string_view opcode);

// op_move.cpp: operations that only rename elements.
[[nodiscard]] Result<std::vector<Reach>> readBroadcast(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useBroadcast(const Op& op, int which);
[[nodiscard]] Result<std::vector<Reach>> readTranspose(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useTranspose(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> readReverse(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> readReshape(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useReshape(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> readBitcast(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useBitcast(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> readBitcastConvert(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useBitcastConvert(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> readTuple(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useTuple(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readTupleElement(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useTupleElement(const Op& op, int);
// op_part.cpp: a part of an array, at static positions.
[[nodiscard]] Result<std::vector<Reach>> readSlice(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useSlice(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> readConcatenate(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useConcatenate(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readPad(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> usePad(const Op& op, int operand);
// op_runtime.cpp: a part of an array, at run-time positions.
[[nodiscard]] Result<std::vector<Reach>> readDynamicSlice(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useDynamicSlice(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readDynamicUpdateSlice(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useDynamicUpdateSlice(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readGather(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useGather(const Op& op, int operand);
// op_scatter.cpp: writes at run-time positions.
[[nodiscard]] Result<std::vector<Reach>> readScatter(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useScatter(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readSelectAndScatter(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useSelectAndScatter(const Op& op, int operand);
// op_collective.cpp: elements of other replicas.
[[nodiscard]] Result<std::vector<Reach>> readAllGather(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useAllGather(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readAllReduce(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useAllReduce(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readReduceScatter(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useReduceScatter(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readAllToAll(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useAllToAll(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readPermute(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> usePermute(const Op& op, int operand);
// op_sum.cpp: reductions of many elements to one.
[[nodiscard]] Result<std::vector<Reach>> readReduce(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useReduce(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readReduceWindow(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useReduceWindow(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readDot(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useDot(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readScaledDot(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useScaledDot(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readConvolution(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useConvolution(const Op& op, int operand);
// op_scan.cpp: a step's result depends on its own inputs and, through the carries, on those of earlier steps.
[[nodiscard]] Result<std::vector<Reach>> readScan(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useScan(const Op& op, int operand);
// op_whole.cpp: every element of a row or matrix goes to every other.
[[nodiscard]] Result<std::vector<Reach>> readSort(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useSort(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readTransform(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useTransform(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> readSolve(const Op& op, int);
[[nodiscard]] Result<std::vector<Reach>> useSolve(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readRandom(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useRandom(const Op& op, int operand);
[[nodiscard]] Result<std::vector<Reach>> readNormalisation(const Op& op, int output);
[[nodiscard]] Result<std::vector<Reach>> useNormalisation(const Op& op, int operand);

}  // namespace tessera::hlo
