// check_atlas: the models of core/atlas and core/analysis against the hardware.
//
//     nvcc -std=c++17 -O2 -arch=sm_80 tests/gpu/check_atlas.cu -o check_atlas      (sm_90a for wgmma)
//     ./check_atlas > tests/gpu/results/DATE-DEVICE.txt
//
// It needs only nvcc. tests/atlas/gpu_tables_test.cpp writes atlas_tables.inc and bank_tables.inc from the atlas and the
// bank model, and fails if they are out of date.
//
// 1. Products: each element of A in turn is 1 and the rest 0. B's elements are tags, digit by digit, so D shows which
//    row of B each element of A meets, and the registers of the result. D is compared, register by register, with the
//    atlas's A, B and C maps.
// 2. Matrix copies: shared memory holds tags. ldmatrix moves each to a lane and a half register, stmatrix moves it back,
//    movmatrix moves it between registers, and shfl between lanes.
// 3. wgmma: D(m, n) = m + 64 n through shared-memory operands in canonical layout; each register names its place.
// 4. Banks: cycles of an access repeated by eight warps, against its predicted wavefronts. The cost of a wavefront is
//    calibrated on two accesses of 1 and 32 wavefronts in the same run.
// Each line: ok | WRONG | skipped, the name, the numbers. Exit status 1 if something is WRONG.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "mma_ops.cuh"

#define CUDA_OK(call)                                                                                   \
  do {                                                                                                  \
    cudaError_t e = (call);                                                                             \
    if (e != cudaSuccess) {                                                                             \
      std::printf("CUDA error: %s at %s:%d\n", cudaGetErrorString(e), __FILE__, __LINE__);              \
      std::exit(2);                                                                                     \
    }                                                                                                   \
  } while (0)

namespace {

int wrong = 0, passed = 0, skipped = 0;

void report(bool ok, const char* name, const std::string& detail) {
  std::printf("%-8s %-52s %s\n", ok ? "ok" : "WRONG", name, detail.c_str());
  ++(ok ? passed : wrong);
}
void skip(const char* name, const char* why) {
  std::printf("%-8s %-52s %s\n", "skipped", name, why);
  ++skipped;
}

// ---- the tables ----------------------------------------------------------------------------------------------------

struct OperandRow {
  const char* name;     // instruction
  const char* operand;  // A B C src dst D
  const char* element;
  int rows, columns;
  const char* layout;
  const char* threadId;
};
const OperandRow kOperands[] = {
#include "atlas_tables.inc"
};

struct Mode {
  std::vector<std::pair<int, int>> leaves;
  int size() const {
    int n = 1;
    for (auto [s, d] : leaves) n *= s;
    return n;
  }
  int operator()(int i) const {
    int sum = 0;
    for (auto [s, d] : leaves) {
      sum += i % s * d;
      i /= s;
    }
    return sum;
  }
};
struct Layout {
  Mode thread, value;
};

std::vector<int> numbers(const std::string& text) {
  std::vector<int> out;
  for (std::size_t i = 0; i < text.size();)
    if (text[i] >= '0' && text[i] <= '9') {
      std::size_t used = 0;
      out.push_back(std::stoi(text.substr(i), &used));
      i += used;
    } else {
      ++i;
    }
  return out;
}
// Splits "(T,V)" at its top-level comma.
std::pair<std::string, std::string> split(const std::string& tuple) {
  int depth = 0;
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    depth += tuple[i] == '(' ? 1 : tuple[i] == ')' ? -1 : 0;
    if (tuple[i] == ',' && depth == 1) return {tuple.substr(1, i - 1), tuple.substr(i + 1, tuple.size() - i - 2)};
  }
  return {tuple, ""};
}
Mode mode(const std::string& shape, const std::string& stride) {
  Mode m;
  std::vector<int> s = numbers(shape), d = numbers(stride);
  for (std::size_t i = 0; i < s.size(); ++i) m.leaves.push_back({s[i], d[i]});
  return m;
}
Layout parse(const std::string& text) {
  auto shape = split(text.substr(0, text.find(':'))), stride = split(text.substr(text.find(':') + 1));
  return {mode(shape.first, stride.first), mode(shape.second, stride.second)};
}
const OperandRow* find(const std::string& name, const std::string& operand) {
  for (const OperandRow& row : kOperands)
    if (name == row.name && operand == row.operand) return &row;
  return nullptr;
}
// hardware lane -> logical thread; -1 for lanes of another quad pair, which get a copy of the same work.
std::vector<int> threadOfLane(const OperandRow& row) {
  std::string text = row.threadId;
  Mode id = mode(text.substr(0, text.find(':')), text.substr(text.find(':') + 1));
  std::vector<int> out(32, -1);
  for (int t = 0; t < id.size(); ++t) out[id(t)] = t;
  if (id.size() == 8)  // Volta: quad pair q holds thread t in lane id(t) + 4q
    for (int t = 0; t < 8; ++t)
      for (int q = 0; q < 4; ++q) out[id(t) + 4 * q] = t;
  return out;
}

