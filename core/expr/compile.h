// Program: an expression compiled to straight-line code over registers, for one point or for blocks of points.
//
//     (d0*8 + d1) xor (d0 mod 2)        r0 = d0 << 3;  r0 = r0 + d1;  r1 = d0 & 1;  r0 = r0 xor r1
//
// run evaluates one point; runBlock evaluates up to kBlock points, each instruction as a vector loop over columns of
// values. Floor division and modulus by a constant never divide: powers of two use an arithmetic shift and a mask (the
// floor versions, also for negatives), other divisors a multiplication by a fixed-point reciprocal. A register is
// reused after its last read, so a program of 10^5 instructions needs only as many registers as are live at once.
//
// Law: run(p) == evaluate(e, p) for every p where evaluate is defined; runBlock is run on every column.
// Not checked: Map::create ensures that nothing overflows and no divisor is zero on the box; outside it a Program wraps
// silently, while evaluate() does not.
#pragma once

#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/expr/expr.h"

namespace tessera {

class Program {
 public:
  static constexpr std::size_t kBlock = 512;

  Program();  // the constant 0
  [[nodiscard]] static Program compile(const Expr& e);
  // One point.
  [[nodiscard]] i64 run(std::span<const i64> digits, std::span<const i64> params = {}) const;
  // out[i] for i < count <= kBlock; digits[k] points to count values of digit k (unused digits may be null; a column
  // must not overlap out). scratch grows as needed and may be reused between calls.
  void runBlock(std::span<const i64* const> digits, std::span<const i64> params, std::size_t count, i64* out,
                std::vector<i64>& scratch) const;
  [[nodiscard]] std::size_t registerCount() const { return registers_; }

 private:
  enum class Code : unsigned char {
    // As in Op:
    Constant,  // to = constant
    Digit,     // to = digit a
    Param,     // to = param a
    Add,
    Mul,
    FloorDiv,
    Mod,
    Xor,
    Min,
    Max,   // the last with two registers
    AddC,  // from here on the second operand is `constant`; again in the order of Op
    MulC,
    FloorDivC,  // constant > 0, by magic and shift
    ModC,
    XorC,
    MinC,
    MaxC,
    ShiftLeft,
    ShiftRight,
    Mask,
  };
  struct Step {
    Code code = Code::Constant;
    int a = 0, b = 0;  // registers, or the digit's or param's index
    int to = 0;        // register
    i64 constant = 0;
    u64 magic = 0;  // FloorDivC, ModC: floor(2^(63 + shift + 1) / constant) + 1
    int shift = 0;
  };
  [[nodiscard]] static Step binaryStep(const Expr& e, int a, int b);
  [[nodiscard]] static i64 scalar(const Step& s, i64 x, i64 y);
  static void column(const Step& s, const i64* a, const i64* b, std::size_t count, i64* to);

  std::vector<Step> steps_;  // the last one computes the result
  std::size_t registers_ = 1;
};

}  // namespace tessera
