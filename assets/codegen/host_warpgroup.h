// Products of a warpgroup: wgmma and its matrix descriptors: functions of core/codegen/kernel/prelude.h.
//
// Each warp computes its 16 of the 64 rows: warp w of the four has rows 16w to 16w + 15; with lane = 4g + t, sum i is
// row 16w + g (+ 8 for i & 2), column 8 (i / 4) + 2t + i % 2. Products run when their group is waited for, and the
// registers are poisoned until then, so that overwriting a matrix or reading a sum too early gives a wrong result.
//
// A descriptor counts 16-byte units of T elements; bits 4.. of the address are xored with its bits 7.. (3, 2, 1 of
// them):
//
//     K-major   none     ((8,m),(T,k)):((1T,SBO),(1,LBO))     MN-major    none     ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
//               others   ((8,m),(T,k)):((wT,SBO),(1,T))                   others   ((T,w,m),(8,k)):((1,T,LBO),(wT,SBO))
//
// with w = 8, 4, 2 units per line of 128, 64, 32 bytes. Not checked: fences; the emulator checks them.
//
// Source: PTX ISA 9.7.15.5, "Canonical Layouts" and "Register Fragments for wgmma.mma_async.m64nNk16". Included by
// tessera_host.h.
#pragma once
#pragma GCC system_header