// ---- 1. products ---------------------------------------------------------------------------------------------------

// The pattern of the integer x in 0..3 in an element type.
uint64_t encode(const std::string& type, int x) {
  const float f = static_cast<float>(x);
  uint32_t bits = 0;
  std::memcpy(&bits, &f, 4);
  if (type == "f16") return x == 0 ? 0 : x == 1 ? 0x3c00 : x == 2 ? 0x4000 : 0x4200;
  if (type == "bf16") return bits >> 16;
  if (type == "tf32") return bits;
  if (type == "f64") {
    const double d = x;
    uint64_t wide = 0;
    std::memcpy(&wide, &d, 8);
    return wide;
  }
  if (type == "e4m3") return x == 0 ? 0 : x == 1 ? 0x38 : x == 2 ? 0x40 : 0x44;
  if (type == "e5m2") return x == 0 ? 0 : x == 1 ? 0x3c : x == 2 ? 0x40 : 0x42;
  return static_cast<uint64_t>(x);
}

template <class Op>
__global__ void runMma(const uint32_t* a, const uint32_t* b, uint32_t* d) {
  uint32_t ra[Op::na], rb[Op::nb], rd[Op::nc];
  const int lane = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  for (int i = 0; i < Op::na; ++i) ra[i] = a[(block * 32 + lane) * Op::na + i];
  for (int i = 0; i < Op::nb; ++i) rb[i] = b[lane * Op::nb + i];
  for (int i = 0; i < Op::nc; ++i) rd[i] = 0;
  Op::run(rd, ra, rb);
  for (int i = 0; i < Op::nc; ++i) d[(block * 32 + lane) * Op::nc + i] = rd[i];
}

// Element v of a fragment sits in bits [v * bits, (v+1) * bits) of the lane's registers.
void put(uint32_t* registers, int v, int bits, uint64_t pattern) {
  if (bits == 64) {
    registers[2 * v] = static_cast<uint32_t>(pattern);
    registers[2 * v + 1] = static_cast<uint32_t>(pattern >> 32);
  } else {
    registers[v * bits / 32] |= static_cast<uint32_t>(pattern) << (v * bits % 32);
  }
}
double get(const uint32_t* registers, int v, const std::string& type) {
  if (type == "f64") {
    double x = 0;
    std::memcpy(&x, registers + 2 * v, 8);
    return x;
  }
  if (type == "f16") return __half2float(__ushort_as_half(static_cast<unsigned short>(registers[v / 2] >> (16 * (v % 2)))));
  if (type == "s32") return static_cast<int32_t>(registers[v]);
  float f = 0;
  std::memcpy(&f, registers + v, 4);
  return f;
}

