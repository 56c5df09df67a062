// Symbols: elements of an Array that stand for terms, so that a reference is evaluated for all inputs at once.
//
//     Symbols symbols(values);                           current on this thread until it ends
//     Array a{{2}, {Symbols::element(x), 3.0}};          [x, 3]
//     elementwise(a, a, {"*", f}, kind)                  [x * x, 9]
//
// A symbol is a quiet NaN whose payload is the number of its term, so that every operation that only moves elements
// works unchanged. Operations on numbers ask `is` first. A function that has no terms refuses symbols (functions.cpp).
//
// Law: an evaluation on symbols, with numbers for the terms, is the evaluation on those numbers.
#pragma once

#include <optional>
#include <string_view>

#include "solver/kernel/symbolic/value_terms.h"

namespace tessera::kernel::reference {

class Symbols {
 public:
  explicit Symbols(ValueTerms& values);
  ~Symbols();
  // Numbers only, until it ends.
  class Hidden {
   public:
    Hidden();
    ~Hidden();
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;

   private:
    Symbols* before_;
  };
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  [[nodiscard]] static Symbols* current();  // null: none
  [[nodiscard]] static double element(graphene::Terms::Value term);
  [[nodiscard]] static bool is(double x);
  // Of a symbol or a number.
  [[nodiscard]] graphene::Terms::Value term(double x);
  [[nodiscard]] ValueTerms& values() { return values_; }

  // By the names of Unary, Binary and Fold (array.h); nullopt: there are no terms for it.
  [[nodiscard]] std::optional<double> unary(std::string_view name, double x);
  [[nodiscard]] std::optional<double> binary(std::string_view name, double x, double y);
  [[nodiscard]] std::optional<double> fold(std::string_view name, const double* first, i64 count);
  // The sum of the products of `count` elements, each a stride after the one before.
  [[nodiscard]] double dot(const double* x, i64 strideX, const double* y, i64 strideY, i64 count);
  [[nodiscard]] double select(double condition, double x, double y);

 private:
  ValueTerms& values_;
  Symbols* before_;
};

}  // namespace tessera::kernel::reference
