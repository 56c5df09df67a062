// Blackwell's tensor memory: loads and stores of each shape by the formulas of PTX's figures, products against three
// loops, and one fault in each of many kernels. The kernels are texts made here; ptxas 13 assembles them for sm_100a:
//
//     TESSERA_WRITE_PTX=/tmp/t test_kernel "tensor memory*"
//     for f in /tmp/t/*; do ptxas -arch=sm_100a $f -o /tmp/o; done
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

using namespace tessera;
using namespace tessera::kernel;

namespace {

using Words = std::vector<std::uint32_t>;

std::string registerList(int count, int first = 0) {
  std::string out;
  for (int r = first; r < first + count; ++r) out += fmt::format("{}%d{}", r == first ? "" : ",", r);
  return "{" + out + "}";
}

// A kernel of 128 threads. It copies `image` to shared memory `s` (dynamic), allocates 512 columns, whose address is
// %t, stores `columns` columns of each lane from `cells`, executes `middle`, and stores the columns to `out`. %w is %t
// with the first lane of the warp; %rd6 leads to words of the thread in `more`.
struct KernelText {
  int columns = 16, registers = 8;
  std::string middle;
  std::string store =
      "  tcgen05.wait::st.sync.aligned;\n  tcgen05.fence::before_thread_sync;\n  bar.sync 0;\n"
      "  tcgen05.fence::after_thread_sync;\n";
  [[nodiscard]] std::string text() const {
    const auto loop = [&](const std::string& name, const std::string& each) {
      return fmt::format(R"(  mov.u32 %r3, 0;
  mov.u32 %r4, %w;
  mul.wide.u32 %rd2, %r0, {};
{}:
{}  add.s64 %rd2, %rd2, 32;
  add.s32 %r4, %r4, 8;
  add.s32 %r3, %r3, 8;
  setp.lt.u32 %p0, %r3, {};
  @%p0 bra {};
)",
                         4 * columns, name, each, columns, name);
    };
    std::string in, outs;
    for (int k = 0; k < 8; ++k) {
      in += fmt::format("  ld.global.b32 %d{}, [%rd3+{}];\n", k, 4 * k);
      outs += fmt::format("  st.global.b32 [%rd3+{}], %d{};\n", 4 * k, k);
    }
    return fmt::format(R"(.version 9.0
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 s[];
.visible .entry k(.param .u64 image, .param .u32 bytes, .param .u64 cells, .param .u64 out, .param .u64 more,
                  .param .u64 a, .param .u64 b, .param .u32 i)
{{
  .reg .pred %p<8>;
  .reg .b32 %r<16>, %d<{}>, %t, %w, %bar, %slot, %rank;
  .reg .b16 %both;
  .reg .b64 %rd<16>;
  .shared .align 8 .b64 bar;
  .shared .align 4 .b32 slot;
  mov.u32 %bar, bar;
  mov.u32 %slot, slot;
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p1, %r0, 0;
  setp.lt.u32 %p2, %r0, 32;
  @%p1 mbarrier.init.shared::cta.b64 [%bar], 1;
  @%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%slot], 512;
  @%p2 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
  ld.param.u64 %rd0, [image];
  ld.param.u32 %r5, [bytes];
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd0, %rd0, %rd1;
  // Each block of a pair has its own part.
  mov.u32 %rank, %cluster_ctarank;
  mov.b16 %both, 3;
  mul.wide.u32 %rd10, %rank, %r5;
  add.s64 %rd0, %rd0, %rd10;
  mov.u32 %r6, s;
  shl.b32 %r1, %r0, 2;
  add.s32 %r2, %r6, %r1;
  mov.u32 %r3, %r1;
COPY:
  setp.ge.u32 %p0, %r3, %r5;
  @%p0 bra COPIED;
  ld.global.b32 %r4, [%rd0];
  st.shared.b32 [%r2], %r4;
  add.s64 %rd0, %rd0, 512;
  add.s32 %r2, %r2, 512;
  add.s32 %r3, %r3, 512;
  bra COPY;
COPIED:
  fence.proxy.async;
  bar.sync 0;
  ld.shared.b32 %t, [%slot];
  shr.u32 %r7, %r0, 5;
  shl.b32 %r8, %r7, 21;
  add.s32 %w, %t, %r8;
  ld.param.u64 %rd4, [cells];
  ld.param.u64 %rd5, [out];
  mul.wide.u32 %rd10, %rank, {};
  add.s64 %rd4, %rd4, %rd10;
  add.s64 %rd5, %rd5, %rd10;
  ld.param.u64 %rd6, [more];
  add.s64 %rd6, %rd6, %rd1;
  // Descriptors are relative to s.
  ld.param.u64 %rd7, [a];
  ld.param.u64 %rd8, [b];
  shr.u32 %r9, %r6, 4;
  cvt.u64.u32 %rd9, %r9;
  add.s64 %rd7, %rd7, %rd9;
  add.s64 %rd8, %rd8, %rd9;
  ld.param.u32 %r10, [i];
{}{}{}  tcgen05.fence::before_thread_sync;
  bar.sync 0;
  tcgen05.fence::after_thread_sync;
{}  tcgen05.fence::before_thread_sync;
  bar.sync 0;
  @%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 512;
  ret;
}}
)",
                       std::max(registers, 8), 512 * columns,
                       loop("STORE", "  add.s64 %rd3, %rd4, %rd2;\n" + in +
                                         "  tcgen05.st.sync.aligned.32x32b.x8.b32 [%r4], " + registerList(8) + ";\n"),
                       store, middle,
                       loop("LOAD", "  add.s64 %rd3, %rd5, %rd2;\n  tcgen05.ld.sync.aligned.32x32b.x8.b32 " +
                                        registerList(8) + ", [%r4];\n  tcgen05.wait::ld.sync.aligned;\n" + outs));
  }
};

