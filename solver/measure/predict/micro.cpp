#include "solver/measure/predict/micro.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "core/atlas/atlas.h"
#include "core/codegen/index/index_text.h"
#include "core/codegen/kernel/prelude.h"
#include "core/codegen/kernel/scalar.h"
#include "solver/measure/device/nvrtc.h"

namespace tessera::measure {
namespace {

constexpr int kRounds = 9, kRepeats = 4;

bool isAsync(const SharedAccess& a) { return a.instruction.starts_with("cp.async"); }
const AtlasAccess& accessOf(const SharedAccess& a) { return a.patterns.front().warp; }
bool reads(const SharedAccess& a) { return accessOf(a).direction == AccessDirection::Read; }

// Number of 32-bit registers that a lane moves.
int registersOf(const AtlasAccess& a) {
  if (a.matrices > 0) return std::max(1, a.matrices * a.matrixRows * 16 / 128);
  return std::max(1, a.width / 4);
}

// ---- the instruction, for the device and for the host

std::string list(int first, int count) {
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) names.push_back(fmt::format("%{}", first + k));
  return count == 1 ? names[0] : fmt::format("{{{}}}", fmt::join(names, ","));
}
std::string constraints(const char* kind, int count) {
  std::vector<std::string> out;
  for (int k = 0; k < count; ++k) out.push_back(fmt::format("\"{}\"(r[{}])", kind, k));
  return fmt::format("{}", fmt::join(out, ", "));
}
std::string typeOf(int width) {
  return width < 4 ? fmt::format("u{}", 8 * width) : width == 4 ? "u32" : fmt::format("v{}.u32", width / 4);
}

constexpr const char* kAt = "\"r\"(shared_address(memory) + at)";

// Volatile, so that the assembler does not merge two of them.
std::string plain(const SharedAccess& a) {
  const int n = registersOf(accessOf(a));
  const std::string type = typeOf(accessOf(a).width);
  if (reads(a))
    return fmt::format(
        "  asm volatile(\"{{.reg .pred q; setp.ne.u32 q, %{}, 0; @q ld.volatile.shared.{} {}, [%{}];}}\"\n"
        "               : {} : {}, \"r\"(static_cast<unsigned>(on)) : \"memory\");\n",
        n + 1, type, list(0, n), n, constraints("+r", n), kAt);
  return fmt::format(
      "  asm volatile(\"{{.reg .pred q; setp.ne.u32 q, %1, 0; @q st.volatile.shared.{} [%0], {};}}\"\n"
      "               :: {}, \"r\"(static_cast<unsigned>(on)), {} : \"memory\");\n",
      type, list(2, n), kAt, constraints("r", n));
}

std::string async(const SharedAccess& a) {
  return fmt::format(
      "  asm volatile(\"{{.reg .pred q; setp.ne.u32 q, %2, 0; @q cp.async.{}.shared.global [%0], [%1], {};}}\"\n"
      "               :: {}, \"l\"(far + threadIdx.x % 32 * 16), \"r\"(static_cast<unsigned>(on)) : \"memory\");\n",
      a.instruction.find(".cg.") != std::string::npos ? "cg" : "ca", accessOf(a).width, kAt);
}

std::string matrix(const SharedAccess& a, const std::string& ptx) {
  const int n = registersOf(accessOf(a));
  const std::string all = n == 1 ? "{" + list(reads(a) ? 0 : 1, 1) + "}" : list(reads(a) ? 0 : 1, n);
  if (reads(a))
    return fmt::format("  asm volatile(\"{} {}, [%{}];\" : {} : {} : \"memory\");\n", ptx, all, n, constraints("=r", n),
                       kAt);
  return fmt::format("  asm volatile(\"{} [%0], {};\" :: {}, {} : \"memory\");\n", ptx, all, kAt, constraints("r", n));
}

std::string functionOf(const SharedAccess& a) { return codegen::functionName(a.instruction); }

constexpr const char* kParameters =
    "unsigned* r, unsigned char* memory, unsigned at, const unsigned char* far, bool on";

std::string deviceProbe(const SharedAccess& a, const std::string& ptx) {
  const std::string body = isAsync(a) ? async(a) : accessOf(a).matrices > 0 ? matrix(a, ptx) : plain(a);
  return fmt::format("__device__ __forceinline__ void probe_{}({}) {{\n  (void)r, (void)far, (void)on;\n{}}}\n",
                     functionOf(a), kParameters, body);
}
std::string hostProbe(const SharedAccess& a) {
  const AtlasAccess& access = accessOf(a);
  return fmt::format(
      "inline void probe_{}({}) {{\n  (void)far, (void)on;\n  host::probe(\"{}\", {}, {}, {}, r, memory, at, "
      "{});\n}}\n",
      functionOf(a), kParameters, a.instruction, access.width, access.phases.active(), reads(a) ? "true" : "false",
      access.matrices > 0 ? "true" : "on");
}

// ---- timing of an instruction. Each access of a loop goes to another row of banks. This does not change its cost, but
// the assembler would merge several ldmatrix of the same address.

constexpr const char* kBackToBack = R"(
// Cycles of NAME, the least of four times: once, twice and four times probe_least of them at addresses without
// conflicts, with all of them, and at `own`.
__device__ __forceinline__ void time_FUNCTION(long long* cycles, unsigned char* memory, const unsigned char* far,
                                              unsigned own, bool on) {
  const unsigned lane = threadIdx.x % 32;
  const bool some = lane < ACTIVEu;
  unsigned sum = 0;
  unsigned r[8][4] = {};
#pragma unroll 1
  for (int round = 0; round < tessera::probe_rounds; ++round) {
    const int place = round % 3, count = tessera::probe_least << round / 3 % 3;
    const unsigned at = place == 0 ? lane * WIDTHu : place == 1 ? lane * 128u : own;
    const bool here = place == 2 ? on : some;
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int i = 0; i < count; i += 8) {
#pragma unroll
      for (int j = 0; j < 8; ++j) tessera::probe_FUNCTION(r[j], memory, at + (i & 8) * 128 + j * 128, far, here);
#pragma unroll
      for (int j = 0; j < 8; ++j) sum |= r[j][0];
    }
WAIT    __syncthreads();
    const long long took = clock64() - start;
    if (threadIdx.x == 0 && (round < 9 || took < cycles[round % 9])) cycles[round % 9] = took;
  }
)";
// The memory holds 0, which the compiler cannot know, so each address depends on the value just read.
constexpr const char* kLatency = R"(#pragma unroll 1
  for (int round = 0; round < tessera::probe_rounds; ++round) {
    const int place = round % 3, count = tessera::probe_least << round / 3 % 3;
    unsigned at = place == 0 ? lane * WIDTHu : place == 1 ? lane * 128u : own;
    const bool here = place == 2 ? on : some;
    __syncthreads();
    if (threadIdx.x < 32) {
      const long long start = clock64();
#pragma unroll 1
      for (int i = 0; i < count; i += 8) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          tessera::probe_FUNCTION(r[0], memory, at, far, here);
          at += r[0][0];
        }
      }
      const long long took = clock64() - start;
      if (threadIdx.x == 0 && (round < 9 || took < cycles[9 + round % 9])) cycles[9 + round % 9] = took;
      sum |= at >> 20;
    }
  }
)";
// Called by the index code where C's division rounds the wrong way.
constexpr const char* kFloors = R"(
__device__ __forceinline__ int floor_div(int a, int b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
__device__ __forceinline__ int floor_mod(int a, int b) { return a - b * floor_div(a, b); }
__device__ __forceinline__ long long floor_div64(long long a, long long b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
__device__ __forceinline__ long long floor_mod64(long long a, long long b) { return a - b * floor_div64(a, b); }
)";
constexpr const char* kEnd = "  if (sum != 0) cycles[0] = -1;  // it keeps what was read\n}\n";

std::string timing(const SharedAccess& a) {
  std::string out = std::string(kBackToBack) + (reads(a) ? kLatency : "") + kEnd;
  out = codegen::replaced(out, "NAME", a.instruction);
  out = codegen::replaced(out, "FUNCTION", functionOf(a));
  out = codegen::replaced(out, "ACTIVE", fmt::format("{}", accessOf(a).phases.active()));
  out = codegen::replaced(out, "WIDTH", fmt::format("{}", accessOf(a).width));
  return codegen::replaced(out, "WAIT", isAsync(a) ? "    tessera::probe_wait();\n" : "");
}

// ---- one kernel

struct Indexing {
  std::string text, call;         // the function, and its call's arguments after the thread
  bool floors = false;            // it divides numbers that may be negative, rounding down
  std::vector<std::size_t> used;  // names after "thread" that it reads; a table reads the pattern's number
};

Indexing formulaOf(const SharedAccess& a, const std::string& name) {
  Indexing out;
  const codegen::SpelledBody body = codegen::spell({a.byte}, a.box, a.names, codegen::Dialect::C);
  std::string parameters = "int thread";
  for (std::size_t k = 1; k < a.names.size(); ++k) {
    if (!body.uses[k]) continue;
    out.used.push_back(k);
    parameters += ", int " + a.names[k];
    out.call += ", " + a.names[k];
  }
  out.floors = !body.calls.empty();
  std::string lines = body.uses[0] ? "" : "  (void)thread;\n";
  for (const codegen::Local& l : body.locals)
    lines += fmt::format("  const {} {} = {};\n", l.wide ? "long long" : "int", l.name, l.text);
  const std::string result =
      body.values[0].wide ? "static_cast<int>(" + body.values[0].text + ")" : body.values[0].text;
  out.text =
      fmt::format("__device__ __forceinline__ int {}_at({}) {{\n{}  return {};\n}}\n", name, parameters, lines, result);
  return out;
}

// A table of the patterns' addresses, for layouts without a formula.
Indexing tableOf(const SharedAccess& a, const std::string& name) {
  Indexing out;
  out.call = ", which";
  out.text = fmt::format("__device__ const int {}_table[{}][32] = {{\n", name, a.patterns.size());
  for (const AccessPattern& p : a.patterns) {
    std::vector<i64> row;
    for (const i64 address : p.warp.addresses) row.push_back(address == kInactive ? 0 : address);
    out.text += fmt::format("    {{{}}},\n", fmt::join(row, ", "));
  }
  out.text += fmt::format(
      "}};\n__device__ __forceinline__ int {0}_at(int thread, int which) {{\n  return {0}_table[which]"
      "[thread % 32];\n}}\n",
      name);
  return out;
}

// Bytes of shared memory for the patterns, the slow addresses, and the 16 rows that a loop cycles through.
i64 memoryOf(const SharedAccess& a) {
  i64 most = 32 * 128;
  for (const AccessPattern& p : a.patterns)
    for (const i64 address : p.warp.addresses)
      if (address != kInactive) most = std::max(most, address + p.warp.width);
  return (most + 127) / 128 * 128 + 16 * 128;
}

std::string kernelOf(const SharedAccess& a, const std::string& name, const Indexing& index) {
  std::string parameters;
  if (!a.formula) parameters = ", int which";
  for (const std::size_t k : index.used) parameters += ", int " + a.names[k];
  const i64 bytes = memoryOf(a);
  return fmt::format(
      "\n// {}{}{}\n{}"
      "extern \"C\" __global__ void __launch_bounds__({}, 1) {}(long long* cycles, const unsigned char* far, int "
      "slot,\n"
      "                                              int base, int mask, int first{}) {{\n"
      "  __shared__ __align__(128) unsigned char memory[{}];\n"
      "  for (unsigned i = threadIdx.x; i < {}; i += blockDim.x) reinterpret_cast<unsigned*>(memory)[i] = 0;\n"
      "  __syncthreads();\n"
      "  const int lane = static_cast<int>(threadIdx.x % 32);\n"
      "  const bool on = (mask >> lane & 1) != 0;\n"
      "  const unsigned own = on ? static_cast<unsigned>({}_at(first + lane{}) - base) : 0u;\n"
      "  time_{}(cycles + slot, memory, far, own, on);\n}}\n",
      a.instruction, a.operand.empty() ? "" : " of " + a.operand,
      a.layout.empty() ? "" : ": " + a.layout.substr(0, 160), index.text, 32 * kMicroWarps, name, parameters, bytes,
      bytes / 4, name, index.call, functionOf(a));
}

int maskOf(const WarpAccess& warp) {
  unsigned mask = 0;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if (warp.addresses[lane] != kInactive) mask |= 1u << lane;
  return std::bit_cast<int>(mask);
}

void addLaunches(const SharedAccess& a, std::size_t number, const std::string& kernel, const Indexing& index,
                 std::size_t most, MicroText& out) {
  std::map<std::pair<int, int>, std::size_t> had;
  for (std::size_t p = 0; p < a.patterns.size(); ++p) {
    const AccessPattern& pattern = a.patterns[p];
    if (had[{pattern.wavefronts, pattern.ideal}]++ >= most) continue;
    MicroLaunch launch{number, p, kernel, {}};
    launch.arguments = {static_cast<int>(out.launches.size()) * kMicroNumbers,
                        a.formula ? static_cast<int>(pattern.base) : 0, maskOf(pattern.warp),
                        a.formula ? static_cast<int>(pattern.values[0]) : 0};
    if (!a.formula) launch.arguments.push_back(static_cast<int>(p));
    for (const std::size_t k : index.used) launch.arguments.push_back(static_cast<int>(pattern.values[k]));
    out.launches.push_back(std::move(launch));
  }
}

// Why the access gets no kernel, or ""; also sets its PTX if it is in the atlas.
std::string reasonOf(const SharedAccess& a, std::string& ptx, std::string& architecture) {
  if (const i64 bytes = memoryOf(a); bytes > kMicroMemory)
    return fmt::format("its lanes span {} bytes, but a block has {}", bytes, kMicroMemory);
  const auto row = findInstruction(a.instruction);
  if (row) architecture = row->architecture.substr(0, row->architecture.find(' '));
  if (accessOf(a).matrices == 0) return "";
  if (!row || row->ptx.empty()) return fmt::format("no PTX is known for {}", a.instruction);
  ptx = row->ptx;
  return "";
}

}  // namespace

