#include "solver/kernel/tensor_map.h"

#include <algorithm>
#include <cstring>

#include "core/base/arith.h"

namespace tessera::kernel {

i64 TensorMap::spanBytes() const {
  std::optional<i64> last = checkedMul(tile.globalExtents[0], i64{elementBytes()});
  for (std::size_t d = 1; d < rank() && last; ++d) {
    const auto steps = checkedMul(tile.globalExtents[d] - 1, tile.globalStrideBytes[d - 1]);
    last = steps ? checkedAdd(*last, *steps) : std::nullopt;
  }
  return last.value_or(INT64_MAX);
}

std::vector<TileChunk> tileOf(const TensorMap& map, std::span<const i64> coordinates, u64 shared) {
  const TmaBox& b = map.tile;
  const i64 bytes = map.elementBytes(), line = b.box[0] * bytes;
  // The first byte inside the tensor and the first beyond it, counted from the start of a line.
  const i64 first = std::clamp<i64>(-coordinates[0] * bytes, 0, line);
  const i64 last = std::clamp<i64>((b.globalExtents[0] - coordinates[0]) * bytes, first, line);
  std::vector<TileChunk> out;
  const i64 lines = boxBytes(b) / line;
  for (i64 l = 0; l < lines; ++l) {
    i64 rest = l, at = coordinates[0] * bytes;
    bool inside = true;
    for (std::size_t d = 1; d < map.rank(); ++d) {
      const i64 step = b.elementStrides.empty() ? 1 : b.elementStrides[d], count = ceilDiv(b.box[d], step);
      const i64 x = coordinates[d] + rest % count * step;
      rest /= count;
      inside = inside && x >= 0 && x < b.globalExtents[d];
      if (inside) at += x * b.globalStrideBytes[d - 1];
    }
    for (i64 c = 0; c < line; c += 16) {
      TileChunk chunk;
      chunk.shared = static_cast<u64>(b.swizzle.onBytes(static_cast<i64>(shared) + l * line + c));
      if (inside) {
        chunk.from = static_cast<int>(std::clamp<i64>(first - c, 0, 16));
        chunk.to = static_cast<int>(std::clamp<i64>(last - c, chunk.from, 16));
        chunk.tensor = at + c + chunk.from;
      }
      out.push_back(chunk);
    }
  }
  return out;
}

std::array<std::uint8_t, 16> fillOf(const TensorMap& map) {
  std::array<std::uint8_t, 16> out{};
  if (!map.fillNan) return out;
  // All bits but the sign.
  const auto each = static_cast<std::size_t>(map.elementBytes());
  out.fill(0xff);
  for (std::size_t k = each - 1; k < out.size(); k += each) out[k] = 0x7f;
  return out;
}

std::vector<std::byte> elementsOf(const TensorMap& map, std::span<const std::byte> buffer) {
  const TmaBox& b = map.tile;
  const auto line = static_cast<std::size_t>(b.globalExtents[0] * map.elementBytes());
  i64 lines = 1;
  for (std::size_t d = 1; d < map.rank(); ++d) lines *= b.globalExtents[d];
  std::vector<std::byte> out;
  out.reserve(static_cast<std::size_t>(lines) * line);
  for (i64 l = 0; l < lines; ++l) {
    i64 rest = l, at = map.offset;
    for (std::size_t d = 1; d < map.rank(); ++d) {
      at += rest % b.globalExtents[d] * b.globalStrideBytes[d - 1];
      rest /= b.globalExtents[d];
    }
    const auto from = buffer.begin() + at;
    out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(line));
  }
  return out;
}

std::array<std::uint8_t, 128> mapBytes(std::size_t parameter) {
  std::array<std::uint8_t, 128> out{};
  for (std::size_t k = 0; k < out.size(); k += 8) {
    const u64 word = splitMix(0x7e55e2a0u + 1000 * parameter + k);
    std::memcpy(out.data() + k, &word, 8);
  }
  return out;
}

}  // namespace tessera::kernel
