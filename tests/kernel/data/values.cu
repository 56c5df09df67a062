// Kernels for proofs of values (tests/kernel/values_test.cpp).
//
//     nvcc -arch=sm_80 -ptx values.cu -o values.ptx
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

extern "C" {

__global__ void scale(const float* x, const float* y, float* out, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a * x[i] + 0.1f * y[i] - x[i] / 3.0f;
}

__global__ void relu(const float* x, float* out) {
  const float v = x[threadIdx.x];
  out[threadIdx.x] = v > 0.0f ? v : 0.0f;
}

__global__ void leaky(const float* x, float* out) {
  const float v = x[threadIdx.x];
  out[threadIdx.x] = v >= 0.0f ? v : 0.25f * v;
}

// Equal to its input unless that is above 100.
__global__ void cut(const float* x, float* out) {
  const float v = x[threadIdx.x];
  out[threadIdx.x] = v > 100.0f ? 2.0f * v : v;
}

__global__ void softmax(const float* x, float* out) {  // a warp for each row of 64
  const float* row = x + blockIdx.x * 64;
  const float a = row[threadIdx.x], b = row[threadIdx.x + 32];
  float most = fmaxf(a, b);
  for (int k = 16; k > 0; k /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
  const float ea = expf(a - most), eb = expf(b - most);
  float sum = ea + eb;
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  out[blockIdx.x * 64 + threadIdx.x] = ea / sum;
  out[blockIdx.x * 64 + threadIdx.x + 32] = eb / sum;
}

__global__ void functions(const float* x, float* out) {
  const float v = x[threadIdx.x];
  float y = 0;
  switch (blockIdx.x) {
    case 0: y = __expf(v); break;
    case 1: y = expf(v); break;
    case 2: y = exp2f(v); break;
    case 3: y = sqrtf(v * v + 1.0f); break;
    case 4: y = rsqrtf(v * v + 1.0f); break;
    case 5: y = 1.0f / (1.0f + __expf(-v)); break;
    case 6: y = fabsf(v); break;
    case 7: y = fminf(fmaxf(v, -0.5f), 0.5f); break;
    case 8: y = __fdividef(v, 3.0f); break;
    default: y = v;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = y;
}

__global__ void halves(const __half2* x, const __half2* y, __half2* out, float* wide) {
  const int i = threadIdx.x;
  out[i] = __hfma2(x[i], y[i], __hmax2(x[i], y[i]));
  const float2 f = __half22float2(x[i]);
  wide[i] = f.x * f.y + __half2float(__low2half(y[i]));
}

__global__ void bfloats(const __nv_bfloat16* x, float* out, __nv_bfloat16* back) {
  const int i = threadIdx.x;
  const float v = __bfloat162float(x[i]);
  out[i] = v * v;
  back[i] = __float2bfloat16(v + v);
}

__global__ void dot_atomic(const float* x, const float* y, float* out) {
  atomicAdd(out, x[blockIdx.x * blockDim.x + threadIdx.x] * y[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void clipped(const float* x, float* out) {  // a store that depends on the values
  const float v = x[threadIdx.x];
  if (v > 0.0f) out[threadIdx.x] = v;
}

__global__ void gather(const float* x, const int* at, float* out) { out[threadIdx.x] = x[at[threadIdx.x]]; }

__global__ void integers(const int* x, const int* y, int* out) {
  const int i = threadIdx.x;
  out[i] = x[i] * y[i] + 3 * x[i] - max(x[i], y[i]);
}

__global__ void extremes(const unsigned* x, const int* y, unsigned* out, int* mixed) {
  const int i = threadIdx.x;
  out[i] = y[i] > 3 ? 1u : 0u;
  mixed[i] = max(static_cast<int>(x[i]), 5);  // signed: not that of x
}

__global__ void sum_integers(const int* x, int* out) {
  const int all = __reduce_add_sync(~0u, x[threadIdx.x]);
  if (threadIdx.x == 0) out[0] = all;
}

__global__ void reversed_bytes(const unsigned* x, unsigned* out) {
  out[threadIdx.x] = __byte_perm(__byte_perm(x[threadIdx.x], 0, 0x0123), 0, 0x0123);
}

__global__ void bits(const float* x, float* out) {  // the bits of a number
  out[threadIdx.x] = __uint_as_float(__float_as_uint(x[threadIdx.x]) ^ 0x00400000u);
}

// Results whose bits depend on more than one bit of a symbol, some of which are mostly the same number.
__global__ void shifts(const unsigned* x, const unsigned* y, unsigned* out) {
  const unsigned a = x[threadIdx.x], b = y[threadIdx.x];
  unsigned r = 0;
  switch (blockIdx.x) {
    case 0: asm volatile("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); break;
    case 1: asm volatile("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); break;
    case 2: asm volatile("prmt.b32 %0, %1, %1, %2;" : "=r"(r) : "r"(0x01020304), "r"(b)); break;
    case 3: asm volatile("{.reg .u16 t; cvt.sat.u8.u32 t, %1; cvt.u32.u16 %0, t;}" : "=r"(r) : "r"(a)); break;
    case 4: asm volatile("bfe.u32 %0, %1, %2, 4;" : "=r"(r) : "r"(0x12345678), "r"(b)); break;
    case 5: asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, -1;" : "=r"(r) : "r"(threadIdx.x), "r"(b)); break;
    case 6: asm volatile("shf.l.clamp.b32 %0, %1, %1, %2;" : "=r"(r) : "r"(0x12345678), "r"(b)); break;
    case 7: asm volatile("bfi.b32 %0, %1, %1, %2, 4;" : "=r"(r) : "r"(5), "r"(b)); break;
    case 8: asm volatile("lop3.b32 %0, %1, %2, 1, 0x80;" : "=r"(r) : "r"(a), "r"(b)); break;
    case 9: asm volatile("{.reg .pred q; setp.gt.u32 q, %1, 3; selp.u32 %0, 1, 0, q;}" : "=r"(r) : "r"(b)); break;
    case 10: asm volatile("min.u32 %0, %1, 2;" : "=r"(r) : "r"(b)); break;
    case 11: asm volatile("mul.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(a << 29), "r"(b)); break;
    default: asm volatile("popc.b32 %0, %1;" : "=r"(r) : "r"(a));
  }
  out[blockIdx.x * 32 + threadIdx.x] = r;
}

__device__ __noinline__ float twice(float x) { return x + x; }
__global__ void calls(const float* x, float* out) { out[threadIdx.x] = twice(x[threadIdx.x]) * x[threadIdx.x]; }

__global__ void product(const __half* a, const __half* b, float* c) {  // 16 x 16 x 32
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::fill_fragment(z, 0.0f);
  for (int k = 0; k < 32; k += 16) {
    wmma::load_matrix_sync(x, a + k, 32);
    wmma::load_matrix_sync(y, b + k * 16, 16);
    wmma::mma_sync(z, x, y, z);
  }
  wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}

// ldmatrix and mma, through shared memory that cp.async fills. A is 16 x 16, B is 8 x 16.
__global__ void product_async(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) __half s[16 * 16 + 8 * 16];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(s));
  const int t = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + 16 * t), "l"(a + 8 * t));
  if (t < 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + 512 + 16 * t), "l"(b + 8 * t));
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  unsigned x[4], y[2];
  float d[4] = {0, 0, 0, 0};
  const unsigned row = base + (t % 16) * 32 + t / 16 * 16, column = base + 512 + t % 8 * 32 + t / 8 % 2 * 16;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(column));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  const int r = t / 4, q = t % 4 * 2;
  c[r * 8 + q] = d[0];
  c[r * 8 + q + 1] = d[1];
  c[(r + 8) * 8 + q] = d[2];
  c[(r + 8) * 8 + q + 1] = d[3];
}

}  // extern "C"
