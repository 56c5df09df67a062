// Products of matrices against three loops, with fragments placed by PTX's own formulas; wgmma with tiles that the
// atlas lays out and describes.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "core/atlas/gmma.h"
#include "core/ptx/read.h"
#include "solver/kernel/kernel.h"
#include "solver/kernel/lanes/fragments.h"
#include "solver/kernel/lanes/operation.h"
#include "tests/kernel/placed_tile.h"
#include "tests/support/mma_formulas.h"

using namespace tessera;
using namespace tessera::kernel;

namespace {

using PlaceOf = std::function<test::Place(i64 lane, i64 value)>;

struct TestTile {
  i64 rows = 0, columns = 0;
  std::vector<double> values;
  [[nodiscard]] double at(i64 r, i64 c) const { return values[static_cast<std::size_t>(r * columns + c)]; }
};

TestTile randomTile(i64 rows, i64 columns, std::mt19937& random, int least, int most) {
  TestTile t{rows, columns, {}};
  for (i64 k = 0; k < rows * columns; ++k)
    t.values.push_back(
        static_cast<double>(least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1))));
  return t;
}

// Appends the registers of a fragment that holds the tile.
void hold(std::vector<Lanes>& in, const TestTile& tile, const TileType& type, i64 values, const PlaceOf& placeOf) {
  const int n = type.perRegister();
  for (i64 r = 0; r < values / n; ++r) {
    Lanes lanes{};
    for (i64 l = 0; l < 32; ++l)
      for (i64 e = 0; e < n; ++e) {
        const auto p = placeOf(l, r * n + e);
        lanes[static_cast<std::size_t>(l)] |= type.held(tile.at(p.row, p.col), false) << (n == 1 ? 0 : e * type.bits);
      }
    in.push_back(lanes);
  }
}

std::vector<Lanes> computed(const std::string& opcode, const std::vector<Lanes>& in) {
  const auto op = operationOf(ptx::Opcode(opcode));
  INFO(opcode << ": " << (op ? "" : op.error().message));
  REQUIRE(op.ok());
  REQUIRE(op->sources.size() == in.size());
  std::vector<Lanes> out(static_cast<std::size_t>(op->results));
  std::vector<const Lanes*> from;
  std::vector<Lanes*> to;
  for (const Lanes& l : in) from.push_back(&l);
  for (Lanes& l : out) to.push_back(&l);
  op->run({to.data(), from.data()});
  return out;
}

double valueOfResult(const std::vector<Lanes>& out, const TileType& type, i64 lane, i64 value) {
  const int n = type.perRegister();
  return type.value(out[static_cast<std::size_t>(value / n)][static_cast<std::size_t>(lane)] >>
                    (n == 1 ? 0 : value % n * type.bits));
}

double product(const TestTile& a, const TestTile& b, i64 i, i64 j) {
  double sum = 0;
  for (i64 k = 0; k < a.columns; ++k) sum += a.at(i, k) * b.at(k, j);
  return sum;
}

}  // namespace

