// Program: an expression compiled to straight-line code over registers, for one point or for blocks of points.
//
//     d0*8 + d1 over blocks:   r0 = d0 * 8;  r1 = r0 + d1      each line a loop over kBlock values, which the compiler
//     vectorises
//
// Division and modulus by powers of two become shifts and masks (floor semantics for negatives too).
// Law: run(p) == evaluate(e, p) for every p where evaluate is defined; runBlock is run on every column.
#pragma once

#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/expr/expr.h"

namespace tessera {

class Program {
 public:
  static constexpr std::size_t kBlock = 512;

  [[nodiscard]] static Program compile(const Expr& e);
  // One point.
  [[nodiscard]] i64 run(std::span<const i64> digits, std::span<const i64> params = {}) const;
  // out[i] for i < count <= kBlock; digits[k] points to count values of digit k (unused digits may be null).
  // scratch is grown as needed and may be reused between calls.
  void runBlock(std::span<const i64* const> digits, std::span<const i64> params, std::size_t count, i64* out,
                std::vector<i64>& scratch) const;

 private:
  enum class Code : unsigned char {
    Constant,
    Digit,
    Param,
    Add,
    Mul,
    FloorDiv,
    Mod,
    Xor,
    AddC,
    MulC,
    XorC,
    ShiftRight,
    Mask
  };
  struct Step {
    Code code = Code::Constant;
    int a = 0, b = 0;  // registers, or the digit's or param's index
    i64 constant = 0;
  };
  std::vector<Step> steps_;  // step k writes register k; the last one is the result
};

}  // namespace tessera
