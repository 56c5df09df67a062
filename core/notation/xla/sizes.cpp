// Sizes, and the numbers of XLA's helpers, each by the helper's rule.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/xla/address.h"

namespace tessera::xla {
namespace {

bool hasCombine(const Shape& shape) {
  const auto& tiles = shape.layout().tiles;
  return std::ranges::any_of(
      tiles, [](const std::vector<i64>& tile) { return std::ranges::find(tile, kCombine) != tile.end(); });
}

// ShapeUtil::ArraySize: the first tile, the largest piece of every split dimension.
std::optional<i64> arraySizeBytes(const Shape& shape, i64 elements) {
  const Layout& layout = shape.layout();
  if (layout.tiles.empty()) return byteCount(elements, shape.storedBits());
  if (hasCombine(shape)) return std::nullopt;
  const std::vector<i64>& tile = layout.tiles.front();
  std::vector<i64> factors;
  for (std::size_t minor = 0; minor < std::max(tile.size(), shape.rank()); ++minor) {
    const i64 n = minor < shape.rank() ? maxSplitSize(shape, static_cast<std::size_t>(layout.minorToMajor[minor])) : 1;
    const i64 t = minor < tile.size() ? tile[tile.size() - 1 - minor] : 1;
    factors.push_back(roundUp(n, t));
  }
  const auto slots = product(factors);
  if (!slots) return std::nullopt;
  return byteCount(roundUp(*slots, layout.tailAlignment), shape.storedBits());
}

std::optional<i64> arrayDataSizeBytes(const Shape& shape, i64 elements) {
  if (elements == 0) return 0;
  std::vector<i64> last = shape.sizes();
  for (i64& n : last) --n;
  const auto linear = topTileLinear(shape, last);
  if (!linear) return std::nullopt;
  return byteCount(*linear + 1, shape.storedBits());
}

std::optional<i64> plus(std::optional<i64> a, std::optional<i64> b) {
  return a && b ? checkedAdd(*a, *b) : std::nullopt;
}

}  // namespace

Result<Sizes> sizesOf(const Shape& shape) {
  Sizes out;
  out.arraySize = out.arrayDataSize = 0;
  const std::vector<const Shape*> arrays = shape.arrays();
  std::optional<i64> elements = 0, slots = 0, bytes = 0;
  for (const Shape* array : arrays) {
    TESSERA_TRY(const Addressing addressing, Addressing::create(*array));
    elements = plus(elements, addressing.elements());
    slots = plus(slots, addressing.slots());
    bytes = plus(bytes, addressing.bytes());
    out.arraySize = plus(out.arraySize, arraySizeBytes(*array, addressing.elements()));
    out.arrayDataSize = plus(out.arrayDataSize, arrayDataSizeBytes(*array, addressing.elements()));
    out.storedBits = arrays.size() == 1 ? array->storedBits() : 0;
  }
  if (!elements || !slots || !bytes) return Diag{"the tuple's sizes add to more than 2^63-1", "smaller arrays"};
  out.elements = *elements;
  out.slots = *slots;
  out.bytes = *bytes;
  if (out.slots > 0) out.waste = 100.0 * static_cast<double>(out.slots - out.elements) / static_cast<double>(out.slots);
  return out;
}

std::string describe(const Sizes& sizes) {
  std::string out = fmt::format("{} elements, {} slots", sizes.elements, sizes.slots);
  if (sizes.storedBits != 0) out += fmt::format(" of {} bits", sizes.storedBits);
  out += fmt::format(", {} bytes, {:.4g} % padding", sizes.bytes, sizes.waste);
  if (!sizes.arraySize) {
    out += "; XLA's helpers do not implement *";
  } else if (*sizes.arraySize != sizes.bytes) {
    out += fmt::format("; XLA's ArraySize gives {} bytes (it reads the first tile only)", *sizes.arraySize);
  }
  return out;
}

std::optional<i64> topTileLinear(const Shape& shape, std::span<const i64> index) {
  if (hasCombine(shape)) return std::nullopt;
  const Layout& layout = shape.layout();
  if (shape.rank() == 0) return 0;
  if (shape.rank() == 1) return index[0];
  const std::vector<i64> none;
  const std::vector<i64>& tile = layout.tiles.empty() ? none : layout.tiles.front();
  i64 across = 1, inside = 1, sum = 0;
  for (const i64 t : tile) across *= t;
  for (std::size_t minor = 0; minor < shape.rank(); ++minor) {
    const auto dim = static_cast<std::size_t>(layout.minorToMajor[minor]);
    const i64 n = shape.dims()[dim].size, e = index[dim];
    if (minor < tile.size()) {
      const i64 t = tile[tile.size() - 1 - minor];
      sum += across * (e / t) + inside * (e % t);
      across *= ceilDiv(n, t);
      inside *= t;
    } else {
      sum += e * across;
      across *= n;
    }
  }
  return sum;
}

i64 maxSplitSize(const Shape& shape, std::size_t dim) {
  const Layout& layout = shape.layout();
  const i64 n = shape.dims()[dim].size;
  for (const Split& split : layout.splits) {
    const std::size_t minor = shape.rank() - 1 - static_cast<std::size_t>(split.dim);
    if (static_cast<std::size_t>(layout.minorToMajor[minor]) != dim) continue;
    i64 most = n - split.indices.back(), before = 0;
    for (const i64 at : split.indices) {
      most = std::max(most, at - before);
      before = at;
    }
    return most;
  }
  return n;
}

// Each digit of the address must count the same without tiles: sets one digit at a time to 1.
bool isUntiled(const Shape& shape) {
  const auto addressing = Addressing::create(shape);
  if (!addressing) return false;
  if (addressing->slots() != addressing->elements()) return false;
  if (addressing->elements() == 0) return true;
  Layout plain = shape.layout();
  plain.tiles.clear();
  const auto reference = Addressing::create(*Shape::array(shape.type().name, shape.dims(), plain));
  // The unit of a digit is in the slot of its stride; without padding, every slot has an index.
  i64 stride = 1;
  const std::vector<i64>& dims = addressing->expansion().dims;
  for (std::size_t k = dims.size(); k-- > 0;) {
    if (dims[k] > 1 && reference->linear(addressing->at(stride).index) != stride) return false;
    stride *= dims[k];
  }
  return true;
}

Result<std::vector<i64>> unpackedByteStrides(const Shape& shape) {
  if (!shape.isArray() || shape.isUnbounded())
    return Diag{fmt::format("{} has no strides", print(shape)), "an array with sizes"};
  std::vector<i64> out(shape.rank());
  i64 stride = shape.type().byteWidth;
  for (const i64 dim : shape.layout().minorToMajor) {
    out[static_cast<std::size_t>(dim)] = stride;
    if (!mulInto(stride, shape.dims()[static_cast<std::size_t>(dim)].size))
      return Diag{"the strides do not fit in 63 bits", "smaller sizes"};
  }
  return out;
}

}  // namespace tessera::xla
