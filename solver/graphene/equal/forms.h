// Forms: normal forms of real values with symbolic indices, for every size. Equal numbers: equal values.
//
//     sum(k < 64*K) %A[i,k] * 2                      2 * S             S: sum(b0 < 64*K) %A[d0,b0]
//     sum(kt < K, kk < 64) 2 * %A[i,64*kt + kk]      2 * S             the two indices are one
//     relu(x) / y                                    max(x, 0) * y^-1  by the algebra
//
// The algebra (solver/emulate/equality) has sums of products over atoms. Its inputs are here leaves: elements of
// tensors at index expressions, whole sums, maxima and minima over an index, conditions, calls of a recursive value.
//
// A sum is one leaf for each monomial of its body, after these steps:
//
//     sum(k) (x + y)                            is   sum(k) x + sum(k) y
//     sum(k) c*x                                is   c * (sum(k) x), if c does not mention k
//     sum(k) x[k] * (sum(l) y[k,l])             is   sum(k, l) x[k] * y[k,l]
//     sum(k < n) where(k < b, x, y)             is   sum(k < b) x + sum(k < n - b) y[k + b], if 0 <= b <= n
//     sum(k < a) x + sum(k < b) x[k + a]        is   sum(k < a + b) x
//     sum(a, b < c) x[c*a + b]                  is   sum(k) x[k], and backwards if x has only k / c and k % c
//     sum(k < n) k                              is   n*(n - 1)/2, and of k*k
//
// Indices are named by the number of indices around them that occur inside, in the order with the least number.
//
// Variables are digits: those of an output (0 to 15), those of a recursive value (16 to 31), named indices of leaves
// (from kNamed), fresh ones (from kFresh).
//
// Law: equal forms have equal values at all sizes and inputs, wherever both are defined, over the real numbers extended
// by -inf with exp(-inf) = 0 (algebra.h). The converse does not hold. Consumes budget; too deep a value sets fault().
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/program.h"
#include "solver/emulate/equality/form_parts.h"
#include "solver/graphene/equal/index_ranges.h"

namespace tessera::graphene {

class Forms {
 public:
  using Id = Algebra::Id;
  using Exprs = std::vector<Expr>;
  static constexpr int kOutputs = 16, kNamed = 32, kFresh = IndexRanges::kFresh;

  Forms() : algebra_(terms_), parts_(algebra_) {}
  Forms(const Forms&) = delete;
  Forms& operator=(const Forms&) = delete;

  // The variables.
  [[nodiscard]] IndexRanges& ranges() { return ranges_; }
  [[nodiscard]] const IndexRanges& ranges() const { return ranges_; }

  [[nodiscard]] Id number(double x) { return algebra_.constant(x); }
  [[nodiscard]] Id index(const Expr& e);
  // An element of a tensor, or a value of a function without equations.
  [[nodiscard]] Id element(const std::string& tensor, const Exprs& at);
  [[nodiscard]] Id unary(const std::string& operation, Id x) { return algebra_.unary(operation, x); }
  [[nodiscard]] Id binary(const std::string& operation, Id x, Id y);
  [[nodiscard]] Id where(const std::vector<Comparison>& condition, Id x, Id y);
  // + max min over fresh variables.
  [[nodiscard]] Id reduce(const std::string& operation, const std::vector<int>& over, Id body);

  [[nodiscard]] const std::string& fault() const { return fault_; }
  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
  }
  // Values without a form: those that no law covers.
  [[nodiscard]] Id opaques() const { return parts_.opaques(); }
  [[nodiscard]] std::vector<std::string> laws() const { return algebra_.laws(); }

 private:
  struct Leaf {
    enum class Kind : unsigned char { Element, Index, Guard, Where, Reduce };
    Kind kind = Kind::Element;
    std::string name;                   // of the tensor; the operation
    Exprs at;                           // Reduce: the extents of its indices
    std::vector<Comparison> condition;  // Guard, Where
    std::vector<Id> parts;              // Where: two; Reduce: the body
    int first = 0;                      // Reduce: the number of its first index
    std::vector<int> free;              // digits, ascending
  };
  using Renaming = std::map<int, Expr>;
  static constexpr std::size_t kMostIndices = 4;  // of one sum after sums in it were joined to it
  static constexpr int kMostDepth = 200;

  // forms.cpp
  [[nodiscard]] Id leaf(Leaf leaf);
  [[nodiscard]] const Leaf& leafOf(Terms::Value v) const {
    return leaves_[static_cast<std::size_t>(terms_.node(v).element)];
  }
  // A copy of the sum, maximum or minimum that x consists of.
  [[nodiscard]] std::optional<Leaf> lone(Id x, std::string_view operation);
  [[nodiscard]] Id renamed(Id x, const Renaming& names);
  [[nodiscard]] bool mentions(Id x, const std::vector<int>& digits) const;
  // sums_of_forms.cpp
  [[nodiscard]] Id sum(const std::vector<int>& over, Id body);
  [[nodiscard]] Id sumOfFactors(std::vector<int> over, std::vector<Id> factors);
  [[nodiscard]] Id extreme(const std::string& operation, std::vector<int> over, Id body);
  [[nodiscard]] Id whole(const std::string& operation, std::vector<int> over, Id body);
  [[nodiscard]] bool join(std::vector<int>& over, Id& body);
  [[nodiscard]] bool divide(std::vector<int>& over, Id& body);
  [[nodiscard]] std::optional<Id> sumOfPowers(int d, Id factor);
  [[nodiscard]] Id adjoined(Id x);
  [[nodiscard]] std::optional<Id> adjoined(const Leaf& one, const Leaf& other);
  [[nodiscard]] std::optional<Id> parted(const std::string& operation, const std::vector<int>& over, Id body);
  [[nodiscard]] std::optional<Expr> boundary(int d, const std::vector<int>& over, Id body);
  void collectConditions(const Leaf& leaf, const std::vector<int>& free, int d, std::vector<Comparison>& out) const;
  [[nodiscard]] bool opens(const Leaf& leaf, const std::vector<int>& over) const;
  [[nodiscard]] Id open(const Leaf& leaf, std::vector<int>& over);
  i64 divisions(Id x, const std::vector<int>& digits, Exprs* divisors) const;

  Terms terms_;
  Algebra algebra_;
  FormParts parts_;
  IndexRanges ranges_;
  std::vector<Leaf> leaves_;
  std::map<std::string, i64> leafNamed_;
  int depth_ = 0;
  std::string fault_;
};

}  // namespace tessera::graphene