TEST_CASE("mma.sync is the product of the tiles in PTX's fragments") {
  struct Case {
    int m, k;
    const char *d, *a, *b;
    int least, most;
  };
  const Case cases[] = {
      {16, 16, "f32", "f16", "f16", -9, 9},    {16, 8, "f32", "f16", "f16", -9, 9},
      {16, 16, "f16", "f16", "f16", -4, 4},    {16, 8, "f16", "f16", "f16", -4, 4},
      {16, 16, "f32", "bf16", "bf16", -9, 9},  {16, 8, "f32", "bf16", "bf16", -9, 9},
      {16, 8, "f32", "tf32", "tf32", -99, 99}, {16, 4, "f32", "tf32", "tf32", -99, 99},
      {16, 32, "s32", "s8", "s8", -128, 127},  {16, 16, "s32", "s8", "s8", -128, 127},
      {16, 32, "s32", "u8", "s8", 0, 127},     {8, 16, "s32", "s8", "s8", -128, 127},
      {16, 64, "s32", "s4", "s4", -8, 7},      {16, 32, "s32", "u4", "u4", 0, 15},
      {8, 4, "f64", "f64", "f64", -99, 99},    {16, 4, "f64", "f64", "f64", -99, 99},
      {16, 16, "f64", "f64", "f64", -99, 99},  {16, 32, "f32", "e4m3", "e4m3", -8, 8},
      {16, 32, "f32", "e5m2", "e4m3", -4, 4},
  };
  std::mt19937 random(3);
  for (const Case& c : cases) {
    const std::string opcode = "mma.sync.aligned.m" + std::to_string(c.m) + "n8k" + std::to_string(c.k) + ".row.col." +
                               c.d + "." + c.a + "." + c.b + "." + c.d;
    const TileType a = *tileType(c.a), b = *tileType(c.b), d = *tileType(c.d);
    const TestTile x = randomTile(c.m, c.k, random, c.least, c.most), y = randomTile(c.k, 8, random, c.least, c.most);
    const TestTile z = randomTile(c.m, 8, random, -9, 9);
    std::vector<Lanes> in;
    hold(in, x, a, c.m * c.k / 32, [&](i64 l, i64 i) { return test::mmaA(c.m, a.bits, c.k, l, i); });
    hold(in, y, b, c.k * 8 / 32, [&](i64 l, i64 i) {
      const auto p = test::mmaB(b.bits, l, i);
      return test::Place{p.col, p.row};
    });
    hold(in, z, d, c.m * 8 / 32, [&](i64 l, i64 i) { return test::mmaC(c.m, l, i); });
    const auto out = computed(opcode, in);
    for (i64 l = 0; l < 32; ++l)
      for (i64 i = 0; i < c.m * 8 / 32; ++i) {
        const auto p = test::mmaC(c.m, l, i);
        const double wanted = z.at(p.row, p.col) + product(x, y, p.row, p.col);
        INFO(opcode << " lane " << l << " value " << i);
        REQUIRE(valueOfResult(out, d, l, i) == d.value(d.held(wanted, false)));
      }
  }
}

TEST_CASE("Volta's mma is four products, one for each quad pair") {
  std::mt19937 random(4);
  const TileType half = *tileType("f16"), single = *tileType("f32");
  std::vector<TestTile> x, y;
  for (int q = 0; q < 4; ++q) {
    x.push_back(randomTile(8, 4, random, -9, 9));
    y.push_back(randomTile(4, 8, random, -9, 9));
  }
  // PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16": rows of A and columns of B by lane, the accumulators of f32.
  const auto quad = [](i64 lane) { return static_cast<std::size_t>(lane / 4 % 4); };
  std::vector<Lanes> in;
  for (const bool isA : {true, false})
    for (i64 r = 0; r < 2; ++r) {
      Lanes lanes{};
      for (i64 l = 0; l < 32; ++l)
        for (i64 e = 0; e < 2; ++e) {
          const i64 row = l % 4 + (l < 16 ? 0 : 4), k = 2 * r + e;
          const double v = isA ? x[quad(l)].at(row, k) : y[quad(l)].at(k, row);
          lanes[static_cast<std::size_t>(l)] |= half.held(v, false) << 16 * e;
        }
      in.push_back(lanes);
    }
  for (int r = 0; r < 8; ++r) in.emplace_back();
  const auto out = computed("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", in);
  for (i64 l = 0; l < 32; ++l)
    for (i64 i = 0; i < 8; ++i) {
      const i64 row = (l & 1) + (i & 2) + (l < 16 ? 0 : 4), column = (i & 4) + (l & 2) + (i & 1);
      REQUIRE(valueOfResult(out, single, l, i) == product(x[quad(l)], y[quad(l)], row, column));
    }
}

