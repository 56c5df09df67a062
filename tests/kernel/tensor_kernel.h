// Kernels that use tensor memory, as texts, and their runs. ptxas 13 assembles them for sm_100a:
//
//     TESSERA_WRITE_PTX=/tmp/t test_kernel "tensor memory*"
//     for f in /tmp/t/*; do ptxas -arch=sm_100a $f -o /tmp/o; done
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/ptx/read.h"
#include "solver/kernel/kernel.h"

namespace tessera::test {

using namespace tessera::kernel;

using Words = std::vector<std::uint32_t>;

inline std::string registerList(int count, int first = 0) {
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

inline const std::string kCommit =
    "  @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];\n";
inline const std::string kWait =
    "WAIT:\n  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%bar], 0;\n  @!%p3 bra WAIT;\n"
    "  tcgen05.fence::after_thread_sync;\n";

inline std::string multiplied(const std::string& kind, const std::string& a = "%rd7", const std::string& more = "") {
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

inline Report tensorMemoryRun(const std::string& text, const Inputs& in, std::uint32_t blocks = 1) {
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

inline Words wordsOf(const std::vector<std::byte>& bytes) {
  Words out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

inline std::string said(const Report& r) {
  return std::string(nameOf(r.verdict)) + " " + r.reason + " " + (r.findings.empty() ? "" : r.findings.front().message);
}

// A different number in each cell.
inline Words numbered(int columns) {
  Words out;
  for (std::uint32_t lane = 0; lane < 128; ++lane)
    for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(columns); ++c)
      out.push_back(lane << 20 | c << 4 | 0x80005);
  return out;
}

}  // namespace tessera::test
