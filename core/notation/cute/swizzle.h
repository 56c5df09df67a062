// Swizzle<B,M,S>: xors B bits of an index with the B bits that are S places away. CuTe's permutation of shared memory.
//
//     Sw<3,4,3>(x) = x xor ((x & 0x380) >> 3)          bits 7..9 (yyy) go into bits 4..6 (zzz)
//
//     Sw<1,0,2> on 0..7, written as 2 rows of 4:       0 1 2 3
//                                                      5 4 7 6
//
// The M low bits are unchanged (vectors of 2^M elements stay together). The source is above the target if S > 0, below
// it if S < 0.
// yyy = (2^B-1) << (M + max(0,S)) is the source mask, zzz = (2^B-1) << (M + max(0,-S)) the target mask.
//
// Laws: s(s(x)) == x (source and target bits are disjoint, because |S| >= B), and s is linear over xor: s(x^y) ==
// s(x)^s(y). It is not a layout, because it has no extent; `A o off o B` (composed_layout.h) gives it one. It can
// enlarge a codomain: Sw<3,4,-3>(16) = 144. Sw<3,4,3> acts on the layout's unit. S<3,4,3>, used only by CuTe DSL, acts
// on byte addresses, independent of that unit; on 16-bit elements it is Sw<3,3,3>.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::cute {

class Swizzle {
 public:
  Swizzle() = default;  // Sw<0,0,0>: the identity
  // Requires B >= 0, M >= 0, |S| >= B, B + M + |S| <= 62; otherwise a Diag.
  [[nodiscard]] static Result<Swizzle> make(i64 bits, i64 base, i64 shift);
  // make_swizzle<Y,Z>: from the source and target masks, two contiguous runs of the same length.
  [[nodiscard]] static Result<Swizzle> fromMasks(i64 yyy, i64 zzz);

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] int base() const { return base_; }
  [[nodiscard]] int shift() const { return shift_; }
  [[nodiscard]] i64 yyyMask() const;
  [[nodiscard]] i64 zzzMask() const;
  [[nodiscard]] bool isIdentity() const { return bits_ == 0; }
  // Written S<B,M,S>: it acts on the bits of a byte address. The results of upcast and downcast do not.
  [[nodiscard]] bool onBytes() const { return onBytes_; }
  [[nodiscard]] Swizzle withOnBytes(bool onBytes) const;
  // The smallest power of two such that the swizzle permutes each aligned block of that size.
  [[nodiscard]] i64 period() const;
  // Two's complement for x < 0.
  [[nodiscard]] i64 operator()(i64 x) const;

  bool operator==(const Swizzle&) const = default;

 private:
  int bits_ = 0;
  int base_ = 0;
  int shift_ = 0;
  bool onBytes_ = false;
};

// "Sw<3,4,3>", as in CuTe C++; "S<3,4,3>" on bytes, as in CuTe DSL.
[[nodiscard]] std::string print(const Swizzle& s);
// Sw<3,4,3>, S<3,4,3>, Swizzle<3,4,3>, SW_3_4_3, !cute.swizzle<"S<3,4,3>">.
[[nodiscard]] Result<Swizzle> parseSwizzle(std::string_view text);

// compose(a, b)(x) == a(b(x)) for every x >= 0. A Diag if no swizzle does that (it names the first such x), or if only
// one of them acts on bytes.
[[nodiscard]] Result<Swizzle> compose(const Swizzle& a, const Swizzle& b);
// Elements become n times larger: upcast(s, n)(x / n) == s(x) / n. Requires a power of two n and, if S < 0, that no
// kept bit depends on a dropped one; otherwise a Diag.
[[nodiscard]] Result<Swizzle> upcast(const Swizzle& s, i64 n);
// A swizzle on bytes as one on elements of `bits` bits: Sw<3,4,3> on bytes is Sw<3,3,3> on 16 bits, Sw<3,7,3> on bits.
[[nodiscard]] Result<Swizzle> onElements(const Swizzle& onBytes, int bits);
// Elements become n times smaller: downcast(s, n)(x * n + r) == s(x) * n + r for 0 <= r < n.
[[nodiscard]] Result<Swizzle> downcast(const Swizzle& s, i64 n);

}  // namespace tessera::cute
