// Matrix instructions of a warp, and asynchronous copies: functions of core/codegen/kernel/prelude.h.
//
// The formulas are PTX's, in its notation: g = groupID = lane / 4, t = threadID_in_group = lane % 4, i the i-th value
// of a lane. Registers are passed as the address of the first one, with contiguous values.
//
//     mma.m16n8k16, .f16:  A  row = g for a0 a1 a4 a5, g + 8 for a2 a3 a6 a7;  column = 2t + i%2, + 8 for i >= 4
//                          B  k = 2t + i%2, + 8 for i >= 2;                    n = g
//                          C  row = g for c0 c1, g + 8 for c2 c3;              column = 2t + i%2
//
// The other shapes are analogous, with other numbers of values per 32-bit register (w: 2 for f16, 1 for tf32, 4 for s8,
// 32 for b1): register r holds rows g (r even) or g + 8 (r odd), columns w*t + 4*w*(r/2) and the following w - 1.
//
// Products are summed in double over k = 0, 1, 2 ... and rounded once. Included by tessera_host.h.
#pragma once
#pragma GCC system_header

#include <cstdint>
#include <cstring>

namespace tessera::host {

// ---- ldmatrix, stmatrix: lane 8j + r has the address of row r of matrix j; register j of a lane belongs to matrix j

struct MatrixMove {
  void* registers;
  void* row;
};

inline std::uint16_t* rowOf(LaneArguments lanes, int lane) {
  return static_cast<std::uint16_t*>(static_cast<MatrixMove*>(lanes[lane])->row);
}

// Returns false if some lane is missing; the kernel is then stopped.
inline bool allThere(const char* name, LaneArguments lanes) {
  for (int lane = 0; lane < 32; ++lane) {
    if (lanes[lane] != nullptr) continue;
    fail("block " + std::to_string(blockIndex.x) + ": " + name + " without lane " + std::to_string(lane));
    return false;
  }
  return true;
}

// Returns false if some lane has an address that the instruction rejects.
inline bool rowsGood(const char* name, LaneArguments lanes, int matrices) {
  for (int lane = 0; lane < 8 * matrices; ++lane) {
    const void* row = static_cast<MatrixMove*>(lanes[lane])->row;
    const bool shared = isShared(row, 16);
    if (shared && reinterpret_cast<std::uintptr_t>(row) % 16 == 0) continue;
    fail("block " + std::to_string(blockIndex.x) + ", lane " + std::to_string(lane) + ": " + name +
         " of an address that is " + (shared ? "not a multiple of 16" : "not in shared memory"));
    return false;
  }
  return true;
}

template <int matrices, bool trans, bool load>
void runMatrixMove(LaneArguments lanes) {
  const char* name = load ? "ldmatrix" : "stmatrix";
  if (!allThere(name, lanes) || !rowsGood(name, lanes, matrices)) return;
  for (int lane = 0; lane < 32; ++lane)
    for (int j = 0; j < matrices; ++j)
      for (int v = 0; v < 2; ++v) {
        const int row = trans ? 2 * (lane % 4) + v : lane / 4, column = trans ? lane / 4 : 2 * (lane % 4) + v;
        std::uint16_t* memory = rowOf(lanes, 8 * j + row) + column;
        auto* value = static_cast<std::uint16_t*>(static_cast<MatrixMove*>(lanes[lane])->registers) + 2 * j + v;
        if (load)
          std::memcpy(value, memory, 2);
        else
          std::memcpy(memory, value, 2);
      }
}

template <int matrices, bool trans, bool load>
void matrixMove(const char* name, const void* registers, const void* row) {
  MatrixMove one{const_cast<void*>(registers), const_cast<void*>(row)};
  warp(name, 0xffffffff, runMatrixMove<matrices, trans, load>, &one);
}

// ---- mma: unpacks operands from registers into numbers

struct F16 {
  static constexpr int kBits = 16;
  static double get(const void* r, int i) { return static_cast<const half*>(r)[i].widen(); }
  static void put(void* r, int i, double v) { static_cast<half*>(r)[i] = half(v); }
};
struct Bf16 {
  static constexpr int kBits = 16;
  static double get(const void* r, int i) { return static_cast<const __nv_bfloat16*>(r)[i].widen(); }
};
struct F32 {
  static constexpr int kBits = 32;
  static double get(const void* r, int i) { return static_cast<const float*>(r)[i]; }
  static void put(void* r, int i, double v) { static_cast<float*>(r)[i] = static_cast<float>(v); }
};
struct Tf32 {  // the instruction ignores the lowest 13 bits
  static constexpr int kBits = 32;
  static double get(const void* r, int i) {
    return same<float>(same<std::uint32_t>(static_cast<const float*>(r)[i]) & 0xffffe000u);
  }
};
struct F64 {
  static constexpr int kBits = 64;
  static double get(const void* r, int i) { return static_cast<const double*>(r)[i]; }
  static void put(void* r, int i, double v) { static_cast<double*>(r)[i] = v; }
};
struct E4m3 {
  static constexpr int kBits = 8;
  static double get(const void* r, int i) { return static_cast<const __nv_fp8_e4m3*>(r)[i].widen(); }
};
struct E5m2 {
  static constexpr int kBits = 8;
  static double get(const void* r, int i) { return static_cast<const __nv_fp8_e5m2*>(r)[i].widen(); }
};
struct S32 {
  static constexpr int kBits = 32;
  static double get(const void* r, int i) { return static_cast<const std::int32_t*>(r)[i]; }
  static void put(void* r, int i, double v) {
    static_cast<std::int32_t*>(r)[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(v));
  }
};
template <int bits, bool isSigned>
struct Whole {
  static constexpr int kBits = bits;
  static double get(const void* r, int i) {
    const int byte = static_cast<const std::uint8_t*>(r)[i * bits / 8],
              value = byte >> i * bits % 8 & ((1 << bits) - 1);
    return isSigned && value >> (bits - 1) != 0 ? value - (1 << bits) : value;
  }
};
using S8 = Whole<8, true>;
using U8 = Whole<8, false>;
using S4 = Whole<4, true>;
using U4 = Whole<4, false>;
using B1 = Whole<1, false>;

struct Place {
  int row, column;
};

// The position of the i-th value of a lane, with `w` values per register.
inline Place placeOfA(int lane, int i, int w, int m) {
  const int g = lane / 4, t = lane % 4, r = i / w;
  if (m == 8) return {g, w * t + i};
  return {r % 2 == 0 ? g : g + 8, w * t + i % w + 4 * w * (r / 2)};
}
inline Place placeOfB(int lane, int i, int w) {
  const int g = lane / 4, t = lane % 4, r = i / w;
  return {w * t + i % w + 4 * w * r, g};
}
inline Place placeOfC(int lane, int i) {
  const int g = lane / 4, t = lane % 4;
  return {i < 2 ? g : g + 8, 2 * t + i % 2};
}

struct Product {
  void* c;
  const void* a;
  const void* b;
};
inline const Product& productOf(LaneArguments lanes, int lane) { return *static_cast<Product*>(lanes[lane]); }

template <int m, int n, int k, class C, class A, class B>
void runMma(LaneArguments lanes) {
  if (!allThere("mma", lanes)) return;
  constexpr int w = A::kBits < 32 ? 32 / A::kBits : 1;
  static double a[m][k], b[k][n], c[m][n];
  for (int lane = 0; lane < 32; ++lane) {
    const Product& one = productOf(lanes, lane);
    for (int i = 0; i < m * k / 32; ++i) {
      const Place p = placeOfA(lane, i, w, m);
      a[p.row][p.column] = A::get(one.a, i);
    }
    for (int i = 0; i < k * n / 32; ++i) {
      const Place p = placeOfB(lane, i, w);
      b[p.row][p.column] = B::get(one.b, i);
    }
    for (int i = 0; i < m * n / 32; ++i) {
      const Place p = placeOfC(lane, i);
      c[p.row][p.column] = C::get(one.c, i);
    }
  }
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      for (int x = 0; x < k; ++x) c[row][column] = std::fma(a[row][x], b[x][column], c[row][column]);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < m * n / 32; ++i) {
      const Place p = placeOfC(lane, i);
      C::put(productOf(lanes, lane).c, i, c[p.row][p.column]);
    }
}

