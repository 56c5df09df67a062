// The functions of the language: rows of (name, signature, what, implementation), one file per notation, joined here in
// order. A new notation adds a file and a line in functions.cpp; help, completion, "did you mean" and explain() use the
// same rows.
//
//     {"composition", "composition(A, B)", "R(c) = A(B(c))", 2, 2, [](const Call& c) { ... }}
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/notation.h"
#include "core/notation/indexing/notation.h"
#include "core/notation/linear/notation.h"
#include "core/notation/tla/notation.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/notation.h"
#include "core/worksheet/value.h"

namespace tessera {

struct Argument {
  Value value;
  Span span;
};

// One evaluated call, the input of an implementation. Spans are relative to the statement's text. The evaluator places
// a Diag without a span at the call.
struct Call {
  std::string_view function;
  Span span;
  std::vector<Argument> args;
  std::vector<std::string> templateArgs;  // zN<2>(...), select<1,3>(L)
  std::vector<Diag>* notes = nullptr;     // remarks for the reader beside the result

  // Adds a remark at argument k: an assumption, and how to override it.
  void note(std::size_t k, std::string message, std::string hint) const {
    if (notes != nullptr) notes->push_back(Diag{std::move(message), "", std::move(hint), args[k].span});
  }
  [[nodiscard]] std::size_t count() const { return args.size(); }
  [[nodiscard]] const Value& operator[](std::size_t k) const { return args[k].value; }

  // Argument k converted to a type: a number is a 1-tuple's only leaf, a shape is the compact layout over it, a layout
  // of another notation is its CuTe layout (convert.h). Otherwise a Diag at the argument.
  [[nodiscard]] Result<i64> integer(std::size_t k) const;
  [[nodiscard]] Result<cute::IntTuple> tuple(std::size_t k) const;
  [[nodiscard]] Result<std::vector<i64>> integers(std::size_t k) const;  // (8,16), 8, (2)
  [[nodiscard]] Result<cute::Layout> layout(std::size_t k) const;
  [[nodiscard]] Result<cute::Tiler> tiler(std::size_t k) const;
  [[nodiscard]] Result<Map> map(std::size_t k) const;
  [[nodiscard]] Result<Arrow> arrow(std::size_t k) const;
  [[nodiscard]] Result<std::string> word(std::size_t k) const;  // a text
  [[nodiscard]] bool isLayoutLike(std::size_t k) const;         // a layout, or a TLA layout
  // The template arguments as integers; and the arguments from `first` on after them: select<1>(L, 3).
  [[nodiscard]] Result<std::vector<i64>> templateIntegers() const;
  [[nodiscard]] Result<std::vector<i64>> numbers(std::size_t first) const;

