// Fragments: which element of a tile each register of each lane holds, for mma, wgmma and wmma; and tiles as numbers.
//
//     mma.m16n8k16, A of f16      the atlas' row: ((4,8),(2,2,2)):((32,1),(16,8,128)), lane and value to m + 16*k
//     mma.m8n8k4 of f16           four products: quad pair q is lanes 4q .. 4q+3 and 16+4q .. 16+4q+3
//     wgmma.m64n64k16, D          128 threads
//     wmma.m16n16k16, A of f16    ours: element (l%16)*16 + 2*r + e of the tile, row-major; lane l + 16 as l
//
// PTX states the fragments of mma and wgmma, which are the atlas' (core/atlas), and leaves those of wmma open: there
// only the tile that wmma.load, wmma.mma and wmma.store agree on counts.
//
// Law: every element of a tile has an owner, and a product of fragments is the product of their tiles
// (tests/kernel/matrices_test.cpp, by the formulas of PTX).
//
// Source: PTX ISA 9.0, 9.7.14.4 (wmma), 9.7.14.5 (mma), 9.7.15.5 (wgmma).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/atlas/atlas.h"
#include "core/ptx/module.h"
#include "solver/kernel/lanes/floating.h"

namespace tessera::kernel {

// An element of a tile: "f16", "e4m3", "s8", "u4", "b1", "e2m1".
struct TileType {
  int bits = 16;
  bool integer = false, isSigned = false;
  FloatFormat format;  // of a floating type
  int shift = 0;       // of its lowest bit: in a byte, e2m1 has bits 2 to 5
  // In a byte, as kind::f8f6f4 holds elements of 4, 6 and 8 bits.
  [[nodiscard]] TileType inByte() const;
  [[nodiscard]] int perRegister() const { return bits >= 32 ? 1 : 32 / bits; }
  [[nodiscard]] double value(u64 held) const;
  // Rounded to nearest; an integer wraps, or is clamped to 32 bits if it saturates.
  [[nodiscard]] u64 held(double value, bool saturates) const;
};
[[nodiscard]] std::optional<TileType> tileType(std::string_view element);
// The type of a register or a byte that holds one; None: smaller than a byte.
[[nodiscard]] ptx::Type typeOf(const TileType& element);

struct TileShape {
  int m = 0, n = 0, k = 0;
};
// Of the modifier "m16n8k16"; nullopt if there is none.
[[nodiscard]] std::optional<TileShape> shapeOf(const ptx::Opcode& opcode);

// A tile as numbers: A is m x k, B is k x n, C is m x n.
struct TileMatrix {
  TileMatrix(int rowCount, int columnCount)
      : rows(rowCount), columns(columnCount), values(static_cast<std::size_t>(rowCount * columnCount)) {}
  int rows, columns;
  std::vector<double> values;
  [[nodiscard]] double& at(int row, int column) { return values[static_cast<std::size_t>(row * columns + column)]; }
  [[nodiscard]] double at(int row, int column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};
// c += a * b. Products are exact, and each is added in double: an f64 product is not rounded before (fma). `exclusive`:
// bits are combined by exclusive or, not by and.
void multiplyAdd(const TileMatrix& a, const TileMatrix& b, TileMatrix& c, bool exclusive = false);

struct TileElement {
  int row = 0, column = 0;
};
struct Fragment {
  TileType type;
  int rows = 0, columns = 0;
  int threads = 32, registers = 0;
  std::vector<TileElement> places;  // by thread, then value; value = register * perRegister + element
  [[nodiscard]] int values() const { return registers * type.perRegister(); }
  [[nodiscard]] const TileElement& at(int thread, int value) const {
    return places[static_cast<std::size_t>(thread * values() + value)];
  }
  [[nodiscard]] TileMatrix tile() const { return {rows, columns}; }
  // Of one thread: the values that its registers hold, and the registers for values of the tile.
  using Registers = std::function<u64&(int reg)>;
  void gather(int thread, const Registers& registers, TileMatrix& tile) const;
  void scatter(int thread, const Registers& registers, const TileMatrix& tile, bool saturates) const;
};
// Operand "A", "B" or "C" of a row of the atlas; nullopt if it is not in registers. `inBytes`: TileType::inByte.
[[nodiscard]] std::optional<Fragment> fragmentOf(const AtlasRow& row, std::string_view operand, bool inBytes = false);
// Of wmma: operand 'a', 'b', or 'c' for accumulators.
[[nodiscard]] std::optional<Fragment> wmmaFragment(const TileShape& shape, char operand, std::string_view element);
// The product of an mma.sync or wmma.mma: d = a * b + c.
struct MatrixProduct {
  Fragment a, b, c, d;
  int groups = 1;  // products of the warp: of m8n8k4, one for each quad pair
  bool saturates = false, exclusive = false;
  int block = 0;  // k of a scale; 0: no scales
  bool ue4m3 = false;
  [[nodiscard]] int laneOf(int group, int thread) const {
    return groups == 1 ? thread : 4 * group + thread % 4 + 16 * (thread / 4);
  }
};
[[nodiscard]] std::optional<MatrixProduct> productOf(const ptx::Opcode& opcode);  // nullopt: not supported
// The row of an mma or wgmma opcode; nullopt if the atlas has none.
[[nodiscard]] std::optional<AtlasRow> rowOf(const ptx::Opcode& opcode, bool registersA = false);

}  // namespace tessera::kernel
