#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#include <cuda_fp16.h>
namespace tessera {
__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void cp_async_cg_16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)), "l"(global) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
template <typename T>
__device__ __forceinline__ T* kept(T* p) {
  const unsigned a = __shfl_sync(0xffffffffu, shared_address(p), threadIdx.x % 32);
  return static_cast<T*>(__cvta_shared_to_generic(a));
}
template <typename T>
__device__ __forceinline__ T* kept_global(T* p) {
  asm volatile("" : "+l"(p));
  return p;
}
__device__ __forceinline__ void ldmatrix_x4(void* r, const void* row) {
  unsigned* d = static_cast<unsigned*>(r);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(shared_address(row)) : "memory");
}
__device__ __forceinline__ void mma_m16n8k16_f32_f16_f16_f32(void* c, const void* a, const void* b) {
  float* d = static_cast<float*>(c);
  const unsigned* x = static_cast<const unsigned*>(a);
  const unsigned* y = static_cast<const unsigned*>(b);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}
}  // namespace tessera
#else
#include "tessera_host.h"
#endif

// %C <- MatMul<<<#grid, #cta>>>(%A, %B)
// Launch: matmul_C<<<64, 256>>>. Shared memory: 49152 bytes.
// %A:[1024,1024:1024,1].fp16.GL
// %B:[1024,1024:1,1024].fp16.GL
// %C:[1024,1024:1024,1].fp32.GL
extern "C" __global__ void __launch_bounds__(256) matmul_C(const half* __restrict__ A,
    const half* __restrict__ B, float* C) {
  const int bm = blockIdx.x / 8;
  const int bn = blockIdx.x % 8;
  __shared__ __align__(16) half sA[12288];
  __shared__ __align__(16) half sB[12288];
  const int r = threadIdx.x / 4;
  const int c = threadIdx.x % 4;
  const int sA_at = (c * 8) ^ ((r / 2 % 4) * 8);
  #pragma unroll
  for (int st = 0; st < 2; ++st) {
    // %A2 <- copy_rows_async<64,4,2,8><<<#grid, #cta>>>(%A1)
    {
      #pragma unroll
      for (int i = 0; i < 2; ++i) {
        tessera::cp_async_cg_16(&sA[st * 4096 + r * 32 + i * 2048 + sA_at],
            &A[bm * 131072 + st * 32 + r * 1024 + c * 8 + i * 65536]);
      }
    }
    // %B2 <- copy_columns_async<64,4,2,8><<<#grid, #cta>>>(%B1)
    {
      #pragma unroll
      for (int i = 0; i < 2; ++i) {
        tessera::cp_async_cg_16(&sB[st * 4096 + r * 32 + i * 2048 + sA_at],
            &B[bn * 131072 + st * 32 + r * 1024 + c * 8 + i * 65536]);
      }
    }
    tessera::cp_async_commit();
  }
  const int wm = threadIdx.x / 128;
  const int wn = threadIdx.x / 32 % 4;
  __align__(16) float acc[64];
  const int g = threadIdx.x / 4 % 8;
  // %acc <- load_tile<4,4><<<#grid, #w>>>(%Cw)
  {
    #pragma unroll
    for (int m = 0; m < 4; ++m) {
      #pragma unroll
      for (int n = 0; n < 4; ++n) {
        // %c <- load_c<<<#grid, #w>>>(%tile)
        {
          #pragma unroll
          for (int i = 0; i < 2; ++i) {
            *reinterpret_cast<uint2*>(&acc[m * 16 + n * 4 + i * 2]) =
                *reinterpret_cast<const uint2*>(&C[bm * 131072 + bn * 128 + c * 2 + wm * 65536 + wn * 32
                + m * 16384 + n * 8 + g * 1024 + i * 8192]);
          }
        }
      }
    }
  }
  __align__(16) half a0[32];
  __align__(16) half b0[16];
  __align__(16) half a1[32];
  __align__(16) half b1[16];
  tessera::cp_async_wait<1>();
  __syncthreads();
  const int c_1 = threadIdx.x / 16 % 2;
  const int r_1 = threadIdx.x % 16;
  const int sA_at_1 = (c_1 * 8) ^ ((r_1 / 2 % 4) * 8);
  // %a0 <- load_a_tiles<4><<<#grid, #w>>>(%Af)
  {
    #pragma unroll
    for (int m = 0; m < 4; ++m) {
      // %am <- load_a<<<#grid, #w>>>(%tile)
      {
        tessera::ldmatrix_x4(&a0[m * 8], &sA[wm * 2048 + m * 512 + r_1 * 32 + sA_at_1]);
      }
    }
  }
  const int k = threadIdx.x / 8 % 2;
  const int n_1 = threadIdx.x % 8;
  const int sB_at = (k * 8) ^ ((n_1 / 2) * 8);
  // %b0 <- load_b_tiles<2><<<#grid, #w>>>(%Bf)
  {
    #pragma unroll
    for (int p = 0; p < 2; ++p) {
      // %bp <- load_b<<<#grid, #w>>>(%tile)
      {
        tessera::ldmatrix_x4(&b0[p * 8], &sB[wn * 1024 + c_1 * 256 + p * 512 + n_1 * 32 + sB_at]);
      }
    }
  }
  half* sA_base = tessera::kept(&sA[r * 32 + sA_at]);
  const half* A_round[2];
  #pragma unroll
  for (int i_1 = 0; i_1 < 2; ++i_1) A_round[i_1] =
      tessera::kept_global(A + (bm * 131072 + r * 1024 + c * 8 + i_1 * 65536));
  half* sB_base = tessera::kept(&sB[r * 32 + sA_at]);
  const half* B_round[2];
  #pragma unroll
  for (int i_2 = 0; i_2 < 2; ++i_2) B_round[i_2] =
      tessera::kept_global(B + (bn * 131072 + r * 1024 + c * 8 + i_2 * 65536));
  const int sA_at_2 = (c_1 * 8 + 16) ^ ((r_1 / 2 % 4) * 8);
  half* sA_base_1 = tessera::kept(&sA[wm * 2048 + r_1 * 32 + sA_at_2]);
  const int sB_at_1 = (k * 8 + 16) ^ ((n_1 / 2) * 8);
  half* sB_base_1 = tessera::kept(&sB[wn * 1024 + c_1 * 256 + n_1 * 32 + sB_at_1]);
  half* sA_base_2 = tessera::kept(&sA[wm * 2048 + r_1 * 32 + sA_at_1]);
  half* sB_base_2 = tessera::kept(&sB[wn * 1024 + c_1 * 256 + n_1 * 32 + sB_at]);
  for (int round = 0; round < 11; ++round) {
    #pragma unroll
    for (int stage = 0; stage < 3; ++stage) {
      // kt = round * 3 + stage - 1
      if (round == 0 && stage < 1) continue;
      if (round * 3 + stage + 1 < 32) {
        // %A2 <- copy_rows_async<64,4,2,8><<<#grid, #cta>>>(%A1)
        {
          #pragma unroll
          for (int i = 0; i < 2; ++i) {
            tessera::cp_async_cg_16(&sA_base[i * 2048 + ((stage + 1) % 3) * 4096],
                &A_round[i][stage * 32 + 32]);
          }
        }
        // %B2 <- copy_columns_async<64,4,2,8><<<#grid, #cta>>>(%B1)
        {
          #pragma unroll
          for (int i = 0; i < 2; ++i) {
            tessera::cp_async_cg_16(&sB_base[i * 2048 + ((stage + 1) % 3) * 4096],
                &B_round[i][stage * 32 + 32]);
          }
        }
      }
      tessera::cp_async_commit();
      // %a1 <- load_a_tiles<4><<<#grid, #w>>>(%Ak)
      {
        #pragma unroll
        for (int m = 0; m < 4; ++m) {
          // %am <- load_a<<<#grid, #w>>>(%tile)
          {
            tessera::ldmatrix_x4(&a1[m * 8], &sA_base_1[m * 512 + ((stage + 2) % 3) * 4096]);
          }
        }
      }
      // %b1 <- load_b_tiles<2><<<#grid, #w>>>(%Bk)
      {
        #pragma unroll
        for (int p = 0; p < 2; ++p) {
          // %bp <- load_b<<<#grid, #w>>>(%tile)
          {
            tessera::ldmatrix_x4(&b1[p * 8], &sB_base_1[p * 512 + ((stage + 2) % 3) * 4096]);
          }
        }
      }
      // %acc <- multiply_tiles<4,2><<<#grid, #w>>>(%a0, %b0)
      {
        #pragma unroll
        for (int m = 0; m < 4; ++m) {
          #pragma unroll
          for (int p = 0; p < 2; ++p) {
            #pragma unroll
            for (int h = 0; h < 2; ++h) {
              tessera::mma_m16n8k16_f32_f16_f16_f32(&acc[m * 16 + p * 8 + h * 4], &a0[m * 8],
                  &b0[p * 8 + h * 4]);
            }
          }
        }
      }
      tessera::cp_async_wait<1>();
      __syncthreads();
      // %a0 <- load_a_tiles<4><<<#grid, #w>>>(%Af)
      {
        #pragma unroll
        for (int m = 0; m < 4; ++m) {
          // %am <- load_a<<<#grid, #w>>>(%tile)
          {
            tessera::ldmatrix_x4(&a0[m * 8], &sA_base_2[m * 512 + stage * 4096]);
          }
        }
      }
      // %b0 <- load_b_tiles<2><<<#grid, #w>>>(%Bf)
      {
        #pragma unroll
        for (int p = 0; p < 2; ++p) {
          // %bp <- load_b<<<#grid, #w>>>(%tile)
          {
            tessera::ldmatrix_x4(&b0[p * 8], &sB_base_2[p * 512 + stage * 4096]);
          }
        }
      }
      // %acc <- multiply_tiles<4,2><<<#grid, #w>>>(%a1, %b1)
      {
        #pragma unroll
        for (int m = 0; m < 4; ++m) {
          #pragma unroll
          for (int p = 0; p < 2; ++p) {
            #pragma unroll
            for (int h = 0; h < 2; ++h) {
              tessera::mma_m16n8k16_f32_f16_f16_f32(&acc[m * 16 + p * 8 + h * 4], &a1[m * 8],
                  &b1[p * 8 + h * 4]);
            }
          }
        }
      }
    }
    A_round[0] = tessera::kept_global(A_round[0] + 96);
    A_round[1] = tessera::kept_global(A_round[1] + 96);
    B_round[0] = tessera::kept_global(B_round[0] + 96);
    B_round[1] = tessera::kept_global(B_round[1] + 96);
  }
  // %Cw <- store_tile<4,4><<<#grid, #w>>>(%acc)
  {
    #pragma unroll
    for (int m = 0; m < 4; ++m) {
      #pragma unroll
      for (int n = 0; n < 4; ++n) {
        // %tile <- store_c<<<#grid, #w>>>(%c)
        {
          #pragma unroll
          for (int i = 0; i < 2; ++i) {
            *reinterpret_cast<uint2*>(&C[bm * 131072 + bn * 128 + c * 2 + wm * 65536 + wn * 32 + g * 1024
                + m * 16384 + n * 8 + i * 8192]) =
                *reinterpret_cast<const uint2*>(&acc[m * 16 + n * 4 + i * 2]);
          }
        }
      }
    }
  }
}
