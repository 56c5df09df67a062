#include "solver/measure/reference/equation_product.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/mapped.h"

namespace tessera::measure {
namespace {

using namespace graphene;
using Kind = MeaningNode::Kind;

constexpr int kMaxDepth = 100;      // of nested named values
constexpr int kSummed = 1'000'000;  // digit of the summation variable; those of the output are 0 and 1

Diag other(const std::string& why) { return Diag{why}; }

bool isDigit(const Expr& e, int digit) { return e.op() == Op::Digit && e.index() == digit; }

class Matcher {
 public:
  Matcher(const Spec& spec, std::span<const Expr> sizes) : spec_(spec), meaning_(*spec.meaning), sizes_(sizes) {}

  Result<EquationProduct> run() {
    const Equation& e = meaning_.equations[meaning_.of(0)];
    if (e.rank != 2) return other(fmt::format("%{} is not a matrix", spec_.outputs[0].name));
    TESSERA_CHECKED(epilogue(start(e, {Expr::digit(0), Expr::digit(1)})));
    if (!multiplied_) return other("its equation has no sum of products");
    return out_;
  }

 private:
  // A node, and the values of its equation's digits.
  struct Term {
    int node = 0;
    std::vector<Expr> digits;
  };

  Term start(const Equation& e, std::vector<Expr> at) const {
    at.resize(std::max(at.size(), e.variables.size()), Expr::constant(0));
    return {e.node, std::move(at)};
  }
  [[nodiscard]] const MeaningNode& nodeOf(const Term& t) const { return meaning_.nodes[t.node]; }
  [[nodiscard]] Term part(const Term& t, std::size_t k) const { return {nodeOf(t).parts[k], t.digits}; }
  [[nodiscard]] Expr index(const Expr& e, const Term& t) const { return substitute(e, t.digits, sizes_); }
  [[nodiscard]] std::vector<Expr> indices(const Term& t) const {
    return mapped<Expr>(nodeOf(t).at, [&](const Expr& e) { return index(e, t); });
  }

  // Expands named values, and id(x) to x.
  Result<Term> opened(Term t) {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      const MeaningNode& n = nodeOf(t);
      if (n.kind == Kind::Named) {
        t = start(meaning_.equations[n.what], indices(t));
      } else if (n.kind == Kind::Unary && n.operation == "id") {
        t = part(t, 0);
      } else {
        return t;
      }
    }
    return other("its values depend on too many others");
  }

  Result<void> epilogue(const Term& closed) {
    TESSERA_TRY(const Term t, opened(closed));
    const MeaningNode& n = nodeOf(t);
    if (n.kind == Kind::Unary && n.operation == "relu") {
      out_.relu = true;
      return epilogue(part(t, 0));
    }
    if (n.kind == Kind::Binary && n.operation == "max")
      for (const std::size_t k : {0, 1}) {
        TESSERA_TRY(const Term least, opened(part(t, k)));
        if (nodeOf(least).kind != Kind::Number || nodeOf(least).number != 0) continue;
        out_.relu = true;
        return epilogue(part(t, 1 - k));
      }
    return summand(t);
  }

  Result<void> summand(const Term& closed) {
    if (++summands_ > kMaxDepth) return other("its equation has too many summands");
    TESSERA_TRY(const Term t, opened(closed));
    const MeaningNode& n = nodeOf(t);
    switch (n.kind) {
      case Kind::Binary:
        if (n.operation != "+") break;
        TESSERA_CHECKED(summand(part(t, 0)));
        return summand(part(t, 1));
      case Kind::Reduce:
        if (n.operation != "+") return other(fmt::format("{} over an index is not a sum", n.operation));
        return product(t);
      case Kind::Operand:
        return added(t);
      case Kind::Number:
        if (n.number == 0) return {};
        return other(fmt::format("{:g} is added", n.number));
      case Kind::Where:
        return other("it has cases (where)");
      case Kind::Index:
        return other("an index is added");
      default:
        break;
    }
    return other(fmt::format("its epilogues are a bias, relu or both, but there is '{}'", n.operation));
  }

