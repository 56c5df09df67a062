// Products through tensor memory (tcgen05.mma) against three loops.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "core/atlas/gmma.h"
#include "core/ptx/read.h"
#include "solver/kernel/kernel.h"
#include "solver/kernel/lanes/fragments.h"
#include "tests/kernel/kernels.h"
#include "tests/kernel/placed_tile.h"
#include "tests/kernel/tensor_kernel.h"

namespace tessera::test {

namespace {

// A product of m x n x k with its operands in shared memory, or A in tensor memory from column 256 on.
struct ProductCase {
  const char* kind;
  const char *typeA, *typeB, *typeD;
  const char *a, *b;  // atoms of shared memory; "T": A in tensor memory
  int m, n, k;
  int bitsD, bitsA, bitsB;  // of the instruction descriptor
  bool accumulates = true;
  int least = -4, most = 4;
};

double numberAt(const std::vector<double>& tile, int columns, i64 i, i64 j) {
  return tile[static_cast<std::size_t>(i * columns + j)];
}

// PTX ISA, figures "Layout D" (M = 128) and "Layout F" (M = 64): the lane of a row.
int laneOfRow(int m, int i) { return m == 128 ? i : 32 * (i / 16) + i % 16; }

}  // namespace

TEST_CASE("tensor memory: tcgen05.mma is the product of the tiles that its descriptors describe") {
  const ProductCase cases[] = {
      {"f16", "f16", "f16", "f32", "K_SW128", "K_SW128", 128, 64, 16, 1, 0, 0},
      {"f16", "f16", "f16", "f32", "K_SW128", "K_SW64", 128, 256, 16, 1, 0, 0, false},
      {"f16", "bf16", "bf16", "f32", "K_INTER", "K_SW32", 64, 24, 16, 1, 1, 1},
      {"f16", "f16", "f16", "f16", "MN_SW128", "MN_SW64", 128, 64, 16, 0, 0, 0},
      {"f16", "f16", "f16", "f32", "MN_INTER", "MN_INTER", 64, 32, 16, 1, 0, 0},
      {"f16", "f16", "f16", "f32", "T", "K_SW128", 128, 32, 16, 1, 0, 0},
      {"f16", "bf16", "bf16", "f32", "T", "MN_SW32", 64, 16, 16, 1, 1, 1},
      {"tf32", "tf32", "tf32", "f32", "K_SW64", "K_SW128", 128, 16, 8, 1, 2, 2, true, -99, 99},
      {"tf32", "tf32", "tf32", "f32", "T", "K_INTER", 64, 8, 8, 1, 2, 2},
      {"f8f6f4", "e4m3", "e5m2", "f32", "K_SW128", "K_SW128", 128, 64, 32, 1, 0, 1},
      {"f8f6f4", "e5m2", "e4m3", "f16", "MN_SW128", "MN_SW64", 128, 64, 32, 0, 1, 0},
      {"f8f6f4", "e4m3", "e4m3", "f32", "T", "K_SW32", 128, 8, 32, 1, 0, 0},
      {"i8", "s8", "u8", "s32", "K_SW128", "K_INTER", 64, 32, 32, 2, 1, 0, true, 0, 127},
      {"i8", "s8", "s8", "s32", "T", "K_SW128", 128, 16, 32, 2, 1, 1, false, -128, 127},
  };
  std::mt19937 random(12);
  for (const ProductCase& c : cases) {
    const TileType typeA = *tileType(c.typeA), typeB = *tileType(c.typeB), typeD = *tileType(c.typeD);
    const auto randomNumbers = [&](int count, int least, int most) {
      std::vector<double> out;
      for (int k = 0; k < count; ++k)
        out.push_back(least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1)));
      return out;
    };
    const auto x = randomNumbers(c.m * c.k, c.least, c.most), y = randomNumbers(c.k * c.n, c.least, c.most),
               z = randomNumbers(c.m * c.n, -9, 9);
    Inputs in;
    in.image.resize(65536);
    const bool tensorA = c.a[0] == 'T';
    const int columns = tensorA ? 264 : c.n;
    in.cells.assign(static_cast<std::size_t>(128 * columns), 0x7fc00000);
    const auto cell = [&](Words& cells, int i, int column) -> std::uint32_t& {
      return cells[static_cast<std::size_t>(laneOfRow(c.m, i) * columns + column)];
    };
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j)
        cell(in.cells, i, j) = static_cast<std::uint32_t>(typeD.held(numberAt(z, c.n, i, j), false));
    if (tensorA) {
      const int n = typeA.perRegister();
      for (int i = 0; i < c.m; ++i)
        for (int k = 0; k < c.k; ++k) {
          std::uint32_t& to = cell(in.cells, i, 256 + k / n);
          if (k % n == 0) to = 0;
          to |= static_cast<std::uint32_t>(typeA.held(numberAt(x, c.k, i, k), false) << k % n * typeA.bits);
        }
    } else {
      in.a = encodeSm100(
          test::placeTile(
              c.a, c.typeA, typeA, c.m, c.k, [&](i64 i, i64 k) { return numberAt(x, c.k, i, k); }, 0, in.image),
          0);
    }
    in.b = encodeSm100(
        test::placeTile(
            c.b, c.typeB, typeB, c.n, c.k, [&](i64 j, i64 k) { return numberAt(y, c.n, k, j); }, 32768, in.image),
        32768);
    in.descriptor = static_cast<std::uint32_t>(c.bitsD << 4 | c.bitsA << 7 | c.bitsB << 10 | (c.a[0] == 'M') << 15 |
                                               (c.b[0] == 'M') << 16 | c.n / 8 << 17 | c.m / 16 << 24);
    const std::string text =
        KernelText{columns, 8,
                   (tensorA ? "  add.s32 %r11, %t, 256;\n" : "") +
                       multiplied(c.kind, tensorA ? "[%r11]" : "%rd7", c.accumulates ? "%p4" : "!%p4") + kCommit +
                       kWait}
            .text();
    INFO(c.kind << " " << c.typeA << " " << c.a << " " << c.b << " " << c.m << "x" << c.n);
    const Report report = tensorMemoryRun(text, in);
    INFO(said(report));
    REQUIRE(report.verdict == Verdict::Clean);
    Words wanted = in.cells;
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j) {
        double sum = c.accumulates ? numberAt(z, c.n, i, j) : 0;
        for (int k = 0; k < c.k; ++k) sum += numberAt(x, c.k, i, k) * numberAt(y, c.n, k, j);
        cell(wanted, i, j) = static_cast<std::uint32_t>(typeD.held(sum, false));
      }
    REQUIRE(wordsOf(report.buffers[3]) == wanted);
  }
}

