// Helpers that make an Operation from a function of one lane.
//
//     eachLaneOf(2, Type::U32, [](u64 a, u64 b, u64) { return (a + b) & 0xffffffff; })
//
// The function is called for all 32 lanes; the type and the modifiers are decided once, when the operation is made.
#pragma once

#include <bit>
#include <cmath>

#include "solver/kernel/lanes/operation.h"

namespace tessera::kernel {

[[nodiscard]] inline u64 maskOf(int bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }
[[nodiscard]] inline i64 signedOf(u64 x, int bits) {
  return bits >= 64 ? static_cast<i64>(x) : static_cast<i64>(x << (64 - bits)) >> (64 - bits);
}
[[nodiscard]] inline bool isSigned(ptx::Type t) {
  using ptx::Type;
  return t == Type::S8 || t == Type::S16 || t == Type::S32 || t == Type::S64;
}
[[nodiscard]] inline bool isFloat(ptx::Type t) {
  using ptx::Type;
  return t == Type::F16 || t == Type::BF16 || t == Type::F32 || t == Type::F64 || t == Type::F16x2 ||
         t == Type::BF16x2 || t == Type::F32x2;
}

// `f(a, b, c)` of each lane; sources beyond `count` are 0.
template <class F>
[[nodiscard]] Operation eachLaneOf(int count, ptx::Type type, F f) {
  Operation op;
  op.sources.assign(static_cast<std::size_t>(count), type);
  op.inPlace = true;
  op.run = [count, f](const LaneArguments& a) {
    const Lanes &x = *a.in[0], &y = *a.in[count > 1 ? 1 : 0], &z = *a.in[count > 2 ? 2 : 0];
    Lanes out;  // Why: it aliases no source, so that compilers vectorize the loop
    for (std::size_t l = 0; l < kLanes; ++l) out[l] = f(x[l], y[l], z[l]);
    *a.out[0] = out;
  };
  return op;
}

}  // namespace tessera::kernel