template <int m, int n, int k, class C, class A, class B>
void mma(const char* name, void* c, const void* a, const void* b) {
  Product one{c, a, b};
  warp(name, 0xffffffff, runMma<m, n, k, C, A, B>, &one);
}

// mma.m8n8k4 for .f16: four products of 8x4 by 4x8; quad pair q is lanes 4q..4q+3 and 4q+16..4q+19.
template <bool aRow, bool bColumn, class C>
void runVolta(LaneArguments lanes) {
  if (!allThere("mma", lanes)) return;
  static double a[4][8][4], b[4][4][8], c[4][8][8];
  const auto placeOfSum = [](int lane, int i) -> Place {
    const int high = lane < 16 ? 0 : 4;
    if (C::kBits == 16) return {lane % 4 + high, i};
    return {(lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)};
  };
  for (int lane = 0; lane < 32; ++lane) {
    const Product& one = productOf(lanes, lane);
    const int pair = lane / 4 % 4, t = lane % 4, high = lane < 16 ? 0 : 4;
    for (int i = 0; i < 4; ++i) {
      (aRow ? a[pair][t + high][i] : a[pair][i + high][t]) = F16::get(one.a, i);
      (bColumn ? b[pair][i][t + high] : b[pair][t][i + high]) = F16::get(one.b, i);
    }
    for (int i = 0; i < 8; ++i) {
      const Place p = placeOfSum(lane, i);
      c[pair][p.row][p.column] = C::get(one.c, i);
    }
  }
  for (int pair = 0; pair < 4; ++pair)
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column)
        for (int x = 0; x < 4; ++x)
          c[pair][row][column] = std::fma(a[pair][row][x], b[pair][x][column], c[pair][row][column]);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      const Place p = placeOfSum(lane, i);
      C::put(productOf(lanes, lane).c, i, c[lane / 4 % 4][p.row][p.column]);
    }
}

