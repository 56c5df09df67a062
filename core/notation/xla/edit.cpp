#include "core/notation/xla/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/base/work_budget.h"
#include "core/notation/xla/address.h"

namespace tessera::xla {
namespace {

// sameSlots: whether two arrays have every element, in row-major order, in the same slot, including tiles and padding.
//
//     f32[4,128]{1,0:T(8,128)}, f32[512]                         yes: one tile, its rows are contiguous
//     f32[4,128]{1,0:T(8,128)}, f32[4,1,128]{2,1,0:T(8,128)}     no: the second has one tile per row
//
// How: a slot is a sum over the dimensions, so both shapes are split where the products of their leading sizes agree,
// and each piece is compared separately: by strides, or element by element if a tile does not divide its dimension.

constexpr i64 kMostElements = i64{1} << 20;

// Some dimensions of an array; the index is 0 in the other ones.
struct Piece {
  const Addressing& array;
  std::size_t begin = 0, end = 0;  // dimensions, last one fastest
};

struct Stride {
  i64 extent = 1, step = 0;
  bool operator==(const Stride&) const = default;
};

// The slot as strides of the piece's row-major index, fastest first, with runs joined, so that the form is unique.
// nullopt if a tile cuts unevenly or dimensions are merged.
std::optional<std::vector<Stride>> stridesOf(const Piece& piece) {
  struct Cut {
    std::size_t dim;
    i64 weight;
    Stride stride;
  };
  std::vector<Cut> cuts;
  for (const Digit& d : digitsOf(piece.array.expansion(), piece.array.shape().sizes())) {
    if (d.dim == Digit::kShared && d.extent > 1) return std::nullopt;
    if (d.dim < piece.begin || d.dim >= piece.end) continue;
    if (d.uneven) return std::nullopt;
    if (d.extent > 1) cuts.push_back({d.dim, d.weight, {d.extent, d.stride}});
  }
  std::ranges::sort(cuts,
                    [](const Cut& x, const Cut& y) { return x.dim != y.dim ? x.dim < y.dim : x.weight > y.weight; });
  std::vector<Stride> out;
  for (std::size_t k = cuts.size(); k-- > 0;) {  // fastest first
    const Stride& s = cuts[k].stride;
    if (!out.empty() && s.step == out.back().step * out.back().extent) {
      out.back().extent *= s.extent;
    } else {
      out.push_back(s);
    }
  }
  return out;
}

bool next(std::vector<i64>& index, const Piece& piece) {
  for (std::size_t k = piece.end; k-- > piece.begin;) {
    if (++index[k] < piece.array.shape().dims()[k].size) return true;
    index[k] = 0;
  }
  return false;
}

Result<bool> same(const Piece& a, const Piece& b) {
  const auto x = stridesOf(a), y = stridesOf(b);
  if (x && y) return *x == *y;
  std::vector<i64> i(a.array.shape().rank(), 0), j(b.array.shape().rank(), 0);
  for (i64 n = 0; n < kMostElements; ++n) {
    spend(4);
    if (a.array.linear(i) != b.array.linear(j)) return false;
    if (!next(i, a) || !next(j, b)) return true;
  }
  return Diag{
      fmt::format("the first {} elements keep their slots; there are too many to compare, and tiles that do not "
                  "divide {} and {} leave no strides",
                  kMostElements, print(a.array.shape()), print(b.array.shape())),
      "sizes that are multiples of their tiles, or smaller ones"};
}

bool merges(const Addressing& array) {
  const std::vector<Digit> digits = digitsOf(array.expansion(), array.shape().sizes());
  return std::ranges::any_of(digits, [](const Digit& d) { return d.dim == Digit::kShared && d.extent > 1; });
}

Result<bool> sameSlots(const Addressing& a, const Addressing& b) {
  const std::vector<i64> x = a.shape().sizes(), y = b.shape().sizes();
  if (a.elements() == 0) return true;
  if (merges(a) || merges(b)) return same({a, 0, x.size()}, {b, 0, y.size()});
  std::size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    Piece left{a, i, i}, right{b, j, j};
    i64 sizeA = 1, sizeB = 1;  // at most the number of elements
    do {
      const bool first = i < x.size() && (sizeA <= sizeB || j == y.size());
      if (first) {
        sizeA *= x[i++];
      } else {
        sizeB *= y[j++];
      }
    } while (sizeA != sizeB);
    left.end = i;
    right.end = j;
    TESSERA_TRY(const bool agree, same(left, right));
    if (!agree) return false;
  }
  return true;
}

using Ints = std::vector<i64>;

// The array with this value of one attribute of its layout.
template <typename T>
Result<Shape> with(const Shape& shape, T Layout::*attribute, T value) {
  if (!shape.isArray()) return Diag{fmt::format("{} is not an array", print(shape)), "an array such as f32[3,5]"};
  Layout layout = shape.layout();
  layout.*attribute = std::move(value);
  return Shape::array(shape.type().name, shape.dims(), std::move(layout));
}

Ints composed(const Ints& a, const Ints& b) {  // a[b[i]]
  return mapped<i64>(b, [&](i64 k) { return a[static_cast<std::size_t>(k)]; });
}
Ints inverted(const Ints& a) {
  Ints out(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) out[static_cast<std::size_t>(a[k])] = static_cast<i64>(k);
  return out;
}
bool isPermutation(const Ints& p, std::size_t n) {
  Ints identity(n);
  std::iota(identity.begin(), identity.end(), 0);
  return std::is_permutation(p.begin(), p.end(), identity.begin(), identity.end());
}

std::optional<i64> elementsOf(const Shape& shape) {
  if (!shape.isArray() || shape.isUnbounded()) return std::nullopt;
  return product(shape.sizes());
}

std::string braces(const Ints& p) { return fmt::format("{{{}}}", fmt::join(p, ",")); }

}  // namespace

