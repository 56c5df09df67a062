// Clusters of several blocks, with one fault each, and without. cluster.ptx is their PTX:
//     nvcc -arch=sm_90a -ptx cluster.cu -o cluster.ptx
#include <cooperative_groups.h>
#include <cuda.h>

namespace cg = cooperative_groups;

extern "C" {

__device__ unsigned at(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ unsigned in(unsigned address, unsigned rank) {
  unsigned out;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(address), "r"(rank));
  return out;
}
__device__ void init(unsigned long long* barrier, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(barrier)), "r"(count) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory");
}
__device__ void wait(unsigned long long* barrier, int parity) {
  asm volatile(
      "{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n@!p bra "
      "WAIT;\n}" ::"r"(at(barrier)),
      "r"(parity)
      : "memory");
}

// Where each block is.
__global__ void places(unsigned* out) {
  unsigned v[10];
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(v[0]));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(v[1]));
  asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v[2]));
  asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(v[3]));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v[4]));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v[5]));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v[6]));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(v[7]));
  __shared__ unsigned own;
  unsigned rank;
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(at(&own)));
  v[8] = rank;
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(in(at(&own), v[5] - 1)));
  v[9] = rank;
  if (threadIdx.x == 0)
    for (int k = 0; k < 10; ++k) out[(blockIdx.y * gridDim.x + blockIdx.x) * 10 + k] = v[k];
}

// Each block reads what the next one has written. `fault`: 1 no barrier before, 2 none after, 3 beyond its memory.
__global__ void exchange(const unsigned* in, unsigned* out, int fault) {
  __shared__ unsigned tile[64];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t];
  if (fault != 1) cluster.sync();
  const unsigned* other = cluster.map_shared_rank(tile, (rank + 1) % cluster.num_blocks());
  out[blockIdx.x * 64 + t] = other[fault == 3 ? t + 65536 : t];
  if (fault != 2) cluster.sync();
}

// The blocks count in the memory of block 0. `fault`: 1 without atomics.
__global__ void count(const unsigned* in, unsigned* out, int fault) {
  __shared__ unsigned bins[8];
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  cluster.sync();
  unsigned* first = cluster.map_shared_rank(bins, 0);
  const unsigned bin = in[blockIdx.x * 64 + threadIdx.x] % 8;
  if (fault == 1)
    ++first[bin];
  else
    atomicAdd(&first[bin], 1);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

// The other blocks write to block 0, and arrive at its barrier. `fault`: 1 the arrivals are relaxed, 2 one is missing.
__global__ void arrive(unsigned* out, int fault) {
  __shared__ unsigned values[16];
  __shared__ unsigned long long barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
  if (threadIdx.x == 0) init(&barrier, blocks - 1);
  cluster.sync();
  if (rank != 0 && threadIdx.x == 0 && (fault != 2 || rank != 1)) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in(at(&values[rank]), 0)), "r"(100 + rank) : "memory");
    if (fault == 1)
      asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(in(at(&barrier), 0))
                   : "memory");
    else
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in(at(&barrier), 0))
                   : "memory");
  }
  if (rank == 0) {
    wait(&barrier, 0);
    if (threadIdx.x > 0 && threadIdx.x < blocks) out[threadIdx.x] = values[threadIdx.x];
  }
  cluster.sync();
}

// Each block loads its part of the tile for all: 8 rows of 64 halves. `fault`: 1 no barrier after the initialisation, 2
// the next copy does not wait for the other blocks' reads, 3 a block that is not in the cluster.
__global__ void multicast(const __grid_constant__ CUtensorMap map, unsigned* out, int fault) {
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ unsigned long long barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks(), words = blocks * 256;
  if (threadIdx.x == 0) init(&barrier, 1);
  if (fault != 1) cluster.sync();
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      expect(&barrier, 1024 * blocks);
      const unsigned short mask = (1 << blocks) - 1 + (fault == 3 ? 1 << blocks : 0);
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
          "[%1, {%3, %4}], [%2], %5;" ::"r"(at(tile) + 1024 * rank),
          "l"(&map), "r"(at(&barrier)), "r"(0), "r"(8 * (k * blocks + rank)), "h"(mask)
          : "memory");
    }
    wait(&barrier, k);
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
      out[(blockIdx.x * 2 + k) * words + i] = reinterpret_cast<unsigned*>(tile)[i];
    if (fault != 2 || k == 1)
      cluster.sync();
    else
      __syncthreads();
  }
}

// A bulk copy from the own shared memory to that of the next block.
__global__ void pass(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned from[64], to[64];
  __shared__ unsigned long long barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks(), t = threadIdx.x;
  if (t == 0) init(&barrier, 1);
  from[t] = in[blockIdx.x * 64 + t];
  asm volatile("fence.proxy.async;" ::: "memory");
  cluster.sync();
  if (t == 0) {
    expect(&barrier, 256);
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                     ::in(at(to), next)),
                 "r"(at(from)), "r"(::in(at(&barrier), next))
                 : "memory");
  }
  wait(&barrier, 0);
  out[blockIdx.x * 64 + t] = to[t];
  cluster.sync();
}

// Arrival and wait apart. `fault`: 1 written after the arrival, 2 no arrival, 3 half of the threads have returned (none).
__global__ void apart(unsigned* out, int fault) {
  __shared__ unsigned value;
  const cg::cluster_group cluster = cg::this_cluster();
  if (fault == 3 && threadIdx.x >= 32) return;
  if (threadIdx.x == 0 && fault != 1) value = 7 + cluster.block_rank();
  if (fault != 2) asm volatile("barrier.cluster.arrive;" ::: "memory");
  if (threadIdx.x == 0 && fault == 1) value = 7 + cluster.block_rank();
  asm volatile("barrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&value, cluster.block_rank() ^ 1);
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

}  // extern "C"
