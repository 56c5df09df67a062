// The mma.sync instructions that the check runs: the atlas's name, and the instruction on raw 32-bit registers (f64:
// pairs of them). Each row is an instruction; check_mma in check_atlas.cu makes kernels from it.
#pragma once

#include <cstdint>

// One struct an instruction: register counts, operand bits, and run(). `ARCH` is the least __CUDA_ARCH__ that has it.
#define MMA_OP(ID, NAME, ARCH, BITS, NA, NB, NC, ...)                                                     \
  struct ID {                                                                                             \
    static constexpr const char* name = NAME;                                                             \
    static constexpr int arch = ARCH, bits = BITS, na = NA, nb = NB, nc = NC;                             \
    static __device__ void run(uint32_t* d, const uint32_t* a, const uint32_t* b) {                       \
      MMA_GUARD(ARCH, __VA_ARGS__)                                                                        \
    }                                                                                                     \
  };
#if defined(__CUDA_ARCH__)
#define MMA_GUARD(ARCH, ...) \
  if constexpr (__CUDA_ARCH__ >= ARCH) { __VA_ARGS__ }
#else
#define MMA_GUARD(ARCH, ...)
#endif

// 4-register results start from zero: D = A * B + 0.
#define D4 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define D2 "+r"(d[0]), "+r"(d[1])
#define A1 "r"(a[0])
#define A2 "r"(a[0]), "r"(a[1])
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define B1 "r"(b[0])
#define B2 "r"(b[0]), "r"(b[1])
#define RUN_D4A4B2(T) asm volatile(T " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : D4 : A4, B2);
#define RUN_D4A2B1(T) asm volatile(T " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : D4 : A2, B1);
#define RUN_D2A4B2(T) asm volatile(T " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};" : D2 : A4, B2);
#define RUN_D2A2B1(T) asm volatile(T " {%0,%1},{%2,%3},{%4},{%0,%1};" : D2 : A2, B1);
#define RUN_D2A1B1(T) asm volatile(T " {%0,%1},{%2},{%3},{%0,%1};" : D2 : A1, B1);