MicroText microText(const std::vector<SharedAccess>& accesses, std::size_t most, const std::string& device) {
  MicroText out;
  out.architecture = "sm_75";
  std::map<std::string, std::pair<std::string, std::string>> probes;  // for device and host
  std::string timings, kernels;
  bool waits = false, floors = false;
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const SharedAccess& a = accesses[k];
    std::string ptx, architecture;
    out.whyNot.push_back(reasonOf(a, ptx, architecture));
    if (out.whyNot.back().empty() && numberOf(device) > 0 && numberOf(architecture) > numberOf(device))
      out.whyNot.back() = fmt::format("{} needs {}, the device is {}", a.instruction, architecture, device);
    if (!out.whyNot.back().empty()) continue;
    if (numberOf(architecture) > numberOf(out.architecture)) out.architecture = architecture;
    waits = waits || isAsync(a);
    if (probes.try_emplace(functionOf(a), deviceProbe(a, ptx), hostProbe(a)).second) timings += timing(a);
    const std::string name = fmt::format("access_{}", k);
    const Indexing index = a.formula ? formulaOf(a, name) : tableOf(a, name);
    floors = floors || index.floors;
    kernels += kernelOf(a, name, index);
    addLaunches(a, k, name, index, most, out);
  }
  std::string own, host;
  for (const auto& [name, texts] : probes) own += texts.first, host += texts.second;
  if (waits) {
    own += "__device__ __forceinline__ void probe_wait() { asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); }\n";
    host += "inline void probe_wait() {}\n";
  }
  out.text = fmt::format(
      "#if defined(__CUDACC__) || defined(__CUDACC_RTC__)\nnamespace tessera {{\n"
      "constexpr int probe_least = {}, probe_rounds = {};\n{}\n{}}}  // namespace tessera\n#else\n"
      "#include \"host_probe.h\"\nnamespace tessera {{\n{}}}  // namespace tessera\n#endif\n{}{}{}",
      kMicroLeast, kRounds * kRepeats, codegen::fixedFunction("shared_address"), own, host, floors ? kFloors : "",
      timings, kernels);
  return out;
}

