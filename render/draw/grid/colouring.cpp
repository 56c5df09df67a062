#include "render/draw/grid/colouring.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

namespace {
__extension__ using Wide = __int128;  // sums and products of two 64-bit numbers
}  // namespace

namespace {
AddressBlocks blocksOf(const Subject& subject) {
  AddressBlocks result;
  result.origin = std::min<i64>(0, subject.least);
  if (subject.swizzle) {
    result.block = i64{1} << subject.swizzle->base();
    result.steps = false;
    return result;
  }
  const Wide range = static_cast<Wide>(subject.most) - subject.least + 1;
  // Compact prefixes of the strided part.
  std::vector<std::pair<i64, i64>> leaves;  // stride, extent
  if (!subject.outer && !subject.strides.empty()) {
    std::size_t k = 0;
    for (const std::vector<i64>& mode : subject.modes) {
      for (i64 extent : mode) {
        const i64 stride = subject.strides[k++];
        if (extent > 1 && stride != 0) leaves.emplace_back(stride < 0 ? -stride : stride, extent);
      }
    }
  }
  std::sort(leaves.begin(), leaves.end());
  std::vector<i64> prefixes;
  Wide compact = 1;
  for (auto [stride, extent] : leaves) {
    if (compact == 1 && prefixes.empty() && stride > 1) compact = stride;  // it divides every address
    if (stride != compact) break;
    compact *= extent;
    if (compact > range) break;
    prefixes.push_back(static_cast<i64>(compact));
  }
  // (4,4):(8,1) leaves holes after each row: the next row starts at the next stride, not at the product.
  for (auto [stride, extent] : leaves) {
    if (!prefixes.empty() && stride > prefixes.back() && stride < 4 * prefixes.back()) {
      prefixes.push_back(stride);
      break;
    }
  }
  for (i64 p : prefixes) {
    if (range > static_cast<Wide>(p) * 3) result.block = p;
  }
  if (result.block > 1) return result;
  while (static_cast<Wide>(result.block) * 8 < range) result.block *= 2;
  return result;
}

}  // namespace

AddressBlocks addressBlocks(const Subject& subject) {
  AddressBlocks result = blocksOf(subject);
  const Wide range = static_cast<Wide>(subject.most) - result.origin + 1;
  // A swizzled pattern drawn cell by cell keeps its plain hues, to show that it repeats.
  if (range > (subject.swizzle ? Wide{1} << 18 : static_cast<Wide>(result.block) * 64)) {
    const Wide eighth = (range + 7) / 8;
    const Wide blocks = (eighth + result.block - 1) / result.block;
    result.eighth = static_cast<i64>(blocks * result.block);
  }
  return result;
}

std::string describe(const AddressBlocks& blocks, const Subject& subject) {
  if (blocks.eighth > 0 && blocks.steps) {
    return fmt::format("one hue is an eighth of the addresses, one lightness {} neighbours", blocks.block);
  }
  if (blocks.block <= 1) return "the hue follows the address";
  if (subject.swizzle) {
    return fmt::format("one hue is {} neighbouring addresses, the unit that the swizzle moves", blocks.block);
  }
  return fmt::format("one hue is {} neighbouring addresses", blocks.block);
}

}  // namespace tessera
