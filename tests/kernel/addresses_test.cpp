// Layouts that are proved for a whole launch (solver/kernel/addresses).
//
// The law: the table of an access has the address of every lane in every execution, as an observer of the run sees
// them. It is checked for kernels of all kinds and for random index arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "solver/kernel/access_layout.h"
#include "solver/kernel/launch/prepare.h"
#include "solver/kernel/machine/memories.h"
#include "solver/kernel/machine/observer.h"
#include "tests/kernel/kernels.h"

namespace tessera::test {

using namespace tessera::kernel;

namespace {

// Every lane's address of every step, by step, warp, visit and block.
class Recorder : public Observer {
 public:
  struct Key {
    int step = 0;
    std::uint32_t block = 0, warp = 0;
    i64 visit = 0;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::map<int, i64>> lanes;
  void begin(const Program& program, const Memories&) override { program_ = &program; }
  bool step(const Block& block, const Warp& w, const Step& s, Mask mask) override {
    const bool takesPart = mask != 0 && (s.kind == Step::Kind::Load || s.kind == Step::Kind::Store ||
                                         s.kind == Step::Kind::Atomic || s.kind == Step::Kind::MatrixLoad ||
                                         s.kind == Step::Kind::MatrixStore || s.kind == Step::Kind::Copy);
    const int at = static_cast<int>(&s - program_->steps.data());
    copies_ = s.kind == Step::Kind::Copy;
    now_ = {at, block.index, w.index, takesPart ? visits_[{at, block.index, w.index, 0}]++ : 0};
    return true;
  }
  void access(const Warp&, int lane, const Target& target, int, bool write) override {
    if (copies_ && !write) return;  // a copy's layout is that of shared memory
    auto& of = lanes[now_];
    of.try_emplace(lane, target.offset);
  }
  void executed(const Block&, std::size_t) override {}

 private:
  const Program* program_ = nullptr;
  std::map<Key, i64> visits_;
  Key now_;
  bool copies_ = false;
};

i64 addressIn(const AccessTable& table, const std::map<std::string, i64>& at) {
  i64 out = table.offset;
  for (const AccessTable::Part& part : table.parts) {
    i64 point = 0, stride = 1;
    for (std::size_t k = 0; k < part.modes.size(); ++k) {
      point += at.at(part.modes[k]) * stride;
      stride *= part.table.extents[k];
    }
    out += part.table.values.at(static_cast<std::size_t>(point));
  }
  return out;
}

struct Counted {
  i64 accesses = 0, tables = 0, proved = 0, layouts = 0;
};

// Every execution of the launch, one by one.
void compareWithRun(const ptx::Module& module, Launch launch, Counted& counted) {
  launch.layouts = true;
  Recorder recorder;
  const auto report = runObserved(module, launch, recorder);
  if (!report) return;
  for (const std::string& note : report->notes) {
    INFO(note);
    CHECK(note.find("fault of Tessera") == std::string::npos);
  }
  for (const AccessLine& line : report->accesses) {
    ++counted.accesses;
    counted.layouts += line.layout.empty() ? 0 : 1;
    if (!line.whole) continue;
    counted.proved += line.proved ? 1 : 0;
    ++counted.tables;
    INFO(launch.entry << " line " << line.line << " " << line.op << " " << line.layout);
    std::map<std::uint32_t, i64> warps;  // that take part, numbered
    for (const auto& [key, lanes] : recorder.lanes)
      if (key.step == line.step) warps.try_emplace(key.warp, 0);
    i64 count = 0;
    for (auto& [warp, number] : warps) number = count++;
    i64 executions = 0, wrong = 0;
    for (const auto& [key, lanes] : recorder.lanes) {
      if (key.step != line.step) continue;
      ++executions;
      if (static_cast<i64>(lanes.size()) != line.whole->lanes) ++wrong;
      for (const auto& [lane, address] : lanes)
        wrong += addressIn(*line.whole,
                           {{"lane", lane}, {"warp", warps[key.warp]}, {"visit", key.visit}, {"block", key.block}}) !=
                 address;
    }
    CHECK(wrong == 0);
    CHECK(executions == line.warps);
  }
}

Launch launchOf(const std::string& entry, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block) {
  Launch out;
  out.entry = entry;
  out.grid = grid;
  out.block = block;
  return out;
}

// A kernel that stores to shared or global memory at the value of %r9, computed by `body` from tid, ctaid and %r8, the
// turn of a loop of `turns` turns.
std::string kernelText(const std::string& body, int turns, bool shared) {
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{{
  .reg .pred %p<20>;
  .reg .b32 %r<200>;
  .reg .b64 %rd<20>;
  .shared .align 16 .b8 tile[65536];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r7, [n];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %ctaid.y;
  mov.u32 %r4, %laneid;
  mov.u32 %r8, 0;
LOOP:
{}  and.b32 %r10, %r9, 16383;
  shl.b32 %r10, %r10, 2;
  cvt.u64.u32 %rd2, %r10;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r11, tile;
  add.s32 %r11, %r11, %r10;
  {} %r8;
  add.s32 %r8, %r8, 1;
  setp.lt.s32 %p1, %r8, {};
  @%p1 bra LOOP;
  ret;
}}
)",
                     body, shared ? "st.shared.u32 [%r11]," : "st.global.u32 [%rd3],", turns);
}

// The line of the store in the report of a kernel.
AccessLine storeOf(const std::string& body, int turns, bool shared, const Launch& launch) {
  const auto module = ptx::read(kernelText(body, turns, shared));
  INFO((module ? "" : module.error().message));
  REQUIRE(module.ok());
  Launch with = launch;
  with.layouts = true;
  const auto report = run(*module, with);
  REQUIRE(report.ok());
  for (const AccessLine& line : report->accesses)
    if (line.op.starts_with("st")) return line;
  FAIL("no store");
  return {};
}

}  // namespace

