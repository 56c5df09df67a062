// Tensor copies with one fault each, and without. tensor.ptx is their PTX:
//     nvcc -arch=sm_90a -ptx tensor.cu -o tensor.ptx
#include <cuda.h>

extern "C" {

extern __shared__ __align__(1024) unsigned char tile[];
#define MAP const __grid_constant__ CUtensorMap map

__device__ unsigned at(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void init(unsigned long long* barrier) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(barrier)) : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ void expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory");
}
__device__ void wait(unsigned long long* barrier, int parity) {
  asm volatile(
      "{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra WAIT;\n}" ::"r"(at(barrier)),
      "r"(parity)
      : "memory");
}
__device__ void fence() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ void written() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ void read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ void load2(const CUtensorMap& map, int shift, unsigned long long* barrier, int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
          "r"(at(tile) + shift),
      "l"(&map), "r"(at(barrier)), "r"(c0), "r"(c1)
      : "memory");
}
__device__ void store2(const CUtensorMap& map, int shift, int c0, int c1) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
               "r"(at(tile) + shift), "r"(c0), "r"(c1)
               : "memory");
}

// A tile of any rank, `bytes` bytes, to out.
#define LOAD(rank, coordinates, ...)                                                                                  \
  __global__ void load_##rank(MAP, unsigned* out, int bytes, int expected, int shift, int c0, int c1, int c2, int c3, \
                              int c4) {                                                                               \
    __shared__ unsigned long long barrier;                                                                            \
    if (threadIdx.x == 0) {                                                                                           \
      init(&barrier);                                                                                                 \
      expect(&barrier, expected);                                                                                     \
      asm volatile("cp.async.bulk.tensor." #rank                                                                      \
                   ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " coordinates                \
                   "], [%2];" ::"r"(at(tile) + shift),                                                                \
                   "l"(&map), "r"(at(&barrier)), __VA_ARGS__                                                          \
                   : "memory");                                                                                       \
    }                                                                                                                 \
    __syncthreads();                                                                                                  \
    wait(&barrier, 0);                                                                                                \
    for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x) out[k] = reinterpret_cast<unsigned*>(tile + shift)[k];  \
  }                                                                                                                   \
  __global__ void store_##rank(MAP, const unsigned* in, int bytes, int shift, int c0, int c1, int c2, int c3,         \
                               int c4) {                                                                              \
    for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x) reinterpret_cast<unsigned*>(tile + shift)[k] = in[k];   \
    fence();                                                                                                          \
    __syncthreads();                                                                                                  \
    if (threadIdx.x == 0) {                                                                                           \
      asm volatile("cp.async.bulk.tensor." #rank ".global.shared::cta.tile.bulk_group [%1, " coordinates              \
                   "], [%0];" ::"r"(at(tile) + shift),                                                                \
                   "l"(&map), "r"(0), __VA_ARGS__                                                                     \
                   : "memory");                                                                                       \
      commit();                                                                                                       \
      written();                                                                                                      \
    }                                                                                                                 \
  }
LOAD(1d, "{%3}", "r"(c0))
LOAD(2d, "{%3, %4}", "r"(c0), "r"(c1))
LOAD(3d, "{%3, %4, %5}", "r"(c0), "r"(c1), "r"(c2))
LOAD(4d, "{%3, %4, %5, %6}", "r"(c0), "r"(c1), "r"(c2), "r"(c3))
LOAD(5d, "{%3, %4, %5, %6, %7}", "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4))

// Two blocks reduce the same tile.
#define REDUCE(op)                                                                  \
  __global__ void reduce_##op(MAP, const unsigned* in, int bytes, int c0, int c1) { \
    for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x)                       \
      reinterpret_cast<unsigned*>(tile)[k] = in[blockIdx.x * (bytes / 4) + k];      \
    fence();                                                                        \
    __syncthreads();                                                                \
    if (threadIdx.x == 0) {                                                         \
      asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #op         \
                   ".tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),            \
                   "r"(at(tile)), "r"(c0), "r"(c1)                                  \
                   : "memory");                                                     \
      commit();                                                                     \
      written();                                                                    \
    }                                                                               \
  }
REDUCE(add)
REDUCE(min)
REDUCE(max)
REDUCE(and)
REDUCE(or)
REDUCE(xor)
REDUCE(inc)
REDUCE(dec)

// 8 rows of 64 halves through two stages: loaded, doubled in place, stored, the stage used again. `fault`: 1 no wait for
// the copy, 2 no fence before the store, 3 the source of the store is written before it was read, 4 a stage is loaded
// while it is still read, 5 the wait before the tensor is read again is only for the source.
__global__ void twice(MAP, const __grid_constant__ CUtensorMap to, unsigned short* tensor, int tiles, int fault) {
  __shared__ unsigned long long barriers[3];
  const int t = threadIdx.x;
  if (t == 0)
    for (auto& b : barriers) init(&b);
  __syncthreads();
  for (int k = 0; k < tiles; ++k) {
    const int stage = k % 2, shift = 1024 * stage;
    if (t == 0) {
      asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
      expect(&barriers[stage], 1024);
      load2(map, shift, &barriers[stage], 0, 8 * k);
    }
    if (fault != 1) wait(&barriers[stage], k / 2 % 2);
    if (fault == 4 && t == 0 && k == 0) {
      expect(&barriers[2], 1024);
      load2(map, 0, &barriers[2], 0, 0);
    }
    for (int i = t; i < 512; i += blockDim.x) reinterpret_cast<unsigned short*>(tile + shift)[i] *= 2;
    if (fault != 2) fence();
    __syncthreads();
    if (t == 0) {
      store2(to, shift, 0, 8 * k);
      commit();
      if (fault != 3) read();
    }
    __syncthreads();
    if (fault == 3) reinterpret_cast<unsigned short*>(tile + shift)[t] = 0;
  }
  if (t == 0) {
    if (fault != 5) written();
    tensor[0] += 1;
  }
}

// A tile is loaded twice into the same place, and read in between. `fault`: 1 it is also written in between.
__global__ void again(MAP, unsigned* out, int fault) {
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) init(&barrier);
  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      expect(&barrier, 1024);
      load2(map, 0, &barrier, 0, 8 * k);
    }
    wait(&barrier, k);
    unsigned* at = reinterpret_cast<unsigned*>(tile) + threadIdx.x;
    out[k * blockDim.x + threadIdx.x] = *at;
    if (fault == 1) *at = 0;
    __syncthreads();
  }
}

