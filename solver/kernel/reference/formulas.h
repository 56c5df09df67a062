// Formulas: arrays whose extents are expressions of sizes, so that a reference is read for every size at once.
//
//     Formulas formulas(gemm);                              current on this thread until it ends
//     evaluate("C = relu(A @ B)", formulas.names())         C is a formula of the shape (128*M, 128*N)
//     formulas.program(*assigned, gemm)                         a program whose only kernel states it:
//         a[i,j] = %A[i,j]   b[i,j] = %B[i,j]   c[i,j] = sum(k < K) a[i,k] * b[k,j]   d[i,j] = relu(c[i,j])
//         %C[i,j] = d[i,j]
//
// An array that is a formula has no numbers: `Array::formula` is its row here, a named value of the equations
// (core/graphene/meaning.h). Each operation on it adds one; array.cpp asks `is` first. A size, `arange(M)` and what
// + - * // % make of them also have an expression, and comparisons of these a condition, which `where` takes. Numbers
// are used as they are.
//
// Laws: at numbers for the sizes, the equations say what an evaluation on arrays gives, over the real numbers
// (tests/equal). A Diag for what has no equations: sort, argmax, floor, comparisons of values.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/page.h"
#include "core/graphene/meaning.h"
#include "solver/kernel/reference/call.h"
#include "solver/kernel/reference/evaluate.h"

namespace tessera::kernel::reference {

[[nodiscard]] bool containsFormula(const Value& v);

class Formulas {
 public:
  using Exprs = std::vector<Expr>;
  // `of` must outlive it.
  explicit Formulas(const graphene::Program& of);
  ~Formulas();
  Formulas(const Formulas&) = delete;
  Formulas& operator=(const Formulas&) = delete;
  [[nodiscard]] static Formulas* current();  // null: none
  // The page has none (page.h).
  [[nodiscard]] static bool is(const Array& a) { return !kIsPage && a.formula >= 0; }
  [[nodiscard]] static bool is(const Value& v) { return !kIsPage && containsFormula(v); }  // or contains one

  // The operands in global memory, and the sizes.
  [[nodiscard]] std::map<std::string, Array, std::less<>> names();
  // The operands of `target` that are assigned; sizes of equal names are equal. A Diag: none is, or has another shape.
  [[nodiscard]] Result<graphene::Program> program(const std::vector<Assigned>& assigned,
                                                  const graphene::Program& target);

  // As the functions of array.h.
  [[nodiscard]] Result<Array> elementwise(const Array& a, const Array& b, std::string_view name, Array::Kind kind);
  [[nodiscard]] Result<Array> elementwise(const Array& a, std::string_view name, Array::Kind kind);
  [[nodiscard]] Result<Array> product(const Array& a, const Array& b);
  [[nodiscard]] Result<Array> reduced(const Array& a, const std::vector<i64>& axes, bool keep, std::string_view fold);
  [[nodiscard]] Result<Array> transposed(const Array& a, const std::vector<i64>& axes);
  [[nodiscard]] Result<Array> joined(const std::vector<Array>& parts, std::size_t axis);
  [[nodiscard]] Result<Array> subscripted(const Array& a, const std::vector<Subscript>& items);
  [[nodiscard]] Result<Array> reshaped(const Array& a, const Exprs& shape);  // one extent may be the number -1
  [[nodiscard]] Result<Array> broadcast(const Array& a, const Exprs& shape);

  // A function that is not made of those above; nullopt: it is.
  [[nodiscard]] std::optional<Result<Value>> called(std::string_view name, const ReferenceCall& c);
  [[nodiscard]] Value shapeOf(const Array& a);
  // The number of an integer scalar.
  [[nodiscard]] Result<i64> integer(const Array& a) const;

 private:
  struct Row {
    Exprs shape;
    int equation = 0;
    std::optional<Expr> index = {};                                   // over its coordinates: an integer array
    std::optional<std::vector<graphene::Comparison>> condition = {};  // over its coordinates: a mask
  };
  using Node = graphene::MeaningNode;
  // The node of a value at these coordinates.
  using Body = std::function<int(const Exprs& at)>;

  [[nodiscard]] Array made(Exprs shape, Array::Kind kind, const Body& body);
  [[nodiscard]] Array moved(const Array& a, const Exprs& to, const std::function<Exprs(const Exprs&)>& from);
  [[nodiscard]] Array indexed(Exprs shape, const Expr& index);
  [[nodiscard]] int add(Node node);
  [[nodiscard]] int add(std::string_view operation, int a, int b = -1);
  [[nodiscard]] int number(double x);
  [[nodiscard]] int unary(std::string_view name, int x);  // -1: it has no equation
  // + max min over a new index of the equation, of what `body` makes of it.
  [[nodiscard]] int reduce(std::string_view operation, const Expr& extent, const std::function<int(const Expr&)>& body);
  [[nodiscard]] int valueAt(const Array& a, const Exprs& at);
  // Coordinates of an array that is broadcast to others of `rank` dimensions.
  [[nodiscard]] Exprs placeOf(const Exprs& shape, const Exprs& at) const;
  [[nodiscard]] Exprs shape(const Array& a) const;
  [[nodiscard]] std::optional<Expr> indexOf(const Array& a, const Exprs& at) const;
  [[nodiscard]] Result<Expr> integerExpr(const Value& v, std::string_view what) const;
  [[nodiscard]] Result<Exprs> shapeArgument(const ReferenceCall& c, std::size_t at) const;
  [[nodiscard]] Result<Exprs> common(const Exprs& a, const Exprs& b) const;
  [[nodiscard]] Result<Array> where(const Array& which, const Array& yes, const Array& no);
  [[nodiscard]] Result<Array> softmax(const Array& a, i64 axis);
  [[nodiscard]] Result<Array> integers(const Array& a, const Array& b, std::string_view name);
  [[nodiscard]] bool usable(const Array& a) const;

  const graphene::Program& of_;
  graphene::Meaning meaning_;
  std::vector<graphene::Tensor> operands_;
  std::vector<Row> rows_;
  std::vector<std::string>* variables_ = nullptr;  // of the equation that is being made
  Formulas* before_;
};

// The reference as a program of the sizes and operands of another one; `numbers`: of sizes that it has no more. A Diag
// at the place of the text, or of what has no equations.
[[nodiscard]] Result<graphene::Program> referenceProgram(std::string_view text, const graphene::Program& of,
                                                         const std::map<std::string, i64>& numbers = {});

// What the text assigns to inputs of `target` by those of `of`: "Wx = W[:32*X].reshape(32*X, 128)".
[[nodiscard]] Result<graphene::Program> inputsProgram(std::string_view text, const graphene::Program& of,
                                                      const graphene::Program& target,
                                                      const std::map<std::string, i64>& numbers);

}  // namespace tessera::kernel::reference