TEST_CASE("products of Blackwell's small floating types, with scales") {
  struct Case {
    const char* kind;
    int k, block;  // block: 0: without scales
    const char *a, *b, *scale;
    std::vector<double> numbers;  // that both types have
  };
  const Case cases[] = {
      {"f8f6f4", 32, 0, "e2m3", "e2m1", "", {0, 1, -1.5, 2, 3, -4}},
      {"f8f6f4", 32, 0, "e4m3", "e3m2", "", {0, 1, -1.5, 2, 6, -8, 16}},
      {"mxf8f6f4", 32, 32, "e4m3", "e5m2", "ue8m0", {0, 1, -1.5, 2, 6, -8, 16}},
      {"mxf8f6f4", 32, 32, "e2m1", "e3m2", "ue8m0", {0, 1, -1.5, 2, 3, -4}},
      {"mxf4", 64, 32, "e2m1", "e2m1", "ue8m0", {0, 0.5, -1.5, 2, 3, -6}},
      {"mxf4nvf4", 64, 16, "e2m1", "e2m1", "ue4m3", {0, 0.5, -1.5, 2, 3, -6}},
  };
  std::mt19937 random(8);
  for (const Case& c : cases) {
    const int scales = c.block == 0 ? 0 : c.k / c.block;
    const std::string scaled = scales == 0 ? "" : ".block_scale.scale_vec::" + std::to_string(scales) + "X";
    const std::string opcode = "mma.sync.aligned.kind::" + std::string(c.kind) + scaled + ".m16n8k" +
                               std::to_string(c.k) + ".row.col.f32." + c.a + "." + c.b + ".f32" +
                               (scales == 0 ? "" : "." + std::string(c.scale));
    INFO(opcode);
    const auto typeOf = [&](const char* name) { return c.k == 32 ? tileType(name)->inByte() : *tileType(name); };
    const TileType a = typeOf(c.a), b = typeOf(c.b), d = *tileType("f32");
    const auto chosen = [&](int rows, int columns) {
      TestTile t{rows, columns, {}};
      for (int k = 0; k < rows * columns; ++k) t.values.push_back(c.numbers[random() % c.numbers.size()]);
      return t;
    };
    const TestTile x = chosen(16, c.k), y = chosen(c.k, 8), z = randomTile(16, 8, random, -9, 9);
    std::vector<Lanes> in;
    hold(in, x, a, c.k / 2, [&](i64 l, i64 i) { return test::mmaA(16, a.bits, c.k, l, i); });
    hold(in, y, b, c.k / 4, [&](i64 l, i64 i) {
      const auto p = test::mmaB(b.bits, l, i);
      return test::Place{p.col, p.row};
    });
    hold(in, z, d, 4, [&](i64 l, i64 i) { return test::mmaC(16, l, i); });
    // PTX ISA, figures of block scaling: rows 0 to 7 in lane 0 or 2 of each four, rows 8 to 15 in the next one; columns
    // in any of the four. Bytes from byte-id on.
    const auto scaleOf = [&](u64 held) {
      return std::string(c.scale) == "ue4m3" ? tileType("e4m3")->value(held)
                                             : std::ldexp(1.0, static_cast<int>(held) - 127);
    };
    const int byteA = scales == 1 ? 3 : scales == 2 ? 2 : 0, byteB = scales == 1 ? 1 : 0;
    std::vector<std::vector<double>> ofRow(16), ofColumn(8);
    if (scales > 0) {
      Lanes wordsA{}, wordsB{};
      for (Lanes* words : {&wordsA, &wordsB})
        for (u64& w : *words)
          for (int k = 0; k < 4; ++k)
            w |= (std::string(c.scale) == "ue4m3" ? 0x30 + random() % 16 : 125 + random() % 5) << 8 * k;
      for (int k = 0; k < scales; ++k) {
        for (std::size_t m = 0; m < 16; ++m)
          ofRow[m].push_back(scaleOf(wordsA[4 * (m % 8) + 2 + m / 8] >> 8 * (byteA + k) & 0xff));
        for (std::size_t n = 0; n < 8; ++n) ofColumn[n].push_back(scaleOf(wordsB[4 * n + 1] >> 8 * (byteB + k) & 0xff));
      }
      const auto same = [](u64 value) {
        Lanes lanes{};
        lanes.fill(value);
        return lanes;
      };
      for (const Lanes& lanes :
           {wordsA, same(static_cast<u64>(byteA)), same(1), wordsB, same(static_cast<u64>(byteB)), same(1)})
        in.push_back(lanes);
    }
    const auto out = computed(opcode, in);
    for (i64 l = 0; l < 32; ++l)
      for (i64 i = 0; i < 4; ++i) {
        const auto p = test::mmaC(16, l, i);
        double wanted = z.at(p.row, p.col);
        for (i64 k = 0; k < c.k; ++k) {
          const auto block = static_cast<std::size_t>(c.block == 0 ? 0 : k / c.block);
          const double scale = scales == 0 ? 1
                                           : ofRow[static_cast<std::size_t>(p.row)][block] *
                                                 ofColumn[static_cast<std::size_t>(p.col)][block];
          wanted += x.at(p.row, k) * y.at(k, p.col) * scale;
        }
        REQUIRE(valueOfResult(out, d, l, i) == d.value(d.held(wanted, false)));
      }
  }
  for (const char* unknown :
       {"mma.sync.aligned.kind::mxf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0",
        "mma.sync.aligned.kind::f8f6f4.m16n8k64.row.col.f32.e4m3.e4m3.f32"}) {
    INFO(unknown);
    CHECK_FALSE(operationOf(ptx::Opcode(unknown)).ok());
  }
  // The modifiers in PTX's own order, and without the default one.
  CHECK(operationOf(ptx::Opcode("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0"))
            .ok());
}

