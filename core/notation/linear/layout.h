// Layout: a layout that is linear over GF(2), as in Triton's compiler.
//
// Named inputs of 2^n values each (register, lane, warp, block; offset) map to named outputs (dim0, dim1 ..). The
// layout lists the image of each input bit, its basis. An input maps to the xor of the bases of its set bits:
//
//     register: [[0,1],[8,0]]   lane: [[0,2],[0,4],[1,0],[2,0],[4,0]]        the 16 x 8 accumulator of mma.m16n8
//     L(register 3, lane 5) = (0,1) ^ (8,0) ^ (0,2) ^ (1,0) = (9,3)
//
//     (x, y in an input dimension)   L(x ^ y) = L(x) ^ L(y),  L(0) = 0
//
// A permutation of bits is a strided layout; a basis with two coordinates is a swizzle; a zero basis is a broadcast
// (two inputs hold the same element). It maps hardware to the tensor, so broadcasts are functions; Axe and CuTe's
// memory layouts map in the other direction. Not supported: sizes that are not powers of two. 24 x 24 row-major is not
// linear, because f(1) ^ f(2) = 24 ^ 48 = 40, but f(3) = 72.
//
// The order of dimensions matters only for text and reshaping (the first dimension is minor), not for the function.
#pragma once

#include <algorithm>
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

using Basis = std::vector<i64>;  // one coordinate per output dimension

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
[[nodiscard]] bool isZero(const Basis& basis);
// The position of a name in a list of inputs or outputs; the size of the list if the name does not occur.
template <typename Dims>
[[nodiscard]] std::size_t indexOf(const Dims& dims, const std::string& name) {
  std::size_t k = 0;
  while (k < dims.size() && dims[k].name != name) ++k;
  return k;
}
[[nodiscard]] inline bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}
// The inputs with f(basis) for each basis.
template <typename F>
[[nodiscard]] std::vector<In> withBases(std::vector<In> ins, const F& f) {
  for (In& in : ins)
    for (Basis& basis : in.bases) basis = f(basis);
  return ins;
}
// The coordinates at these positions.
[[nodiscard]] Basis picked(const Basis& basis, const std::vector<std::size_t>& positions);
// `value` along dimension k of `rank`, 0 along the others.
[[nodiscard]] Basis unitBasis(std::size_t rank, std::size_t k, i64 value);
[[nodiscard]] std::vector<std::string> dimNames(std::size_t rank);  // dim0, dim1 ..
[[nodiscard]] std::vector<Out> dimOuts(const std::vector<i64>& shape);
using NamedValues = std::vector<std::pair<std::string, i64>>;

class Layout {
 public:
  Layout() = default;  // no inputs, no outputs: the neutral element of the product
  // Checks: distinct names, sizes that are powers of two, bases of equal length, coordinates in [0, size), at most 62
  // bits on each side, and surjectivity if required.
  [[nodiscard]] static Result<Layout> create(std::vector<In> ins, std::vector<Out> outs,
                                             bool requireSurjective = false);
  // Infers each size as the next power of two above the largest coordinate. The result must be surjective.
  [[nodiscard]] static Result<Layout> createInferred(std::vector<In> ins, std::vector<std::string> outs);
  // Maps `size` values of `in` to the same values of `out`; zeros1D maps them to 0 of an output of size 1. Requires a
  // power of two.
  [[nodiscard]] static Layout identity1D(i64 size, const std::string& in, const std::string& out);
  [[nodiscard]] static Layout zeros1D(i64 size, const std::string& in, const std::string& out);

  [[nodiscard]] const std::vector<In>& ins() const { return ins_; }
  [[nodiscard]] const std::vector<Out>& outs() const { return outs_; }
  [[nodiscard]] std::vector<std::string> inNames() const;
  [[nodiscard]] std::vector<std::string> outNames() const;
  [[nodiscard]] bool hasIn(const std::string& name) const;
  [[nodiscard]] bool hasOut(const std::string& name) const;
  [[nodiscard]] i64 inSize(const std::string& name) const;   // 1 for an unknown name
  [[nodiscard]] i64 outSize(const std::string& name) const;  // 1 for an unknown name
  [[nodiscard]] int inBits() const;
  [[nodiscard]] int outBits() const;
  [[nodiscard]] std::vector<Out> insAsOuts() const;  // the inputs with their sizes
  [[nodiscard]] bool empty() const { return ins_.empty() && outs_.empty(); }

