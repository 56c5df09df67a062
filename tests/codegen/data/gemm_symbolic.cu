#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#include <cuda_fp16.h>
#else
#include "tessera_host.h"
#endif

// %C <- MatMul<<<#grid, #cta>>>(%A, %B)
// Launch: matmul_C<<<M*N, 256>>>. Shared memory: 0 bytes. Sizes: M, K, N, at least 1.
// %A:[M*128,K:1,M*128].fp16.GL
// %B:[K,N*128:1,K].fp16.GL
// %C:[M*128,N*128:1,M*128].fp16.GL
extern "C" __global__ void __launch_bounds__(256) matmul_C(const half* __restrict__ A,
    const half* __restrict__ B, half* C, int M, int K, int N) {
  const int bm = blockIdx.x % M;
  const int bn = blockIdx.x / M % N;
  const int tm = threadIdx.x % 16;
  const int tn = threadIdx.x / 16;
  for (int k = 0; k < K; ++k) {
    #pragma unroll
    for (int m = 0; m < 8; ++m) {
      #pragma unroll
      for (int n = 0; n < 8; ++n) {
        C[(long long)bm * 128 + tm * 8 + m + (long long)M * bn * 16384 + (long long)M * tn * 1024
            + (long long)M * n * 128] =
            __hfma(A[(long long)bm * 128 + tm * 8 + m + (long long)M * k * 128],
            B[k + (long long)K * bn * 128 + (long long)K * tn * 8 + (long long)K * n],
            C[(long long)bm * 128 + tm * 8 + m + (long long)M * bn * 16384 + (long long)M * tn * 1024
            + (long long)M * n * 128]);
      }
    }
  }
}