namespace tessera::host {

struct Matrix {
  const unsigned char* start;
  int mode, leading, stride;
};

// Units per line; the number of xored bits below.
inline int lineOf(int mode) { return mode == 1 ? 8 : mode == 2 ? 4 : mode == 3 ? 2 : 1; }
inline int bitsOf(int mode) { return mode == 0 ? 0 : 4 - mode; }

inline const void* elementOf(const Matrix& m, bool mnMajor, int mn, int k, int bytes) {
  const int t = 16 / bytes, w = lineOf(m.mode);
  int units = 0;
  if (!mnMajor)
    units = mn % 8 * w + mn / 8 * m.stride + k / t * (m.mode == 0 ? m.leading : 1);
  else if (m.mode == 0)
    units = mn / t * m.stride + k % 8 + k / 8 * m.leading;
  else
    units = mn / t % w + mn / (t * w) * m.leading + k % 8 * w + k / 8 * m.stride;
  auto address = reinterpret_cast<std::uintptr_t>(m.start) +
                 static_cast<std::uintptr_t>(16 * units + (mnMajor ? mn : k) % t * bytes);
  address ^= (address >> 7 & ((std::uintptr_t{1} << bitsOf(m.mode)) - 1)) << 4;
  return reinterpret_cast<const void*>(address);
}

struct WarpProduct {  // arguments of a lane
  void* c;
  Matrix a, b;
  Thread* thread;
  const void* registers;  // A in registers, 16 rows as in mma.m16n8k16; null: it is the matrix a
};

inline Sums& sumsOf(Thread& thread, void* at, std::size_t bytes) {
  for (Sums& s : thread.sums)
    if (s.at == at) return s;
  const auto* from = static_cast<unsigned char*>(at);
  thread.sums.push_back({at, 0, std::vector<unsigned char>(from, from + bytes)});
  std::memset(at, 0xff, bytes);
  return thread.sums.back();
}

template <int n, class C, class AB>
void multiplyWarp(Thread* const* lanes, void* const* sums, const void* const* registers, const Matrix& a,
                  const Matrix& b, bool mnA, bool mnB) {
  constexpr int bytes = AB::kBits / 8;
  const int warp = static_cast<int>(numberOf(*lanes[0]) / 32 % 4);
  for (int lane = 0; lane < 32; ++lane) {
    Sums& mine = sumsOf(*lanes[lane], sums[lane], n / 2 * C::kBits / 8);
    for (int i = 0; i < n / 2; ++i) {
      const int row = 16 * warp + lane / 4 + (i & 2 ? 8 : 0), column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      double sum = C::get(mine.values.data(), i);
      for (int k = 0; k < 16; ++k) {
        const void* y = elementOf(b, mnB, column, k, bytes);
        const void* x = registers[0] == nullptr ? elementOf(a, mnA, row, k, bytes) : nullptr;
        if ((x != nullptr && !isShared(x, bytes)) || !isShared(y, bytes))
          return fail("wgmma reads what is not shared memory");
        const double left = x != nullptr
                                ? AB::get(x, 0)
                                : AB::get(registers[row % 8 * 4 + k % 8 / 2], k % 2 + row % 16 / 8 * 2 + k / 8 * 4);
        sum = std::fma(left, AB::get(y, 0), sum);
      }
      C::put(mine.values.data(), i, sum);
    }
    if (--mine.pending == 0) std::memcpy(mine.at, mine.values.data(), mine.values.size());
  }
}

template <int n, class C, class AB, int mnA, int mnB>
void issueProduct(LaneArguments arguments) {
  if (!allThere("wgmma", arguments)) return;
  std::vector<Thread*> lanes;
  std::vector<void*> sums;
  std::vector<const void*> registers;
  const WarpProduct& first = *static_cast<WarpProduct*>(arguments[0]);
  for (int lane = 0; lane < 32; ++lane) {
    const WarpProduct& one = *static_cast<WarpProduct*>(arguments[lane]);
    if (one.a.start != first.a.start || one.b.start != first.b.start)
      fail("wgmma: lane " + std::to_string(lane) + " names another matrix");
    lanes.push_back(one.thread);
    sums.push_back(one.c);
    registers.push_back(one.registers);
    ++sumsOf(*one.thread, one.c, n / 2 * C::kBits / 8).pending;
  }
  const Matrix a = first.a, b = first.b;
  first.thread->products.back().push_back([lanes, sums, registers, a, b] {
    multiplyWarp<n, C, AB>(lanes.data(), sums.data(), registers.data(), a, b, mnA != 0, mnB != 0);
  });
}

template <int n, class C, class AB, int mnA, int mnB>
void wgmma(void* c, const Matrix& a, const Matrix& b) {
  WarpProduct one{c, a, b, machine.running, nullptr};
  warp("wgmma", 0xffffffff, issueProduct<n, C, AB, mnA, mnB>, &one);
}
template <int n, class C, class AB, int mnB>
void wgmma(void* c, const void* a, const Matrix& b) {
  WarpProduct one{c, {}, b, machine.running, a};
  warp("wgmma", 0xffffffff, issueProduct<n, C, AB, 0, mnB>, &one);
}

// The statements' argument: the lane's thread.
inline void closeProducts(LaneArguments lanes) { static_cast<Thread*>(lanes[0])->products.emplace_back(); }
template <int pending>
void landProducts(LaneArguments lanes) {
  if (!allThere("wgmma.wait", lanes)) return;
  auto& groups = static_cast<Thread*>(lanes[0])->products;
  while (groups.size() > pending + 1) {
    for (const auto& product : groups.front()) product();
    groups.erase(groups.begin());
  }
  for (int lane = 0; lane < 32; ++lane) {
    auto& sums = static_cast<Thread*>(lanes[lane])->sums;
    for (std::size_t i = sums.size(); i-- > 0;)
      if (sums[i].pending == 0) sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace tessera::host

namespace tessera {

template <int mode, int leading, int stride>
host::Matrix matrix_descriptor(const void* shared) {
  if (reinterpret_cast<std::uintptr_t>(shared) % 16 != 0)
    host::fail("a descriptor of an address that is not a multiple of 16");
  return {static_cast<const unsigned char*>(shared), mode, leading, stride};
}
inline void fence_async() {}
inline void wgmma_fence() { host::warp("wgmma.fence", 0xffffffff, host::runNothing, host::machine.running); }
inline void wgmma_commit() { host::warp("wgmma.commit", 0xffffffff, host::closeProducts, host::machine.running); }
template <int N>
void wgmma_wait() {
  host::warp("wgmma.wait", 0xffffffff, host::landProducts<N>, host::machine.running);
}
template <int N, class T>
void settled(T*) {}

#define TESSERA_WGMMA_TYPES(N, types, C, AB)                                                    \
  template <int A, int B>                                                                       \
  void wgmma_m64n##N##k16_##types##_ss(void* c, const host::Matrix& a, const host::Matrix& b) { \
    host::wgmma<N, host::C, host::AB, A, B>(c, a, b);                                           \
  }                                                                                             \
  template <int B>                                                                              \
  void wgmma_m64n##N##k16_##types##_rs(void* c, const void* a, const host::Matrix& b) {         \
    host::wgmma<N, host::C, host::AB, B>(c, a, b);                                              \
  }
#define TESSERA_WGMMA(N)                           \
  TESSERA_WGMMA_TYPES(N, f32_f16_f16, F32, F16)    \
  TESSERA_WGMMA_TYPES(N, f32_bf16_bf16, F32, Bf16) \
  TESSERA_WGMMA_TYPES(N, f16_f16_f16, F16, F16)
TESSERA_WGMMA(8)
TESSERA_WGMMA(16)
TESSERA_WGMMA(24)
TESSERA_WGMMA(32)
TESSERA_WGMMA(40)
TESSERA_WGMMA(48)
TESSERA_WGMMA(56)
TESSERA_WGMMA(64)
TESSERA_WGMMA(72)
TESSERA_WGMMA(80)
TESSERA_WGMMA(88)
TESSERA_WGMMA(96)
TESSERA_WGMMA(104)
TESSERA_WGMMA(112)
TESSERA_WGMMA(120)
TESSERA_WGMMA(128)
TESSERA_WGMMA(136)
TESSERA_WGMMA(144)
TESSERA_WGMMA(152)
TESSERA_WGMMA(160)
TESSERA_WGMMA(168)
TESSERA_WGMMA(176)
TESSERA_WGMMA(184)
TESSERA_WGMMA(192)
TESSERA_WGMMA(200)
TESSERA_WGMMA(208)
TESSERA_WGMMA(216)
TESSERA_WGMMA(224)
TESSERA_WGMMA(232)
TESSERA_WGMMA(240)
TESSERA_WGMMA(248)
TESSERA_WGMMA(256)
#undef TESSERA_WGMMA
#undef TESSERA_WGMMA_TYPES

}  // namespace tessera
