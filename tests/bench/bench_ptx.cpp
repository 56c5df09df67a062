// PTX: reading a text of 10,000 lines and one of 1 MB of initial values (`ms`; the limits are 50 and 100 ms), relative to
// counting its lines in the same run (`ratio` = reading / counting).
//
// Running a kernel with all checks: `millions` of thread instructions a second (the limit is 50), relative to a bare
// interpreter of 32 lanes in the same run, which decodes and computes, and checks nothing (`ratio` = its speed / ours).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/ptx/read.h"
#include "solver/kernel/kernel.h"

namespace {

using namespace tessera;

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string instructions() {
  std::string text = kHead +
                     ".visible .entry f(.param .u64 p)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<4000>;\n"
                     ".reg .b64 %rd<900>;\n";
  for (int k = 0; k < 2000; ++k) {
    text += fmt::format("\t.loc 1 {} 5\n", k);
    text += fmt::format("\tmad.wide.s32 \t%rd{}, %r{}, 4, %rd1;\n", k % 900, k);
    text += fmt::format("\tld.global.nc.v4.b32 \t{{%r{}, %r{}, %r{}, %r{}}}, [%rd{}+{}];\n", k, k + 1, k + 2, k + 3,
                        k % 900, 16 * k);
    text += fmt::format("\t@%p1 bra \t$L__BB0_{};\n$L__BB0_{}:\n", k, k);
  }
  return text + "ret;\n}\n";
}

std::string values() {
  std::string text = kHead + ".global .align 4 .b32 table[100000] = {1";
  for (int k = 1; k < 100'000; ++k) text += fmt::format(", {}", k * 2654435761u);
  return text + "};\n";
}

template <class Work>
double secondsOf(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void readPtx(benchmark::State& state, const std::string& text) {
  double reading = 1e9, counting = 1e9;
  for ([[maybe_unused]] auto step : state) {
    counting =
        std::min(counting, secondsOf([&] { benchmark::DoNotOptimize(std::count(text.begin(), text.end(), '\n')); }));
    reading = std::min(reading, secondsOf([&] { benchmark::DoNotOptimize(ptx::read(text).ok()); }));
  }
  state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
  state.counters["ms"] = reading * 1e3;
  state.counters["ratio"] = reading / counting;
}
void readPtxInstructions(benchmark::State& state) { readPtx(state, instructions()); }
void readPtxValues(benchmark::State& state) { readPtx(state, values()); }
BENCHMARK(readPtxInstructions)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK(readPtxValues)->Unit(benchmark::kMillisecond)->Iterations(10);

// ---- running

// One in four instructions is a load or a store, the others compute. Every lane has 64 bits, as in the machine.
class BareInterpreter {
 public:
  // The thread instructions that it ran.
  i64 run(int turns) {
    for (int turn = 0; turn < turns; ++turn)
      for (const Code& c : program_) step(c);
    return i64{turns} * static_cast<i64>(program_.size()) * kLanes;
  }
  [[nodiscard]] u64 result() const { return file_[3][7]; }

 private:
  static constexpr int kLanes = 32;
  enum class Op : unsigned char { Add, Shift, Fma, Load, Store };
  struct Code {
    Op op;
    std::uint8_t out, a, b, c;
  };
  void step(const Code& i) {
    auto& out = file_[i.out];
    const auto &a = file_[i.a], &b = file_[i.b], &c = file_[i.c];
    switch (i.op) {
      case Op::Add:
        for (int l = 0; l < kLanes; ++l) out[l] = (a[l] + b[l]) & 0xffffffffu;
        return;
      case Op::Shift:
        for (int l = 0; l < kLanes; ++l) out[l] = a[l] << 2 & 0xffffffffu;
        return;
      case Op::Fma:
        for (int l = 0; l < kLanes; ++l) out[l] = bitsOf(floatOf(a[l]) * floatOf(b[l]) + floatOf(c[l]));
        return;
      case Op::Load:
        for (int l = 0; l < kLanes; ++l) std::memcpy(&out[l], &memory_[a[l] & 0xffc], 4);
        return;
      case Op::Store:
        for (int l = 0; l < kLanes; ++l) std::memcpy(&memory_[a[l] & 0xffc], &b[l], 4);
        return;
    }
  }
  static float floatOf(u64 x) {
    const auto low = static_cast<std::uint32_t>(x);
    float out = 0;
    std::memcpy(&out, &low, 4);
    return out;
  }
  static u64 bitsOf(float x) {
    std::uint32_t out = 0;
    std::memcpy(&out, &x, 4);
    return out;
  }
  std::array<std::array<u64, kLanes>, 8> file_{};
  std::array<std::uint8_t, 4096> memory_{};
  std::vector<Code> program_ = {{Op::Add, 0, 0, 1, 0}, {Op::Shift, 2, 0, 0, 0}, {Op::Load, 3, 2, 0, 0},
                                {Op::Fma, 4, 3, 3, 4}, {Op::Add, 1, 1, 0, 0},   {Op::Fma, 5, 3, 4, 5},
                                {Op::Add, 6, 6, 1, 0}, {Op::Store, 0, 2, 5, 0}};
};

kernel::Argument bufferOf(std::size_t bytes) {
  kernel::Argument a;
  a.kind = kernel::Argument::Kind::Buffer;
  a.bytes.resize(bytes);
  return a;
}
kernel::Argument numberOf(int value) {
  kernel::Argument a;
  a.kind = kernel::Argument::Kind::Scalar;
  a.bytes.resize(4);
  std::memcpy(a.bytes.data(), &value, 4);
  return a;
}

void runPtx(benchmark::State& state, const std::string& path, const kernel::Launch& launch) {
  std::ifstream in(TESSERA_SOURCE_DIR + path);
  std::stringstream text;
  text << in.rdbuf();
  const auto module = ptx::read(text.str());
  if (!module) return state.SkipWithError("the kernel cannot be read");
  double ours = 0, bare = 0;
  for ([[maybe_unused]] auto step : state) {
    i64 ran = 0;
    const double seconds = secondsOf([&] {
      const auto report = kernel::run(*module, launch);
      if (report && report->verdict == kernel::Verdict::Clean) ran = report->threadInstructions;
    });
    if (ran == 0) return state.SkipWithError("the kernel is not clean");
    ours = std::max(ours, static_cast<double>(ran) / seconds);
    state.counters["instructions"] = static_cast<double>(ran);
    BareInterpreter interpreter;
    const double other = secondsOf([&] { ran = interpreter.run(20'000); });
    benchmark::DoNotOptimize(interpreter.result());
    bare = std::max(bare, static_cast<double>(ran) / other);
  }
  state.counters["millions"] = ours / 1e6;
  state.counters["ratio"] = bare / ours;
}
// A product of 16x16 tiles with cp.async and two stages, and out[i] = in[i] + 1 in a grid-stride loop.
void runPtxPipelined(benchmark::State& state) {
  constexpr int kDepth = 4096;
  kernel::Launch launch;
  launch.entry = "pipelined";
  launch.block = {64, 1, 1};
  launch.arguments = {bufferOf(16 * kDepth * 4), bufferOf(16 * kDepth * 4), bufferOf(1024), numberOf(kDepth)};
  runPtx(state, "/tests/kernel/data/mutants.ptx", launch);
}
void runPtxElementwise(benchmark::State& state) {
  constexpr int kElements = 1 << 18;
  kernel::Launch launch;
  launch.entry = "grid_stride";
  launch.grid = {64, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {bufferOf(kElements * 4), bufferOf(kElements * 4), numberOf(kElements)};
  runPtx(state, "/tests/kernel/data/prove.ptx", launch);
}
BENCHMARK(runPtxPipelined)->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(runPtxElementwise)->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
