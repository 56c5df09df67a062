// Prelude: the device functions that generated kernels call, and the CUDA functions that they use. The functions that
// are used come first in the text, in namespace tessera; a host compiler reads tessera_host.h instead:
//
//     #if defined(__CUDACC__) || defined(__CUDACC_RTC__)
//     #include <cuda_fp16.h>
//     namespace tessera {
//     __device__ __forceinline__ void ldmatrix_x4(void* r, const void* row) { ... asm volatile("ldmatrix...") ... }
//     }
//     #else
//     #include "tessera_host.h"
//     #endif
//
// A function is named after its atom (core/graphene/atoms/atom.h), with '_' for '.' and ':'. Registers are passed by
// the address of the first: consecutive values in the order of the atom's slots, two 16-bit values per 32-bit register.
//
//     void ldmatrix_x1(void* r, const void* row)      x2, x4; _trans: each lane passes the address of a row of 8
//                                                     values of 16 bits in shared memory and receives 2, 4, 8
//                                                     values (slots 2j + v: matrix j)
//     void stmatrix_x1(void* row, const void* r)      x2, x4; _trans
//     void mma_m16n8k16_f32_f16_f16_f32(void* c, const void* a, const void* b)
//                                                     c += a * b; every dense mma of the atlas by its name, Volta too:
//                                                     mma_m8n8k4_row_col_f32_f16_f16_f32
//     void cp_async_cg_16(void* shared, const void* global)      cp_async_ca_16, cp_async_ca_8, cp_async_ca_4
//     void cp_async_commit()      template <int N> void cp_async_wait()
//     template <typename T> T* kept(T* shared)        the same pointer, in a register: called by whole warps before a
//                                                     loop, because the assembler would otherwise recompute it at every
//                                                     use (it does not recompute a shuffle)
//     unsigned char* dynamic_shared()                 the shared memory that the launch provides
//                                                     (core/codegen/operand/storage.h)
//     template <typename T> T* kept_global(T* p)      the same pointer, opaque to the compiler's address arithmetic
//     template <int A, int B> void wgmma_m64n128k16_f32_f16_f16_ss(void* c, descriptor a, descriptor b)
//                                                     A, B: 1 for MN-major
//     template <int Mode, int Leading, int Stride> descriptor matrix_descriptor(const void* shared)
//                                                     64 bits; see core/atlas/gmma.h
//     void wgmma_fence(), wgmma_commit(), fence_async()      template <int N> void wgmma_wait()
//     template <int N, typename T> void settled(T* d)  only an ordering: the compiler assumes that d[0 .. N - 1] change
//     struct TensorMap, 128 bytes: a CUtensorMap made by the caller (kernel.h)
//     void cp_async_bulk_tensor_2d_load(void* shared, const TensorMap& map, int c0, int c1,
//                                       unsigned long long* barrier)
//                                                     1d to 5d: the box at these coordinates, innermost first, by one
//                                                     thread; its bytes arrive at the barrier
//     void mbarrier_init(unsigned long long* barrier, int arrivals), mbarrier_arrive(barrier),
//     void mbarrier_expect(barrier, int bytes)
//     void mbarrier_wait(barrier, int parity)         until the phase of that parity has ended
//     float exp2(float), float sigmoid(float), double sigmoid(double)
//     float infinity(), float to_tf32(float)
//     int to_s8_f32(float), to_s8_f64(double)         u8, s16, u16: truncated, limited to the type's range (cvt.rzi)
//     template <typename T> T floor_div(T a, long long b), T floor_mod(T a, long long b)      floor; a may be negative
//     void dp4a_s32(int* c, const void* a, const void* b)        4 signed bytes each
//
// From CUDA: threadIdx.x, blockIdx.x, blockDim.x, __syncthreads, __syncwarp, __shfl_xor_sync, __shfl_up_sync,
// __shfl_down_sync, __shfl_sync (float, int, unsigned, half, half2, __nv_bfloat16), min, max, half, half2,
// __nv_bfloat16, __nv_bfloat162, uint2, uint4 (moves of 8 and 16 bytes), __float2half_rn, __half2float,
// __floats2half2_rn, __half22float2, float2, __float2bfloat16_rn, __bfloat162float, __hadd __hsub __hmul __hdiv __hmax
// __hmin __hneg __hfma hexp hlog hrcp hsqrt hrsqrt of half and, except for the h..., of __nv_bfloat16, and their
// vectors of two, __hadd2 __hsub2 __hmul2 __h2div __hmax2 __hmin2 __hneg2 __hfma2 h2exp h2log h2rcp h2sqrt h2rsqrt; of
// float: fmaf fmaxf fminf __expf __logf sqrtf rsqrtf tanhf; of double: fma fmax fmin exp log sqrt rsqrt tanh.
//
// Law: each function has the atom's effect on the values of every lane (tests/host_check compares the host bodies with
// the emulator).
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/base/result.h"
#include "core/graphene/atoms/atom.h"

namespace tessera::codegen {

// "ldmatrix_x4" of "ldmatrix.x4".
[[nodiscard]] std::string functionName(std::string_view atom);

// What a kernel's text uses. `headers`: of CUDA, "cuda_fp16.h".
struct Used {
  std::set<std::string> headers;
  std::map<std::string, std::string> functions;  // name -> text
};

// The function for an atom; empty if it is plain C++. A Diag: no function is known.
[[nodiscard]] Result<std::string> deviceFunction(const graphene::Atom& atom, const graphene::Spec& leaf);
// A predefined function, by name: "sigmoid", "cp_async_wait".
[[nodiscard]] std::string fixedFunction(std::string_view name);
// The head of the translation unit.
[[nodiscard]] std::string preludeText(const Used& used);

}  // namespace tessera::codegen
