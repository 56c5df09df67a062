// The machine on kernels with one fault each (data/small.cu): the verdict, and the results of those without a fault.
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "solver/kernel/kernel.h"
#include "tests/kernel/kernels.h"

using namespace tessera;
using namespace tessera::kernel;

namespace {

const ptx::Module& small() { return test::kernelsOf("small"); }

template <class T>
Argument buffer(const std::vector<T>& values) {
  Argument a;
  a.kind = Argument::Kind::Buffer;
  a.bytes.resize(values.size() * sizeof(T));
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  a.shape = {static_cast<i64>(values.size())};
  return a;
}
Argument number(int value) {
  Argument a;
  a.kind = Argument::Kind::Scalar;
  a.bytes.resize(4);
  std::memcpy(a.bytes.data(), &value, 4);
  return a;
}
template <class T>
std::vector<T> valuesOf(const std::vector<std::byte>& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}
std::vector<int> ints(std::size_t n, int first = 1) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), first);
  return out;
}
std::vector<float> floats(std::size_t n) {
  std::vector<float> out(n);
  std::iota(out.begin(), out.end(), 1.0f);
  return out;
}

Report runOf(const std::string& entry, std::uint32_t blocks, std::array<std::uint32_t, 3> block,
             std::vector<Argument> arguments) {
  Launch launch;
  launch.entry = entry;
  launch.grid = {blocks, 1, 1};
  launch.block = block;
  launch.arguments = std::move(arguments);
  auto report = run(small(), launch);
  INFO(entry << ": " << (report ? "" : report.error().message));
  REQUIRE(report.ok());
  return *std::move(report);
}

// The verdict, with the first finding for a failed check.
std::string verdictOf(const Report& r) {
  std::string out(nameOf(r.verdict));
  if (!r.reason.empty()) UNSCOPED_INFO(r.reason);
  if (!r.findings.empty()) UNSCOPED_INFO(r.findings.front().message);
  return out;
}

}  // namespace

TEST_CASE("a kernel has only its own shared memory, not that of the other kernels of its module") {
  const auto in = buffer(floats(160)), out = buffer(std::vector<float>(160));
  const Report report = runOf("reverse", 1, {160, 1, 1}, {in, out});
  CHECK(verdictOf(report) == "bounds");
  CHECK(report.findings.front().space == ptx::Space::Shared);
}

TEST_CASE("each fault has its verdict, and the version without it none") {
  const auto in = buffer(floats(256)), out = buffer(std::vector<float>(256));
  CHECK(verdictOf(runOf("reverse", 2, {128, 1, 1}, {in, out})) == "clean");
  CHECK(verdictOf(runOf("reverse_race", 2, {128, 1, 1}, {in, out})) == "race");
  CHECK(verdictOf(runOf("reverse_half", 2, {128, 1, 1}, {in, out})) == "uninitialised");
  CHECK(verdictOf(runOf("reverse_early", 2, {128, 1, 1}, {in, out, number(100)})) == "divergence");
  CHECK(verdictOf(runOf("reverse_early", 2, {128, 1, 1}, {in, out, number(128)})) == "clean");
  CHECK(verdictOf(runOf("shift_beyond", 2, {128, 1, 1}, {in, out})) == "bounds");
  CHECK(verdictOf(runOf("vector_misaligned", 1, {64, 1, 1}, {in, out})) == "misaligned");
  CHECK(verdictOf(runOf("bytes", 1, {64, 1, 1}, {out})) == "clean");
  CHECK(verdictOf(runOf("same_value", 1, {64, 1, 1}, {out})) == "benign");
  CHECK(verdictOf(runOf("other_value", 1, {64, 1, 1}, {out})) == "race");
  CHECK(verdictOf(runOf("branches", 1, {64, 1, 1}, {out})) == "divergence");
  CHECK(verdictOf(runOf("wait_forever", 1, {32, 1, 1}, {buffer(std::vector<int>{0}), out})) == "deadlock");
  CHECK(verdictOf(runOf("wait_forever", 1, {32, 1, 1}, {buffer(std::vector<int>{1}), out})) == "clean");
}

