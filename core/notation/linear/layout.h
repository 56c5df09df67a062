// Layout: a layout that is linear over GF(2), as Triton's compiler writes them.
//
// Named inputs of 2^n values each (register, lane, warp, block; offset) go to named outputs (dim0, dim1 ..). The layout
// is where each input bit lands, its basis; any other input is the xor of the bases of its bits:
//
//     register: [[0,1],[8,0]]   lane: [[0,2],[0,4],[1,0],[2,0],[4,0]]        the 16 x 8 accumulator of mma.m16n8
//     L(register 3, lane 5) = (0,1) ^ (8,0) ^ (0,2) ^ (1,0) = (9,3)
//
//     (x, y in an input dimension)   L(x ^ y) = L(x) ^ L(y),  L(0) = 0
//
// A permutation of bits is a strided layout; a basis with two coordinates is a swizzle; a zero basis is a broadcast
// (two inputs hold one element). It goes from hardware to the tensor, so that broadcasts are functions; Axe and CuTe's
// memory layouts go the other way. What it is not: a layout of any shape. Every size is a power of two, and 24 x 24
// row-major is not linear: f(1) ^ f(2) = 24 ^ 48 = 40, f(3) = 72.
//
// Order matters in the text and for reshaping (the first dimension is the minor one), never for the function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/base/types.h"
#include "core/map/map.h"

namespace tessera::linear {

using Basis = std::vector<i64>;  // one coordinate an output dimension

struct In {
  std::string name;
  std::vector<Basis> bases;  // of bits 1, 2, 4 ..
  bool operator==(const In&) const = default;
};
struct Out {
  std::string name;
  i64 size = 1;  // a power of two
  bool operator==(const Out&) const = default;
};
using NamedValues = std::vector<std::pair<std::string, i64>>;

class Layout {
 public:
  Layout() = default;  // no inputs, no outputs: the neutral element of the product
  // Checks: names distinct, sizes powers of two, bases not ragged,
  // coordinates in [0, size), at most 62 bits on either side; surjective when asked.
  [[nodiscard]] static Result<Layout> create(std::vector<In> ins, std::vector<Out> outs,
                                             bool requireSurjective = false);
  // Sizes inferred: the next power of two above the largest coordinate; must be surjective.
  [[nodiscard]] static Result<Layout> createInferred(std::vector<In> ins, std::vector<std::string> outs);
  // `size` values of `in` onto as many of `out`; onto 0 of an output of size 1. Requires a power of two.
  [[nodiscard]] static Layout identity1D(i64 size, const std::string& in, const std::string& out);
  [[nodiscard]] static Layout zeros1D(i64 size, const std::string& in, const std::string& out);

  [[nodiscard]] const std::vector<In>& ins() const { return ins_; }
  [[nodiscard]] const std::vector<Out>& outs() const { return outs_; }
  [[nodiscard]] std::vector<std::string> inNames() const;
  [[nodiscard]] std::vector<std::string> outNames() const;
  [[nodiscard]] bool hasIn(const std::string& name) const;
  [[nodiscard]] bool hasOut(const std::string& name) const;
  [[nodiscard]] i64 inSize(const std::string& name) const;   // 1 for a name it does not have
  [[nodiscard]] i64 outSize(const std::string& name) const;  // 1 for a name it does not have
  [[nodiscard]] int inBits() const;
  [[nodiscard]] int outBits() const;
  [[nodiscard]] bool empty() const { return ins_.empty() && outs_.empty(); }

  // Refused when an input is missing, unknown or out of range.
  [[nodiscard]] Result<NamedValues> apply(const NamedValues& inputs) const;
  // The fast path: coordinates for input values in the order of ins(); no checks.
  [[nodiscard]] std::vector<i64> at(const std::vector<i64>& inputs) const;

  [[nodiscard]] bool isSurjective() const;
  [[nodiscard]] bool isInjective() const;
  [[nodiscard]] bool isInvertible() const { return isSurjective() && isInjective(); }

  bool operator==(const Layout&) const = default;

