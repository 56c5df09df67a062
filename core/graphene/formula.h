// Formula: an expression of a program, evaluated for one thread after the other.
//
//     Formula f(offset of %q[@gm,@gn]);   f.at({block, thread, ...})      128*@gm + 8*@gn, or nothing
//
// Law: at(values) is the expression's value; nothing where it has none: a division by zero, a sum beyond 64 bits, a variable
// that is not among the values. So no program that can be written makes a picture fail.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/expr/expr.h"

namespace tessera::graphene {

class Formula {
 public:
  Formula() : Formula(Expr::constant(0)) {}
  explicit Formula(const Expr& e);
  [[nodiscard]] std::optional<i64> at(std::span<const i64> values) const;
  [[nodiscard]] bool mentions(int variable) const;

 private:
  struct Line {
    Op op = Op::Constant;
    std::size_t a = 0, b = 0;  // lines; of a param its number
    i64 value = 0;
  };
  std::vector<Line> lines_;  // the last one is the result
  bool constant_ = false;
};

}  // namespace tessera::graphene
