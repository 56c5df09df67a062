// Kernels for tests/kernel, written for it: each fault once, beside a version without it.
//
//     nvcc -arch=sm_80 -ptx -lineinfo small.cu       writes small.ptx
#include <cuda_pipeline.h>

extern "C" {

// out[i] = in[n - 1 - i] of each block, through shared memory.
__global__ void reverse(const float* in, float* out) {
  __shared__ float tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void reverse_race(const float* in, float* out) {
  __shared__ float tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void reverse_half(const float* in, float* out) {  // half of the tile is never written
  __shared__ float tile[128];
  if (threadIdx.x < 64) tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void reverse_early(const float* in, float* out, int n) {  // threads return before the barrier
  __shared__ float tile[128];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[n - 1 - threadIdx.x];
}
__global__ void shift_beyond(const float* in, float* out) {  // the last thread reads beyond the end
  out[blockIdx.x * 128 + threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x + 1];
}
__global__ void vector_misaligned(const float* in, float* out) {
  const float2 v = *reinterpret_cast<const float2*>(in + threadIdx.x);
  out[threadIdx.x] = v.x + v.y;
}

// Sums of blocks of 256, with a tree; the last steps within a warp.
__global__ void sum(const int* in, int* out) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void sum_warp_race(const int* in, int* out) {  // lockstep is assumed
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  if (t < 128) part[t] += part[t + 128];
  __syncthreads();
  if (t < 64) part[t] += part[t + 64];
  __syncthreads();
  if (t < 32) {
    part[t] += part[t + 32];
    part[t] += part[t + 16];
  }
  __syncthreads();
  if (t == 0) {
    int all = 0;
    for (int k = 0; k < 16; ++k) all += part[k];
    out[blockIdx.x] = all;
  }
}
__global__ void sum_shuffle(const int* in, int* out) {
  int v = in[blockIdx.x * 32 + threadIdx.x];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffffu, v, k);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
__global__ void sum_shuffle_half(const int* in, int* out) {  // names lanes that have returned
  int v = in[blockIdx.x * 32 + threadIdx.x];
  if (threadIdx.x < 16) {
    for (int k = 8; k > 0; k /= 2) v += __shfl_down_sync(0xffffffffu, v, k);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  } else {
    out[gridDim.x + threadIdx.x] = v;
  }
}
__global__ void sum_atomic(const int* in, int* out) { atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); }
__global__ void sum_no_atomic(const int* in, int* out) { *out += in[blockIdx.x * blockDim.x + threadIdx.x]; }

// The last block to arrive adds the partial sums of all.
__device__ unsigned arrived = 0;
__global__ void sum_last_block(const int* in, int* partial, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int all = 0;
    for (int k = 0; k < gridDim.x; ++k) all += partial[k];
    *out = all;
  }
}
__global__ void sum_last_block_race(const int* in, int* partial, int* out) {  // without fences
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1) {
      int all = 0;
      for (int k = 0; k < gridDim.x; ++k) all += partial[k];
      *out = all;
    }
  }
}

__global__ void bytes(unsigned char* out) { out[threadIdx.x] = static_cast<unsigned char>(threadIdx.x); }
__global__ void same_value(int* out) { out[threadIdx.x / 2] = 7; }
__global__ void other_value(int* out) { out[threadIdx.x / 2] = threadIdx.x; }

// Copies in flight.
__global__ void copy_async(const float4* in, float4* out) {
  __shared__ float4 tile[128];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void copy_async_no_wait(const float4* in, float4* out) {
  __shared__ float4 tile[128];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void copy_async_source(float4* in, float4* out) {  // overwrites the source before the wait
  __shared__ float4 tile[128];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  in[threadIdx.x] = make_float4(0, 0, 0, 0);
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void branches(int* out) {  // a barrier in each branch
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    s[threadIdx.x] += 1;
    __syncthreads();
    out[threadIdx.x] = 2 * s[threadIdx.x];
  }
}
__global__ void wait_forever(volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  out[threadIdx.x] = 1;
}
// Block 1 waits for block 0.
__global__ void hand_over(int* data, int* flag, int* out) {
  if (blockIdx.x == 1) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(flag, 0) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}

// Shared memory read by columns: 32 lanes in one bank.
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][32];
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = in[k * 32 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) out[k * 32 + threadIdx.x] = tile[threadIdx.x][k];
}
__global__ void transpose_padded(const float* in, float* out) {
  __shared__ float tile[32][33];
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = in[k * 32 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) out[k * 32 + threadIdx.x] = tile[threadIdx.x][k];
}

__noinline__ __device__ float square(float x) { return x * x + 1; }
__global__ void calls(const float* in, float* out) { out[threadIdx.x] = square(in[threadIdx.x]) + square(2); }

}  // extern "C"