TEST_CASE("tensor memory: a product leaves out the lanes of its mask, and scales D") {
  Inputs in;
  in.image.resize(65536);
  const TileType half = *tileType("f16"), single = *tileType("f32");
  in.a = encodeSm100(
      test::placeTile(
          "K_SW128", "f16", half, 128, 16, [](i64 i, i64 k) { return k == 0 ? double(i % 50) : 0; }, 0, in.image),
      0);
  in.b = encodeSm100(test::placeTile(
                         "K_SW128", "f16", half, 8, 16, [](i64 j, i64) { return double(j); }, 32768, in.image),
                     32768);
  in.descriptor = 1u << 4 | 1u << 13 | 1u << 17 | 8u << 24;  // -A
  for (int k = 0; k < 128 * 8; ++k) in.cells.push_back(static_cast<std::uint32_t>(single.held(16 * (k % 11), false)));
  const std::string mask = "  mov.u32 %r11, 0;\n  mov.u32 %r12, 0x80000001;\n";
  const std::string text =
      KernelText{8, 8, mask + multiplied("f16", "%rd7", "{%r11, %r12, %r11, %r12}, %p4, 3") + kCommit + kWait}.text();
  const Report report = tensorMemoryRun(text, in);
  INFO(said(report));
  REQUIRE(report.verdict == Verdict::Clean);
  const Words got = wordsOf(report.buffers[3]);
  for (int i = 0; i < 128; ++i)
    for (int j = 0; j < 8; ++j) {
      const double before = 16 * ((8 * i + j) % 11);
      const bool disabled = i == 32 || i == 63 || i == 96 || i == 127;
      INFO(i << " " << j);
      REQUIRE(single.value(got[static_cast<std::size_t>(8 * i + j)]) ==
              (disabled ? before : before / 8 - double(i % 50) * j));
    }
}

