// Fragments: which element of a tile each register of each lane holds, for mma and wmma.
//
//     mma.m16n8k16, A of f16      register r, lane l, half e: row l/4 + 8*(r%2), k = 8*(r/2) + 2*(l%4) + e
//     wmma.m16n16k16, A of f16    ours: element (l%16)*16 + 2*r + e of the tile, row-major; lane l + 16 as l
//
// PTX states the fragments of mma and leaves those of wmma open: there only the tile that wmma.load, wmma.mma and
// wmma.store agree on counts.
//
// Law: every element of a tile has an owner (tests/kernel/matrices_test.cpp).
//
// Source: PTX ISA 9.0, 9.7.14.4 (wmma), 9.7.14.5 (mma).
#pragma once

#include <optional>
#include <string>

#include "core/ptx/module.h"

namespace tessera::kernel {

enum class Tile : unsigned char { A, B, C };

struct TileShape {
  int m = 0, n = 0, k = 0;
  [[nodiscard]] int rows(Tile t) const { return t == Tile::B ? k : m; }
  [[nodiscard]] int columns(Tile t) const { return t == Tile::A ? k : n; }
};
// Of the modifier "m16n8k16"; nullopt if there is none.
[[nodiscard]] std::optional<TileShape> shapeOf(const ptx::Opcode& opcode);

struct TileElement {
  int row = 0, column = 0;
};
struct Fragment {
  Tile tile = Tile::A;
  TileShape shape;
  ptx::Type type = ptx::Type::F16;  // of an element
  bool mma = true;                  // false: wmma
  int registers = 0;
  [[nodiscard]] int perRegister() const;  // elements
  [[nodiscard]] TileElement at(int lane, int reg, int element) const;
};
// nullopt if the instruction has no such fragment.
[[nodiscard]] std::optional<Fragment> mmaFragment(const TileShape& shape, Tile tile, ptx::Type type);
[[nodiscard]] std::optional<Fragment> wmmaFragment(const TileShape& shape, Tile tile, ptx::Type type);

}  // namespace tessera::kernel
