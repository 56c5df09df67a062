// The slow second opinion: finds an address by building the whole memory as a list, tile by tile, without any formula.
//
// An array of indices is stored as a dense block (dims, cells). A tile pads every tiled dimension with holes, cuts the
// block and lays out the pieces in sequence. There is no division and no stride, only copying of cells.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/notation/xla/address.h"

namespace tessera::xla_model {

using Ints = std::vector<i64>;
using Cell = std::optional<Ints>;  // a logical index, or padding

struct Block {
  Ints dims;
  std::vector<Cell> cells;  // row-major
};

inline bool advance(Ints& at, const Ints& dims) {
  for (std::size_t k = dims.size(); k-- > 0;) {
    if (++at[k] < dims[k]) return true;
    at[k] = 0;
  }
  return false;
}
inline bool isEmpty(const Ints& dims) {
  for (const i64 n : dims) {
    if (n == 0) return true;
  }
  return false;
}
inline std::size_t flat(const Ints& at, const Ints& dims) {
  std::size_t i = 0;
  for (std::size_t k = 0; k < dims.size(); ++k)
    i = i * static_cast<std::size_t>(dims[k]) + static_cast<std::size_t>(at[k]);
  return i;
}

inline Block physicalBlock(const xla::Shape& shape) {
  Block b;
  Ints order = shape.layout().minorToMajor;
  std::reverse(order.begin(), order.end());
  for (const i64 d : order) b.dims.push_back(shape.dims()[static_cast<std::size_t>(d)].size);
  if (isEmpty(b.dims)) return b;
  Ints at(b.dims.size(), 0);
  do {
    Ints logical(at.size());
    for (std::size_t k = 0; k < at.size(); ++k) logical[static_cast<std::size_t>(order[k])] = at[k];
    b.cells.push_back(logical);
  } while (advance(at, b.dims));
  return b;
}

// Merging two neighbouring dimensions moves no cell.
inline void mergeAt(Block& b, std::size_t k) {
  b.dims[k] *= b.dims[k + 1];
  b.dims.erase(b.dims.begin() + static_cast<std::ptrdiff_t>(k) + 1);
}

inline Block tiled(Block b, Ints tile) {
  while (b.dims.size() < tile.size()) b.dims.insert(b.dims.begin(), 1);
  const std::size_t shift = b.dims.size() - tile.size();
  for (std::size_t j = 0; j < tile.size();) {
    if (tile[j] != xla::kCombine) {
      ++j;
      continue;
    }
    mergeAt(b, shift + j);
    tile.erase(tile.begin() + static_cast<std::ptrdiff_t>(j));
  }
  Ints counts;  // tiles along each tiled dimension, by stepping
  for (std::size_t j = 0; j < tile.size(); ++j) {
    i64 n = 0, covered = 0;
    while (covered < b.dims[shift + j]) {
      covered += tile[j];
      ++n;
    }
    counts.push_back(n);
  }
  Block out;
  out.dims.assign(b.dims.begin(), b.dims.begin() + static_cast<std::ptrdiff_t>(shift));
  out.dims.insert(out.dims.end(), counts.begin(), counts.end());
  out.dims.insert(out.dims.end(), tile.begin(), tile.end());
  if (isEmpty(out.dims)) return out;
  Ints at(out.dims.size(), 0);
  do {
    Ints from(b.dims.size());
    bool inside = true;
    for (std::size_t k = 0; k < from.size(); ++k) {
      from[k] = k < shift ? at[k] : at[k] * tile[k - shift] + at[k + tile.size()];
      inside = inside && from[k] < b.dims[k];
    }
    out.cells.push_back(inside ? b.cells[flat(from, b.dims)] : Cell());
  } while (advance(at, out.dims));
  return out;
}

// What lies in each slot, in order.
inline std::vector<Cell> memoryOf(const xla::Shape& shape) {
  Block b = physicalBlock(shape);
  for (const Ints& tile : shape.layout().tiles) b = tiled(std::move(b), tile);
  while (b.cells.size() % static_cast<std::size_t>(shape.layout().tailAlignment) != 0) b.cells.emplace_back();
  return b.cells;
}

struct Random {
  std::mt19937_64 engine;
  i64 operator()(i64 lo, i64 hi) { return std::uniform_int_distribution<i64>(lo, hi)(engine); }
};

// A random array of at most a few thousand slots.
inline xla::Shape randomShape(Random& random) {
  constexpr std::array<std::string_view, 8> types = {"pred", "s4", "u8", "bf16", "f32", "s64", "c128", "f8e4m3fn"};
  for (;;) {
    const auto rank = static_cast<std::size_t>(random(0, 4));
    std::vector<xla::Dim> dims;
    for (std::size_t k = 0; k < rank; ++k)
      dims.push_back({random(0, 9) == 0 ? 0 : random(1, 9), random(0, 5) == 0, false});
    xla::Layout layout;
    for (std::size_t k = 0; k < rank; ++k) layout.minorToMajor.push_back(static_cast<i64>(k));
    std::shuffle(layout.minorToMajor.begin(), layout.minorToMajor.end(), random.engine);
    const i64 tiles = random(0, 3);
    for (i64 t = 0; t < tiles; ++t) {
      Ints tile;
      const i64 length = random(1, 3);
      for (i64 k = 0; k < length; ++k)
        tile.push_back(k + 1 < length && random(0, 4) == 0 ? xla::kCombine : random(1, 5));
      layout.tiles.push_back(tile);
    }
    if (random(0, 3) == 0) layout.tailAlignment = random(1, 20);
    if (random(0, 3) == 0) layout.elementBits = random(1, 40);
    if (random(0, 3) == 0) layout.memorySpace = random(1, 7);
    if (random(0, 5) == 0) layout.metadataPrefix = random(1, 64);
    auto made =
        xla::Shape::array(types[static_cast<std::size_t>(random(0, static_cast<i64>(types.size()) - 1))], dims, layout);
    if (!made) continue;
    const auto addressing = xla::Addressing::create(*made);
    if (addressing && addressing->slots() <= 4000) return *made;
  }
}

}  // namespace tessera::xla_model
