// Op: an instruction with the accessors its rules need: shapes, parsed attributes, located Diags. Internal to core/hlo.
//
//     Op op(module, where);
//     op.operandSizes(0)           sizes of operand 0, an array         op.output()         shape of output 0
//     op.ints("dimensions")        a Diag if it is missing              op.wrong("...")     a Diag at this instruction
//
// MapBuilder: builds a map from coordinates of given sizes, in the form of its formula.
//
//     MapBuilder m({4, 8});  m.results({m.d(1), m.s(3) + m.d(0)});  m.within(m.d(0), 1, 2);  m.build()
//
// Rules return `only(map)`, or one reach per operand or output: `each(count, [](std::size_t k) { ... })`.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/ops/op_maps.h"
#include "core/hlo/text/attributes.h"

namespace tessera::hlo {

using Reaches = Result<std::vector<Reach>>;

[[nodiscard]] inline std::size_t n(i64 dimension) { return static_cast<std::size_t>(dimension); }
[[nodiscard]] inline bool has(const Ints& list, i64 k) { return std::ranges::find(list, k) != list.end(); }
[[nodiscard]] inline bool has(const Ints& list, std::size_t k) { return has(list, static_cast<i64>(k)); }
// The position of k in the list; nullopt: not in it.
[[nodiscard]] std::optional<std::size_t> positionOf(const Ints& list, std::size_t k);
// Whether these are distinct dimensions of an array of that rank.
[[nodiscard]] bool areDimensions(Ints list, std::size_t rank);

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
  [[nodiscard]] std::size_t outputs() const { return module_.outputsOf(instruction_); }
  [[nodiscard]] std::string nameOf(std::size_t operand) const;

  [[nodiscard]] Result<Ints> ints(std::string_view attribute) const;
  [[nodiscard]] Result<Ints> ints(std::string_view attribute, Ints otherwise) const;
  [[nodiscard]] Result<i64> number(std::string_view attribute, i64 otherwise) const;
  // A list of distinct dimensions of an array of that rank.
  [[nodiscard]] Result<Ints> dimensions(std::string_view attribute, std::size_t rank, bool orNone = false) const;
  [[nodiscard]] Diag wrong(std::string_view message, std::string expected = "") const;
  // A parsed attribute. A Diag, at this instruction: the value is malformed, or there is none (then with the example).
  template <class T>
  [[nodiscard]] Result<T> parsed(std::string_view attribute, Result<T> (*parse)(std::string_view),
                                 std::string example) const {
    const Attribute* const a = instruction_.find(attribute);
    if (a == nullptr) return wrong(fmt::format("{} has no {}", opcode(), attribute), std::move(example));
    Result<T> value = parse(a->value);
    if (value) return value;
    return wrong(fmt::format("{}: {}", attribute, value.error().message), value.error().expected);
  }
  // The compile-time integer value of an operand (constantOf in core/hlo/text/module.h); of a vector, one element.
  [[nodiscard]] std::optional<i64> constant(std::size_t operand, std::size_t element = 0) const;
  [[nodiscard]] Result<void> expectOperands(std::size_t count) const;
  // The windows of an array of that rank, from the attribute `window`.
  [[nodiscard]] Result<std::vector<WindowDim>> window(std::size_t rank) const;
  // A Diag if the sizes of `what` are not the expected ones.
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
  Expr device(i64 count);   // p, after the coordinates and before any range: the result is a position (devices.h)
  Expr s(i64 extent);       // a new range, 0 to extent - 1
  Expr rt(i64 lo, i64 hi);  // a new run-time value
  void result(Expr value) { axes_.push_back({"", std::move(value), std::nullopt}); }
  void results(std::vector<Expr> values);
  // A missing value becomes a new range of that size.
  void results(std::vector<std::optional<Expr>> values, const Ints& sizes);
  void ranges(const Ints& sizes);
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

inline constexpr const char* kByIndices = "the run-time indices choose among these";

[[nodiscard]] std::string sizesText(const Ints& sizes);  // "[4,8]"
[[nodiscard]] i64 product(const Ints& sizes);            // fits in 63 bits for an array
// Dimensions in memory order, most major first; the sizes of some dimensions.
[[nodiscard]] Ints majorToMinor(const xla::Shape& shape);
[[nodiscard]] Ints sizesOf(const xla::Shape& shape, const Ints& dimensions);
[[nodiscard]] Result<Map> identityOf(const Ints& sizes);
[[nodiscard]] Result<Map> scalarOf(const Ints& sizes);  // (d..) -> ()
// Row-major reshape: coordinates over `from` to coordinates over `to`. Requires equal products.
[[nodiscard]] std::vector<Expr> reshaped(const std::vector<Expr>& coordinates, const Ints& from, const Ints& to);
[[nodiscard]] Reach none(std::size_t slot);
[[nodiscard]] Reach exact(std::size_t slot, Map map);
[[nodiscard]] Result<Reach> exact(std::size_t slot, Result<Map> map);
[[nodiscard]] Result<Reach> over(std::size_t slot, Result<Map> map, std::string why);
[[nodiscard]] Reach unknown(std::size_t slot, std::string why);
// Only for slot 0.
[[nodiscard]] Reaches only(Result<Reach> reach);
[[nodiscard]] Reaches only(Result<Map> map);  // exact
// of(0), of(1) ... of(count - 1), each a Result<Reach>, for slots 0 to count - 1.
template <class Of>
[[nodiscard]] Reaches each(std::size_t count, Of of) {
  std::vector<Reach> all;
  for (std::size_t k = 0; k < count; ++k) {
    TESSERA_TRY(Reach one, of(k));
    one.slot = static_cast<int>(k);
    all.push_back(std::move(one));
  }
  return all;
}
// Each element of the operand goes to every element of every output: (d..)[s..] -> (s..).
[[nodiscard]] Reaches everywhere(const Op& op, int operand);

// The element under a window's tap. Base dilation spreads the elements and padding surrounds them; guards exclude taps
// that are on neither.
[[nodiscard]] Expr windowRead(MapBuilder& m, const Expr& outer, const Expr& tap, const WindowDim& w, i64 size);
// The converse: the window position that puts the tap on an element.
[[nodiscard]] Expr windowUse(MapBuilder& m, const Expr& element, const Expr& tap, const WindowDim& w, i64 outer);

// The indices of a gather or scatter: vectors along one dimension, one per coordinate of the other dimensions.
struct IndexVectors {
  std::size_t operand = 0;
  Ints sizes;                 // of the operand
  std::size_t dimension = 0;  // of the vectors; if it is the rank, each index is a vector of one number
  Ints toArray;               // per number of a vector: its dimension of the array
  Ints arrayBatch, batch;     // paired dimensions of the array and of the indices
  Ints rows;                  // the dimensions of the result, or of the updates, that count the vectors