Result<Shape> withMinorToMajor(const Shape& shape, std::vector<i64> order) {
  if (shape.isArray() && order.size() != shape.rank()) {
    return Diag{fmt::format("{} has {} dimensions, but the order has {}", print(shape), shape.rank(), order.size()),
                "each dimension once, the fastest first"};
  }
  return with(shape, &Layout::minorToMajor, std::move(order));
}

Result<Shape> withTiles(const Shape& shape, std::vector<std::vector<i64>> tiles) {
  return with(shape, &Layout::tiles, std::move(tiles));
}

Result<Shape> withMemorySpace(const Shape& shape, i64 space) { return with(shape, &Layout::memorySpace, space); }

Result<Shape> reorderDimensions(const Shape& shape, const std::vector<i64>& permutation) {
  if (!shape.isArray()) return Diag{fmt::format("{} is not an array", print(shape)), "an array such as f32[3,5]"};
  if (!isPermutation(permutation, shape.rank())) {
    return Diag{fmt::format("({}) is not a permutation of {} dimensions", fmt::join(permutation, ","), shape.rank()),
                "each dimension once"};
  }
  auto dims = mapped<Dim>(permutation, [&](i64 k) { return shape.dims()[static_cast<std::size_t>(k)]; });
  Layout layout = shape.layout();
  layout.minorToMajor = composed(inverted(permutation), shape.layout().minorToMajor);
  return Shape::array(shape.type().name, std::move(dims), std::move(layout));
}

Result<Shape> rowMajorOf(const Shape& shape) {
  Ints order = shape.layout().minorToMajor;
  std::ranges::reverse(order);
  return reorderDimensions(shape, order);
}

Result<bool> reshapeIsBitcast(const Shape& input, const Shape& output) {
  const auto a = elementsOf(input), b = elementsOf(output);
  if (!a || !b || *a != *b) return false;
  TESSERA_TRY(const Addressing in, Addressing::create(input));
  TESSERA_TRY(const Addressing out, Addressing::create(output));
  return sameSlots(in, out);
}

Result<bool> transposeIsBitcast(const Shape& input, const Shape& output, const std::vector<i64>& permutation) {
  if (!elementsOf(input) || !elementsOf(output) || !isPermutation(permutation, input.rank()) ||
      output.sizes() != composed(input.sizes(), permutation))
    return false;
  TESSERA_TRY(const Shape renamed, reorderDimensions(input, permutation));
  return reshapeIsBitcast(renamed, output);
}

Result<std::optional<std::vector<i64>>> transposeOfBitcast(const Shape& input, const Shape& output) {
  const std::optional<Ints> none;
  if (!elementsOf(input) || !elementsOf(output) || input.rank() != output.rank()) return none;
  const Ints order = composed(input.layout().minorToMajor, inverted(output.layout().minorToMajor));
  TESSERA_TRY(const bool byOrder, transposeIsBitcast(input, output, order));
  if (byOrder) return std::optional(order);
  // With tiles or unit dimensions, matches each dimension to any of the same length and step.
  TESSERA_TRY(const Addressing in, Addressing::create(input));
  TESSERA_TRY(const Addressing out, Addressing::create(output));
  Ints permutation;
  std::vector<bool> taken(input.rank(), false);
  for (std::size_t k = 0; k < output.rank(); ++k) {
    for (std::size_t d = 0; d < input.rank() && permutation.size() == k; ++d) {
      if (taken[d] || input.dims()[d].size != output.dims()[k].size) continue;
      TESSERA_TRY(const bool agree, same({in, d, d + 1}, {out, k, k + 1}));
      if (!agree) continue;
      taken[d] = true;
      permutation.push_back(static_cast<i64>(d));
    }
    if (permutation.size() == k) return none;
  }
  TESSERA_TRY(const bool whole, transposeIsBitcast(input, output, permutation));  // with *, not a sum
  return whole ? std::optional(permutation) : none;
}