  [[nodiscard]] Diag wrong(std::size_t k, std::string_view expected) const;  // "argument 2 of f is a swizzle"
  [[nodiscard]] Diag at(std::size_t k, Diag diag) const;                     // the Diag, placed at argument k
  template <typename T>
  [[nodiscard]] Result<T> at(std::size_t k, Result<T> result) const {  // the same for a result's
    if (!result) return at(k, std::move(result.error()));
    return result;
  }
};

// The result as a value; its Diag placed at argument k.
template <typename T>
[[nodiscard]] Result<Value> wrapped(Result<T> result) {
  if (!result) return result.error();
  return Value(*std::move(result));
}
template <typename T>
[[nodiscard]] Result<Value> valueOf(const Call& call, std::size_t k, Result<T> result) {
  return wrapped(call.at(k, std::move(result)));
}

struct Function {
  std::string_view name;
  std::string_view signature;
  std::string_view what;
  int minArgs = 0;
  int maxArgs = 0;
  Result<Value> (*run)(const Call&) = nullptr;
  bool algebra = false;  // drawn as inputs beside the result
  // How argument k is read, one bit each: `words` takes a name literally (fp16, ldmatrix.x4, an operand's A), `lists`
  // takes [0, 4, null] as a tuple of integers, with `_` for null. All other arguments are evaluated.
  unsigned words = 0;
  unsigned lists = 0;
  // `types`: an element type (f16) is taken literally if the worksheet has no value of that name.
  unsigned types = 0;
};

[[nodiscard]] std::span<const Function> cuteFunctions();
[[nodiscard]] std::span<const Function> cuteAlgebraFunctions();
[[nodiscard]] std::span<const Function> tlaFunctions();
[[nodiscard]] std::span<const Function> mapFunctions();
[[nodiscard]] std::span<const Function> indexingFunctions();
[[nodiscard]] std::span<const Function> hardwareFunctions();
[[nodiscard]] std::span<const Function> tiledFunctions();
[[nodiscard]] std::span<const Function> tiledOverloads();  // size of a tiled mma or copy
[[nodiscard]] std::span<const Function> partitionFunctions();
[[nodiscard]] std::span<const Function> tensorFunctions();
[[nodiscard]] std::span<const Function> axeFunctions();
[[nodiscard]] std::span<const Function> tritonFunctions();
[[nodiscard]] std::span<const Function> xlaFunctions();
[[nodiscard]] std::span<const Function> grapheneFunctions();
// "(t / 8) % 4, t in [0, 31]": the expression as a map over the named ranges, for simplify. A Diag is placed at `span`.
[[nodiscard]] Result<Map> rangedMap(std::string_view text, Span span);
// All tables, in the order of help; those of the extension last.
[[nodiscard]] const std::vector<std::span<const Function>>& functionTables();

// The operations that the layouts of a family (NotationOf<T>::kFamily) implement themselves. All others use the arrow,
// and the algebra uses the CuTe form.
struct FamilyRow {
  std::string_view family;
  // Searched first: group of S[..] is Axe's, elements of an array is XLA's.
  std::vector<std::span<const Function>> functions;
  // L(c), and f o g if one of them is of this family; nullopt: as for every layout.
  std::optional<Result<Value>> (*apply)(const Layout& layout, const cute::IntTuple& coord) = nullptr;
  std::optional<Result<Value>> (*compose)(const Value& outer, const Value& inner) = nullptr;
};
// nullptr for a value that is not a layout, or whose family has no row.
[[nodiscard]] const FamilyRow* familyRowOf(const Value& value);

// nullptr if there is none. A leading cute::, tla:: or Catlass namespace is ignored.
[[nodiscard]] const Function* findFunction(std::string_view name);
// The function of the same name in the notation of the first argument: Axe layouts have their own size, group, slice.
[[nodiscard]] const Function* findOverload(const Function& function, const Value& first);

// The XLA shape that a value is, or that an instruction line declares; nullptr otherwise.
[[nodiscard]] const xla::Shape* xlaShapeIn(const Value& value);
// size(L), size<0>(L), size(L, 1): the number of coordinates of a layout of any notation, or of one of its modes.
[[nodiscard]] Result<Value> sizeOf(const Call& call);
// The form that == compares: a TLA layout becomes its CuTe layout, a number a tuple of one.
[[nodiscard]] Value comparable(const Value& value);
// The layout of arguments 0 and 1; a Diag at the faulty one.
[[nodiscard]] Result<cute::Layout> layoutFrom(const Call& call, cute::IntTuple shape, cute::IntTuple stride);
// make_shape(4, 8)
[[nodiscard]] Result<Value> tupleCall(const Call& call);
[[nodiscard]] Value tupleOf(const std::vector<i64>& numbers);
// Whether the value is an integer or a tuple; and whether it acts on a layout mode by mode: a tiler, or a shape with
// modes.
[[nodiscard]] bool isTupleLike(const Value& value);
[[nodiscard]] bool isTilerLike(const Value& value);
// A known leaf without a basis becomes an integer; anything else is returned unchanged.
[[nodiscard]] Value normalised(cute::IntTuple tuple);

// f o g: a swizzle over a layout is a composed layout with offset 0, a layout over a layout is composition(A, B), a map
// over a map is "first g, then f".
[[nodiscard]] Result<Value> composeValues(const Value& outer, const Value& inner);
// outer o offset o inner.
[[nodiscard]] Result<Value> composeWithOffset(const Value& outer, const Value& offset, const Value& inner);
// (2,(1,3)) as 2, 1, 3; a Diag if a leaf is not an integer.
[[nodiscard]] Result<std::vector<i64>> pointOf(const cute::IntTuple& coord);
// L(c), with `_` for a slice.
[[nodiscard]] Result<Value> applyValue(const Value& function, const cute::IntTuple& coord);

}  // namespace tessera
