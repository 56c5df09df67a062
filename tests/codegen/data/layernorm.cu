#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#else
#include "tessera_host.h"
#endif

// %y <- Spec<layernorm><<<#b, #t>>>(%x, %gamma, %beta)
// Launch: layernorm_y<<<8, 128>>>. Shared memory: 0 bytes.
// %x:[32,256:256,1].fp32.GL
// %gamma:[256:1].fp32.GL
// %beta:[256:1].fp32.GL
// %y:[32,256:256,1].fp32.GL
extern "C" __global__ void __launch_bounds__(128) layernorm_y(const float* __restrict__ x,
    const float* __restrict__ gamma, const float* __restrict__ beta, float* y) {
  const int block = blockIdx.x;
  const int warp = threadIdx.x / 32;
  const int l = threadIdx.x % 32;
  __align__(16) float v[8];
  float sum;
  float d;
  float n;
  float eps;
  n = 0.00390625f;
  eps = 0.00001f;
  sum = 0.0f;
  #pragma unroll
  for (int j = 0; j < 8; ++j) {
    v[j] = x[block * 1024 + warp * 256 + l + j * 32];
    sum = sum + v[j];
  }
  // %sum <- all<+><<<#b, #w>>>(%sum)
  {
    float other;
    other = __shfl_xor_sync(0xffffffffu, sum, 16);
    sum = sum + other;
    other = __shfl_xor_sync(0xffffffffu, sum, 8);
    sum = sum + other;
    other = __shfl_xor_sync(0xffffffffu, sum, 4);
    sum = sum + other;
    other = __shfl_xor_sync(0xffffffffu, sum, 2);
    sum = sum + other;
    other = __shfl_xor_sync(0xffffffffu, sum, 1);
    sum = sum + other;
  }
  float mean;
  mean = sum * n;
  sum = 0.0f;
  #pragma unroll
  for (int j = 0; j < 8; ++j) {
    v[j] = v[j] - mean;
    sum = fmaf(v[j], v[j], sum);
  }
  // %sum <- all<+><<<#b, #w>>>(%sum)
  {
    float other;
    other = __shfl_xor_sync(0xffffffffu, sum, 16);
    sum = sum + other;
    other = __shfl_xor_sync(0xffffffffu, sum, 8);
    sum = sum + other;
    other = __shfl_xor_sync(0xffffffffu, sum, 4);
    sum = sum + other;
    other = __shfl_xor_sync(0xffffffffu, sum, 2);
    sum = sum + other;
    other = __shfl_xor_sync(0xffffffffu, sum, 1);
    sum = sum + other;
  }
  d = sum * n;
  d = d + eps;
  d = rsqrtf(d);
  #pragma unroll
  for (int j = 0; j < 8; ++j) {
    v[j] = v[j] * d;
    v[j] = v[j] * gamma[l + j * 32];
    v[j] = v[j] + beta[l + j * 32];
    y[block * 1024 + warp * 256 + l + j * 32] = v[j];
  }
}
