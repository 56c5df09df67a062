// PTX: reading a text of 10,000 lines and one of 1 MB of initial values (`ms`; the limits are 50 and 100 ms), relative
// to counting its lines in the same run (`ratio` = reading / counting).
//
// Running a kernel with all checks: `millions` of thread instructions a second of processor time (the limit is 50) and
// of wall-clock time (`wall`), relative to two interpreters that check nothing, in the same run: one of 32 lanes in C++
// (`ratio` = its speed / ours), and tests/bench/numpy_ptx.py if TESSERA_PYTHON names a Python with NumPy (`numpy` = ours
// / its speed, `numpyBlock` where it runs a whole block in each operation).
//
// Memory of a run: the peak that the launch and its report add to the process, relative to what the kernel touches,
// which is its buffers and the registers of the block that runs (`touched` = peak / that; the limit is 4).
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
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
  // Numbers of fp16 in [1,2), which are small numbers as f32.
  for (std::size_t k = 0; k < bytes; k += 2) {
    const auto half = static_cast<std::uint16_t>(0x3c00 | (k * 2654435761u >> 7 & 0x3ff));
    std::memcpy(a.bytes.data() + k, &half, 2);
  }
  return a;
}
kernel::Argument numberOf(int value) {
  kernel::Argument a;
  a.kind = kernel::Argument::Kind::Scalar;
  a.bytes.resize(4);
  std::memcpy(a.bytes.data(), &value, 4);
  return a;
}

