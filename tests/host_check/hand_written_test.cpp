// CUDA written manually for three programs of the library: the header's result equals the emulator's result for the
// program. This compares the header with the emulator without the emitter in between.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "beside.h"
#include "ready.h"

using namespace tessera;
using namespace tessera::host_check;

namespace {

Case library(const std::string& name) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR "/assets/graphene/") + name + ".graphene");
  std::stringstream out;
  out << in.rdbuf();
  return {name, out.str()};
}

// Figure 1(d): the source address is the figure's.
const char* kMove = R"(
#include "tessera_host.h"
extern "C" __global__ void __launch_bounds__(32) move(const half* __restrict__ src, half* dst) {
  __shared__ __align__(16) half s[256];
  half d[8];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) s[i] = src[i];
  __syncthreads();
  tessera::ldmatrix_x4(d, s + t / 16 % 2 * 128 + t / 8 % 2 * 8 + t % 8 * 16);
  for (int i = 0; i < 8; ++i) dst[t * 8 + i] = d[i];
}
)";

const char* kRows = R"(
extern "C" __global__ void __launch_bounds__(128) rows(const float* __restrict__ in, float* out) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float* row = in + (4 * blockIdx.x + warp) * 256;
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < 8; ++j) sum += row[32 * j + lane];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane == 0) out[4 * blockIdx.x + warp] = sum;
}
)";

// Swizzled tiles, ldmatrix, mma; B is stored column by column.
const char* kProduct = R"(
__device__ __forceinline__ int swizzled(int row, int chunk) { return row * 64 + 8 * (chunk ^ row % 8); }

extern "C" __global__ void __launch_bounds__(128)
    product(const half* __restrict__ A, const half* __restrict__ B, float* C) {
  __shared__ __align__(16) half sA[4096];
  __shared__ __align__(16) half sB[4096];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 2, wn = warp % 2, g = lane / 4, q = lane % 4;
  for (int i = 0; i < 4; ++i) {
    const int row = 16 * i + t / 8, chunk = t % 8;
    *reinterpret_cast<uint4*>(sA + swizzled(row, chunk)) = *reinterpret_cast<const uint4*>(A + row * 64 + chunk * 8);
    *reinterpret_cast<uint4*>(sB + swizzled(row, chunk)) = *reinterpret_cast<const uint4*>(B + row * 64 + chunk * 8);
  }
  __syncthreads();
  float acc[2][4][4];
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 4; ++n)
      for (int i = 0; i < 2; ++i)
        *reinterpret_cast<float2*>(acc[m][n] + 2 * i) = *reinterpret_cast<const float2*>(
            C + (32 * wm + 16 * m + 8 * i + g) * 64 + 32 * wn + 8 * n + 2 * q);
  for (int k = 0; k < 4; ++k) {
    half a[2][8], b[2][8];
    for (int m = 0; m < 2; ++m)
      tessera::ldmatrix_x4(a[m], sA + swizzled(32 * wm + 16 * m + lane % 16, 2 * k + lane / 16));
    for (int p = 0; p < 2; ++p)
      tessera::ldmatrix_x4(b[p], sB + swizzled(32 * wn + 16 * p + 8 * (lane / 16) + lane % 8, 2 * k + lane / 8 % 2));
    for (int m = 0; m < 2; ++m)
      for (int n = 0; n < 4; ++n) tessera::mma_m16n8k16_f32_f16_f16_f32(acc[m][n], a[m], b[n / 2] + 4 * (n % 2));
  }
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 4; ++n)
      for (int i = 0; i < 2; ++i)
        *reinterpret_cast<float2*>(C + (32 * wm + 16 * m + 8 * i + g) * 64 + 32 * wn + 8 * n + 2 * q) =
            *reinterpret_cast<const float2*>(acc[m][n] + 2 * i);
}
)";

codegen::KernelParam parameter(const std::string& name, i64 places) {
  codegen::KernelParam out;
  out.name = name;
  out.places = Expr::constant(places);
  return out;
}

codegen::CudaSource source(const char* text, const std::string& name, std::vector<codegen::KernelParam> params,
                           i64 blocks, i64 threads) {
  codegen::Kernel kernel;
  kernel.name = name;
  kernel.params = std::move(params);
  kernel.blocks = Expr::constant(blocks);
  kernel.threads = threads;
  codegen::CudaSource out;
  out.text = text;
  out.kernels = {kernel};
  return out;
}

}  // namespace

TEST_CASE("three programs written by hand: the header computes what the emulator does") {
  if (!hasCompiler()) return;
  const Beside all(
      {library("ldmatrix_move"), library("row_reduction"), library("gemm_warps_64")},
      {source(kMove, "move", {parameter("src", 256), parameter("dst", 32 * 8)}, 1, 32),
       source(kRows, "rows", {parameter("in", 64 * 256), parameter("out", 64)}, 16, 128),
       source(kProduct, "product", {parameter("A", 4096), parameter("B", 4096), parameter("C", 4096)}, 1, 128)});
  REQUIRE(all.wrong() == "");
  CHECK(all.messages() == "");
  for (const Case& one : all.cases())
    for (unsigned order = 0; order < 3; ++order) {
      INFO(one.name << ", order " << order);
      const Both both = all.run(one.name, randomInputs(one, 5 + order), order);
      REQUIRE(both.wrong == "");
      CHECK(both.findings.empty());
      CHECK(difference(both.host, both.emulated) == "");
      CHECK(difference(both.host, both.inputs) != "");
    }
}