template <bool aRow, bool bColumn, class C>
void volta(const char* name, void* c, const void* a, const void* b) {
  Product one{c, a, b};
  warp(name, 0xffffffff, runVolta<aRow, bColumn, C>, &one);
}

// ---- cp.async: the destination is poisoned until the thread waits for the copy's group. The source is read at that
// time, as late as possible; in order 1 when the copy is issued. So overwriting it in between gives different results
// in the two orders.

inline void startCopy(void* to, const void* from, std::size_t bytes, std::size_t given) {
  if (!isShared(to, bytes)) fail("cp.async to an address that is not in shared memory");
  if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0 || reinterpret_cast<std::uintptr_t>(from) % bytes != 0)
    fail("cp.async of an address that is not a multiple of its " + std::to_string(bytes) + " bytes");
  std::memset(to, 0xff, bytes);
  Flight flight{to, from, bytes, given, {}};
  std::memcpy(flight.issued.data(), from, given);
  machine.running->groups.back().push_back(flight);
}
inline void closeGroup() { machine.running->groups.emplace_back(); }

// Completes all groups but the newest `pending`.
inline void waitGroups(std::size_t pending) {
  auto& groups = machine.running->groups;
  while (groups.size() > pending + 1) {
    for (const Flight& f : groups.front()) {
      std::memset(f.to, 0, f.bytes);
      std::memcpy(f.to, machine.order == 1 ? f.issued.data() : f.from, f.given);
    }
    groups.erase(groups.begin());
  }
}

}  // namespace tessera::host