const std::string kCommit = "  @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];\n";
const std::string kWait =
    "WAIT:\n  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%bar], 0;\n  @!%p3 bra WAIT;\n"
    "  tcgen05.fence::after_thread_sync;\n";

std::string multiplied(const std::string& kind, const std::string& a = "%rd7", const std::string& more = "") {
  return "  setp.ne.u32 %p4, %r0, 1000;\n  @%p1 tcgen05.mma.cta_group::1.kind::" + kind + " [%t], " + a +
         ", %rd8, %r10, " + more + ";\n";
}

struct Inputs {
  std::vector<std::uint8_t> image;
  Words cells, more;
  u64 a = 0, b = 0;
  std::uint32_t descriptor = 0;
};

template <class T>
Argument bufferOf(const std::vector<T>& values) {
  Argument out;
  out.kind = Argument::Kind::Buffer;
  out.bytes.resize(values.size() * sizeof(T));
  std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
  return out;
}
template <class T>
Argument scalarOf(T value) {
  Argument out;
  out.kind = Argument::Kind::Scalar;
  out.bytes.resize(sizeof(T));
  std::memcpy(out.bytes.data(), &value, sizeof(T));
  return out;
}

Report tensorMemoryRun(const std::string& text, const Inputs& in, std::uint32_t blocks = 1) {
  static int written = 0;
  if (const char* folder = std::getenv("TESSERA_WRITE_PTX"))
    std::ofstream(fmt::format("{}/{}.ptx", folder, written++)) << text;
  const auto module = ptx::read(text);
  INFO(text << (module ? std::string() : module.error().message));
  REQUIRE(module.ok());
  Launch launch;
  launch.block = {128, 1, 1};
  launch.grid = launch.cluster = {blocks, 1, 1};
  launch.dynamicShared = 80 * 1024;
  std::vector<std::uint8_t> image = in.image;
  image.resize(std::max<std::size_t>(image.size(), 512));
  const Words more = in.more.empty() ? Words(128 * 128) : in.more;
  launch.arguments = {bufferOf(image),    scalarOf(static_cast<std::uint32_t>(image.size()) / blocks),
                      bufferOf(in.cells), bufferOf(Words(in.cells.size())),
                      bufferOf(more),     scalarOf(in.a),
                      scalarOf(in.b),     scalarOf(in.descriptor)};
  auto report = run(*module, launch);
  REQUIRE(report.ok());
  return *std::move(report);
}

