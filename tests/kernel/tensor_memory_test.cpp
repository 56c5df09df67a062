// Blackwell's tensor memory: loads, stores and copies of each shape by the formulas of PTX's figures, and one fault in
// each of many kernels.
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

}  // namespace tessera::test