TEST_CASE("tensor memory: the swizzle of 128 bytes in atoms of 32") {
  // MN-major tf32: element (mn, k) at byte 4*mn % 128 of line k % 4 of its atom; bits 5 and 6 of the address with 7, 8.
  Inputs in;
  in.image.resize(65536);
  const TileType type = *tileType("tf32"), single = *tileType("f32");
  const auto put = [&](i64 start, i64 mn, i64 k, double value, i64 leading, i64 stride) {
    i64 at = start + 4 * mn / 128 * leading + k / 4 * stride + k % 4 * 128 + 4 * mn % 128;
    at ^= (at >> 7 & 3) << 5;
    const u64 held = type.held(value, false);
    std::memcpy(in.image.data() + at, &held, 4);
  };
  const auto a = [](i64 i, i64 k) { return double((3 * i + 5 * k) % 17 - 8); };
  const auto b = [](i64 j, i64 k) { return double((7 * j + 2 * k) % 13 - 6); };
  for (i64 k = 0; k < 8; ++k) {
    for (i64 i = 0; i < 128; ++i) put(0, i, k, a(i, k), 1024, 512);
    for (i64 j = 0; j < 32; ++j) put(32768, j, k, b(j, k), 4096, 1024);
  }
  const auto word = [](u64 start, u64 leading, u64 stride) {
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | u64{1} << 46 | u64{1} << 61;
  };
  in.a = word(0, 1024, 512);
  in.b = word(32768, 4096, 1024);
  in.descriptor = 1u << 4 | 2u << 7 | 2u << 10 | 1u << 15 | 1u << 16 | 4u << 17 | 8u << 24;
  in.cells.resize(128 * 32);
  const Report report =
      tensorMemoryRun(KernelText{32, 8, multiplied("tf32", "%rd7", "!%p4") + kCommit + kWait}.text(), in);
  INFO(said(report));
  REQUIRE(report.verdict == Verdict::Clean);
  const Words got = wordsOf(report.buffers[3]);
  for (i64 i = 0; i < 128; ++i)
    for (i64 j = 0; j < 32; ++j) {
      double sum = 0;
      for (i64 k = 0; k < 8; ++k) sum += a(i, k) * b(j, k);
      REQUIRE(single.value(got[static_cast<std::size_t>(32 * i + j)]) == sum);
    }
}