TEST_CASE("sums in every way") {
  const auto in = buffer(ints(512)), out = buffer(std::vector<int>(64));
  const auto first = [](const Report& r, std::size_t argument = 1) { return valuesOf<int>(r.buffers[argument])[0]; };
  const Report tree = runOf("sum", 2, {256, 1, 1}, {in, out});
  CHECK(verdictOf(tree) == "clean");
  CHECK(first(tree) == 256 * 257 / 2);
  CHECK(verdictOf(runOf("sum_warp_race", 2, {256, 1, 1}, {in, out})) == "race");
  const Report shuffle = runOf("sum_shuffle", 2, {32, 1, 1}, {in, out});
  CHECK(verdictOf(shuffle) == "clean");
  CHECK(first(shuffle) == 32 * 33 / 2);
  CHECK(first(runOf("sum_shuffle_half", 1, {32, 1, 1}, {in, out})) == 16 * 17 / 2);
  const Report atomic = runOf("sum_atomic", 4, {64, 1, 1}, {in, out});
  CHECK(verdictOf(atomic) == "clean");
  CHECK(first(atomic) == 256 * 257 / 2);
  CHECK(verdictOf(runOf("sum_no_atomic", 4, {64, 1, 1}, {in, out})) == "race");
}

TEST_CASE("order passes through fences and atomics, from block to block") {
  const auto in = buffer(ints(8)), partial = buffer(std::vector<int>(8)), out = buffer(std::vector<int>(64));
  const Report last = runOf("sum_last_block", 8, {32, 1, 1}, {in, partial, out});
  CHECK(verdictOf(last) == "clean");
  CHECK(valuesOf<int>(last.buffers[2])[0] == 36);
  CHECK(verdictOf(runOf("sum_last_block_race", 8, {32, 1, 1}, {in, partial, out})) == "race");
  // Block 0 waits for block 1, which starts later.
  const auto zero = buffer(std::vector<int>{0});
  const Report handed = runOf("hand_over", 2, {64, 1, 1}, {buffer(std::vector<int>(64)), zero, out});
  CHECK(verdictOf(handed) == "clean");
  CHECK(valuesOf<int>(handed.buffers[2])[63] == 63);
  CHECK(verdictOf(runOf("hand_over", 1, {64, 1, 1}, {buffer(std::vector<int>(64)), zero, out})) == "deadlock");
}

TEST_CASE("copies in flight own their source and their destination until the wait") {
  const auto in = buffer(floats(512)), out = buffer(std::vector<float>(512));
  const Report copied = runOf("copy_async", 1, {128, 1, 1}, {in, out});
  CHECK(verdictOf(copied) == "clean");
  CHECK(valuesOf<float>(copied.buffers[1])[0] == 509.0f);
  CHECK(verdictOf(runOf("copy_async_no_wait", 1, {128, 1, 1}, {in, out})) == "race");
  CHECK(verdictOf(runOf("copy_async_source", 1, {128, 1, 1}, {in, out})) == "race");
}

TEST_CASE("accesses have their wavefronts, their sectors and their layout") {
  const auto in = buffer(floats(1024)), out = buffer(std::vector<float>(1024));
  const auto shared = [&](const char* entry, bool store) {
    const Report r = runOf(entry, 1, {32, 8, 1}, {in, out});
    CHECK(verdictOf(r) == "clean");
    CHECK(valuesOf<float>(r.buffers[1])[1] == 33.0f);
    i64 wavefronts = 0, ideal = 0;
    for (const AccessLine& a : r.accesses)
      if (a.space == ptx::Space::Shared && a.store == store) wavefronts += a.wavefronts, ideal += a.ideal;
    return std::pair(wavefronts, ideal);
  };
  CHECK(shared("transpose", true) == std::pair<i64, i64>(32, 32));
  CHECK(shared("transpose", false) == std::pair<i64, i64>(1024, 32));
  CHECK(shared("transpose_padded", false) == std::pair<i64, i64>(32, 32));
  const Report r = runOf("reverse", 2, {128, 1, 1}, {in, out});
  for (const AccessLine& a : r.accesses)
    if (a.space == ptx::Space::Global) {
      CHECK(a.layout == "(32,4,2):(4,128,512)");  // lane, warp, block
      CHECK(a.sectors == a.idealSectors);
    }
}

