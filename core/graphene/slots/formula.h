// Formula: a compiled expression of a program, evaluated for many threads.
//
//     Formula f(offset of %q[@gm,@gn]);   f.at({block, thread, ...})      128*@gm + 8*@gn, or nullopt
//
// Law: at(values) is the expression's value; nullopt if it has none: a division by zero, 64-bit overflow, a variable
// that is not among the values. So no valid program can make a picture fail.
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
    std::size_t a = 0, b = 0;  // lines; for a param, its number
    i64 value = 0;
  };
  std::vector<Line> lines_;  // the last one is the result
  bool constant_ = false;
};

}  // namespace tessera::graphene