TEST_CASE("products round and saturate as stated") {
  const auto one = [](const std::string& opcode, const std::vector<u64>& sources) {
    std::vector<Lanes> in;
    for (const u64 s : sources) {
      in.emplace_back();
      in.back().fill(s);
    }
    return computed(opcode, in)[0][0];
  };
  // f64: a product is added without rounding before: (1 + 2^-30)(1 - 2^-30) - 1 = -2^-60. Only k = 0 of A is not zero.
  std::vector<Lanes> fused(4);
  for (std::size_t l = 0; l < kLanes; ++l) fused[0][l] = l % 4 == 0 ? std::bit_cast<u64>(0x1p0 + 0x1p-30) : 0;
  fused[1].fill(std::bit_cast<u64>(0x1p0 - 0x1p-30));
  fused[2].fill(std::bit_cast<u64>(-1.0));
  fused[3] = fused[2];
  CHECK(computed("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", fused)[0][0] == std::bit_cast<u64>(-0x1p-60));
  // s8: 32 products of 127 * 127 on top of the largest number.
  const u64 ones = 0x7f7f7f7f, most = 0x7fffffff;
  const std::vector<u64> sources{ones, ones, ones, ones, ones, ones, most, most, most, most};
  CHECK(one("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", sources) == most);
  CHECK(one("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", sources) == (most + 32 * 127 * 127) % (u64{1} << 32));
  // b1: exclusive or, and and.
  const std::vector<u64> bit{3, 0, 0, 0, 5, 0, 0, 0, 0, 0};
  CHECK(one("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", bit) == 4 * 2);
  CHECK(one("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", bit) == 4 * 1);
  for (const char* unknown :
       {"mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32", "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"}) {
    INFO(unknown);
    CHECK_FALSE(operationOf(ptx::Opcode(unknown)).ok());
  }
}

TEST_CASE("wmma is the product of the tiles that its own fragments hold") {
  std::mt19937 random(5);
  const std::pair<const char*, const char*> cases[] = {{"m16n16k16", "f32"}, {"m32n8k16", "f16"}, {"m8n32k16", "f32"}};
  for (const auto& [shapeText, accumulator] : cases) {
    const ptx::Opcode opcode("wmma.mma.sync.aligned.row.col." + std::string(shapeText) + "." + accumulator + "." +
                             accumulator);
    const TileShape s = *shapeOf(opcode);
    const Fragment a = *wmmaFragment(s, 'a', "f16"), b = *wmmaFragment(s, 'b', "f16"),
                   c = *wmmaFragment(s, 'c', accumulator);
    const TestTile x = randomTile(s.m, s.k, random, -4, 4), y = randomTile(s.k, s.n, random, -4, 4),
                   z = randomTile(s.m, s.n, random, -4, 4);
    std::vector<Lanes> in;
    const std::pair<const Fragment*, const TestTile*> parts[] = {{&a, &x}, {&b, &y}, {&c, &z}};
    for (const auto& part : parts) {
      const Fragment* f = part.first;
      const TestTile* tile = part.second;
      std::vector<char> owned(tile->values.size());
      hold(in, *tile, f->type, f->values(), [&](i64 l, i64 i) {
        const TileElement& e = f->at(static_cast<int>(l), static_cast<int>(i));
        owned[static_cast<std::size_t>(e.row * tile->columns + e.column)] = 1;
        return test::Place{e.row, e.column};
      });
      CHECK(std::count(owned.begin(), owned.end(), 0) == 0);
    }
    const auto out = computed(opcode.text, in);
    for (int l = 0; l < 32; ++l)
      for (int i = 0; i < c.values(); ++i) {
        const TileElement& e = c.at(l, i);
        REQUIRE(valueOfResult(out, c.type, l, i) == z.at(e.row, e.column) + product(x, y, e.row, e.column));
      }
  }
}

