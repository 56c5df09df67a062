// A product of 128 x 256 x k through tensor memory. blackwell.ptx is its PTX:
//     nvcc -arch=sm_100a -ptx blackwell.cu -o blackwell.ptx
#include <cuda_fp16.h>

#include <cstdint>

__device__ uint32_t at(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

// K-major, swizzle of 128 bytes: 8 rows of 128 bytes are an atom.
__device__ uint64_t descriptor(uint32_t start) {
  return uint64_t{start >> 4} | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 46 | uint64_t{2} << 61;
}
__device__ void tile(unsigned char* to, const __half* from, int rows, int k) {
  for (int i = threadIdx.x; i < rows * 8; i += 128) {
    const int row = i / 8, chunk = i % 8;
    *reinterpret_cast<uint4*>(to + row * 128 + (chunk ^ row % 8) * 16) =
        *reinterpret_cast<const uint4*>(from + row * k + chunk * 8);
  }
}

extern "C" __global__ void __launch_bounds__(128) product(const __half* a, const __half* b, float* d, int k) {
  extern __shared__ __align__(1024) unsigned char s[];
  __shared__ uint32_t slot;
  __shared__ __align__(8) uint64_t bar;
  unsigned char* const tileB = s + 16384;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&bar)) : "memory");
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 256;" ::"r"(at(&slot)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  __syncthreads();
  const uint32_t t = slot, instruction = 1u << 4 | 256 / 8 << 17 | 128 / 16 << 24;
  for (int from = 0; from < k; from += 64) {
    tile(s, a + from, 128, k);
    tile(tileB, b + from, 256, k);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int part = 0; part < 4; ++part)
        asm volatile(
            "{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\n"
            "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(t),
            "l"(descriptor(at(s) + 32 * part)), "l"(descriptor(at(tileB) + 32 * part)), "r"(instruction),
            "r"(from + part)
            : "memory");
      asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at(&bar))
                   : "memory");
    }
    asm volatile(
        "{\n.reg .pred p;\nWAIT%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra WAIT%=;\n}" ::"r"(
            at(&bar)),
        "r"(from / 64 % 2)
        : "memory");
  }
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const uint32_t own = t + (threadIdx.x / 32 * 32 << 16);
  for (int c = 0; c < 256; c += 4) {
    uint32_t r[4];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];\ntcgen05.wait::ld.sync.aligned;"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(own + c)
                 : "memory");
    for (int j = 0; j < 4; ++j) d[threadIdx.x * 256 + c + j] = __uint_as_float(r[j]);
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 256;" ::"r"(t));
}
