#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#include <cuda_fp16.h>
namespace tessera {
__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void ldmatrix_x4(void* r, const void* row) {
  unsigned* d = static_cast<unsigned*>(r);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(shared_address(row)) : "memory");
}
}  // namespace tessera
#else
#include "tessera_host.h"
#endif

// %dst <- Move<<<#blk, #warp>>>(%src)
// Launch: move_dst<<<1, 32>>>. Shared memory: 512 bytes.
// %src:[16,16:16,1].fp16.SH
// %dst:[2,4:4,1].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]
extern "C" __global__ void __launch_bounds__(32) move_dst(const half* __restrict__ src, half* dst) {
  __shared__ __align__(16) half src_local[256];
  for (int i = threadIdx.x; i < 256; i += 32) {
    src_local[i] = src[blockIdx.x * 256 + i];
  }
  __align__(16) half dst_local[8];
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    dst_local[i] = dst[(blockIdx.x * 32 + threadIdx.x) * 8 + i];
  }
  __syncthreads();
  const int gm = threadIdx.x / 16;
  const int gn = threadIdx.x / 8 % 2;
  const int r = threadIdx.x % 8;
  tessera::ldmatrix_x4(dst_local, &src_local[gm * 128 + gn * 8 + r * 16]);
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    dst[(blockIdx.x * 32 + threadIdx.x) * 8 + i] = dst_local[i];
  }
}
