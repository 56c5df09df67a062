// Kernels without a fault, to be mutated (tests/kernel/mutants_test.cpp): what the other files lack, each once.
//
//     nvcc -arch=sm_80 -ptx -lineinfo mutants.cu         writes mutants.ptx
#include <cuda_pipeline.h>

extern "C" {

// c = a * b of 16x16 tiles, k in steps of 16, with one tile in flight while another is used.
__global__ void pipelined(const float* a, const float* b, float* c, int k) {
  __shared__ float4 s[2][2][64];
  const int t = threadIdx.x, row = t / 4, column = t % 4;
  const auto fetch = [&](int stage) {
    __pipeline_memcpy_async(&s[stage % 2][0][t], a + row * k + stage * 16 + column * 4, 16);
    __pipeline_memcpy_async(&s[stage % 2][1][t], b + (stage * 16 + row) * 16 + column * 4, 16);
    __pipeline_commit();
  };
  float4 sum = make_float4(0, 0, 0, 0);
  fetch(0);
#pragma unroll 1
  for (int stage = 0; stage < k / 16; ++stage) {
    if (stage + 1 < k / 16)
      fetch(stage + 1);
    else
      __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float* left = reinterpret_cast<const float*>(s[stage % 2][0]) + row * 16;
#pragma unroll 4
    for (int j = 0; j < 16; ++j) {
      const float4 right = s[stage % 2][1][j * 4 + column];
      sum.x += left[j] * right.x;
      sum.y += left[j] * right.y;
      sum.z += left[j] * right.z;
      sum.w += left[j] * right.w;
    }
    __syncthreads();
  }
  reinterpret_cast<float4*>(c)[t] = sum;
}

// One warp fills what the other reads, through two named barriers.
__global__ void hand_on(const int* in, int* out, int n) {
  __shared__ int s[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
      s[lane] = in[k * 32 + lane];
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[k * 32 + lane] = s[31 - lane];
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}

// Prefix sums of each warp, in shared memory.
__global__ void scan(const int* in, int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x, lane = t % 32;
  int x = in[t];
#pragma unroll 1
  for (int d = 1; d < 32; d *= 2) {
    s[t] = x;
    __syncwarp();
    if (lane >= d) x += s[t - d];
    __syncwarp();
  }
  out[t] = x;
}

// Counts of values, by atomics in shared memory.
__global__ void histogram(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 32) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[in[t] & 31], 1);
  __syncthreads();
  if (t < 32) atomicAdd(&out[t], s[t]);
}

// Whether all neighbours differ, by a barrier that votes and by votes of the warps.
__global__ void votes(const int* in, int* out) {
  const int t = threadIdx.x, x = in[t], next = in[t + 1];
  const int all = __syncthreads_and(x != next), mine = __all_sync(0xffffffffu, x < next);
  out[t] = all * 2 + mine;
}
}
