// A tile of an operand of wgmma or tcgen05 in shared memory, laid out by the atlas.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "core/atlas/gmma.h"
#include "solver/kernel/lanes/fragments.h"

namespace tessera::test {

// Writes a tile (MN x K) into the image in the layout of an atom, and describes it.
inline MatrixDescriptor placeTile(const std::string& atomName, const char* type, const kernel::TileType& t, i64 mn,
                                  i64 k, const std::function<double(i64 mn, i64 k)>& value, i64 start,
                                  std::vector<std::uint8_t>& image) {
  const auto atom = smemAtom(atomName, type);
  REQUIRE(atom.ok());
  const bool kMajor = atomName[0] == 'K';
  const std::vector<i64> atomShape{atom->inner().mode(0).size(), atom->inner().mode(1).size()};
  const std::vector<i64> shape{std::max(mn, atomShape[0]), std::max(k, atomShape[1])};
  const auto tile = smemTile(*atom, shape);
  REQUIRE(tile.ok());
  const cute::Layout whole = tile->inner();
  const auto offset = [&](i64 i, i64 j) { return whole(i + j * shape[0]); };
  // The instruction's part of it, as offsets.
  std::string rows = print(whole.mode(0)), columns = print(whole.mode(1));
  const auto split = [](const std::string& text) {
    const std::size_t colon = text.rfind(':');
    return std::pair(text.substr(0, colon), text.substr(colon + 1));
  };
  auto [rowShape, rowStride] = split(rows);
  auto [columnShape, columnStride] = split(columns);
  if (kMajor && shape[1] > k) {  // a part of a row of the atom
    columnShape = std::to_string(k);
    columnStride = "1";
  }
  const auto part =
      cute::parseLayout("(" + rowShape + "," + columnShape + "):(" + rowStride + "," + columnStride + ")");
  INFO(atomName << " " << print(*tile));
  REQUIRE(part.ok());
  const auto d = matrixDescriptor(*tile->swizzle(), kMajor ? Major::K : Major::MN, t.bits, *part);
  INFO((d ? std::string() : d.error().message));
  REQUIRE(d.ok());
  const int bits = d->swizzleBytes == 128 ? 3 : d->swizzleBytes == 64 ? 2 : d->swizzleBytes == 32 ? 1 : 0;
  for (i64 i = 0; i < mn; ++i)
    for (i64 j = 0; j < k; ++j) {
      i64 byte = start + offset(i, j) * t.bits / 8;
      byte ^= (byte >> 3) & (((1 << bits) - 1) << 4);
      const u64 held = t.held(value(i, j), false);
      std::memcpy(image.data() + byte, &held, static_cast<std::size_t>(t.bits / 8));
    }
  return *d;
}

}  // namespace tessera::test