Words wordsOf(const std::vector<std::byte>& bytes) {
  Words out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::string said(const Report& r) {
  return std::string(nameOf(r.verdict)) + " " + r.reason + " " + (r.findings.empty() ? "" : r.findings.front().message);
}

// A different number in each cell.
Words numbered(int columns) {
  Words out;
  for (std::uint32_t lane = 0; lane < 128; ++lane)
    for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(columns); ++c)
      out.push_back(lane << 20 | c << 4 | 0x80005);
  return out;
}

}  // namespace

TEST_CASE("tensor memory: each shape of ld and st accesses the cells of PTX's figures") {
  struct Case {
    const char* shape;
    int perNumber, most;  // registers; the largest .xN
    // Lane and column of register r of lane t, from the address on.
    std::pair<int, int> (*at)(int t, int r);
  };
  const Case cases[] = {
      {"32x32b", 1, 128, [](int t, int r) { return std::pair(t, r); }},
      {"16x64b", 1, 128, [](int t, int r) { return std::pair(t / 4 + 8 * (t % 2), 2 * r + t / 2 % 2); }},
      {"16x128b", 2, 64, [](int t, int r) { return std::pair(t / 4 + 8 * (r % 2), 4 * (r / 2) + t % 4); }},
      {"16x256b", 4, 32,
       [](int t, int r) { return std::pair(t / 4 + 8 * (r / 2 % 2), 8 * (r / 4) + 2 * (t % 4) + r % 2); }},
      {"16x32bx2", 1, 128, [](int t, int r) { return std::pair(t % 16, r); }},
  };
  const int kColumns = 272;
  std::mt19937 random(11);
  for (const Case& c : cases)
    for (int number = 1; number <= c.most; number = number == 1 ? 2 : number == 2 ? 8 : number * 4)
      for (const bool pack : {false, true}) {
        const bool split = std::string(c.shape) == "16x32bx2";
        const int registers = c.perNumber * number, half = split ? (pack ? 2 : 1) * number + 3 : 0;
        const int first = std::string(c.shape) == "32x32b" ? 0 : static_cast<int>(random() % 2) * 16;
        const int span = (pack ? 2 : 1) * registers * (split || c.shape[0] == '3' ? 1 : 2);
        if (5 + span + half > kColumns) continue;
        const std::string name = fmt::format("sync.aligned.{}.x{}", c.shape, number);
        const std::string address = fmt::format("[%r11+{}]", 5), by = split ? fmt::format(", {}", half) : "";
        std::string load = fmt::format("  add.s32 %r11, %w, {};\n", first << 16), store = load;
        load += fmt::format("  tcgen05.ld.{}{}.b32 {}, {}{};\n  tcgen05.wait::ld.sync.aligned;\n", name,
                            pack ? ".pack::16b" : "", registerList(registers), address, by);
        for (int r = 0; r < registers; ++r) {
          load += fmt::format("  st.global.b32 [%rd6+{}], %d{};\n", 512 * r, r);
          store += fmt::format("  ld.global.b32 %d{}, [%rd6+{}];\n", r, 512 * r);
        }
        store += fmt::format("  tcgen05.st.{}{}.b32 {}{}, {};\n  tcgen05.wait::st.sync.aligned;\n", name,
                             pack ? ".unpack::16b" : "", address, by, registerList(registers));
        Inputs in;
        in.cells = numbered(kColumns);
        in.more.resize(static_cast<std::size_t>(128 * registers));
        for (std::size_t k = 0; k < in.more.size(); ++k) in.more[k] = static_cast<std::uint32_t>(k * 0x9e3779b1u);
        // cell(thread, register, half) as an index of `cells`
        const auto cellOf = [&](int thread, int r, int h) {
          const auto [lane, column] = c.at(thread % 32, r);
          const int at = 5 + (pack ? 2 : 1) * column + h + (split && thread % 32 >= 16 ? half : 0);
          return static_cast<std::size_t>((thread / 32 * 32 + first + lane) * kColumns + at);
        };
        INFO(name << " " << pack);
        const Report loaded = tensorMemoryRun(KernelText{kColumns, registers, load}.text(), in);
        INFO(said(loaded));
        REQUIRE(loaded.verdict == Verdict::Clean);
        const Words got = wordsOf(loaded.buffers[4]);
        Words wanted = in.cells;
        for (int thread = 0; thread < 128; ++thread)
          for (int r = 0; r < registers; ++r) {
            const auto k = static_cast<std::size_t>(128 * r + thread);
            const std::uint32_t low = in.cells[cellOf(thread, r, 0)];
            const std::uint32_t high = pack ? in.cells[cellOf(thread, r, 1)] : 0;
            REQUIRE(got[k] == (pack ? (low & 0xffff) | high << 16 : low));
            if (!pack) {
              wanted[cellOf(thread, r, 0)] = in.more[k];
              continue;
            }
            for (int h = 0; h < 2; ++h) {
              std::uint32_t& cell = wanted[cellOf(thread, r, h)];
              cell = (cell & 0xffff0000) | (in.more[k] >> 16 * h & 0xffff);
            }
          }
        const Report stored = tensorMemoryRun(KernelText{kColumns, registers, store}.text(), in);
        INFO(said(stored));
        REQUIRE(stored.verdict == Verdict::Clean);
        REQUIRE(wordsOf(stored.buffers[3]) == wanted);
      }
}

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