TEST_CASE("functions are called, and arguments that are not given are arbitrary") {
  const auto in = buffer(floats(32)), out = buffer(std::vector<float>(32));
  const Report r = runOf("calls", 1, {32, 1, 1}, {in, out});
  CHECK(verdictOf(r) == "clean");
  CHECK(valuesOf<float>(r.buffers[1])[2] == 3 * 3 + 1 + 5);
  const Report any = runOf("reverse", 2, {128, 1, 1}, {});
  CHECK(verdictOf(any) == "clean");
  CHECK(any.covers.starts_with("every value"));
  CHECK(verdictOf(runOf("reverse_race", 2, {128, 1, 1}, {})) == "race");
  // Whether threads return before the barrier depends on n.
  const Report early = runOf("reverse_early", 2, {128, 1, 1}, {in, out});
  CHECK(early.verdict != Verdict::Clean);
}

TEST_CASE("a barrier that is left out shows what it was for") {
  Launch launch;
  launch.entry = "reverse";
  launch.block = {128, 1, 1};
  launch.arguments = {buffer(floats(128)), buffer(std::vector<float>(128))};
  const auto without = withoutEach(small(), launch);
  REQUIRE(without.ok());
  REQUIRE(without->size() == 1);
  CHECK(without->front().without == Verdict::Race);
}

TEST_CASE("a launch that does not fit is refused with what to change") {
  Launch launch;
  launch.entry = "nothing";
  CHECK(run(small(), launch).error().message == "this module has no entry nothing");
  launch.entry = "bytes";
  launch.block = {2048, 1, 1};
  CHECK(run(small(), launch).error().expected == "at most 1024 threads");
  launch.block = {64, 1, 1};
  launch.arguments = {number(1), number(2)};
  CHECK_FALSE(run(small(), launch).ok());
  launch.arguments = {buffer(std::vector<float>(64))};
  launch.maxSteps = 100;
  const auto stopped = run(small(), launch);
  REQUIRE(stopped.ok());
  CHECK(stopped->verdict == Verdict::Unknown);
}

namespace {

// A kernel of one line or few, with buffers p0, p1 as %rd0, %rd1, the thread as %r0 and 4 bytes times it as %rd2.
Report textRun(const std::string& body, std::uint32_t threads, std::vector<Argument> arguments,
               const std::string& variables = "") {
  const std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n" + variables + R"(
.visible .entry t(.param .u64 p0, .param .u64 p1)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [p0];
  ld.param.u64 %rd1, [p1];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd2, %r0, 4;
)" + body + "\n  ret;\n}\n";
  const auto module = ptx::read(text);
  INFO((module ? std::string() : module.error().message));
  REQUIRE(module.ok());
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.arguments = std::move(arguments);
  auto report = run(*module, launch);
  REQUIRE(report.ok());
  return *std::move(report);
}

}  // namespace

TEST_CASE("an atomic and an ordinary write race, also when they write the same value") {
  const auto out = buffer(std::vector<int>(64));
  const std::string body = R"(
  setp.eq.u32 %p0, %r0, 0;
  @%p0 st.global.u32 [%rd0], 0;
  setp.eq.u32 %p1, %r0, 33;
  @%p1 atom.global.add.u32 %r1, [%rd0], 0;)";
  CHECK(verdictOf(textRun(body, 64, {out, out})) == "race");
}