  // A Diag if an input is missing, unknown or out of range.
  [[nodiscard]] Result<NamedValues> apply(const NamedValues& inputs) const;
  // The fast path: coordinates for input values in the order of ins(); unchecked.
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

// A * B: the direct sum. The order of inputs and outputs is the supremum of both (ties: A first). A's bits are the low
// ones; B's coordinates are shifted left by A's size of that output. Refused if the orders conflict ([a,b] and [b,a]).
[[nodiscard]] Result<Layout> multiply(const Layout& a, const Layout& b);
[[nodiscard]] Result<Layout> transposeIns(const Layout& l, const std::vector<std::string>& names);
[[nodiscard]] Result<Layout> transposeOuts(const Layout& l, const std::vector<std::string>& names);
// Flattens with the first dimension minor, then splits again. The total sizes must agree.
[[nodiscard]] Result<Layout> reshapeIns(const Layout& l, const std::vector<Out>& dims);
[[nodiscard]] Result<Layout> reshapeOuts(const Layout& l, const std::vector<Out>& dims);
// The named inputs and outputs, in L's order, zero columns included.
[[nodiscard]] Result<Layout> sublayout(const Layout& l, const std::vector<std::string>& ins,
                                       const std::vector<std::string>& outs);

// --- composition and inverses ---------------------------------------------------------------------------------------

// compose(inner, outer)(x) = outer(inner(x)). Outer's inputs are inner's outputs, of at least the same sizes.
[[nodiscard]] Result<Layout> compose(const Layout& inner, const Layout& outer);
// invert(L)(L(x)) = x. A Diag says whether L is not injective or not surjective.
[[nodiscard]] Result<Layout> invert(const Layout& l);
// C with A(C(x)) = B(x), from B's inputs to A's. Of several solutions, the one that Triton picks: redundant inputs of A
// (scanning its bits from left to right) are 0, but an input dimension on which A and B agree is passed through
// unchanged. Refused if B reaches an output that A does not.
[[nodiscard]] Result<Layout> invertAndCompose(const Layout& b, const Layout& a);
// P with L(P(x)) = x for a surjective L.
[[nodiscard]] Result<Layout> pseudoinvert(const Layout& l);

// C with A = B * C (divideLeft) or A = C * B (divideRight); nullopt if there is none. Keeps all of A's dimensions.
[[nodiscard]] std::optional<Layout> divideLeft(const Layout& a, const Layout& b);
[[nodiscard]] std::optional<Layout> divideRight(const Layout& a, const Layout& b);
// L without these dimensions; nullopt unless L is the identity on them and nothing else uses them.
[[nodiscard]] std::optional<Layout> quotient(const Layout& l, const std::vector<std::string>& dims);

// --- queries --------------------------------------------------------------------------------------------------------

// The largest 2^k such that the first k bases of the first input are 1, 2, 4 .. of only the first output, and no other
// basis affects those k bits: the number of elements that move as one vector.
[[nodiscard]] i64 numConsecutiveInOut(const Layout& l);
// Per input, the bits whose basis depends on the bases before it (scanning all inputs in order): inputs that differ
// only there hold the same element.
[[nodiscard]] NamedValues freeVariableMasks(const Layout& l);

// --- text and meaning -----------------------------------------------------------------------------------------------

// Triton's toString, with its leading newline.
[[nodiscard]] std::string toString(const Layout& l);
// One line: "register = [[0, 1], [8, 0]], lane = [[0, 2]] -> dim0 16, dim1 8".
[[nodiscard]] std::string print(const Layout& l);
// Reads print's line and toString's block. Sizes after `->` may be omitted (inferred).
[[nodiscard]] Result<Layout> parse(std::string_view text);
// The layout that begins at the cursor (core/base/cursor.h). In a longer text, at most one output may lack a size,
// because the text after a comma is the next argument.
[[nodiscard]] Result<std::optional<Layout>> parsePrefix(Cursor& in);
// One Index digit per input, one axis per output.
[[nodiscard]] Result<Map> toMap(const Layout& l);

// Linear algebra over GF(2) on up to 62 bits: a matrix is a list of columns, each the packed coordinates of a basis.
namespace f2 {

[[nodiscard]] int log2(i64 powerOfTwo);
// The first output in the low bits.
[[nodiscard]] u64 pack(const Basis& basis, const std::vector<Out>& outs);
[[nodiscard]] Basis unpack(u64 packed, const std::vector<Out>& outs);
// The columns of L as a matrix, one per input bit.
[[nodiscard]] std::vector<u64> columns(const Layout& l);
[[nodiscard]] int rank(const Layout& l);

}  // namespace f2

}  // namespace tessera::linear
