#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#include <cuda_fp16.h>
#else
#include "tessera_host.h"
#endif

// %out <- Spec<bias_relu><<<#b, #w>>>(%acc, %bias)
// Launch: bias_relu_out<<<1, 32>>>. Shared memory: 0 bytes.
// %acc:[2,1:2,0].[1,2:0,1].fp32.RF holds [16,8] as mma.m16n8k16.f32.f16.f16.f32 C
// %bias:[8:1].fp32.GL
// %out:[16,8:8,1].fp16.GL
extern "C" __global__ void __launch_bounds__(32) bias_relu_out(const float* __restrict__ acc,
    const float* __restrict__ bias, half* out) {
  __align__(16) float acc_local[4];
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    acc_local[i] = acc[(blockIdx.x * 32 + threadIdx.x) * 4 + i];
  }
  const int g = threadIdx.x / 4;
  const int q = threadIdx.x % 4;
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    __align__(16) float x[2];
    __align__(16) half h[2];
    #pragma unroll
    for (int j = 0; j < 2; ++j) {
      x[j] = acc_local[i * 2 + j] + bias[q * 2 + j];
      x[j] = fmaxf(x[j], 0.0f);
    }
    *reinterpret_cast<half2*>(h) = __floats2half2_rn(x[0], x[1]);
    *reinterpret_cast<unsigned*>(&out[g * 8 + q * 2 + i * 64]) = *reinterpret_cast<const unsigned*>(h);
  }
}