TEST_CASE("what depends on an argument that was not given is followed through copies, matrices and calls") {
  // The index of the last access comes from p0: by cp.async, by ldmatrix, or straight. Then no run covers all values.
  const std::string shared = "  mov.u32 %r2, s;\n  shl.b32 %r3, %r0, 4;\n  add.s32 %r4, %r2, %r3;\n";
  const std::string variables = ".shared .align 16 .b8 s[512];\n";
  const std::string copy = shared + R"(
  mul.wide.u32 %rd3, %r0, 16;
  add.s64 %rd3, %rd3, %rd0;
  cp.async.cg.shared.global [%r4], [%rd3], 16;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.sync 0;
)";
  const std::string use = "  mul.wide.u32 %rd4, %r5, 4;\n  add.s64 %rd4, %rd4, %rd1;\n  st.global.u32 [%rd4], 1;\n";
  CHECK(verdictOf(textRun(copy + "  ld.shared.u32 %r5, [%r4];\n" + use, 32, {}, variables)) != "clean");
  CHECK(verdictOf(textRun(copy + "  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];\n" + use, 32, {},
                          variables)) != "clean");
  // The thread's own index does not.
  CHECK(verdictOf(textRun(copy + "  mov.u32 %r5, %r0;\n" + use, 32, {}, variables)) == "clean");
}

TEST_CASE("a guard that is false for one value of an argument may be true for another") {
  // @p st with p from memory: no lane stores in this run, all of them may in another.
  const std::string guard = "  ld.global.u32 %r1, [%rd1];\n  setp.eq.u32 %p0, %r1, 12345;\n";
  CHECK(verdictOf(textRun(guard + "  @%p0 st.global.u32 [%rd0], %r0;\n", 64, {})) != "clean");
  CHECK(verdictOf(textRun(guard + "  @%p0 bra DONE;\n  bar.sync 0;\nDONE:\n", 64, {})) != "clean");
  // A guarded computation only selects a value.
  const std::string select = guard + "  mov.u32 %r2, 1;\n  @%p0 mov.u32 %r2, 2;\n  add.s64 %rd3, %rd0, %rd2;\n";
  CHECK(verdictOf(textRun(select + "  st.global.u32 [%rd3], %r2;\n", 64, {})) == "clean");
  CHECK(verdictOf(textRun(select + "  mul.wide.u32 %rd4, %r2, 4;\n  add.s64 %rd4, %rd4, %rd3;\n"
                                   "  st.global.u32 [%rd4], 1;\n",
                          64, {})) != "clean");
}

TEST_CASE("a run whose branches depend on the order of atomics states this") {
  const auto count = buffer(std::vector<int>(1)), out = buffer(std::vector<int>(64));
  const std::string ticket = "  atom.global.add.u32 %r1, [%rd0], 1;\n";
  const std::string branch = ticket + "  setp.eq.u32 %p0, %r1, 63;\n  @%p0 st.global.u32 [%rd1], 1;\n";
  const Report by = textRun(branch, 64, {count, out});
  CHECK(verdictOf(by) == "clean");
  CHECK(by.covers.find("depends on the order of atomics") != std::string::npos);
  CHECK(textRun(ticket, 64, {count, out}).covers == "the given arguments, in every schedule");
}

TEST_CASE("lanes that take different branches meet at the instructions of their warp") {
  const auto out = buffer(std::vector<int>(64));
  // Half of the warp is elsewhere when the other half executes ldmatrix.
  const std::string body = R"(
  mov.u32 %r2, s;
  shl.b32 %r3, %r0, 4;
  add.s32 %r2, %r2, %r3;
  st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};
  bar.sync 0;
  setp.lt.u32 %p0, %r0, 16;
  @%p0 ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7}, [%r2];)";
  CHECK(verdictOf(textRun(body, 32, {out, out}, ".shared .align 16 .b8 s[512];\n")) == "divergence");
}