TEST_CASE("tensor memory: elements of 4 and 6 bits") {
  struct Case {
    const char *a, *b;
    int bitsA, bitsB;
    bool tensorA;
  };
  for (const Case& c : {Case{"e2m1", "e3m2", 5, 4, false},
                        {"e2m3", "e2m1", 3, 5, false},
                        {"e2m1", "e4m3", 5, 0, true},
                        {"e3m2", "e2m3", 4, 3, true}}) {
    const TileType a = *tileType(c.a), b = *tileType(c.b), single = *tileType("f32");
    const double numbers[] = {0, 1, -1.5, 2, 3, -1, 1.5};
    const auto x = [&](int i, int k) { return numbers[(3 * i + 5 * k) % 7]; };
    const auto y = [&](int j, int k) { return numbers[(2 * j + 3 * k) % 7]; };
    Inputs in;
    in.image.resize(65536);
    // Without a swizzle: 16 elements in each 16 bytes, from their lowest bit on; 8 rows, then the next 16 elements.
    const auto put = [&](int start, int row, int k, const TileType& type, double value) {
      u64 low = 0, high = 0;
      std::uint8_t* to = in.image.data() + start + row / 8 * 256 + k / 16 * 128 + row % 8 * 16;
      std::memcpy(&low, to, 8);
      std::memcpy(&high, to + 8, 8);
      for (int bit = 0; bit < type.bits; ++bit)
        if ((type.held(value, false) >> bit & 1) != 0) {
          const int place = k % 16 * type.bits + bit;
          (place < 64 ? low : high) |= u64{1} << place % 64;
        }
      std::memcpy(to, &low, 8);
      std::memcpy(to + 8, &high, 8);
    };
    in.cells.assign(128 * 264, 0);
    for (int k = 0; k < 32; ++k) {
      for (int i = 0; i < 128; ++i)
        if (c.tensorA)  // 4 bits are bits 2 to 5 of their byte, 6 bits the lower ones
          in.cells[static_cast<std::size_t>(264 * i + 256 + k / 4)] |=
              static_cast<std::uint32_t>(a.held(x(i, k), false) << (a.bits == 4 ? 2 : 0) << 8 * (k % 4));
        else
          put(0, i, k, a, x(i, k));
      for (int j = 0; j < 16; ++j) put(32768, j, k, b, y(j, k));
    }
    in.a = u64{128 >> 4} << 16 | u64{256 >> 4} << 32 | u64{1} << 46;
    in.b = in.a | 32768 >> 4;
    in.descriptor = static_cast<std::uint32_t>(1 << 4 | c.bitsA << 7 | c.bitsB << 10 | 2 << 17 | 8 << 24);
    const Report report =
        tensorMemoryRun(KernelText{264, 8,
                                   "  add.s32 %r11, %t, 256;\n" +
                                       multiplied("f8f6f4", c.tensorA ? "[%r11]" : "%rd7", "!%p4") + kCommit + kWait}
                            .text(),
                        in);
    INFO(c.a << " " << c.b << " " << said(report));
    REQUIRE(report.verdict == Verdict::Clean);
    const Words got = wordsOf(report.buffers[3]);
    for (int i = 0; i < 128; ++i)
      for (int j = 0; j < 16; ++j) {
        double sum = 0;
        for (int k = 0; k < 32; ++k) sum += x(i, k) * y(j, k);
        REQUIRE(single.value(got[static_cast<std::size_t>(264 * i + j)]) == sum);
      }
  }
}