Result<Bitcast> decomposeBitcast(const Shape& input, const Shape& output) {
  Bitcast out;
  const auto a = elementsOf(input), b = elementsOf(output);
  if (!a || !b) {
    out.why = "both sides must be arrays with sizes";
    return out;
  }
  if (*a != *b) {
    out.why = fmt::format("element counts differ: {} and {}", *a, *b);
    return out;
  }
  TESSERA_TRY(const bool reshape, reshapeIsBitcast(input, output));
  if (reshape) {
    out.kind = Bitcast::Kind::Reshape;
    return out;
  }
  TESSERA_TRY(auto perm, transposeOfBitcast(input, output));
  if (perm) {
    out.kind = Bitcast::Kind::Transpose;
    out.transpose1 = *std::move(perm);
    return out;
  }
  const auto untiled = [](const Shape& shape) {
    Layout layout;
    layout.minorToMajor = shape.layout().minorToMajor;
    return *rowMajorOf(*Shape::array(shape.type().name, shape.dims(), std::move(layout)));
  };
  // In physical order, the reshape between both must keep every slot, which tiles may prevent.
  TESSERA_TRY(const Shape from, rowMajorOf(input));
  TESSERA_TRY(const Shape to, rowMajorOf(output));
  TESSERA_TRY(const bool keeps, reshapeIsBitcast(from, to));
  if (!keeps) {
    out.why = "the tiles differ, and no reshape or transpose keeps every element in its slot";
    return out;
  }
  out.kind = Bitcast::Kind::TransposeReshapeTranspose;
  out.transpose1 = input.layout().minorToMajor;
  std::ranges::reverse(out.transpose1);
  out.shape1 = untiled(input);
  const Shape there = untiled(output);
  out.reshape = *Shape::array(input.type().name, there.dims(), there.layout());
  const auto last = static_cast<i64>(output.rank()) - 1;
  out.transpose2 = mapped<i64>(inverted(output.layout().minorToMajor), [&](i64 k) { return last - k; });
  return out;
}

std::string print(const Bitcast& bitcast) {
  switch (bitcast.kind) {
    case Bitcast::Kind::None:
      return "none: " + bitcast.why;
    case Bitcast::Kind::Reshape:
      return "reshape";
    case Bitcast::Kind::Transpose:
      return "transpose " + braces(bitcast.transpose1);
    case Bitcast::Kind::TransposeReshapeTranspose:
      break;
  }
  return fmt::format("transpose {} to {}, reshape to {}, transpose {}", braces(bitcast.transpose1),
                     print(*bitcast.shape1), print(*bitcast.reshape), braces(bitcast.transpose2));
}

Result<double> bandwidthUtilization(const Shape& shape, const std::vector<i64>& tileSizes,
                                    const std::vector<i64>& tileStrides, i64 transactionBytes) {
  if (!shape.isArray() || shape.isUnbounded())
    return Diag{fmt::format("{} is not an array with sizes", print(shape)), "an array such as f32[256,16]"};
  if (tileSizes.size() != shape.rank() || (!tileStrides.empty() && tileStrides.size() != shape.rank())) {
    return Diag{fmt::format("{} has {} dimensions, but the tile has {}", print(shape), shape.rank(), tileSizes.size()),
                "one size for each dimension"};
  }
  if (std::ranges::any_of(tileSizes, [](i64 t) { return t < 1; }) || transactionBytes < 1)
    return Diag{"tile sizes and the transaction must be positive", "sizes >= 1"};
  i64 contiguous = 1;  // at most the number of elements
  for (const i64 dim : shape.layout().minorToMajor) {
    const auto k = static_cast<std::size_t>(dim);
    if (!tileStrides.empty() && tileStrides[k] != 1) break;
    contiguous *= std::min(tileSizes[k], shape.dims()[k].size);
    if (tileSizes[k] < shape.dims()[k].size) break;
  }
  const auto bytes = checkedMul(contiguous, shape.type().byteWidth);
  if (!bytes || *bytes == 0) return 0.0;
  const double moved = static_cast<double>(ceilDiv(*bytes, transactionBytes)) * static_cast<double>(transactionBytes);
  return static_cast<double>(*bytes) / moved;
}

}  // namespace tessera::xla
