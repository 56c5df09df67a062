// Threads of the host header: which threads wait for each other, deadlocks, and arrivals.
#include <catch2/catch.hpp>
#include <cstring>

#include "host_program.h"
#include "ready.h"

using namespace tessera::host_check;

namespace {

const std::vector<std::string> kNames = {"reversed",  "some_wait",    "half_warp", "different", "outside",  "rows",
                                         "misplaced", "asynchronous", "shuffles",  "racing",    "poisoned", "three"};
const char* kText = R"(
#include "tessera_host.h"
extern "C" __global__ void __launch_bounds__(1024) reversed(const int* __restrict__ in, int* out) {
  __shared__ int s[1024];
  s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void some_wait(int* out) {
  if (threadIdx.x < 16) __syncthreads();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void half_warp(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 48) v = __shfl_xor_sync(0xffffffff, v, 1);
  out[threadIdx.x] = v;
}
extern "C" __global__ void different(int* out) {
  if (threadIdx.x == 3) __syncthreads(); else __syncwarp();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void outside(int* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void rows(int* out) {
  unsigned r[4];
  tessera::ldmatrix_x4(r, out);
  out[0] = static_cast<int>(r[0]);
}
extern "C" __global__ void misplaced(int* out) {
  __shared__ __align__(16) half s[256];
  unsigned r[1];
  s[threadIdx.x] = half(1.0f);
  tessera::ldmatrix_x1(r, s + 4);
  out[0] = static_cast<int>(r[0]);
}
// The place that a copy is on its way to holds neither the old value nor the new one.
extern "C" __global__ void asynchronous(const float* __restrict__ in, float* out) {
  __shared__ __align__(16) float s[4 * 3];
  for (int i = 0; i < 12; ++i) s[i] = 0;
  for (int i = 0; i < 3; ++i) {
    tessera::cp_async_cg_16(s + 4 * i, in + 4 * i);
    tessera::cp_async_commit();
  }
  tessera::cp_async_wait<2>();
  for (int i = 0; i < 12; ++i) out[i] = s[i];
  tessera::cp_async_wait<0>();
  for (int i = 0; i < 12; ++i) out[12 + i] = s[i];
}
extern "C" __global__ void shuffles(int* out) {
  const int l = threadIdx.x;
  out[l] = __shfl_xor_sync(0xffffffff, l, 5);
  out[32 + l] = __shfl_up_sync(0xffffffff, l, 3);
  out[64 + l] = __shfl_down_sync(0xffffffff, l, 3);
  out[96 + l] = __shfl_sync(0xffffffff, l, 7);
  out[128 + l] = __shfl_down_sync(0xffffffff, l, 1, 8);
  out[160 + l] = __shfl_sync(0xffffffff, l, 9, 8);
}
extern "C" __global__ void racing(int* out) {
  __shared__ int s;
  s = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *out = s;
}
extern "C" __global__ void poisoned(float* out) {
  __shared__ float s[2];
  if (blockIdx.x == 0) s[0] = 1;
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void three(int* out, int a, int b) { out[threadIdx.x] = 100 * a + b; }
)";

const HostProgram& program() {
  static const HostProgram all({{kText, kNames}});
  return all;
}

template <class T>
Bytes bytesOf(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}
template <class T>
std::vector<T> valuesOf(const Bytes& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

HostRun run(const std::string& kernel, long blocks, long threads, const std::vector<Bytes>& buffers, unsigned order = 0,
            const std::vector<int>& sizes = {}) {
  HostLaunch launch;
  launch.kernel = static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), kernel) - kNames.begin());
  launch.blocks = blocks;
  launch.threads = threads;
  launch.order = order;
  launch.sizes = sizes;
  return program().run(launch, buffers);
}

bool ready() {
  if (!hasCompiler() || !tessera::host_check::ready(program())) return false;
  CHECK(program().messages() == "");
  return true;
}

}  // namespace

TEST_CASE("threads meet at barriers in any order") {
  if (!ready()) return;
  for (const long threads : {1L, 32L, 48L, 1024L})
    for (unsigned order = 0; order < 4; ++order) {
      std::vector<int> in(static_cast<std::size_t>(2 * threads));
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i);
      const HostRun r = run("reversed", 2, threads, {bytesOf(in), Bytes(in.size() * 4)}, order);
      REQUIRE(r.wrong == "");
      std::vector<int> expected = in;
      std::reverse(expected.begin(), expected.begin() + threads);
      std::reverse(expected.begin() + threads, expected.end());
      CHECK(valuesOf<int>(r.buffers[1]) == expected);
    }
}