TEST_CASE("a layout is proved where the address comes from indices") {
  const Launch launch = launchOf("k", {6, 1, 1}, {64, 1, 1});
  const auto proved = [&](const std::string& body, int turns = 1) {
    const AccessLine line = storeOf(body, turns, true, launch);
    return line.proved ? line.layout : "not proved: " + line.layout;
  };
  CHECK(proved("  mov.u32 %r9, %r0;\n") == "(32,2,6):(4,128,0)");
  CHECK(proved("  mad.lo.s32 %r9, %r1, 64, %r0;\n") == "(32,2,6):(4,128,256)");
  CHECK(proved("  mad.lo.s32 %r9, %r8, 128, %r0;\n", 3) == "(32,2,3,6):(4,128,512,0)");
  CHECK(proved("  shr.u32 %r12, %r0, 3;\n  and.b32 %r12, %r12, 7;\n  xor.b32 %r9, %r12, %r0;\n") ==
        "Sw<3,2,3> o 0 o (32,2,6):(4,128,0)");
  // A broadcast of the first lane, as CUTLASS finds the number of a warp.
  CHECK(proved("  shr.u32 %r12, %r0, 5;\n  shfl.sync.idx.b32 %r12, %r12, 0, 31, -1;\n"
               "  mad.lo.s32 %r9, %r12, 100, %r4;\n") == "(32,2,6):(4,400,0)");
  CHECK(proved("  shfl.sync.idx.b32 %r9, %r0, 5, 31, -1;\n") == "(32,2,6):(0,128,0)");
  // A division by a value that is not constant, and one that may be 0 in some thread.
  CHECK(proved("  add.s32 %r12, %r1, 1;\n  rem.u32 %r13, 0, %r12;\n  add.s32 %r9, %r0, %r13;\n") ==
        "(32,2,6):(4,128,0)");
  CHECK(proved("  rem.u32 %r13, 0, %r1;\n  add.s32 %r9, %r0, %r13;\n").starts_with("not proved"));
}