TEST_CASE("what a warp has done before it ended is not ordered before a barrier that it did not reach") {
  // Threads 32 to 63 add to s[0 .. 31], which the other warp then reads, after a barrier of its own.
  const std::string body = R"(
  setp.lt.u32 %p0, %r0, 32;
  and.b32 %r2, %r0, 31;
  shl.b32 %r2, %r2, 2;
  mov.u32 %r3, s;
  add.s32 %r3, %r3, %r2;
  @%p0 st.shared.u32 [%r3], 0;
  bar.sync 0;
  @!%p0 st.shared.u32 [%r3], 1;
  @!%p0 bra DONE;
  bar.sync 0, 32;
  ld.shared.u32 %r4, [%r3];
DONE:)";
  const auto none = buffer(std::vector<int>(1));
  CHECK(verdictOf(textRun(body, 64, {none, none}, ".shared .align 4 .b8 s[128];\n")) == "race");
}

TEST_CASE("a lane that its member mask does not name is a divergence") {
  const auto out = buffer(std::vector<int>(32));
  const auto verdict = [&](const std::string& body) { return verdictOf(textRun(body, 32, {out, out})); };
  CHECK(verdict("  bar.warp.sync -1;") == "clean");
  CHECK(verdict("  bar.warp.sync 0xfffffffe;") == "divergence");
  CHECK(verdict("  vote.sync.all.pred %p0, %p1, -1;") == "clean");
  CHECK(verdict("  vote.sync.all.pred %p0, %p1, 0x7fffffff;") == "divergence");
  CHECK(verdict("  shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff;") == "divergence");
  // Each half of the warp names itself.
  const std::string half = "  and.b32 %r2, %r0, 16;\n  mov.u32 %r3, 0xffff;\n  shl.b32 %r3, %r3, %r2;\n";
  CHECK(verdict(half + "  shfl.sync.bfly.b32 %r1, %r0, 1, 31, %r3;") == "clean");
  CHECK(verdict(half + "  bar.warp.sync %r3;") == "clean");
}

TEST_CASE("threads that give a barrier different counts, or a count or number that it cannot have, are a divergence") {
  const auto none = buffer(std::vector<int>(1));
  const auto verdict = [&](const std::string& one, const std::string& other) {
    return verdictOf(textRun(
        "  setp.lt.u32 %p0, %r0, 32;\n  @%p0 bra ONE;\n  " + other + ";\n  bra DONE;\nONE:\n  " + one + ";\nDONE:\n",
        64, {none, none}));
  };
  CHECK(verdict("bar.sync 1, 64", "bar.arrive 1, 64") == "clean");
  CHECK(verdict("bar.sync 1", "bar.sync 1, 64") == "clean");
  CHECK(verdict("bar.sync 1, 64", "bar.arrive 1, 32") == "divergence");
  CHECK(verdict("bar.sync 1, 96", "bar.sync 1, 64") == "divergence");
  CHECK(verdict("bar.sync 1, 48", "bar.sync 1, 48") == "divergence");
  CHECK(verdict("bar.sync 16, 64", "bar.sync 16, 64") == "divergence");
}

TEST_CASE("an atomic reads; an exchange does not need to") {
  const auto none = buffer(std::vector<int>(1));
  const std::string shared = ".shared .align 4 .b8 s[128];\n";
  CHECK(verdictOf(textRun("  atom.shared.add.u32 %r1, [s], 1;", 32, {none, none}, shared)) == "uninitialised");
  CHECK(verdictOf(textRun("  atom.shared.exch.b32 %r1, [s], 1;", 32, {none, none}, shared)) == "clean");
}

TEST_CASE("shared memory ends with its last variable") {
  const auto none = buffer(std::vector<int>(1));
  const std::string body = "  setp.eq.u32 %p0, %r0, 0;\n  @%p0 st.shared.u16 [s], 7;";
  CHECK(verdictOf(textRun(body, 32, {none, none}, ".shared .align 2 .b8 s[2];\n")) == "clean");
  CHECK(verdictOf(textRun(body, 32, {none, none}, ".shared .align 2 .b8 s[1];\n")) == "bounds");
}

