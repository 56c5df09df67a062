#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#include <cuda_fp16.h>
#else
#include "tessera_host.h"
#endif

// %C <- MatMul<<<#grid, #cta>>>(%A, %B)
// Launch: matmul_C<<<64, 256>>>. Shared memory: 0 bytes.
// %A:[1024,1024:1,1024].fp16.GL
// %B:[1024,1024:1,1024].fp16.GL
// %C:[1024,1024:1,1024].fp16.GL
extern "C" __global__ void __launch_bounds__(256) matmul_C(const half* __restrict__ A,
    const half* __restrict__ B, half* C) {
  const int bm = blockIdx.x % 8;
  const int bn = blockIdx.x / 8;
  const int tm = threadIdx.x % 16;
  const int tn = threadIdx.x / 16;
  for (int k = 0; k < 1024; ++k) {
    #pragma unroll
    for (int m = 0; m < 8; ++m) {
      #pragma unroll
      for (int n = 0; n < 8; ++n) {
        C[bm * 128 + bn * 131072 + tm * 8 + tn * 8192 + m + n * 1024] =
            __hfma(A[bm * 128 + tm * 8 + k * 1024 + m], B[bn * 131072 + tn * 8192 + k + n * 1024],
            C[bm * 128 + bn * 131072 + tm * 8 + tn * 8192 + m + n * 1024]);
      }
    }
  }
}