// ---- wgmma

namespace {

// Copies a picture of shared memory, multiplies once, and stores the registers of D.
std::string wgmmaKernel(const std::string& opcode, int registers, bool transposable, int transA, int transB) {
  std::string d, stores;
  for (int r = 0; r < registers; ++r) {
    d += (r == 0 ? "" : ",") + ("%d" + std::to_string(r));
    stores += "  st.global.b32 [%rd3+" + std::to_string(512 * r) + "], %d" + std::to_string(r) + ";\n";
  }
  const std::string trans =
      transposable ? ", " + std::to_string(transA) + ", " + std::to_string(transB) : std::string();
  return R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry w(.param .u64 image, .param .u64 out, .param .u64 a, .param .u64 b)
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>, %d<)" +
         std::to_string(registers) + R"(>;
  .reg .b64 %rd<8>;
  .shared .align 1024 .b8 s[32768];
  ld.param.u64 %rd0, [image];
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd4, [a];
  ld.param.u64 %rd5, [b];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mul.wide.u32 %rd2, %r0, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.s64 %rd0, %rd0, %rd2;
  mov.u32 %r2, s;
  add.s32 %r2, %r2, %r1;
  mov.u32 %r3, 0;
LOOP:
  ld.global.b32 %r4, [%rd0];
  st.shared.b32 [%r2], %r4;
  add.s64 %rd0, %rd0, 512;
  add.s32 %r2, %r2, 512;
  add.s32 %r3, %r3, 1;
  setp.lt.u32 %p0, %r3, 64;
  @%p0 bra LOOP;
  fence.proxy.async;
  bar.sync 0;
  setp.ne.b32 %p1, %r0, %r0;
  wgmma.fence.sync.aligned;
  )" + opcode +
         " {" + d + "}, %rd4, %rd5, %p1, 1, 1" + trans + R"(;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
)" + stores +
         "  ret;\n}\n";
}

}  // namespace

TEST_CASE("wgmma is the product of the tiles that its descriptors describe") {
  struct Case {
    const char *a, *b;  // atoms
    const char* type;
    const char* d;
    int n, k;
  };
  const Case cases[] = {
      {"K_SW128", "K_SW128", "f16", "f32", 64, 16},   {"K_SW64", "K_SW32", "f16", "f32", 16, 16},
      {"K_INTER", "K_INTER", "f16", "f32", 32, 16},   {"K_SW32", "K_SW64", "bf16", "f32", 24, 16},
      {"MN_SW128", "MN_SW128", "f16", "f32", 64, 16}, {"K_SW128", "MN_SW64", "f16", "f16", 64, 16},
      {"MN_SW32", "K_SW128", "f16", "f32", 32, 16},   {"MN_INTER", "MN_INTER", "f16", "f32", 16, 16},
      {"K_SW128", "K_SW64", "tf32", "f32", 16, 8},    {"K_SW128", "K_SW128", "s8", "s32", 64, 32},
      {"K_INTER", "K_SW32", "e4m3", "f32", 8, 32},    {"K_SW64", "K_SW128", "e5m2", "f16", 8, 32},
  };
  std::mt19937 random(6);
  for (const Case& c : cases) {
    const bool halves = std::string(c.type) == "f16" || std::string(c.type) == "bf16";
    const std::string opcode = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(c.n) + "k" + std::to_string(c.k) +
                               "." + c.d + "." + c.type + "." + c.type;
    INFO(opcode << " " << c.a << " " << c.b);
    const TileType t = *tileType(c.type), d = *tileType(c.d);
    const TestTile x = randomTile(64, c.k, random, -3, 3), y = randomTile(c.k, c.n, random, -3, 3);
    std::vector<std::uint8_t> image(32768, 0);
    const MatrixDescriptor a = test::placeTile(
        c.a, c.type, t, 64, c.k, [&](i64 i, i64 k) { return x.at(i, k); }, 0, image);
    const MatrixDescriptor b = test::placeTile(
        c.b, c.type, t, c.n, c.k, [&](i64 j, i64 k) { return y.at(k, j); }, 16384, image);
    const int registers = std::string(c.d) == "f16" ? c.n / 4 : c.n / 2;
    std::string text = wgmmaKernel(opcode, registers, halves, c.a[0] == 'M', c.b[0] == 'M');
    if (!halves && std::string(c.d) == "s32") {  // integers have neither signs nor transpositions
      const std::size_t at = text.find("%p1, 1, 1");
      text.replace(at, 9, "%p1");
    }
    const auto module = ptx::read(text);
    INFO((module ? std::string() : module.error().message));
    REQUIRE(module.ok());
    Launch launch;
    launch.block = {128, 1, 1};
    Argument in, out, wordA, wordB;
    in.kind = out.kind = Argument::Kind::Buffer;
    in.bytes.resize(image.size());
    std::memcpy(in.bytes.data(), image.data(), image.size());
    out.bytes.resize(static_cast<std::size_t>(512 * registers));
    for (auto [word, value] : {std::pair(&wordA, encodeSm90(a, 0)), std::pair(&wordB, encodeSm90(b, 16384))}) {
      word->kind = Argument::Kind::Scalar;
      word->bytes.resize(8);
      std::memcpy(word->bytes.data(), &value, 8);
    }
    launch.arguments = {in, out, wordA, wordB};
    const auto report = run(*module, launch);
    REQUIRE(report.ok());
    INFO(report->reason << (report->findings.empty() ? "" : report->findings.front().message));
    REQUIRE(report->verdict == Verdict::Clean);
    const int n = d.perRegister();
    for (i64 thread = 0; thread < 128; ++thread)
      for (i64 i = 0; i < c.n / 2; ++i) {
        // PTX ISA, "Register Fragments for wgmma": row and column of value i.
        const i64 row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (i / 2 % 2),
                  column = 8 * (i / 4) + 2 * (thread % 4) + i % 2;
        std::uint32_t held = 0;
        std::memcpy(&held, report->buffers[1].data() + 512 * (i / n) + 4 * thread, 4);
        REQUIRE(d.value(held >> (i % n * d.bits)) == product(x, y, row, column));
      }
  }
}

