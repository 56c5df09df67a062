// ExprText: prints an index expression as C. The printed text has the expression's value at every point of the box.
//
//     (d * 8 + r) floordiv 4 mod 2, all >= 0       (d * 8 + r) / 4 % 2
//     r floordiv 4, r >= -3                        tessera::floor_div(r, 4): C's / rounds towards zero
//     K * 128 * M with sizes up to 2^31 - 1        (long long)K * 128 * M
//
// Law: no sub-expression printed as int exceeds 32 bits on the
// box; where it could, its first factor or summand is cast.
#pragma once

#include <functional>
#include <string>

#include "core/expr/facts.h"

namespace tessera::codegen {

class ExprText {
 public:
  using Names = std::function<std::string(int param)>;
  // A name that replaces a sub-expression; empty: print the sub-expression.
  using Named = std::function<std::string(const Expr&)>;
  ExprText(FactBase& facts, Names names, Named named = {})
      : facts_(facts), names_(std::move(names)), named_(std::move(named)) {}

  [[nodiscard]] std::string print(const Expr& e) { return text(e).text; }
  [[nodiscard]] bool usesFloor() const { return floor_; }  // floor_div or floor_mod was printed

 private:
  // Precedence of a text; wide: its type is long long.
  enum Level : int { kXor, kSum, kProduct, kUnary };
  struct Text {
    std::string text;
    int level = kUnary;
    bool wide = false;
  };
  Text text(const Expr& e);
  Text sum(const Expr& e);
  Text product(const Expr& e);
  Text wideProduct(const Expr& e);
  Text division(const Expr& e);
  bool wide(const Expr& e);
  static std::string held(const Text& t, int level);  // parenthesised unless it binds at least as tightly
  void widen(const Expr& e, Text& first, const Text& second);

  FactBase& facts_;
  Names names_;
  Named named_;
  bool floor_ = false;
};

}  // namespace tessera::codegen
