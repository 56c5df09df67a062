#include "core/notation/xla/edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/notation/xla/address.h"

namespace tessera::xla {
namespace {

using Ints = std::vector<i64>;

Result<Shape> rebuilt(const Shape& shape, Layout layout) {
  if (!shape.isArray()) return Diag{fmt::format("{} is no array", print(shape)), "an array such as f32[3,5]", "", {}};
  return Shape::array(shape.type().name, shape.dims(), std::move(layout));
}

Ints composed(const Ints& a, const Ints& b) {  // a[b[i]]
  Ints out;
  for (const i64 k : b) out.push_back(a[static_cast<std::size_t>(k)]);
  return out;
}
Ints inverted(const Ints& a) {
  Ints out(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) out[static_cast<std::size_t>(a[k])] = static_cast<i64>(k);
  return out;
}
Ints reversed(std::size_t n) {
  Ints out(n);
  for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<i64>(n - 1 - k);
  return out;
}
bool isPermutation(Ints p, std::size_t n) {
  std::sort(p.begin(), p.end());
  Ints want(n);
  std::iota(want.begin(), want.end(), 0);
  return p == want;
}

// The untiled address of an index, by minor to major.
i64 untiledLinear(const Ints& sizes, const Ints& minorToMajor, const Ints& index) {
  i64 sum = 0, stride = 1;
  for (const i64 d : minorToMajor) {
    sum += index[static_cast<std::size_t>(d)] * stride;
    stride *= sizes[static_cast<std::size_t>(d)];
  }
  return sum;
}

// The unit index of every dimension of `a` stays where it is when it is counted row-major and read as an index of `b`.
bool unitsStay(const Shape& a, const Shape& b) {
  const Ints sizesA = a.sizes(), sizesB = b.sizes();
  for (std::size_t k = 0; k < sizesA.size(); ++k) {
    if (sizesA[k] <= 1) continue;
    Ints unit(sizesA.size(), 0);
    unit[k] = 1;
    const i64 count = untiledLinear(sizesA, reversed(sizesA.size()), unit);
    const Ints there = delinearize(count, sizesB, LinearOrder::Lex);
    if (untiledLinear(sizesA, a.layout().minorToMajor, unit) != untiledLinear(sizesB, b.layout().minorToMajor, there)) {
      return false;
    }
  }
  return true;
}

std::optional<i64> elementsOf(const Shape& shape) {
  if (!shape.isArray() || shape.isUnbounded()) return std::nullopt;
  return product(shape.sizes());
}

std::string braces(const Ints& p) { return fmt::format("{{{}}}", fmt::join(p, ",")); }

}  // namespace

Result<Shape> withMinorToMajor(const Shape& shape, std::vector<i64> order) {
  if (shape.isArray() && order.size() != shape.rank()) {
    return Diag{fmt::format("{} has {} dimensions, the order {}", print(shape), shape.rank(), order.size()),
                "each dimension once, the fastest first",
                "",
                {}};
  }
  Layout layout = shape.layout();
  layout.minorToMajor = std::move(order);
  return rebuilt(shape, std::move(layout));
}

Result<Shape> withTiles(const Shape& shape, std::vector<std::vector<i64>> tiles) {
  Layout layout = shape.layout();
  layout.tiles = std::move(tiles);
  return rebuilt(shape, std::move(layout));
}

Result<Shape> withMemorySpace(const Shape& shape, i64 space) {
  Layout layout = shape.layout();
  layout.memorySpace = space;
  return rebuilt(shape, std::move(layout));
}

Result<Shape> reorderDimensions(const Shape& shape, const std::vector<i64>& permutation) {
  if (!shape.isArray()) return Diag{fmt::format("{} is no array", print(shape)), "an array such as f32[3,5]", "", {}};
  if (!isPermutation(permutation, shape.rank())) {
    return Diag{fmt::format("({}) is no permutation of {} dimensions", fmt::join(permutation, ","), shape.rank()),
                "each dimension once",
                "",
                {}};
  }
  std::vector<Dim> dims;
  for (const i64 k : permutation) dims.push_back(shape.dims()[static_cast<std::size_t>(k)]);
  Layout layout = shape.layout();
  layout.minorToMajor = composed(inverted(permutation), shape.layout().minorToMajor);
  return Shape::array(shape.type().name, std::move(dims), std::move(layout));
}

Result<Shape> rowMajorOf(const Shape& shape) {
  Ints order = shape.layout().minorToMajor;
  std::reverse(order.begin(), order.end());
  return reorderDimensions(shape, order);
}

bool reshapeIsBitcast(const Shape& input, const Shape& output) {
  const auto a = elementsOf(input), b = elementsOf(output);
  if (!a || !b || *a != *b) return false;
  return *a == 0 || (unitsStay(input, output) && unitsStay(output, input));
}

std::optional<std::vector<i64>> transposeOfBitcast(const Shape& input, const Shape& output) {
  if (!input.isArray() || !output.isArray() || input.rank() != output.rank()) return std::nullopt;
  Ints perm = composed(input.layout().minorToMajor, inverted(output.layout().minorToMajor));
  if (output.sizes() != composed(input.sizes(), perm)) return std::nullopt;
  return perm;
}

Bitcast decomposeBitcast(const Shape& input, const Shape& output) {
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
  out.tilesIgnored = !isUntiled(input) || !isUntiled(output);
  if (reshapeIsBitcast(input, output)) {
    out.kind = Bitcast::Kind::Reshape;
    return out;
  }
  if (auto perm = transposeOfBitcast(input, output)) {
    out.kind = Bitcast::Kind::Transpose;
    out.transpose1 = *std::move(perm);
    return out;
  }
  const auto untiled = [](const Shape& shape) {
    Layout layout;
    layout.minorToMajor = shape.layout().minorToMajor;
    return *rowMajorOf(*Shape::array(shape.type().name, shape.dims(), std::move(layout)));
  };
  out.kind = Bitcast::Kind::TransposeReshapeTranspose;
  out.transpose1 = input.layout().minorToMajor;
  std::reverse(out.transpose1.begin(), out.transpose1.end());
  out.shape1 = untiled(input);
  const Shape there = untiled(output);
  out.reshape = *Shape::array(input.type().name, there.dims(), there.layout());
  out.transpose2 = composed(reversed(output.rank()), inverted(output.layout().minorToMajor));
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
    return Diag{fmt::format("{} is no array with sizes", print(shape)), "an array such as f32[256,16]", "", {}};
  if (tileSizes.size() != shape.rank() || (!tileStrides.empty() && tileStrides.size() != shape.rank())) {
    return Diag{fmt::format("{} has {} dimensions, the tile {}", print(shape), shape.rank(), tileSizes.size()),
                "one size for each dimension",
                "",
                {}};
  }
  if (std::any_of(tileSizes.begin(), tileSizes.end(), [](i64 t) { return t < 1; }) || transactionBytes < 1)
    return Diag{"tile sizes and the transaction must be positive", "sizes >= 1", "", {}};
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