TEST_CASE("what the first executions do not show is not proved") {
  // 400 blocks of one warp; 256 executions are recorded.
  const Launch launch = launchOf("k", {400, 1, 1}, {32, 1, 1});
  const AccessLine same = storeOf("  mov.u32 %r9, %r0;\n", 1, true, launch);
  CHECK(same.proved);
  CHECK(same.layout == "(32,400):(4,0)");
  // The last blocks do something else: the recorded executions have a layout, the launch has none.
  const AccessLine late = storeOf(
      "  mov.u32 %r9, %r0;\n  setp.gt.u32 %p2, %r1, 390;\n  @%p2 mad.lo.s32 %r9, %r1, %r1, %r0;\n", 1, true, launch);
  CHECK_FALSE(late.proved);
  CHECK_FALSE(late.layout.empty());
  // The same in a branch, in the lanes that take part, and in the number of executions.
  const AccessLine branch =
      storeOf("  mov.u32 %r9, %r0;\n  setp.lt.u32 %p2, %r1, 390;\n  @%p2 bra SKIP;\n  mul.lo.s32 %r9, %r1, 3;\nSKIP:\n",
              1, true, launch);
  CHECK_FALSE(branch.proved);
  // A value from memory, of another lane, and of an argument that is not given.
  CHECK_FALSE(
      storeOf("  ld.global.u32 %r12, [%rd1];\n  and.b32 %r12, %r12, 0;\n  add.s32 %r9, %r0, %r12;\n", 1, true, launch)
          .proved);
  CHECK_FALSE(storeOf("  shfl.sync.bfly.b32 %r9, %r0, 1, 31, -1;\n", 1, true, launch).proved);
  CHECK_FALSE(storeOf("  add.s32 %r9, %r0, %r7;\n", 1, true, launch).proved);
  Launch given = launch;
  given.arguments.resize(2);
  given.arguments[1].kind = Argument::Kind::Scalar;
  given.arguments[1].bytes = {std::byte{3}, {}, {}, {}};
  CHECK(storeOf("  add.s32 %r9, %r0, %r7;\n", 1, true, given).proved);
}

TEST_CASE("a large launch is taken apart into tables of threads, visits and blocks") {
  // 64 x 32 blocks of 256 threads, 8 visits: 4 million addresses.
  const Launch launch = launchOf("k", {64, 32, 1}, {256, 1, 1});
  const AccessLine plain = storeOf(
      "  mad.lo.s32 %r12, %r1, 256, %r0;\n  mad.lo.s32 %r12, %r8, 1024, %r12;\n  mad.lo.s32 %r9, %r3, 8, %r12;\n", 1,
      false, launch);
  CHECK_FALSE(plain.proved);  // the mask of 14 bits mixes threads and blocks
  const auto module = ptx::read(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r3, %ctaid.y;
  mov.u32 %r8, 0;
  mad.lo.s32 %r9, %r1, 256, %r0;
  mad.lo.s32 %r9, %r3, 131072, %r9;
LOOP:
  mul.wide.u32 %rd2, %r9, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r8;
  add.s32 %r9, %r9, 16384;
  add.s32 %r8, %r8, 1;
  setp.lt.s32 %p1, %r8, 8;
  @%p1 bra LOOP;
  ret;
}
)");
  REQUIRE(module.ok());
  Launch apart = launch;
  apart.layouts = true;
  apart.arguments.resize(1);
  apart.arguments[0].kind = Argument::Kind::Buffer;
  apart.arguments[0].bytes.resize(std::size_t{1} << 24);
  const auto report = run(*module, apart);
  REQUIRE(report.ok());
  REQUIRE(report->accesses.size() == 1);
  const AccessLine& line = report->accesses[0];
  REQUIRE(line.whole);
  CHECK(line.whole->parts.size() == 2);
  CHECK(line.layout == "(32,8,8,(64,32)):(4,128,65536,(1024,524288))");
  const auto map = accessMap(line);
  REQUIRE(map.ok());
  CHECK(map->map.digits().size() == 4);
}

TEST_CASE("a sum of 32 bits that overflows is not taken apart") {
  const auto text = [](const std::string& stride) {
    return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .b32 %r<20>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mad.lo.s32 %r9, %r1, {}, %r0;
  cvt.u64.u32 %rd2, %r9;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u8 [%rd3], %r0;
  ret;
}}
)",
                       stride);
  };
  Counted fits, overflows;
  const Launch launch = launchOf("k", {96, 1, 1}, {256, 1, 1});
  compareWithRun(*ptx::read(text("0x2000000")), launch, fits);
  CHECK(fits.proved == 1);
  compareWithRun(*ptx::read(text("0x4000000")), launch, overflows);
  CHECK(overflows.proved == 0);
}