template <class Op>
void checkMma(int deviceArch) {
  if (deviceArch < Op::arch) return skip(Op::name, "the device is older");
  const OperandRow *ra = find(Op::name, "A"), *rb = find(Op::name, "B"), *rc = find(Op::name, "C");
  if (ra == nullptr || rb == nullptr || rc == nullptr) return report(false, Op::name, "not in atlas_tables.inc");
  const Layout la = parse(ra->layout), lb = parse(rb->layout), lc = parse(rc->layout);
  const std::vector<int> thread = threadOfLane(*ra);
  const int va = la.value.size(), vb = lb.value.size(), vc = lc.value.size(), elements = la.thread.size() * va;
  const int base = Op::bits == 1 ? 2 : 4;
  uint32_t *da, *db, *dd;
  CUDA_OK(cudaMalloc(&da, sizeof(uint32_t) * elements * 32 * Op::na));
  CUDA_OK(cudaMalloc(&db, sizeof(uint32_t) * 32 * Op::nb));
  CUDA_OK(cudaMalloc(&dd, sizeof(uint32_t) * elements * 32 * Op::nc));
  std::vector<uint32_t> a(static_cast<std::size_t>(elements) * 32 * Op::na, 0), d(static_cast<std::size_t>(elements) * 32 * Op::nc);
  for (int e = 0; e < elements; ++e)
    for (int lane = 0; lane < 32; ++lane)
      if (thread[lane] == e / va) put(&a[(static_cast<std::size_t>(e) * 32 + lane) * Op::na], e % va, Op::bits, encode(ra->element, 1));
  CUDA_OK(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
  long long mismatches = 0, compared = 0;
  std::string first;
  for (int weight = 1; weight < rb->rows * rb->columns; weight *= base) {
    auto digit = [&](int index) { return index / weight % base; };
    std::vector<uint32_t> b(32 * Op::nb, 0);
    for (int lane = 0; lane < 32; ++lane)
      for (int v = 0; v < vb; ++v) put(&b[static_cast<std::size_t>(lane) * Op::nb], v, Op::bits, encode(rb->element, digit(lb.thread(thread[lane]) + lb.value(v))));
    CUDA_OK(cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
    runMma<Op><<<elements, 32>>>(da, db, dd);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(d.data(), dd, d.size() * 4, cudaMemcpyDeviceToHost));
    for (int e = 0; e < elements; ++e) {
      const int ia = la.thread(e / va) + la.value(e % va), m = ia % ra->rows, k = ia / ra->rows;
      for (int lane = 0; lane < 32; ++lane)
        for (int v = 0; v < vc; ++v) {
          const int ic = lc.thread(thread[lane]) + lc.value(v), row = ic % rc->rows, n = ic / rc->rows;
          const double expected = row == m ? digit(n + rb->rows * k) : 0;
          const double got = get(&d[(static_cast<std::size_t>(e) * 32 + lane) * Op::nc], v, rc->element);
          ++compared;
          if (got != expected && mismatches++ == 0)
            first = "A element " + std::to_string(e) + ", lane " + std::to_string(lane) + " value " + std::to_string(v) + ": " + std::to_string(got) +
                    " instead of " + std::to_string(expected);
        }
    }
  }
  cudaFree(da), cudaFree(db), cudaFree(dd);
  report(mismatches == 0, Op::name, mismatches == 0 ? std::to_string(compared) + " results" : std::to_string(mismatches) + " differ; " + first);
}

// ---- 2. matrix copies ----------------------------------------------------------------------------------------------

template <int N, bool Trans>
__global__ void runLdmatrix(uint32_t* out) {
  __shared__ __align__(16) uint16_t memory[256];
  for (int i = static_cast<int>(threadIdx.x); i < 256; i += 32) memory[i] = static_cast<uint16_t>(i);
  __syncwarp();
  const uint32_t row = static_cast<uint32_t>(__cvta_generic_to_shared(&memory[8 * (threadIdx.x % (8 * N))]));
  uint32_t r[4] = {};
#if __CUDA_ARCH__ >= 750
  if constexpr (N == 1 && !Trans) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(r[0]) : "r"(row));
  if constexpr (N == 1 && Trans) asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0},[%1];" : "=r"(r[0]) : "r"(row));
  if constexpr (N == 2 && !Trans) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row));
  if constexpr (N == 2 && Trans) asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row));
  if constexpr (N == 4 && !Trans)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row));
  if constexpr (N == 4 && Trans)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row));
#endif
  for (int i = 0; i < N; ++i) out[threadIdx.x * N + i] = r[i];
}