 private:
  std::vector<In> ins_;
  std::vector<Out> outs_;
};

// --- products and dimensions ----------------------------------------------------------------------------------------

// (A * B): the direct sum. Inputs and outputs are the supremum of both orders (ties: A's first), A's bits low, B's
// coordinates shifted left by A's size of that output. Refused when the orders contradict ([a,b] and [b,a]).
[[nodiscard]] Result<Layout> multiply(const Layout& a, const Layout& b);
[[nodiscard]] Result<Layout> transposeIns(const Layout& l, const std::vector<std::string>& names);
[[nodiscard]] Result<Layout> transposeOuts(const Layout& l, const std::vector<std::string>& names);
// Flattened with the first dimension minor, then cut again; the totals must agree.
[[nodiscard]] Result<Layout> reshapeIns(const Layout& l, const std::vector<Out>& dims);
[[nodiscard]] Result<Layout> reshapeOuts(const Layout& l, const std::vector<Out>& dims);
[[nodiscard]] Layout flattenIns(const Layout& l);   // keeps the first name
[[nodiscard]] Layout flattenOuts(const Layout& l);  // keeps the first name
// The named inputs and outputs, in L's order, zero columns kept.
[[nodiscard]] Result<Layout> sublayout(const Layout& l, const std::vector<std::string>& ins,
                                       const std::vector<std::string>& outs);
[[nodiscard]] Result<bool> sublayoutIsZero(const Layout& l, const std::vector<std::string>& ins,
                                           const std::vector<std::string>& outs);

// --- composition and inverses ---------------------------------------------------------------------------------------

// compose(inner, outer)(x) = outer(inner(x)). Outer's inputs are inner's outputs, at least as large.
[[nodiscard]] Result<Layout> compose(const Layout& inner, const Layout& outer);
// invert(L)(L(x)) = x. Refused unless L is a bijection; says which it is not.
[[nodiscard]] Result<Layout> invert(const Layout& l);
// C with A(C(x)) = B(x), from B's inputs to A's. Of the many the one Triton picks: inputs of A that are redundant
// (scanning its bits left to right) stay 0, except that an input dimension on which A and B agree goes through
// unchanged. Refused when B reaches something that A does not.
[[nodiscard]] Result<Layout> invertAndCompose(const Layout& b, const Layout& a);
// P with L(P(x)) = x for a surjective L.
[[nodiscard]] Result<Layout> pseudoinvert(const Layout& l);

// C with A = B * C (divideLeft), A = C * B (divideRight); nullopt when there is none. All of A's dimensions stay.
[[nodiscard]] std::optional<Layout> divideLeft(const Layout& a, const Layout& b);
[[nodiscard]] std::optional<Layout> divideRight(const Layout& a, const Layout& b);
// L without these dimensions, when L is the identity on them and they touch nothing else; else nullopt.
[[nodiscard]] std::optional<Layout> quotient(const Layout& l, const std::vector<std::string>& dims);

// --- questions ------------------------------------------------------------------------------------------------------

// The largest 2^k such that the first k bases of the first input are 1, 2, 4 .. of the first output alone, and nothing
// else touches those k bits: how many elements move as one vector.
[[nodiscard]] i64 numConsecutiveInOut(const Layout& l);
// Per input, the bits whose basis depends on the bases before it (scanning all inputs in order):
// inputs that differ only there hold the same element.
[[nodiscard]] NamedValues freeVariableMasks(const Layout& l);

// --- text and meaning -----------------------------------------------------------------------------------------------

// Triton's toString, with its leading newline.
[[nodiscard]] std::string toString(const Layout& l);
// One line: "register = [[0, 1], [8, 0]], lane = [[0, 2]] -> dim0 16, dim1 8".
[[nodiscard]] std::string print(const Layout& l);
// Reads print's line and toString's block. Sizes after `->` may be left out (inferred).
[[nodiscard]] Result<Layout> parse(std::string_view text);
// The layout that begins at the cursor (core/base/cursor.h). In a longer text a list of outputs without sizes has one:
// what follows a comma is the next argument.
[[nodiscard]] Result<std::optional<Layout>> parsePrefix(Cursor& in);
// One Index digit an input, one axis an output.
[[nodiscard]] Result<Map> toMap(const Layout& l);

}  // namespace tessera::linear