__global__ void store_nothing(MAP) {  // what was never written
  if (threadIdx.x == 0) {
    store2(map, 0, 0, 0);
    commit();
    written();
  }
}
__global__ void no_barrier(MAP) {
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) load2(map, 0, &barrier, 0, 0);
}
__global__ void offsets(MAP) {  // im2col
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    init(&barrier);
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3, %3}], "
        "[%2], {%4};" ::"r"(at(tile)),
        "l"(&map), "r"(at(&barrier)), "r"(0), "h"((short)0)
        : "memory");
  }
}
__global__ void many(MAP, unsigned* out) {  // multicast, with a cache hint
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    init(&barrier);
    expect(&barrier, 1024);
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" ::"l"(&map), "r"(0) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::"
        "cache_hint [%0], [%1, {%3, %3}], [%2], %4, %5;" ::"r"(at(tile)),
        "l"(&map), "r"(at(&barrier)), "r"(0), "h"((short)1), "l"(policy)
        : "memory");
  }
  __syncthreads();
  wait(&barrier, 0);
  for (int k = threadIdx.x; k < 256; k += blockDim.x) out[k] = reinterpret_cast<unsigned*>(tile)[k];
}
// A map that the kernel copies to global memory first.
__global__ void copied(MAP, CUtensorMap* maps, unsigned* out) {
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    for (int k = 0; k < 16; ++k)
      reinterpret_cast<unsigned long long*>(maps)[k] = reinterpret_cast<const unsigned long long*>(&map)[k];
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(maps) : "memory");
    init(&barrier);
    expect(&barrier, 1024);
    load2(*maps, 0, &barrier, 0, 0);
  }
  __syncthreads();
  wait(&barrier, 0);
  for (int k = threadIdx.x; k < 256; k += blockDim.x) out[k] = reinterpret_cast<unsigned*>(tile)[k];
}

}  // extern "C"