template <int N, bool Trans>
__global__ void runStmatrix(const uint32_t* in, uint32_t* out) {
  __shared__ __align__(16) uint16_t memory[256];
  const uint32_t row = static_cast<uint32_t>(__cvta_generic_to_shared(&memory[8 * (threadIdx.x % (8 * N))]));
  uint32_t r[4] = {};
  for (int i = 0; i < N; ++i) r[i] = in[threadIdx.x * N + i];
#if __CUDA_ARCH__ >= 900
  if constexpr (N == 1 && !Trans) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0],{%1};" ::"r"(row), "r"(r[0]) : "memory");
  if constexpr (N == 1 && Trans) asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0],{%1};" ::"r"(row), "r"(r[0]) : "memory");
  if constexpr (N == 2 && !Trans) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0],{%1,%2};" ::"r"(row), "r"(r[0]), "r"(r[1]) : "memory");
  if constexpr (N == 2 && Trans) asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0],{%1,%2};" ::"r"(row), "r"(r[0]), "r"(r[1]) : "memory");
  if constexpr (N == 4 && !Trans)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%2,%3,%4};" ::"r"(row), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  if constexpr (N == 4 && Trans)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0],{%1,%2,%3,%4};" ::"r"(row), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
#endif
  __syncwarp();
  for (int i = static_cast<int>(threadIdx.x); i < 32 * N; i += 32) out[i] = reinterpret_cast<uint32_t*>(memory)[i];
}

// Tag of the element of (lane, half register) by the atlas's map over bits: its number in shared memory.
int tagOf(const Layout& bits, int lane, int half) { return (bits.thread(lane) + bits.value(16 * half)) / 16; }