namespace tessera {

#define TESSERA_MATRIX(COUNT)                                                   \
  inline void ldmatrix_x##COUNT(void* r, const void* row) {                     \
    host::matrixMove<COUNT, false, true>("ldmatrix.x" #COUNT, r, row);          \
  }                                                                             \
  inline void ldmatrix_x##COUNT##_trans(void* r, const void* row) {             \
    host::matrixMove<COUNT, true, true>("ldmatrix.x" #COUNT ".trans", r, row);  \
  }                                                                             \
  inline void stmatrix_x##COUNT(void* row, const void* r) {                     \
    host::matrixMove<COUNT, false, false>("stmatrix.x" #COUNT, r, row);         \
  }                                                                             \
  inline void stmatrix_x##COUNT##_trans(void* row, const void* r) {             \
    host::matrixMove<COUNT, true, false>("stmatrix.x" #COUNT ".trans", r, row); \
  }
TESSERA_MATRIX(1)
TESSERA_MATRIX(2)
TESSERA_MATRIX(4)
#undef TESSERA_MATRIX

#define TESSERA_MMA(M, N, K, C, A, B, NAME)                               \
  inline void mma_##NAME(void* c, const void* a, const void* b) {         \
    host::mma<M, N, K, host::C, host::A, host::B>("mma." #NAME, c, a, b); \
  }
TESSERA_MMA(16, 8, 8, F32, F16, F16, m16n8k8_f32_f16_f16_f32)
TESSERA_MMA(16, 8, 8, F16, F16, F16, m16n8k8_f16_f16_f16_f16)
TESSERA_MMA(16, 8, 16, F32, F16, F16, m16n8k16_f32_f16_f16_f32)
TESSERA_MMA(16, 8, 16, F16, F16, F16, m16n8k16_f16_f16_f16_f16)
TESSERA_MMA(16, 8, 8, F32, Bf16, Bf16, m16n8k8_f32_bf16_bf16_f32)
TESSERA_MMA(16, 8, 16, F32, Bf16, Bf16, m16n8k16_f32_bf16_bf16_f32)
TESSERA_MMA(16, 8, 4, F32, Tf32, Tf32, m16n8k4_f32_tf32_tf32_f32)
TESSERA_MMA(16, 8, 8, F32, Tf32, Tf32, m16n8k8_f32_tf32_tf32_f32)
TESSERA_MMA(8, 8, 4, F64, F64, F64, m8n8k4_f64_f64_f64_f64)
TESSERA_MMA(16, 8, 4, F64, F64, F64, m16n8k4_f64_f64_f64_f64)
TESSERA_MMA(16, 8, 8, F64, F64, F64, m16n8k8_f64_f64_f64_f64)
TESSERA_MMA(16, 8, 16, F64, F64, F64, m16n8k16_f64_f64_f64_f64)
#define TESSERA_MMA_BYTES(A, B, a, b)                             \
  TESSERA_MMA(8, 8, 16, S32, A, B, m8n8k16_s32_##a##_##b##_s32)   \
  TESSERA_MMA(16, 8, 16, S32, A, B, m16n8k16_s32_##a##_##b##_s32) \
  TESSERA_MMA(16, 8, 32, S32, A, B, m16n8k32_s32_##a##_##b##_s32)
TESSERA_MMA_BYTES(S8, S8, s8, s8)
TESSERA_MMA_BYTES(S8, U8, s8, u8)
TESSERA_MMA_BYTES(U8, S8, u8, s8)
TESSERA_MMA_BYTES(U8, U8, u8, u8)
#undef TESSERA_MMA_BYTES
#define TESSERA_MMA_NIBBLES(A, B, a, b)                           \
  TESSERA_MMA(8, 8, 32, S32, A, B, m8n8k32_s32_##a##_##b##_s32)   \
  TESSERA_MMA(16, 8, 32, S32, A, B, m16n8k32_s32_##a##_##b##_s32) \
  TESSERA_MMA(16, 8, 64, S32, A, B, m16n8k64_s32_##a##_##b##_s32)
TESSERA_MMA_NIBBLES(S4, S4, s4, s4)
TESSERA_MMA_NIBBLES(S4, U4, s4, u4)
TESSERA_MMA_NIBBLES(U4, S4, u4, s4)
TESSERA_MMA_NIBBLES(U4, U4, u4, u4)
#undef TESSERA_MMA_NIBBLES
TESSERA_MMA(8, 8, 128, S32, B1, B1, m8n8k128_s32_b1_b1_s32_and_popc)
TESSERA_MMA(16, 8, 128, S32, B1, B1, m16n8k128_s32_b1_b1_s32_and_popc)
TESSERA_MMA(16, 8, 256, S32, B1, B1, m16n8k256_s32_b1_b1_s32_and_popc)
#define TESSERA_MMA_FP8(A, B, a, b)                               \
  TESSERA_MMA(16, 8, 16, F32, A, B, m16n8k16_f32_##a##_##b##_f32) \
  TESSERA_MMA(16, 8, 16, F16, A, B, m16n8k16_f16_##a##_##b##_f16) \
  TESSERA_MMA(16, 8, 32, F32, A, B, m16n8k32_f32_##a##_##b##_f32) \
  TESSERA_MMA(16, 8, 32, F16, A, B, m16n8k32_f16_##a##_##b##_f16)
TESSERA_MMA_FP8(E4m3, E4m3, e4m3, e4m3)
TESSERA_MMA_FP8(E4m3, E5m2, e4m3, e5m2)
TESSERA_MMA_FP8(E5m2, E4m3, e5m2, e4m3)
TESSERA_MMA_FP8(E5m2, E5m2, e5m2, e5m2)
#undef TESSERA_MMA_FP8
#undef TESSERA_MMA

#define TESSERA_VOLTA(A, B, a, b)                                                             \
  inline void mma_m8n8k4_##a##_##b##_f32_f16_f16_f32(void* c, const void* x, const void* y) { \
    host::volta<A, B, host::F32>("mma.m8n8k4." #a "." #b, c, x, y);                           \
  }                                                                                           \
  inline void mma_m8n8k4_##a##_##b##_f16_f16_f16_f16(void* c, const void* x, const void* y) { \
    host::volta<A, B, host::F16>("mma.m8n8k4." #a "." #b ".f16", c, x, y);                    \
  }
TESSERA_VOLTA(true, true, row, col)
TESSERA_VOLTA(true, false, row, row)
TESSERA_VOLTA(false, true, col, col)
TESSERA_VOLTA(false, false, col, row)
#undef TESSERA_VOLTA

inline void cp_async_cg_16(void* shared, const void* global) { host::startCopy(shared, global, 16, 16); }
inline void cp_async_ca_16(void* shared, const void* global) { host::startCopy(shared, global, 16, 16); }
inline void cp_async_ca_8(void* shared, const void* global) { host::startCopy(shared, global, 8, 8); }
inline void cp_async_ca_4(void* shared, const void* global) { host::startCopy(shared, global, 4, 4); }
inline void cp_async_commit() { host::closeGroup(); }
template <int N>
void cp_async_wait() {
  host::waitGroups(N);
}

// As in the prelude: in float, rounding after every step.
inline float exp2(float a) { return static_cast<float>(std::exp2(static_cast<double>(a))); }
inline float sigmoid(float a) { return __frcp_rn(1 + __expf(-a)); }
inline double sigmoid(double a) { return 1 / (1 + std::exp(-a)); }
inline float infinity() { return std::numeric_limits<float>::infinity(); }

// Integer versions, for an `a` that may be negative and a positive b.
template <class T>
T floor_div(T a, long long b) {
  const long long whole = a / b;
  return static_cast<T>(whole * b > a ? whole - 1 : whole);
}
template <class T>
T floor_mod(T a, long long b) {
  return static_cast<T>(a - b * floor_div<long long>(a, b));
}

// cvt.rna: ties round away from zero.
inline float to_tf32(float a) {
  const auto bits = host::same<std::uint32_t>(a);
  return std::isfinite(a) ? host::same<float>((bits + 0x1000u) & 0xffffe000u) : a;
}

// Dynamic shared memory of a launch: as much as the largest device has.
__shared__ __align__(1024) unsigned char dynamic_memory[227 * 1024];
inline unsigned char* dynamic_shared() { return dynamic_memory; }

// The same pointer, for whole warps, and for any thread.
template <class T>
T* kept(T* shared) {
  host::warp("kept()", 0xffffffff, host::runNothing, &shared);
  return shared;
}
template <class T>
T* kept_global(T* at) {
  return at;
}

inline void dp4a_s32(int* c, const void* a, const void* b) {
  *c = __dp4a(*static_cast<const int*>(a), *static_cast<const int*>(b), *c);
}
inline void dp2a_lo_s32(int* c, const void* a, const void* b) {
  const auto* x = static_cast<const std::int16_t*>(a);
  const auto* y = static_cast<const std::int8_t*>(b);
  *c = __dp2a_lo((x[0] & 0xffff) | static_cast<int>(x[1]) * 65536, (y[0] & 0xff) | (y[1] & 0xff) << 8, *c);
}

}  // namespace tessera