#define MMA "mma.sync.aligned."
MMA_OP(F16K8F32, "mma.m16n8k8.f32.f16.f16.f32", 750, 16, 2, 1, 4, RUN_D4A2B1(MMA "m16n8k8.row.col.f32.f16.f16.f32"))
MMA_OP(F16K8F16, "mma.m16n8k8.f16.f16.f16.f16", 750, 16, 2, 1, 2, RUN_D2A2B1(MMA "m16n8k8.row.col.f16.f16.f16.f16"))
MMA_OP(F16K16F32, "mma.m16n8k16.f32.f16.f16.f32", 800, 16, 4, 2, 4, RUN_D4A4B2(MMA "m16n8k16.row.col.f32.f16.f16.f32"))
MMA_OP(F16K16F16, "mma.m16n8k16.f16.f16.f16.f16", 800, 16, 4, 2, 2, RUN_D2A4B2(MMA "m16n8k16.row.col.f16.f16.f16.f16"))
MMA_OP(BF16K8, "mma.m16n8k8.f32.bf16.bf16.f32", 800, 16, 2, 1, 4, RUN_D4A2B1(MMA "m16n8k8.row.col.f32.bf16.bf16.f32"))
MMA_OP(BF16K16, "mma.m16n8k16.f32.bf16.bf16.f32", 800, 16, 4, 2, 4, RUN_D4A4B2(MMA "m16n8k16.row.col.f32.bf16.bf16.f32"))
MMA_OP(TF32K4, "mma.m16n8k4.f32.tf32.tf32.f32", 800, 32, 2, 1, 4, RUN_D4A2B1(MMA "m16n8k4.row.col.f32.tf32.tf32.f32"))
MMA_OP(TF32K8, "mma.m16n8k8.f32.tf32.tf32.f32", 800, 32, 4, 2, 4, RUN_D4A4B2(MMA "m16n8k8.row.col.f32.tf32.tf32.f32"))
MMA_OP(S8K16M8, "mma.m8n8k16.s32.s8.s8.s32", 750, 8, 1, 1, 2, RUN_D2A1B1(MMA "m8n8k16.row.col.s32.s8.s8.s32"))
MMA_OP(S8K16, "mma.m16n8k16.s32.s8.s8.s32", 800, 8, 2, 1, 4, RUN_D4A2B1(MMA "m16n8k16.row.col.s32.s8.s8.s32"))
MMA_OP(S8K32, "mma.m16n8k32.s32.s8.s8.s32", 800, 8, 4, 2, 4, RUN_D4A4B2(MMA "m16n8k32.row.col.s32.s8.s8.s32"))
MMA_OP(S4K32M8, "mma.m8n8k32.s32.s4.s4.s32", 750, 4, 1, 1, 2, RUN_D2A1B1(MMA "m8n8k32.row.col.s32.s4.s4.s32"))
MMA_OP(S4K32, "mma.m16n8k32.s32.s4.s4.s32", 800, 4, 2, 1, 4, RUN_D4A2B1(MMA "m16n8k32.row.col.s32.s4.s4.s32"))
MMA_OP(S4K64, "mma.m16n8k64.s32.s4.s4.s32", 800, 4, 4, 2, 4, RUN_D4A4B2(MMA "m16n8k64.row.col.s32.s4.s4.s32"))
MMA_OP(B1K128M8, "mma.m8n8k128.s32.b1.b1.s32.and.popc", 800, 1, 1, 1, 2, RUN_D2A1B1(MMA "m8n8k128.row.col.s32.b1.b1.s32.and.popc"))
MMA_OP(B1K128, "mma.m16n8k128.s32.b1.b1.s32.and.popc", 800, 1, 2, 1, 4, RUN_D4A2B1(MMA "m16n8k128.row.col.s32.b1.b1.s32.and.popc"))
MMA_OP(B1K256, "mma.m16n8k256.s32.b1.b1.s32.and.popc", 800, 1, 4, 2, 4, RUN_D4A4B2(MMA "m16n8k256.row.col.s32.b1.b1.s32.and.popc"))
MMA_OP(E4M3K32, "mma.m16n8k32.f32.e4m3.e4m3.f32", 890, 8, 4, 2, 4, RUN_D4A4B2(MMA "m16n8k32.row.col.f32.e4m3.e4m3.f32"))
MMA_OP(E5M2K32, "mma.m16n8k32.f32.e5m2.e5m2.f32", 890, 8, 4, 2, 4, RUN_D4A4B2(MMA "m16n8k32.row.col.f32.e5m2.e5m2.f32"))
// Volta's quad pairs: A and B of 4 halves a lane, four products at once.
#define RUN_D8A2B2(T) \
  asm volatile(T " {%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9},{%10,%11},{%0,%1,%2,%3,%4,%5,%6,%7};" : D4, "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) : A2, B2);
MMA_OP(VoltaTN, "mma.m8n8k4.row.col.f32.f16.f16.f32", 700, 16, 2, 2, 8, RUN_D8A2B2(MMA "m8n8k4.row.col.f32.f16.f16.f32"))
MMA_OP(VoltaNT, "mma.m8n8k4.col.row.f32.f16.f16.f32", 700, 16, 2, 2, 8, RUN_D8A2B2(MMA "m8n8k4.col.row.f32.f16.f16.f32"))
MMA_OP(VoltaNN, "mma.m8n8k4.col.col.f32.f16.f16.f32", 700, 16, 2, 2, 8, RUN_D8A2B2(MMA "m8n8k4.col.col.f32.f16.f16.f32"))
MMA_OP(VoltaTT, "mma.m8n8k4.row.row.f32.f16.f16.f32", 700, 16, 2, 2, 8, RUN_D8A2B2(MMA "m8n8k4.row.row.f32.f16.f16.f32"))

// f64 fragments: registers are pairs of words.
static __device__ inline double pair(const uint32_t* r, int i) { return __hiloint2double(static_cast<int>(r[2 * i + 1]), static_cast<int>(r[2 * i])); }
static __device__ inline void unpair(uint32_t* r, int i, double x) {
  r[2 * i] = static_cast<uint32_t>(__double2loint(x));
  r[2 * i + 1] = static_cast<uint32_t>(__double2hiint(x));
}
#define RUN_F64M8(T)                                                                              \
  double x[2] = {0, 0};                                                                           \
  asm volatile(T " {%0,%1},{%2},{%3},{%0,%1};" : "+d"(x[0]), "+d"(x[1]) : "d"(pair(a, 0)), "d"(pair(b, 0))); \
  for (int i = 0; i < 2; ++i) unpair(d, i, x[i]);
#define F64_OUT "+d"(x[0]), "+d"(x[1]), "+d"(x[2]), "+d"(x[3])
#define RUN_F64K4(T)                                                                              \
  double x[4] = {0, 0, 0, 0};                                                                     \
  asm volatile(T " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : F64_OUT : "d"(pair(a, 0)), "d"(pair(a, 1)), "d"(pair(b, 0))); \
  for (int i = 0; i < 4; ++i) unpair(d, i, x[i]);
#define RUN_F64K8(T)                                                                              \
  double x[4] = {0, 0, 0, 0};                                                                     \
  asm volatile(T " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"                            \
               : F64_OUT                                                                          \
               : "d"(pair(a, 0)), "d"(pair(a, 1)), "d"(pair(a, 2)), "d"(pair(a, 3)), "d"(pair(b, 0)), "d"(pair(b, 1))); \
  for (int i = 0; i < 4; ++i) unpair(d, i, x[i]);
MMA_OP(F64M8, "mma.m8n8k4.f64.f64.f64.f64", 800, 64, 2, 2, 4, RUN_F64M8(MMA "m8n8k4.row.col.f64.f64.f64.f64"))
MMA_OP(F64K4, "mma.m16n8k4.f64.f64.f64.f64", 900, 64, 4, 2, 8, RUN_F64K4(MMA "m16n8k4.row.col.f64.f64.f64.f64"))
MMA_OP(F64K8, "mma.m16n8k8.f64.f64.f64.f64", 900, 64, 8, 4, 8, RUN_F64K8(MMA "m16n8k8.row.col.f64.f64.f64.f64"))
