#include "core/notation/cute/swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"

namespace tessera::cute {

namespace {

constexpr int kMaxBit = 62;

// Requires n a power of two.
int log2Of(i64 n) { return std::countr_zero(static_cast<u64>(n)); }

Result<void> checkRatio(i64 n, std::string_view operation) {
  if (isPowerOfTwo(n)) return {};
  return Diag{fmt::format("{} of a swizzle by {}, which is not a power of two", operation, n), "1, 2, 4, 8, ..."};
}

bool isContiguous(u64 mask) { return mask == 0 || std::has_single_bit((mask >> std::countr_zero(mask)) + 1); }

}  // namespace

Result<Swizzle> Swizzle::make(i64 bits, i64 base, i64 shift) {
  const std::string text = fmt::format("Sw<{},{},{}>", bits, base, shift);
  const auto distance = [&] { return shift < 0 ? -shift : shift; };  // where |shift| <= 62
  if (bits < 0) return Diag{fmt::format("{}: B = {} is negative", text, bits), "B >= 0 bits"};
  if (base < 0) return Diag{fmt::format("{}: M = {} is negative", text, base), "M >= 0 untouched low bits"};
  if (bits > kMaxBit || base > kMaxBit || shift > kMaxBit || shift < -kMaxBit || bits + base + distance() > kMaxBit)
    return Diag{fmt::format("{}: bits above {} are touched", text, kMaxBit), "B + M + |S| <= 62"};
  if (distance() < bits)
    return Diag{
        fmt::format("{}: |S| = {} is smaller than B = {}, so source and target bits overlap", text, distance(), bits),
        "|S| >= B", fmt::format("did you mean Sw<{},{},{}>?", bits, base, shift < 0 ? -bits : bits)};
  Swizzle s;
  s.bits_ = static_cast<int>(bits);
  s.base_ = static_cast<int>(base);
  s.shift_ = static_cast<int>(shift);
  return s;
}

Result<Swizzle> Swizzle::fromMasks(i64 yyy, i64 zzz) {
  const u64 y = static_cast<u64>(yyy), z = static_cast<u64>(zzz);
  if (yyy < 0 || zzz < 0 || !isContiguous(y) || !isContiguous(z) || std::popcount(y) != std::popcount(z))
    return Diag{fmt::format("make_swizzle: masks {:#x} and {:#x} are not two runs of the same number of bits", y, z),
                "contiguous masks with equally many bits"};
  if (y == 0) return Swizzle();
  const int from = std::countr_zero(y), to = std::countr_zero(z);
  return make(std::popcount(y), std::min(from, to), from - to);
}

i64 Swizzle::yyyMask() const { return ((i64{1} << bits_) - 1) << (base_ + std::max(0, shift_)); }
i64 Swizzle::zzzMask() const { return ((i64{1} << bits_) - 1) << (base_ + std::max(0, -shift_)); }

i64 Swizzle::period() const {
  if (isIdentity()) return 1;
  return i64{1} << (bits_ + base_ + (shift_ < 0 ? -shift_ : shift_));
}

i64 Swizzle::operator()(i64 x) const {
  const u64 u = static_cast<u64>(x);
  const u64 source = u & static_cast<u64>(yyyMask());
  return static_cast<i64>(u ^ (shift_ >= 0 ? source >> shift_ : source << -shift_));
}

Swizzle Swizzle::withOnBytes(bool onBytes) const {
  Swizzle s = *this;
  s.onBytes_ = onBytes;
  return s;
}

std::string print(const Swizzle& s) {
  return fmt::format("{}<{},{},{}>", s.onBytes() ? "S" : "Sw", s.bits(), s.base(), s.shift());
}

// Both sides are linear over xor, so they agree everywhere iff they agree on single bits.
Result<Swizzle> compose(const Swizzle& a, const Swizzle& b) {
  if (a.onBytes() != b.onBytes() && !a.isIdentity() && !b.isIdentity())
    return Diag{fmt::format("{} o {}: one acts on bytes, the other on elements", print(a), print(b)),
                "two swizzles of one unit",
                "give the element type of the swizzle on bytes: S<3,4,3> over f16 is Sw<3,3,3>"};
  u64 sources = 0, targets = 0;
  for (int k = 0; k < kMaxBit; ++k) {
    const u64 bit = u64{1} << k;
    const u64 moved = bit ^ static_cast<u64>(a(b(static_cast<i64>(bit))));
    if (moved != 0) sources |= bit;
    targets |= moved;
  }
  Swizzle candidate;
  if (sources == 0) {
    candidate = *Swizzle::make(0, a.base(), a.shift());
  } else if (const Result<Swizzle> fromMasks = Swizzle::fromMasks(static_cast<i64>(sources), static_cast<i64>(targets));
             fromMasks.ok()) {
    candidate = *fromMasks;
  }
  for (int k = 0; k < kMaxBit; ++k) {
    const i64 x = i64{1} << k;
    if (candidate(x) != a(b(x)))
      return Diag{fmt::format("{} o {} is not a swizzle: it maps {} to {}, and no single swizzle does", print(a),
                              print(b), x, a(b(x))),
                  "swizzles with the same shift and adjacent runs of bits"};
  }
  return candidate.withOnBytes(a.onBytes() && b.onBytes());
}

Result<Swizzle> upcast(const Swizzle& s, i64 n) {
  TESSERA_CHECKED(checkRatio(n, "upcast"));
  const int dropped = log2Of(n);
  const int lost = std::max(0, dropped - s.base());
  if (lost == 0) return Swizzle::make(s.bits(), s.base() - dropped, s.shift());
  if (s.isIdentity() || s.shift() > 0) return Swizzle::make(std::max(0, s.bits() - lost), 0, s.shift());
  const int keptTargets = s.base() - s.shift() + s.bits() - dropped;
  if (keptTargets <= 0) return Swizzle::make(0, 0, s.shift());
  return Diag{fmt::format("upcast of {} by {}: bit {} is dropped, but bit {} depends on it", print(s), n, s.base(),
                          s.base() - s.shift()),
              fmt::format("a factor of at most {}", i64{1} << s.base())};
}

Result<Swizzle> onElements(const Swizzle& onBytes, int bits) {
  if (!isPowerOfTwo(bits))
    return Diag{fmt::format("a swizzle on {}-bit elements: not a power of two", bits),
                "1, 2, 4, 8, 16, 32, 64, 128 bits"};
  return bits >= 8 ? upcast(onBytes, bits / 8) : downcast(onBytes, 8 / bits);
}

Result<Swizzle> downcast(const Swizzle& s, i64 n) {
  TESSERA_CHECKED(checkRatio(n, "downcast"));
  return Swizzle::make(s.bits(), s.base() + log2Of(n), s.shift());
}

}  // namespace tessera::cute