template <int N, bool Trans>
void checkMatrixCopy(int deviceArch) {
  const std::string suffix = ".x" + std::to_string(N) + (Trans ? ".trans" : "");
  uint32_t *in, *out;
  CUDA_OK(cudaMalloc(&in, 128 * 4));
  CUDA_OK(cudaMalloc(&out, 128 * 4));
  std::vector<uint32_t> host(32 * N);
  for (bool load : {true, false}) {
    const std::string name = (load ? "ldmatrix" : "stmatrix") + suffix;
    if (deviceArch < (load ? 750 : 900)) {
      skip(name.c_str(), "the device is older");
      continue;
    }
    const Layout bits = parse(find(name, load ? "dst" : "src")->layout);
    int bad = 0;
    if (load) {
      runLdmatrix<N, Trans><<<1, 32>>>(out);
    } else {
      for (int lane = 0; lane < 32; ++lane)
        for (int r = 0; r < N; ++r)
          host[lane * N + r] = static_cast<uint32_t>(tagOf(bits, lane, 2 * r)) | static_cast<uint32_t>(tagOf(bits, lane, 2 * r + 1)) << 16;
      CUDA_OK(cudaMemcpy(in, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
      runStmatrix<N, Trans><<<1, 32>>>(in, out);
    }
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(host.data(), out, host.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64 * N; ++i) {
      const int got = static_cast<int>(host[i / 2] >> (16 * (i % 2)) & 0xffff);
      bad += got != (load ? tagOf(bits, i / (2 * N), i % (2 * N)) : i);
    }
    report(bad == 0, name.c_str(), std::to_string(64 * N) + " elements, " + std::to_string(bad) + " elsewhere");
  }
  cudaFree(in), cudaFree(out);
}

__global__ void runMovmatrix(uint32_t* out) {
  uint32_t r = (2 * threadIdx.x) | (2 * threadIdx.x + 1) << 16;
#if __CUDA_ARCH__ >= 750
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%0;" : "+r"(r));
#endif
  out[threadIdx.x] = r;
}

void checkMovmatrix(int deviceArch) {
  if (deviceArch < 750) return skip("movmatrix.trans", "the device is older");
  uint32_t* out;
  CUDA_OK(cudaMalloc(&out, 128));
  runMovmatrix<<<1, 32>>>(out);
  std::vector<uint32_t> host(32);
  CUDA_OK(cudaMemcpy(host.data(), out, 128, cudaMemcpyDeviceToHost));
  const Layout from = parse(find("movmatrix.trans", "A")->layout), to = parse(find("movmatrix.trans", "D")->layout);
  int bad = 0;
  for (int i = 0; i < 64; ++i) {
    const int tag = static_cast<int>(host[i / 2] >> (16 * (i % 2)) & 0xffff);  // (lane, half) it came from
    bad += from.thread(tag / 2) + from.value(tag % 2) != to.thread(i / 2) + to.value(i % 2);
  }
  report(bad == 0, "movmatrix.trans", "64 elements, " + std::to_string(bad) + " elsewhere");
  cudaFree(out);
}

// ---- 3. wgmma ------------------------------------------------------------------------------------------------------

// D = A * B with K-major fp16 operands in the unswizzled canonical layout: A(m,0) = m, A(m,1) = 1, B(n,0) = 1, B(n,1) = 64 n.
__global__ void runWgmma(float* out, int* ran) {
  const int t = static_cast<int>(threadIdx.x);
  float d[32];
  for (float& x : d) x = -1;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __shared__ __align__(128) __half a[64 * 16], b[64 * 16];
  for (int i = t; i < 64 * 16; i += 128) {
    const int row = i / 16, k = i % 16, at = row % 8 * 8 + row / 8 * 64 + k % 8 + k / 8 * 512;  // 8x8 atoms: SBO 128 B, LBO 1024 B
    a[at] = __int2half_rn(k == 0 ? row : k == 1 ? 1 : 0);
    b[at] = __int2half_rn(k == 0 ? 1 : k == 1 ? 64 * row : 0);
  }
  __syncthreads();
  auto descriptor = [](const void* p) {
    const uint64_t start = static_cast<uint64_t>(__cvta_generic_to_shared(p)) >> 4;
    return (start & 0x3fff) | uint64_t{1024 >> 4} << 16 | uint64_t{128 >> 4} << 32;
  };
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 0, 0;"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
      "%32,%33,p,1,1,0,0;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
        "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(descriptor(a)), "l"(descriptor(b)));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  if (t == 0) *ran = 1;
#else
  if (t == 0) *ran = 0;
#endif
  for (int i = 0; i < 32; ++i) out[t * 32 + i] = d[i];
}

void checkWgmma() {
  const char* name = "wgmma.m64n64k16.f32.f16.f16.ss";
  float* out;
  int *ran, hostRan = 0;
  CUDA_OK(cudaMalloc(&out, 128 * 32 * 4));
  CUDA_OK(cudaMalloc(&ran, 4));
  runWgmma<<<1, 128>>>(out, ran);
  CUDA_OK(cudaGetLastError());
  std::vector<float> host(128 * 32);
  CUDA_OK(cudaMemcpy(host.data(), out, host.size() * 4, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(&hostRan, ran, 4, cudaMemcpyDeviceToHost));
  cudaFree(out), cudaFree(ran);
  if (hostRan == 0) return skip(name, "compile with -arch=sm_90a and run on sm_90");
  const OperandRow& row = *find(name, "C");
  const Layout c = parse(row.layout);
  int bad = 0;
  for (int t = 0; t < 128; ++t)
    for (int v = 0; v < 32; ++v) {
      const int i = c.thread(t) + c.value(v);
      bad += host[t * 32 + v] != static_cast<float>(i % 64 + 64 * (i / 64));
    }
  report(bad == 0, name, "4096 results, " + std::to_string(bad) + " elsewhere");
}

// ---- 4. banks ------------------------------------------------------------------------------------------------------

struct BankRow {
  const char* name;
  int kind;  // 0 load, 1 store, 2 ldmatrix
  int width, matrices;
  int addresses[32];  // -1: inactive
  int wavefronts;
  int merged;  // best case of wide loads with repeated addresses; 0: none
};
const BankRow kBanks[] = {
#include "bank_tables.inc"
};

constexpr int kRepeat = 256, kWarps = 8;

template <int Kind, int Width, int Matrices>
__global__ void timeAccess(const int* addresses, long long* cycles, int* sink) {
  extern __shared__ __align__(128) unsigned char memory[];
  for (int i = static_cast<int>(threadIdx.x); i < 48 * 1024 / 4; i += blockDim.x) reinterpret_cast<int*>(memory)[i] = 0;
  const int offset = addresses[threadIdx.x % 32];
  const bool active = offset >= 0;
  const uint32_t p = static_cast<uint32_t>(__cvta_generic_to_shared(memory + (active ? offset : 0)));
  int r0 = 0, r1 = 0, r2 = 0, r3 = 0, sum = 0;
  __syncthreads();
  const long long start = clock64();
  if (active || Kind == 2)
#pragma unroll 1
    for (int i = 0; i < kRepeat; i += 8) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        // Another row of banks each time: of several accesses to one address the assembler would make one.
        const uint32_t q = p + (i & 8) * 128 + j * 128;
        if constexpr (Kind == 0 && Width == 1) asm volatile("ld.volatile.shared.u8 %0,[%1];" : "=r"(r0) : "r"(q));
        if constexpr (Kind == 0 && Width == 2) asm volatile("ld.volatile.shared.u16 %0,[%1];" : "=r"(r0) : "r"(q));
        if constexpr (Kind == 0 && Width == 4) asm volatile("ld.volatile.shared.b32 %0,[%1];" : "=r"(r0) : "r"(q));
        if constexpr (Kind == 0 && Width == 8) asm volatile("ld.volatile.shared.v2.b32 {%0,%1},[%2];" : "=r"(r0), "=r"(r1) : "r"(q));
        if constexpr (Kind == 0 && Width == 16)
          asm volatile("ld.volatile.shared.v4.b32 {%0,%1,%2,%3},[%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(q));
        if constexpr (Kind == 1 && Width == 4) asm volatile("st.volatile.shared.b32 [%0],%1;" ::"r"(q), "r"(r0) : "memory");
        if constexpr (Kind == 1 && Width == 8) asm volatile("st.volatile.shared.v2.b32 [%0],{%1,%2};" ::"r"(q), "r"(r0), "r"(r1) : "memory");
        if constexpr (Kind == 1 && Width == 16)
          asm volatile("st.volatile.shared.v4.b32 [%0],{%1,%2,%3,%4};" ::"r"(q), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
#if __CUDA_ARCH__ >= 750
        if constexpr (Kind == 2 && Matrices == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(r0) : "r"(q));
        if constexpr (Kind == 2 && Matrices == 2)
          asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(r0), "=r"(r1) : "r"(q));
        if constexpr (Kind == 2 && Matrices == 4)
          asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(q));
#endif
        sum += r0 ^ r1 ^ r2 ^ r3;
      }
    }
  __syncthreads();
  const long long stop = clock64();
  if (threadIdx.x == 0) *cycles = stop - start;
  if (sum == 0x7fffffff) *sink = sum;
}

using Timer = void (*)(const int*, long long*, int*);
Timer timerFor(const BankRow& r) {
  if (r.kind == 2) return r.matrices == 1 ? timeAccess<2, 16, 1> : r.matrices == 2 ? timeAccess<2, 16, 2> : timeAccess<2, 16, 4>;
  if (r.kind == 1) return r.width == 4 ? timeAccess<1, 4, 0> : r.width == 8 ? timeAccess<1, 8, 0> : r.width == 16 ? timeAccess<1, 16, 0> : nullptr;
  return r.width == 1   ? timeAccess<0, 1, 0>
         : r.width == 2 ? timeAccess<0, 2, 0>
         : r.width == 4 ? timeAccess<0, 4, 0>
         : r.width == 8 ? timeAccess<0, 8, 0>
                        : timeAccess<0, 16, 0>;
}

// Cycles of one access: the least of five runs of kWarps warps, kRepeat accesses each.
double cyclesOf(const BankRow& r) {
  static int* addresses = nullptr;
  static long long* cycles = nullptr;
  static int* sink = nullptr;
  if (addresses == nullptr) {
    CUDA_OK(cudaMalloc(&addresses, sizeof r.addresses));
    CUDA_OK(cudaMalloc(&cycles, sizeof(long long)));
    CUDA_OK(cudaMalloc(&sink, sizeof(int)));
  }
  CUDA_OK(cudaMemcpy(addresses, r.addresses, sizeof r.addresses, cudaMemcpyHostToDevice));
  long long best = 1LL << 62;
  for (int i = 0; i < 5; ++i) {
    long long now = 0;
    timerFor(r)<<<1, 32 * kWarps, 48 * 1024>>>(addresses, cycles, sink);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(&now, cycles, sizeof now, cudaMemcpyDeviceToHost));
    best = now < best ? now : best;
  }
  return static_cast<double>(best) / (kRepeat * kWarps);
}