TEST_CASE("tensor memory: tcgen05.cp copies rows of shared memory to the lanes that its shape names") {
  struct Case {
    const char* shape;
    int rows, words;
    std::vector<int> (*lanes)(int row);
  };
  const Case cases[] = {
      {"128x256b", 128, 8, [](int r) { return std::vector{r}; }},
      {"128x128b", 128, 4, [](int r) { return std::vector{r}; }},
      {"4x256b", 4, 8, [](int r) { return std::vector{32 * r}; }},
      {"64x128b.warpx2::02_13", 64, 4,
       [](int r) {
         return std::vector{r, 64 + r};
       }},
      {"64x128b.warpx2::01_23", 64, 4,
       [](int r) {
         return r < 32 ? std::vector{r, 32 + r} : std::vector{32 + r, 64 + r};
       }},
      {"32x128b.warpx4", 32, 4,
       [](int r) {
         return std::vector{r, 32 + r, 64 + r, 96 + r};
       }},
  };
  for (const Case& c : cases) {
    Inputs in;
    in.cells = numbered(16);
    in.image.resize(16384);
    // Without a swizzle: groups of 8 rows are 512 bytes apart, the second 16 bytes of a row 256.
    in.a = u64{256 >> 4} << 16 | u64{512 >> 4} << 32 | u64{1} << 46;
    Words wanted = in.cells;
    for (int r = 0; r < c.rows; ++r)
      for (int word = 0; word < c.words; ++word) {
        const std::uint32_t value = static_cast<std::uint32_t>(1000 * r + word);
        std::memcpy(in.image.data() + r / 8 * 512 + word / 4 * 256 + r % 8 * 16 + word % 4 * 4, &value, 4);
        for (const int lane : c.lanes(r)) wanted[static_cast<std::size_t>(16 * lane + 4 + word)] = value;
      }
    const std::string text = KernelText{16, 8,
                                        "  add.s32 %r11, %t, 4;\n  @%p1 tcgen05.cp.cta_group::1." +
                                            std::string(c.shape) + " [%r11], %rd7;\n" + kCommit + kWait}
                                 .text();
    const Report report = tensorMemoryRun(text, in);
    INFO(c.shape << " " << said(report));
    REQUIRE(report.verdict == Verdict::Clean);
    CHECK(wordsOf(report.buffers[3]) == wanted);
  }
}