TEST_CASE("every address of a proved layout is the machine's") {
  Counted counted;
  // All entries of the data, with 2 x 2 blocks of 64 threads; many run out of bounds, or wait forever.
  for (const char* file : {"small", "rows", "values", "prove", "mutants", "gemm_pipelined", "cluster", "tensor"})
    for (const ptx::Function& f : kernelsOf(file).functions)
      if (f.entry && f.defined) {
        Launch launch = launchOf(f.name, {2, 2, 1}, {32, 4, 1});
        launch.maxSteps = 1 << 20;
        compareWithRun(kernelsOf(file), launch, counted);
      }
  std::cout << fmt::format("layouts: {} accesses, {} with one, {} proved\n", counted.accesses, counted.layouts,
                           counted.proved);
  CHECK(counted.proved * 2 > counted.layouts);
}

TEST_CASE("random index arithmetic: terms are the machine's numbers") {
  constexpr int kKernels = 400;
  std::mt19937 random(20261129);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Counted counted;
  for (int k = 0; k < kKernels; ++k) {
    // Values are %r20 on; each is made of the ones before and of the indices.
    std::string body;
    int made = 20;
    const auto value = [&]() -> std::string {
      constexpr const char* kBasic[] = {"%r0", "%r1", "%r2", "%r3", "%r4", "%r8"};
      const int choice = pick(made - 20 + 6);
      return choice < 6 ? kBasic[choice] : fmt::format("%r{}", 20 + choice - 6);
    };
    const auto number = [&] { return std::to_string(pick(4) == 0 ? -pick(100) : 1 << pick(9)); };
    const int steps = 2 + pick(8);
    for (int s = 0; s < steps; ++s, ++made) {
      const std::string out = fmt::format("%r{}", made), guard = pick(6) == 0 ? "@%p3 " : "";
      if (!guard.empty())
        body += fmt::format("  mov.u32 {}, {};\n  setp.{}.s32 %p3, {}, {};\n", out, value(), pick(2) == 0 ? "lt" : "ne",
                            value(), number());
      constexpr const char* kTwo[] = {"add.s32", "sub.s32", "and.b32",    "or.b32",  "xor.b32", "mul.lo.s32",
                                      "min.s32", "max.u32", "mul.hi.u32", "shl.b32", "shr.u32", "shr.s32"};
      switch (pick(8)) {
        case 0:
          body += fmt::format("  {}mad.lo.s32 {}, {}, {}, {};\n", guard, out, value(), number(), value());
          break;
        case 1:
          body += fmt::format("  {}bfe.u32 {}, {}, {}, {};\n", guard, out, value(), pick(5), 1 + pick(6));
          break;
        case 2:
          body += fmt::format("  {}lop3.b32 {}, {}, {}, {}, {};\n", guard, out, value(), value(), value(), pick(256));
          break;
        case 3:
          body += fmt::format("  setp.gt.s32 %p4, {}, {};\n  {}selp.b32 {}, {}, {}, %p4;\n", value(), number(), guard,
                              out, value(), value());
          break;
        case 4:
          body +=
              fmt::format("  {}{}.u32 {}, {}, {};\n", guard, pick(2) == 0 ? "div" : "rem", out, value(), 1 + pick(12));
          break;
        case 5:
          body += fmt::format("  {}{} {}, {}, {};\n", guard, kTwo[pick(12)], out, value(), pick(9));
          break;
        default:
          body += fmt::format("  {}{} {}, {}, {};\n", guard, kTwo[pick(9)], out, value(), value());
      }
    }
    body += fmt::format("  mov.u32 %r9, %r{};\n", made - 1);
    const auto module = ptx::read(kernelText(body, 1 + pick(4), pick(2) == 0));
    INFO(body);
    REQUIRE(module.ok());
    Launch launch = launchOf("k", {1u + static_cast<unsigned>(pick(3)), 1u + static_cast<unsigned>(pick(2)), 1}, {});
    launch.block = pick(2) == 0 ? std::array<std::uint32_t, 3>{64, 1, 1} : std::array<std::uint32_t, 3>{16, 4, 1};
    compareWithRun(*module, launch, counted);
  }
  std::cout << fmt::format("random kernels: {} accesses, {} tables, {} layouts, {} proved\n", counted.accesses,
                           counted.tables, counted.layouts, counted.proved);
  CHECK(counted.tables * 10 > counted.accesses * 8);
  CHECK(counted.layouts > kKernels / 20);
  CHECK(counted.proved * 10 >= counted.layouts * 8);
}

}  // namespace tessera::test