TEST_CASE("what never meets is told, and who waits for whom") {
  if (!ready()) return;
  CHECK(run("some_wait", 2, 64, {Bytes(256)}).wrong ==
        "block 0, thread 0 waits at __syncthreads(), and thread 16 is at its end: they never meet");
  CHECK(run("half_warp", 1, 64, {Bytes(256)}).wrong ==
        "block 0, thread 32 waits at __shfl_xor_sync(), and thread 48 is at its end: they never meet");
  CHECK(run("different", 1, 32, {Bytes(128)}).wrong ==
        "block 0, thread 0 waits at __syncwarp(), and thread 3 is at __syncthreads(): they never meet");
  CHECK(run("rows", 1, 16, {Bytes(128)}).wrong == "block 0: ldmatrix without lane 16");
}

TEST_CASE("addresses that an instruction refuses, and writes beyond a buffer") {
  if (!ready()) return;
  CHECK(run("outside", 1, 33, {Bytes(128)}).wrong == "writes beyond parameter 0");
  CHECK(run("outside", 1, 32, {Bytes(128)}).wrong == "");
  CHECK(run("rows", 1, 32, {Bytes(512)}).wrong ==
        "block 0, lane 0: ldmatrix of an address that is not in shared memory");
  CHECK(run("misplaced", 1, 32, {Bytes(128)}).wrong ==
        "block 0, lane 0: ldmatrix of an address that is not a multiple of 16");
}

TEST_CASE("an asynchronous copy arrives with its group, and what was there is gone before") {
  if (!ready()) return;
  std::vector<float> in(12);
  for (std::size_t i = 0; i < 12; ++i) in[i] = static_cast<float>(i + 1);
  const HostRun r = run("asynchronous", 1, 1, {bytesOf(in), Bytes(96)});
  REQUIRE(r.wrong == "");
  const auto out = valuesOf<float>(r.buffers[1]);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK((i < 4 ? out[i] == in[i] : out[i] != out[i]));
    CHECK(out[12 + i] == in[i]);
  }
}

TEST_CASE("shuffles: lanes outside of the segment keep their own value") {
  if (!ready()) return;
  const auto out = valuesOf<int>(run("shuffles", 1, 32, {Bytes(6 * 128)}).buffers[0]);
  for (int l = 0; l < 32; ++l) {
    const auto at = [&](int k) { return out[static_cast<std::size_t>(32 * k + l)]; };
    CHECK(at(0) == (l ^ 5));
    CHECK(at(1) == (l < 3 ? l : l - 3));
    CHECK(at(2) == (l > 28 ? l : l + 3));
    CHECK(at(3) == 7);
    CHECK(at(4) == (l % 8 == 7 ? l : l + 1));
    CHECK(at(5) == l / 8 * 8 + 1);
  }
}

TEST_CASE("a race shows in the order of threads, and shared memory of the block before is gone") {
  if (!ready()) return;
  CHECK(valuesOf<int>(run("racing", 1, 64, {Bytes(4)}, 0).buffers[0])[0] == 63);
  CHECK(valuesOf<int>(run("racing", 1, 64, {Bytes(4)}, 1).buffers[0])[0] == 0);
  const auto out = valuesOf<float>(run("poisoned", 2, 1, {Bytes(8)}).buffers[0]);
  CHECK(out[0] == 1);
  CHECK(out[1] != out[1]);
}

TEST_CASE("sizes follow the pointers, and their number is checked") {
  if (!ready()) return;
  CHECK(valuesOf<int>(run("three", 1, 1, {Bytes(4)}, 0, {4, 2}).buffers[0])[0] == 402);
  CHECK(run("three", 1, 1, {Bytes(4)}, 0, {4}).wrong == "the kernel has another number of parameters");
}