namespace {

// A kernel that multiplies 128 x 16 x 16 of f16, with a part of its text replaced by another.
Report changedRun(const std::string& part, const std::string& instead, const std::string& more = "",
                  const std::string& last = "", const std::string& first = "") {
  Inputs in;
  in.image.resize(65536);
  const TileType half = *tileType("f16");
  const auto one = [](i64, i64) { return 1.0; };
  in.a = encodeSm100(test::placeTile("K_SW128", "f16", half, 128, 16, one, 0, in.image), 0);
  in.b = encodeSm100(test::placeTile("K_SW128", "f16", half, 16, 16, one, 32768, in.image), 32768);
  in.descriptor = 1u << 4 | 2u << 17 | 8u << 24;
  in.cells.resize(128 * 16);
  std::string text =
      KernelText{16, 8, first + multiplied("f16", "%rd7", "%p4") + more + kCommit + kWait + "  // after\n" + last}
          .text();
  const std::size_t at = part.empty() ? 0 : text.find(part);
  INFO(part);
  REQUIRE(at != std::string::npos);
  text.replace(at, part.size(), instead);
  return tensorMemoryRun(text, in);
}

}  // namespace

TEST_CASE("tensor memory: kernels with one fault each") {
  const std::string alloc = "@%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%slot], 512;\n";
  const std::string dealloc = "@%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 512;\n";
  const std::string ld = "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d0}, [%w];\n";
  const std::string st = "  tcgen05.st.sync.aligned.32x32b.x1.b32 [%w], {%d0};\n";
  const std::string waitSt = "  tcgen05.wait::st.sync.aligned;\n", waitLd = "  tcgen05.wait::ld.sync.aligned;\n";
  const std::string wait = kWait.substr(0, kWait.find("  tcgen05.fence"));
  const std::string after = "  // after\n";
  const std::string barrier = "  tcgen05.fence::before_thread_sync;\n  bar.sync 0;\n  @%p2 tcgen05.dealloc";
  const std::string overwrite = "  @%p1 st.shared.b32 [%r6], %r0;\n";
  const auto check = [](const std::string& part, const std::string& instead, const std::string& verdict,
                        const std::string& message = "") {
    const Report report = changedRun(part, instead);
    INFO(part << "-> " << instead << ": " << said(report));
    CHECK(nameOf(report.verdict) == verdict);
    CHECK(said(report).find(message) != std::string::npos);
  };
  check("", "", "clean");
  // ---- order
  check(kWait, "", "race", "no tcgen05.commit and wait for its mbarrier and synchronization order them");
  check(kCommit + kWait, "", "race", "the tcgen05.mma");
  check(waitSt, "", "race", "no tcgen05.wait::st");
  check(kWait, wait, "clean");  // an ordinary wait acquires
  std::string relaxed = kWait;
  relaxed.replace(relaxed.find("try_wait.parity."), 16, "try_wait.parity.relaxed.cluster.");
  check(kWait, relaxed, "clean");
  const std::string unfenced = relaxed.substr(0, relaxed.find("  tcgen05.fence"));
  check(kWait, unfenced + "  tcgen05.fence::after_thread_sync;\n" + ld + waitLd, "clean");
  check(kWait, unfenced + ld + waitLd, "race", "the tcgen05.mma");
  check(after, ld + st, "race", "no tcgen05.wait::ld");
  check(after, ld + waitLd + st + waitSt, "clean");
  check(after, st + ld + waitLd, "race", "no tcgen05.wait::st");
  check(barrier, "  @%p2 tcgen05.dealloc", "race", "dealloc");
  check(barrier, "  setp.eq.u32 %p6, %r7, 2;\n  @%p6 tcgen05.dealloc", "race", "deallocates lane 0");
  check(waitLd, "", "race", "deallocates");
  // The product's operands in shared memory may be overwritten once it is complete.
  check(kWait, overwrite + kWait, "race", "may still read");
  check(after, overwrite, "clean");
  check("  fence.proxy.async;\n", "", "race", "fence.proxy.async");
  // Between threads by an mbarrier that is relaxed: a load, and then the product.
  const std::string loads =
      "  setp.eq.u32 %p5, %r7, 1;\n  setp.eq.u32 %p6, %r0, 32;\n  @%p5" + ld.substr(1) + "  @%p5" + waitLd.substr(1);
  const std::string arrives = "  @%p6 mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [%bar];\n  @!%p1 bra NEXT;\n";
  const std::string waits =
      "FIRST:\n  mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p3, [%bar], 0;\n  @!%p3 bra FIRST;\n";
  const std::string fenceBefore = "  tcgen05.fence::before_thread_sync;\n",
                    fenceAfter = "  tcgen05.fence::after_thread_sync;\n";
  const auto relaxedRun = [&](const std::string& first) {
    return changedRun("cta.b64 %p3, [%bar], 0;\n  @!%p3 bra WAIT", "cta.b64 %p3, [%bar], 1;\n  @!%p3 bra WAIT", "", "",
                      first + "NEXT:\n")
        .verdict;
  };
  CHECK(relaxedRun(loads + fenceBefore + arrives + waits + fenceAfter) == Verdict::Clean);
  CHECK(relaxedRun(loads + arrives + waits + fenceAfter) == Verdict::Race);
  CHECK(relaxedRun(loads + fenceBefore + arrives + waits) == Verdict::Race);
  // ---- allocation
  const std::string relinquish = "  @%p2 tcgen05.relinquish_alloc_permit";
  check(relinquish, "  @%p2 ld.shared.b32 %r11, [%slot];\n" + relinquish, "clean");
  check(alloc, "st.shared.b32 [%slot], 0;\n", "bounds", "which is not allocated");
  check(dealloc, "ret;\n", "wrong", "512 columns of tensor memory that are not deallocated");
  check(dealloc, dealloc + "  " + dealloc, "bounds", "where no allocation begins");
  check(dealloc, "@%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 256;\n", "bounds", "512 were allocated");
  check(alloc, alloc + "  " + alloc, "deadlock", "0 of 512 columns of tensor memory are free");
  check(alloc, "@%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%slot], 96;\n", "bounds",
        "a power of two from 32 to 512");
  check(dealloc, dealloc + "  " + alloc + "  " + dealloc, "wrong", "relinquish_alloc_permit");
  check(after, "  @%p2 tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n", "wrong",
        "must be the same in a kernel");
  // ---- bounds and values
  check(after, "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d0}, [%t];\n", "bounds", "may access lanes 32 to 63");
  check(after, "  add.s32 %r11, %w, 0x200000;\n  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d0}, [%r11];\n", "bounds",
        "may access lanes");
  check(after, "  add.s32 %r11, %w, 511;\n  tcgen05.ld.sync.aligned.32x32b.x2.b32 {%d0, %d1}, [%r11];\n", "bounds",
        "column 512 of tensor memory, which is not allocated");
  check(after, "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d0}, [%w+16];\n", "uninitialised",
        "lane 0, column 16 of tensor memory, which was never written");
  check("  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%t]",
        "  add.s32 %r11, %t, 1;\n  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r11]", "uninitialised",
        "column 16 of tensor memory");
  check(after, "  @%p1 " + ld.substr(2), "divergence", "does not execute it with the other lanes");
  // ---- refusals
  check(after, "  tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%d0}, [%w];\n", "unknown",
        "16x32bx2.x1.b32 is not supported");
  check(after, "  tcgen05.ld.sync.aligned.32x32b.x2.b32 {%d0}, [%w];\n", "unknown", "32x32b.x2.b32 is not supported");
  check(after, "  @%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 [%t], 512;\n", "unknown",
        "operands of another form");
  check(after, "  @%p1 tcgen05.shift.cta_group::1.down [%t];\n", "unknown", "shift.cta_group::1.down is not supported");
  check(after, "  @%p1 tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64 [%t], %rd7;\n", "unknown", "is not supported");
  check("kind::f16 [%t]", "kind::f16.ashift [%t]", "unknown", "ashift is not supported");
  check("cta_group::1.kind::f16 [%t]", "cta_group::2.kind::f16 [%t]", "wrong", "an even number of blocks");
  check("ld.param.u32 %r10, [i];", "mov.u32 %r10, 0x8040014;", "unknown", "a sparse A");
  check("ld.param.u32 %r10, [i];", "mov.u32 %r10, 0x6040010;", "unknown", "M = 96 and N = 16");
  check("tcgen05.mma.cta_group::1.kind::f16 [%t], %rd7", "tcgen05.mma.cta_group::1.kind::f16 [%t], %rd1", "unknown",
        "bits 46 to 48");
}