  [[nodiscard]] Ints counts() const;  // the sizes without the vectors' dimension
  // The member of `rows` along that dimension of the indices; -1: the vectors' own dimension.
  [[nodiscard]] i64 rowAlong(std::size_t k) const;
  // The same for the array's dimension k; nullopt: k is not a batch dimension.
  [[nodiscard]] std::optional<i64> rowOfBatch(std::size_t k) const;
  // Adds the coordinates of an index as results: `at` along the vector, the rows' coordinates elsewhere.
  void coordinates(MapBuilder& m, const Expr& at) const;
  // Adds number j of a vector as a run-time value, over coordinates of these sizes.
  [[nodiscard]] Result<void> addNumber(std::vector<RuntimeValue>& to, const Ints& over, std::size_t j) const;
};
// For an array of that rank, from the attributes of these names. The caller sets `rows`.
[[nodiscard]] Result<IndexVectors> indexVectorsOf(const Op& op, std::size_t operand, std::size_t rank,
                                                  std::string_view toArray, std::string_view arrayBatch,
                                                  std::string_view batch);

// What a convolution, or a library's call of that form, reads of its input (0) or kernel (1).
[[nodiscard]] Result<Reach> convolutionRead(const Op& op, std::size_t operand);

// The groups as text. Equal spellings give equal texts.
[[nodiscard]] std::string groupsText(const Instruction& instruction);

// The rules: one table per source file.
using Rule = Reaches (*)(const Op& op, int which);
struct RuleRow {
  std::string_view opcode;
  Rule reads = nullptr;  // which: the output
  Rule uses = nullptr;   // which: the operand
};
using Rules = std::span<const RuleRow>;
[[nodiscard]] const RuleRow* ruleOf(std::string_view opcode);

// Both rules of an operation, from the relation of an operand and an output as a map in either direction. The relation
// checks the operation. Uses check every operand, as reads do.
using Relation = Result<Reach> (*)(const Op& op, std::size_t operand, std::size_t output, bool reads);
template <Relation relation>
[[nodiscard]] Reaches readBy(const Op& op, int output) {
  if (op.operands() == 0) TESSERA_CHECKED(relation(op, 0, n(output), true));  // a Diag: what is missing
  return each(op.operands(), [&](std::size_t k) { return relation(op, k, n(output), true); });
}
template <Relation relation>
[[nodiscard]] Reaches useBy(const Op& op, int operand) {
  return each(op.outputs(), [&](std::size_t o) -> Result<Reach> {
    if (op.operands() != 1) TESSERA_CHECKED(readBy<relation>(op, static_cast<int>(o)));
    return relation(op, n(operand), o, false);
  });
}
template <Relation relation>
[[nodiscard]] constexpr RuleRow bothWays(std::string_view opcode) {
  return {opcode, readBy<relation>, useBy<relation>};
}

[[nodiscard]] Rules moveRules();        // op_move.cpp: operations that only rename elements
[[nodiscard]] Rules partRules();        // op_part.cpp: a part of an array, at static positions
[[nodiscard]] Rules runtimeRules();     // op_runtime.cpp: a part of an array, at run-time positions
[[nodiscard]] Rules scatterRules();     // op_scatter.cpp: writes at run-time positions
[[nodiscard]] Rules collectiveRules();  // op_collective.cpp: elements of other replicas
[[nodiscard]] Rules sumRules();         // op_sum.cpp: reductions of many elements to one
[[nodiscard]] Rules scanRules();     // op_scan.cpp: a step depends on its own inputs and, by carries, on earlier ones
[[nodiscard]] Rules customRules();   // op_custom.cpp: custom calls, by their target
[[nodiscard]] Rules dynamicRules();  // op_dynamic.cpp: sizes that are run-time values, and tokens
[[nodiscard]] Rules wholeRules();    // op_whole.cpp: each element of a row or matrix goes to all others

}  // namespace tessera::hlo