TEST_CASE("wgmma sees what ordinary instructions wrote only after a fence, and its matrices are read until the wait") {
  const std::string opcode = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16";
  const std::string text = wgmmaKernel(opcode, 4, true, 0, 0);
  const auto verdictOf = [&](std::string changed) {
    const auto module = ptx::read(changed);
    REQUIRE(module.ok());
    Launch launch;
    launch.block = {128, 1, 1};
    std::vector<std::uint8_t> image(32768, 0);
    const TileType t = *tileType("f16");
    const u64 a = encodeSm90(test::placeTile(
                                 "K_SW128", "f16", t, 64, 16, [](i64, i64) { return 1.0; }, 0, image),
                             0);
    Argument in, out, word;
    in.kind = out.kind = Argument::Kind::Buffer;
    in.bytes.resize(image.size());
    out.bytes.resize(2048);
    word.kind = Argument::Kind::Scalar;
    word.bytes.resize(8);
    std::memcpy(word.bytes.data(), &a, 8);
    launch.arguments = {in, out, word, word};
    const auto report = run(*module, launch);
    REQUIRE(report.ok());
    return std::string(nameOf(report->verdict));
  };
  const auto without = [&](const std::string& part, const std::string& instead = "") {
    std::string changed = text;
    changed.replace(changed.find(part), part.size(), instead);
    return changed;
  };
  CHECK(verdictOf(text) == "clean");
  CHECK(verdictOf(without("  fence.proxy.async;\n")) == "race");
  CHECK(verdictOf(without("  bar.sync 0;\n")) == "race");
  const std::string overwrite = "  mov.u32 %r2, s;\n  add.s32 %r2, %r2, %r1;\n  st.shared.b32 [%r2], %r0;\n";
  CHECK(verdictOf(without("  wgmma.wait_group.sync.aligned 0;\n", overwrite)) == "race");
  CHECK(verdictOf(without("  wgmma.wait_group.sync.aligned 0;\n",
                          "  wgmma.wait_group.sync.aligned 0;\n  bar.sync 0;\n" + overwrite)) == "clean");
  // A part of the warp.
  const std::string half = "  setp.lt.u32 %p2, %r0, 16;\n  @%p2 " + opcode;
  CHECK(verdictOf(without("  " + opcode, half)) == "divergence");
}