TEST_CASE("tensor memory: products with one accumulator and copies before products form a pipeline") {
  const std::string again = "  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%t], %rd7, %rd8, %r10, %p4;\n";
  const Report twice = changedRun("", "", again);
  INFO(said(twice));
  CHECK(twice.verdict == Verdict::Clean);
  // 16 products of ones, twice.
  CHECK(wordsOf(twice.buffers[3])[0] == 0x42000000);
  // Another shape: N = 8.
  const Report other =
      changedRun("", "", "  mov.u32 %r11, 0x8020010;\n" + again.substr(0, again.find("%r10")) + "%r11, %p4;\n");
  INFO(said(other));
  CHECK(other.verdict == Verdict::Race);
  // A copy to D's cells before a product, by its thread and by a thread of another warp.
  const std::string mma = "  @%p1 tcgen05.mma";
  const std::string copy = " tcgen05.cp.cta_group::1.128x128b [%t], %rd8;\n";
  CHECK(changedRun(mma, "  @%p1" + copy + mma).verdict == Verdict::Clean);
  const std::string thread = "  setp.eq.u32 %p5, %r0, 64;\n  @%p5";
  const std::string before = "  tcgen05.fence::before_thread_sync;\n";
  const std::string synchronized = "  bar.sync 0;\n  tcgen05.fence::after_thread_sync;\n";
  CHECK(changedRun(mma, thread + copy + before + synchronized + mma).verdict == Verdict::Clean);
  // Its completion follows from that of the product.
  std::string beside = thread + copy + before + synchronized + mma;
  beside.replace(beside.find("[%t]"), 4, "[%t+16]");
  const std::string reads = "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d0}, [%w+16];\n";
  CHECK(changedRun(mma, beside, "", reads).verdict == Verdict::Clean);
  beside.replace(beside.find(before), before.size(), "");
  CHECK(changedRun(mma, beside, "", reads).verdict == Verdict::Race);
  CHECK(changedRun(mma, thread + copy + synchronized + mma).verdict == Verdict::Race);
  CHECK(changedRun(mma, thread + copy + mma).verdict == Verdict::Race);
  // A copy after a product, to what it writes, is in order, too.
  CHECK(changedRun("", "", "  @%p1" + copy).verdict == Verdict::Clean);
  CHECK(changedRun("", "", thread + copy).verdict == Verdict::Race);
}