TEST_CASE("tensor memory: products with scales of blocks") {
  struct Case {
    const char *kind, *a, *b;
    int bitsA, bitsB, k, block, idA, idB;
    bool tensorA;
  };
  const int n = 40, columns = 56;  // D, the scales of A from column 40 on, those of B from 44 on, A from 48 on
  for (const Case& c : {Case{"mxf8f6f4.block_scale", "e4m3", "e5m2", 0, 1, 32, 32, 1, 3, false},
                        {"mxf8f6f4.block_scale.scale_vec::1X", "e4m3", "e4m3", 0, 0, 32, 32, 3, 0, true},
                        {"mxf4.block_scale", "e2m1", "e2m1", 1, 1, 64, 32, 2, 0, false},
                        {"mxf4nvf4.block_scale.scale_vec::2X", "e2m1", "e2m1", 1, 1, 64, 32, 0, 2, true},
                        {"mxf4nvf4.block_scale.scale_vec::4X", "e2m1", "e2m1", 1, 1, 64, 16, 0, 0, false}}) {
    const TileType a = *tileType(c.a), b = *tileType(c.b), single = *tileType("f32");
    const double numbers[] = {0, 1, -1.5, 2, 3, -1, 1.5};
    const auto x = [&](int i, int k) { return numbers[(3 * i + 5 * k) % 7]; };
    const auto y = [&](int j, int k) { return numbers[(2 * j + 3 * k) % 7]; };
    const bool ue4m3 = c.block == 16;
    const auto scaleBits = [&](int row, int block) {
      return static_cast<std::uint32_t>(ue4m3 ? 0x30 + (row + 3 * block) % 16 : 124 + (row + 3 * block) % 7);
    };
    const auto scaleOf = [&](int row, int block) {
      const std::uint32_t bits = scaleBits(row, block);
      return ue4m3 ? tileType("e4m3")->value(bits) : std::ldexp(1.0, static_cast<int>(bits) - 127);
    };
    Inputs in;
    in.image.resize(65536);
    // Without a swizzle: 8 rows of 16 bytes, then the next 16 bytes of each; two elements of 4 bits in a byte.
    const auto put = [&](int start, int row, int k, const TileType& type, double value) {
      const int byte = k * type.bits / 8;
      std::uint8_t& to =
          in.image[static_cast<std::size_t>(start + row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16)];
      to = static_cast<std::uint8_t>(to | type.held(value, false) << k * type.bits % 8);
    };
    in.cells.assign(static_cast<std::size_t>(128 * columns), 0);
    const auto cell = [&](int lane, int column) -> std::uint32_t& {
      return in.cells[static_cast<std::size_t>(lane * columns + column)];
    };
    for (int k = 0; k < c.k; ++k) {
      for (int i = 0; i < 128; ++i)
        if (c.tensorA)
          cell(i, 48 + k * a.bits / 32) |= static_cast<std::uint32_t>(a.held(x(i, k), false) << k * a.bits % 32);
        else
          put(0, i, k, a, x(i, k));
      for (int j = 0; j < n; ++j) put(32768, j, k, b, y(j, k));
    }
    for (int lane = 0; lane < 128; ++lane)  // four times the same 32 lanes
      for (int block = 0; block < c.k / c.block; ++block) {
        for (int q = 0; q < 4; ++q) cell(lane, 40 + q) |= scaleBits(32 * q + lane % 32, block) << 8 * (c.idA + block);
        for (int q = 0; q < 2; ++q)
          cell(lane, 44 + q) |= scaleBits(32 * q + lane % 32 + 1, block) << 8 * (c.idB + block);
      }
    in.a = u64{128 >> 4} << 16 | u64{256 >> 4} << 32 | u64{1} << 46;
    in.b = in.a | 32768 >> 4;
    in.descriptor = static_cast<std::uint32_t>(c.idB << 4 | c.bitsA << 7 | c.bitsB << 10 | n / 8 << 17 | !ue4m3 << 23 |
                                               1 << 27 | c.idA << 29);
    const std::string text =
        KernelText{columns, 8,
                   "  add.s32 %r11, %t, 48;\n  add.s32 %r12, %t, 40;\n  add.s32 %r13, %t, 44;\n  setp.ne.u32 %p4, %r0, "
                   "1000;\n  @%p1 tcgen05.mma.cta_group::1.kind::" +
                       std::string(c.kind) + " [%t], " + (c.tensorA ? "[%r11]" : "%rd7") +
                       ", %rd8, %r10, [%r12], [%r13], %p4;\n" + kCommit + kWait}
            .text();
    const Report report = tensorMemoryRun(text, in);
    INFO(c.kind << " " << c.tensorA << " " << said(report));
    REQUIRE(report.verdict == Verdict::Clean);
    const Words got = wordsOf(report.buffers[3]);
    for (int i = 0; i < 128; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < c.k; ++k) sum += x(i, k) * y(j, k) * scaleOf(i, k / c.block) * scaleOf(j + 1, k / c.block);
        INFO(i << " " << j);
        REQUIRE(single.value(got[static_cast<std::size_t>(columns * i + j)]) == sum);
      }
  }
}

}  // namespace tessera::test