  // %C[i,j] or %bias[j].
  Result<void> added(const Term& t) {
    const MeaningNode& n = nodeOf(t);
    const std::string name = nameOf(n.what);
    const std::vector<Expr> at = indices(t);
    if (at.size() == 2 && isDigit(at[0], 0) && isDigit(at[1], 1)) {
      if (name != spec_.outputs[0].name)
        return other(fmt::format("the matrix %{} is added, not the old value of the result", name));
      if (out_.accumulate) return other(fmt::format("%{} is added twice", name));
      out_.accumulate = true;
      return {};
    }
    int along = -1;
    for (const Expr& e : at) {
      if (e.isConstant(0)) continue;
      const bool one = along < 0 && (isDigit(e, 0) || isDigit(e, 1));
      if (!one) return other(fmt::format("%{} is added, but is not a bias of the columns", name));
      along = e.index();
    }
    if (along < 0) return other(fmt::format("one value of %{} is added to all", name));
    if (out_.bias) return other(fmt::format("two vectors are added, %{} and %{}", nameOf(out_.bias->operand), name));
    out_.bias = EquationProduct::Bias{n.what, along == 0};
    return {};
  }

  Result<void> product(const Term& sum) {
    const MeaningNode& n = nodeOf(sum);
    if (multiplied_) return other("its equation has several sums");
    multiplied_ = true;
    const Expr lo = index(n.lo, sum), hi = index(n.hi, sum);
    if (!lo.isConstant(0) || !hi.isConstant()) return other("its sum does not start at 0, or has no fixed length");
    out_.terms = hi.value();
    Term inner = part(sum, 0);
    inner.digits[n.variable] = Expr::digit(kSummed);
    TESSERA_TRY(const Term times, opened(inner));
    const MeaningNode& m = nodeOf(times);
    if (m.kind != Kind::Binary || m.operation != "*") return other("its summands are not products of two elements");
    TESSERA_TRY(const Term left, opened(part(times, 0)));
    TESSERA_TRY(const Term right, opened(part(times, 1)));
    if (nodeOf(left).kind != Kind::Operand || nodeOf(right).kind != Kind::Operand)
      return other("its summands are not products of two elements");
    if (const auto a = factor(left, 0), b = factor(right, 1); a && b) return factors(*a, *b);
    if (const auto a = factor(right, 0), b = factor(left, 1); a && b) return factors(*a, *b);
    return other("its factors are not %A[i,k] and %B[k,j]");
  }

  Result<void> factors(EquationProduct::Factor a, EquationProduct::Factor b) {
    out_.a = a;
    out_.b = {b.operand, !b.turned};  // [k,j] is the untransposed form of B
    return {};
  }

  // Matches [digit,k], or transposed [k,digit].
  [[nodiscard]] std::optional<EquationProduct::Factor> factor(const Term& t, int digit) const {
    const std::vector<Expr> at = indices(t);
    if (at.size() != 2) return std::nullopt;
    for (const bool turned : {false, true})
      if (isDigit(at[turned ? 1 : 0], digit) && isDigit(at[turned ? 0 : 1], kSummed))
        return EquationProduct::Factor{nodeOf(t).what, turned};
    return std::nullopt;
  }

  [[nodiscard]] const std::string& nameOf(int operand) const {
    return operandOf(spec_, static_cast<std::size_t>(operand)).name;
  }

  const Spec& spec_;
  const Meaning& meaning_;
  std::span<const Expr> sizes_;
  EquationProduct out_;
  bool multiplied_ = false;
  int summands_ = 0;
};

}  // namespace

Result<EquationProduct> equationProductOf(const Spec& spec, std::span<const Expr> sizes) {
  return Matcher(spec, sizes).run();
}

}  // namespace tessera::measure