TEST_CASE("tensor memory: a pair of blocks multiplies together") {
  const TileType half = *tileType("f16"), single = *tileType("f32");
  for (const int m : {128, 256}) {
    const int n = 32, columns = m == 256 ? n : n / 2;
    const auto x = [](i64 i, i64 k) { return double((3 * i + 5 * k) % 17 - 8); };
    const auto y = [](i64 j, i64 k) { return double((7 * j + 2 * k) % 13 - 6); };
    Inputs in;
    for (int rank = 0; rank < 2; ++rank) {
      std::vector<std::uint8_t> image(65536);
      const i64 row = rank * m / 2, column = rank * n / 2;
      in.a = encodeSm100(test::placeTile(
                             "K_SW128", "f16", half, m / 2, 16, [&](i64 i, i64 k) { return x(row + i, k); }, 0, image),
                         0);
      in.b = encodeSm100(
          test::placeTile(
              "K_SW32", "f16", half, n / 2, 16, [&](i64 j, i64 k) { return y(column + j, k); }, 32768, image),
          32768);
      in.image.insert(in.image.end(), image.begin(), image.end());
    }
    in.cells.resize(static_cast<std::size_t>(2 * 128 * columns));
    in.descriptor = static_cast<std::uint32_t>(1 << 4 | n / 8 << 17 | m / 16 << 24);
    std::string text =
        KernelText{columns, 8,
                   "  setp.eq.and.u32 %p5, %rank, 0, %p1;\n  setp.ne.u32 %p4, %r0, 1000;\n"
                   "  @%p5 tcgen05.mma.cta_group::2.kind::f16 [%t], %rd7, %rd8, %r10, !%p4;\n"
                   "  @%p5 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
                   "[%bar], %both;\n" +
                       kWait}
            .text();
    const auto all = [&](const std::string& part, const std::string& instead) {
      for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += instead.size())
        text.replace(at, part.size(), instead);
    };
    all("cta_group::1", "cta_group::2");
    all("bar.sync 0;", "barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;");
    const Report report = tensorMemoryRun(text, in, 2);
    INFO(m << " " << said(report));
    REQUIRE(report.verdict == Verdict::Clean);
    const Words got = wordsOf(report.buffers[3]);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < 16; ++k) sum += x(i, k) * y(j, k);
        // PTX ISA, figures "Layout A" (M = 256) and "Layout B" (M = 128).
        const int lane = m == 256 ? i % 128 : i % 64 + 64 * (j / (n / 2)), column = m == 256 ? j : j % (n / 2);
        REQUIRE(single.value(got[static_cast<std::size_t>((i / (m / 2) * 128 + lane) * columns + column)]) == sum);
      }
    // Only the first block learns that the product is complete.
    all(".multicast::cluster.b64 [%bar], %both;", ".b64 [%bar];");
    const Report waits = tensorMemoryRun(text, in, 2);
    CHECK(waits.verdict == Verdict::Deadlock);
  }
}