TEST_CASE("stmatrix writes what ldmatrix has read, transposed or not") {
  std::vector<int> words(128);
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = static_cast<int>(k * 0x10203 + 0x4567);
  for (const std::string trans : {"", ".trans"}) {
    const std::string body = R"(
  mov.u32 %r2, s;
  shl.b32 %r3, %r0, 4;
  add.s32 %r2, %r2, %r3;
  mul.wide.u32 %rd3, %r0, 16;
  add.s64 %rd0, %rd0, %rd3;
  add.s64 %rd1, %rd1, %rd3;
  ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd0];
  st.shared.v4.u32 [%r2], {%r4,%r5,%r6,%r7};
  bar.warp.sync 0xffffffff;
  ldmatrix.sync.aligned.m8n8.x4)" +
                             trans + R"(.shared.b16 {%r8,%r9,%r10,%r11}, [%r2];
  bar.warp.sync 0xffffffff;
  stmatrix.sync.aligned.m8n8.x4)" +
                             trans + R"(.shared.b16 [%r2], {%r8,%r9,%r10,%r11};
  bar.warp.sync 0xffffffff;
  ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r2];
  st.global.v4.u32 [%rd1], {%r4,%r5,%r6,%r7};)";
    const Report r =
        textRun(body, 32, {buffer(words), buffer(std::vector<int>(128))}, ".shared .align 16 .b8 s[512];\n");
    CHECK(verdictOf(r) == "clean");
    CHECK(valuesOf<int>(r.buffers[1]) == words);
  }
}

TEST_CASE("atomics of 128 bits exchange both halves, or none") {
  const auto module = ptx::read(R"(.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b64 %rd<12>;
  .reg .b128 %q<8>;
  ld.param.u64 %rd0, [p];
  mov.u64 %rd1, 11;
  mov.u64 %rd2, 12;
  mov.u64 %rd3, 13;
  mov.b128 %q0, {%rd1, %rd2};
  mov.b128 %q1, {%rd1, %rd3};
  mov.b128 %q2, {%rd2, %rd2};
  atom.global.exch.b128 %q3, [%rd0], %q0;
  atom.global.cas.b128 %q4, [%rd0], %q1, %q2;
  mov.b128 {%rd4, %rd5}, %q3;
  mov.b128 {%rd6, %rd7}, %q4;
  st.global.v2.u64 [%rd0+16], {%rd4, %rd5};
  st.global.v2.u64 [%rd0+32], {%rd6, %rd7};
  atom.global.cas.b128 %q5, [%rd0], %q0, %q2;
  mov.b128 {%rd8, %rd9}, %q5;
  st.global.v2.u64 [%rd0+48], {%rd8, %rd9};
  ret;
}
)");
  INFO((module ? std::string() : module.error().message));
  REQUIRE(module.ok());
  Launch launch;
  launch.arguments = {buffer(std::vector<u64>{1, 2, 0, 0, 0, 0, 0, 0})};
  const auto report = run(*module, launch);
  REQUIRE(report.ok());
  INFO(report->reason);
  CHECK(report->verdict == Verdict::Clean);
  CHECK(valuesOf<u64>(report->buffers[0]) == std::vector<u64>{12, 12, 1, 2, 11, 12, 11, 12});
}

TEST_CASE("events that no shadow names any more are forgotten without a trace") {
  // 2560 turns of two warps with about 30 accesses each: more events than are kept at a time.
  constexpr int kDepth = 40'960;
  Launch launch;
  launch.entry = "pipelined";
  launch.block = {64, 1, 1};
  launch.arguments = {buffer(std::vector<float>(16 * kDepth, 1)), buffer(std::vector<float>(16 * kDepth, 2)),
                      buffer(std::vector<float>(256, 0)), number(kDepth)};
  const auto report = run(test::kernelsOf("mutants"), launch);
  REQUIRE(report.ok());
  CHECK(report->verdict == Verdict::Clean);
  CHECK(valuesOf<float>(report->buffers[2]) == std::vector<float>(256, 2.0f * kDepth));
}