Result<MicroCycles> microCycles(const AtlasAccess& access, std::span<const i64> numbers, i64 least) {
  MicroCycles out;
  WarpAccess fast, slow;
  static_cast<AtlasAccess&>(fast) = static_cast<AtlasAccess&>(slow) = access;
  for (int lane = 0; lane < access.phases.active(); ++lane) {
    fast.addresses[lane] = i64{access.width} * lane;
    slow.addresses[lane] = i64{128} * lane;
  }
  out.fastWavefronts = wavefronts(fast);
  out.slowWavefronts = wavefronts(slow);
  double one[2][3] = {};  // by loop and place
  for (std::size_t loop = 0; loop < 2; ++loop)
    for (std::size_t place = 0; place < 3; ++place) {
      const i64* const at = numbers.data() + loop * kRounds + place;
      if (at[0] < 0 || at[3] < 0 || at[6] < 0) {
        if (loop == 0) return Diag{"the kernel did not write its clock values"};
        continue;
      }
      const double first = static_cast<double>(at[3] - at[0]) / static_cast<double>(least),
                   second = static_cast<double>(at[6] - at[3]) / static_cast<double>(2 * least),
                   both = static_cast<double>(at[6] - at[0]) / static_cast<double>(3 * least);
      if (loop == 0 && std::max(first, second) - std::min(first, second) > 1 + 0.1 * both)
        return Diag{
            fmt::format("its time does not grow linearly: {:.4g} and {:.4g} cycles per repetition", first, second)};
      one[loop][place] = both / (loop == 0 ? kMicroWarps : 1);
    }
  out.fast = one[0][0], out.slow = one[0][1], out.own = one[0][2];
  if (access.direction == AccessDirection::Read && numbers[kRounds + 2] >= 0) out.latency = one[1][2];
  if (out.slowWavefronts > out.fastWavefronts && out.ofWavefront() >= 0.25) return out;
  return Diag{fmt::format("its cycles do not show wavefronts: {:.4g} for {}, {:.4g} for {}", out.fast,
                          out.fastWavefronts, out.slow, out.slowWavefronts)};
}

}  // namespace tessera::measure