TEST_CASE("tensor memory: a product whose PTX is that of nvcc") {
  const int k = 128;
  const TileType half = *tileType("f16"), single = *tileType("f32");
  const auto x = [](int i, int e) { return double((3 * i + 5 * e) % 17 - 8); };
  const auto y = [](int j, int e) { return double((7 * j + 2 * e) % 13 - 6); };
  std::vector<std::uint16_t> a, b;
  for (int e = 0; e < 128 * k; ++e) a.push_back(static_cast<std::uint16_t>(half.held(x(e / k, e % k), false)));
  for (int e = 0; e < 256 * k; ++e) b.push_back(static_cast<std::uint16_t>(half.held(y(e / k, e % k), false)));
  Launch launch;
  launch.block = {128, 1, 1};
  launch.dynamicShared = 49152;
  launch.arguments = {bufferOf(a), bufferOf(b), bufferOf(Words(128 * 256)), scalarOf(k)};
  const auto report = run(test::kernelsOf("blackwell"), launch);
  REQUIRE(report.ok());
  INFO(said(*report));
  REQUIRE(report->verdict == Verdict::Clean);
  const Words got = wordsOf(report->buffers[2]);
  for (int i = 0; i < 128; ++i)
    for (int j = 0; j < 256; ++j) {
      double sum = 0;
      for (int e = 0; e < k; ++e) sum += x(i, e) * y(j, e);
      REQUIRE(single.value(got[static_cast<std::size_t>(256 * i + j)]) == sum);
    }
  // What --barriers says. The registers of a load may be read at once; only the last one has to be complete, for the
  // deallocation.
  const auto without = withoutEach(test::kernelsOf("blackwell"), launch);
  REQUIRE(without.ok());
  std::string verdicts;
  for (const Synchronization& each : *without) verdicts += each.op + " " + std::string(nameOf(each.without)) + "\n";
  std::string loads;
  for (int load = 0; load < 7; ++load) loads += "tcgen05.wait::ld.sync.aligned clean\n";
  CHECK(verdicts ==
        "bar.sync race\nfence.proxy.async.shared::cta race\nbar.sync deadlock\n"
        "tcgen05.fence::after_thread_sync clean\n" +
            loads + "tcgen05.wait::ld.sync.aligned race\ntcgen05.fence::before_thread_sync clean\nbar.sync race\n");
}