template <class Work>
double processorSecondsOf(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

Result<ptx::Module> moduleAt(const std::string& path) {
  std::ifstream in(TESSERA_SOURCE_DIR + path);
  std::stringstream text;
  text << in.rdbuf();
  return ptx::read(text.str());
}

// Millions of thread instructions a second by the NumPy interpreter; 0: it cannot run.
double numpyMillions(const char* python, const std::string& path, const kernel::Launch& launch,
                     const std::string& arguments, std::uint32_t wave) {
  const auto shape = [](const auto& x) { return fmt::format("{},{},{}", x[0], x[1], x[2]); };
  const std::string command = fmt::format(
      "{} {}/tests/bench/numpy_ptx.py {}{} --entry {} --grid {} --block {} --wave {} {}", python, TESSERA_SOURCE_DIR,
      TESSERA_SOURCE_DIR, path, launch.entry, shape(launch.grid), shape(launch.block), wave, arguments);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  std::array<char, 4096> answer{};
  const std::size_t size = std::fread(answer.data(), 1, answer.size() - 1, pipe);
  const std::string text(answer.data(), size), key = "\"millions\": ";
  const std::size_t at = text.find(key);
  return pclose(pipe) == 0 && at != std::string::npos ? std::atof(text.c_str() + at + key.size()) : 0;
}

// `arguments`: of the launch, as numpy_ptx.py takes them.
void runPtx(benchmark::State& state, const std::string& path, const kernel::Launch& launch,
            const std::string& arguments) {
  const auto module = moduleAt(path);
  if (!module) return state.SkipWithError("the kernel cannot be read");
  double ours = 0, wall = 0, bare = 0;
  for ([[maybe_unused]] auto step : state) {
    i64 ran = 0;
    double seconds = 0;
    const double passed = secondsOf([&] {
      seconds = processorSecondsOf([&] {
        const auto report = kernel::run(*module, launch);
        if (report && report->verdict == kernel::Verdict::Clean) ran = report->threadInstructions;
      });
    });
    if (ran == 0) return state.SkipWithError("the kernel is not clean");
    ours = std::max(ours, static_cast<double>(ran) / seconds);
    wall = std::max(wall, static_cast<double>(ran) / passed);
    state.counters["instructions"] = static_cast<double>(ran);
    BareInterpreter interpreter;
    const double other = processorSecondsOf([&] { ran = interpreter.run(20'000); });
    benchmark::DoNotOptimize(interpreter.result());
    bare = std::max(bare, static_cast<double>(ran) / other);
  }
  state.counters["millions"] = ours / 1e6;
  state.counters["wall"] = wall / 1e6;
  state.counters["ratio"] = bare / ours;
  if (const char* python = std::getenv("TESSERA_PYTHON")) {
    const double warp = numpyMillions(python, path, launch, arguments, 32);
    const double block = numpyMillions(python, path, launch, arguments, launch.block[0]);
    if (warp > 0) state.counters["numpy"] = ours / 1e6 / warp;
    if (block > 0) state.counters["numpyBlock"] = ours / 1e6 / block;
  }
}

// Bytes of memory: now (VmRSS), or the most since the last reset (VmHWM).
double memoryOf(const char* key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return std::atof(line.c_str() + std::strlen(key) + 1) * 1024;
  return 0;
}

// `makeLaunch` makes the arguments, which belong to the memory that is measured.
template <class MakeLaunch>
void memoryPtx(benchmark::State& state, const std::string& path, const MakeLaunch& makeLaunch) {
  const auto module = moduleAt(path);
  if (!module) return state.SkipWithError("the kernel cannot be read");
  for ([[maybe_unused]] auto step : state) {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;
    const double before = memoryOf("VmRSS:");
    const kernel::Launch launch = makeLaunch();
    double ran = 0;
    const double seconds = processorSecondsOf([&] {
      const auto report = kernel::run(*module, launch);
      if (report && report->verdict == kernel::Verdict::Clean) ran = static_cast<double>(report->threadInstructions);
    });
    if (ran == 0) return state.SkipWithError("the kernel is not clean");
    state.counters["millions"] = ran / seconds / 1e6;
    const double peak = memoryOf("VmHWM:") - before;
    double bytes = 0;
    for (const kernel::Argument& a : launch.arguments) bytes += static_cast<double>(a.bytes.size());
    const auto entry = kernel::entryOf(*module, launch.entry);
    double registers = 0;
    for (const ptx::RegisterDeclaration& d : (*entry)->declarations)
      registers += std::max(d.count, 1) * ptx::bitsOf(d.type) / 8.0;
    bytes += registers * launch.block[0];
    state.counters["MB"] = peak / 1e6;
    state.counters["touched"] = peak / bytes;
  }
}
// A product of 16x16 tiles with cp.async and two stages.
kernel::Launch pipelined() {
  constexpr int kDepth = 4096;
  kernel::Launch launch;
  launch.layouts = true;  // as the command line does
  launch.entry = "pipelined";
  launch.block = {64, 1, 1};
  launch.arguments = {bufferOf(16 * kDepth * 4), bufferOf(16 * kDepth * 4), bufferOf(1024), numberOf(kDepth)};
  return launch;
}
// out[i] = in[i] + 1 in a grid-stride loop.
kernel::Launch gridStride(int elements) {
  kernel::Launch launch;
  launch.layouts = true;
  launch.entry = "grid_stride";
  launch.grid = {64, 1, 1};
  launch.block = {256, 1, 1};
  const auto bytes = static_cast<std::size_t>(elements) * 4;
  launch.arguments = {bufferOf(bytes), bufferOf(bytes), numberOf(elements)};
  return launch;
}
// Blocks of gemm_pipelined.graphene, 1024^3 of fp16, as NVRTC compiles it: 128x128 tiles, cp.async in three stages.
kernel::Launch gemm(std::uint32_t blocks) {
  kernel::Launch launch;
  launch.layouts = true;
  launch.entry = "matmul_C";
  launch.grid = {blocks, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {bufferOf(1 << 21), bufferOf(1 << 21), bufferOf(1 << 22)};
  return launch;
}
// out[j] = in[j] + in[j + 1] with j = 33 i: no access is to a row, and every element is read twice.
kernel::Launch scattered(int elements) {
  kernel::Launch launch;
  launch.layouts = true;
  launch.entry = "scattered";
  launch.grid = {static_cast<std::uint32_t>(elements) / 256, 1, 1};
  launch.block = {256, 1, 1};
  const auto bytes = static_cast<std::size_t>(elements) * 4;
  launch.arguments = {bufferOf(bytes), bufferOf(bytes), numberOf(elements)};
  return launch;
}
const std::string kMutants = "/tests/kernel/data/mutants.ptx", kProve = "/tests/kernel/data/prove.ptx",
                  kGemm = "/tests/kernel/data/gemm_pipelined.ptx";

void runPtxPipelined(benchmark::State& state) {
  runPtx(state, kMutants, pipelined(), "--arg f32:65536 --arg f32:65536 --arg f32:256 --arg 4096");
}
void runPtxElementwise(benchmark::State& state) {
  runPtx(state, kProve, gridStride(1 << 18), "--arg f32:262144 --arg f32:262144 --arg 262144");
}
void runPtxGemm(benchmark::State& state) {
  runPtx(state, kGemm, gemm(1), "--arg f16:1048576 --arg f16:1048576 --arg f32:1048576");
}
void memoryPtxElementwise(benchmark::State& state) {
  memoryPtx(state, kProve, [] { return gridStride(1 << 22); });
}
void memoryPtxGemm(benchmark::State& state) {
  memoryPtx(state, kGemm, [] { return gemm(64); });
}
void memoryPtxScattered(benchmark::State& state) {
  memoryPtx(state, "/tests/kernel/data/variables.ptx", [] { return scattered(1 << 22); });
}
BENCHMARK(runPtxPipelined)->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(runPtxElementwise)->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(runPtxGemm)->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(memoryPtxElementwise)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(memoryPtxScattered)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(memoryPtxGemm)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