void checkBanks() {
  BankRow fast{"calibration, 1 wavefront", 0, 4, 0, {}, 1, 0}, slow{"calibration, 32 wavefronts", 0, 4, 0, {}, 32, 0};
  for (int lane = 0; lane < 32; ++lane) {
    fast.addresses[lane] = 4 * lane;
    slow.addresses[lane] = 128 * lane;
  }
  const double one = cyclesOf(fast), many = cyclesOf(slow), slope = (many - one) / 31;
  std::printf("\ncalibration: %.3f cycles for 1 wavefront, %.3f for 32, %.3f a further one\n", one, many, slope);
  for (const BankRow& r : kBanks) {
    if (timerFor(r) == nullptr) {
      skip(r.name, "no timer for narrow stores");
      continue;
    }
    const double measured = cyclesOf(r), wavefronts = 1 + (measured - one) / slope;
    auto near = [&](int predicted) { return std::fabs(wavefronts - predicted) <= 0.5 + 0.1 * predicted; };
    char detail[128];
    std::snprintf(detail, sizeof detail, "predicted %3d%s  measured %7.2f cycles = %6.2f wavefronts", r.wavefronts,
                  r.merged != 0 ? (" (merged " + std::to_string(r.merged) + ")").c_str() : "", measured, wavefronts);
    report(near(r.wavefronts) || (r.merged != 0 && near(r.merged)), r.name, detail);
  }
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no CUDA device\n");
    return 2;
  }
  cudaDeviceProp device{};
  CUDA_OK(cudaGetDeviceProperties(&device, 0));
  const int arch = 100 * device.major + 10 * device.minor;
  std::printf("device: %s, sm_%d%d\n\n", device.name, device.major, device.minor);
  checkMma<VoltaTN>(arch), checkMma<VoltaNT>(arch), checkMma<VoltaNN>(arch), checkMma<VoltaTT>(arch);
  checkMma<F16K8F32>(arch), checkMma<F16K8F16>(arch), checkMma<F16K16F32>(arch), checkMma<F16K16F16>(arch);
  checkMma<BF16K8>(arch), checkMma<BF16K16>(arch), checkMma<TF32K4>(arch), checkMma<TF32K8>(arch);
  checkMma<F64M8>(arch), checkMma<F64K4>(arch), checkMma<F64K8>(arch);
  checkMma<S8K16M8>(arch), checkMma<S8K16>(arch), checkMma<S8K32>(arch);
  checkMma<S4K32M8>(arch), checkMma<S4K32>(arch), checkMma<S4K64>(arch);
  checkMma<B1K128M8>(arch), checkMma<B1K128>(arch), checkMma<B1K256>(arch);
  checkMma<E4M3K32>(arch), checkMma<E5M2K32>(arch);
  checkMatrixCopy<1, false>(arch), checkMatrixCopy<2, false>(arch), checkMatrixCopy<4, false>(arch);
  checkMatrixCopy<1, true>(arch), checkMatrixCopy<2, true>(arch), checkMatrixCopy<4, true>(arch);
  checkMovmatrix(arch);
  checkWgmma();
  skip("tcgen05, mma.sp, AMD rows", "not run by this program");
  checkBanks();
  std::printf("\n%d ok, %d WRONG, %d skipped\n", passed, wrong, skipped);
  return wrong == 0 ? 0 : 1;
}
