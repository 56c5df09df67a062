#include "core/atlas/tma.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera {
namespace {

TmaSwizzleMode mode(const char* name, const char* bits, const char* base, int b, int m, int s, i64 line) {
  TmaSwizzleMode out{name, bits, base, *cute::Swizzle::make(b, m, s), line, b == 0 ? 128 : i64{1} << (b + m + s)};
  return out;
}

}  // namespace

const std::vector<TmaSwizzleMode>& tmaSwizzleModes() {
  static const std::vector<TmaSwizzleMode> modes = {mode("NONE", "DISABLE", "16B", 0, 4, 3, 16),
                                                    mode("32B", "B32", "16B", 1, 4, 3, 32),
                                                    mode("64B", "B64", "16B", 2, 4, 3, 64),
                                                    mode("128B", "B128", "16B", 3, 4, 3, 128),
                                                    mode("128B_ATOM_32B", "B128", "32B", 2, 5, 2, 128),
                                                    mode("128B_ATOM_64B", "B128", "64B", 2, 6, 2, 128)};
  return modes;
}

Result<TmaSwizzleMode> tmaSwizzleMode(const cute::Swizzle& onBytes) {
  const int b = onBytes.bits(), m = onBytes.base(), s = onBytes.shift();
  for (const TmaSwizzleMode& candidate : tmaSwizzleModes()) {
    const cute::Swizzle& x = candidate.onBytes;
    // CuTe asks nothing of S when the base is 64 bytes.
    if (x.bits() == b && x.base() == m && (x.shift() == s || m == 6)) return candidate;
  }
  return Diag{fmt::format("{} on bytes is no TMA swizzle", print(onBytes)),
              "Sw<0,4,3>, Sw<1,4,3> (32B), Sw<2,4,3> (64B), Sw<3,4,3> (128B), Sw<2,5,2> (128B_ATOM_32B)",
              m == 3 && b == 3 && s == 3 ? "Sw<3,3,3> on 2-byte elements is Sw<3,4,3> on bytes" : "",
              {}};
}

Result<TmaSwizzleMode> tmaSwizzleMode(std::string_view name) {
  constexpr std::string_view prefix = "CU_TENSOR_MAP_SWIZZLE_";
  std::string_view wanted = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  for (const TmaSwizzleMode& candidate : tmaSwizzleModes())
    if (candidate.name == wanted) return candidate;
  return Diag{
      fmt::format("'{}' is no TMA swizzle mode", name), "NONE, 32B, 64B, 128B, 128B_ATOM_32B, 128B_ATOM_64B", "", {}};
}

i64 tmaChunk(const TmaSwizzleMode& m, i64 line, i64 chunk) {
  const i64 start = line * m.lineBytes;
  return (m.onBytes(start + 16 * chunk) - start) / 16;
}

i64 boxBytes(const TmaBox& box) {
  i64 elements = 1;
  for (i64 x : box.box) elements *= x;
  return ceilDiv(elements * box.elementBits, 8);
}

Result<void> checkTmaBox(const TmaBox& b) {
  const std::size_t rank = b.globalExtents.size();
  auto fail = [](std::string message, std::string expected, std::string hint = "") {
    return Diag{std::move(message), std::move(expected), std::move(hint), {}};
  };
  if (rank < 1 || rank > 5) return fail(fmt::format("a tensor map of rank {}", rank), "rank 1 to 5");
  if (b.box.size() != rank || b.globalStrideBytes.size() + 1 != rank ||
      (!b.elementStrides.empty() && b.elementStrides.size() != rank))
    return fail(fmt::format("{} extents, {} strides, {} box extents", rank, b.globalStrideBytes.size(), b.box.size()),
                "as many box extents as dimensions, one stride less");
  if (!isPowerOfTwo(b.elementBits) || b.elementBits < 4 || b.elementBits > 64)
    return fail(fmt::format("elements of {} bits", b.elementBits), "4, 8, 16, 32 or 64 bits");
  if (b.globalAddress % 16 != 0)
    return fail(fmt::format("global address {} is not a multiple of 16", b.globalAddress), "a multiple of 16");
  for (std::size_t d = 0; d < rank; ++d) {
    if (b.globalExtents[d] < 1 || b.globalExtents[d] > (i64{1} << 32))
      return fail(fmt::format("dimension {} has extent {}", d, b.globalExtents[d]), "1 to 2^32");
    if (b.box[d] < 1 || b.box[d] > 256)
      return fail(fmt::format("the box has {} elements in dimension {}", b.box[d], d), "1 to 256", "use several boxes");
    if (!b.elementStrides.empty() && (b.elementStrides[d] < 1 || b.elementStrides[d] > 8))
      return fail(fmt::format("element stride {} in dimension {}", b.elementStrides[d], d), "1 to 8");
    if (d + 1 < rank) {
      const i64 stride = b.globalStrideBytes[d];
      if (stride % 16 != 0 || stride < 0 || stride >= (i64{1} << 40))
        return fail(fmt::format("dimension {} has a stride of {} bytes", d + 1, stride), "a multiple of 16 below 2^40",
                    fmt::format("pad to {} bytes", roundUp(std::max<i64>(stride, 16), 16)));
    }
  }
  const i64 innerBits = b.box[0] * b.elementBits;
  if (innerBits % 128 != 0)
    return fail(fmt::format("the box's inner dimension has {} bytes", ceilDiv(innerBits, 8)), "a multiple of 16 bytes",
                fmt::format("use {} elements", roundUp(b.box[0], 128 / b.elementBits)));
  const bool swizzled = b.swizzle.onBytes.bits() > 0;
  if (swizzled && innerBits / 8 > b.swizzle.lineBytes)
    return fail(fmt::format("the box's inner dimension has {} bytes, swizzle {} spans {}", innerBits / 8,
                            b.swizzle.name, b.swizzle.lineBytes),
                fmt::format("at most {} elements", b.swizzle.lineBytes * 8 / b.elementBits),
                "split the box, or use a wider swizzle");
  const i64 alignment = swizzled ? b.swizzle.patternBytes : 128;
  if (b.sharedAddress % alignment != 0)
    return fail(
        fmt::format("shared address {} is not a multiple of {}", b.sharedAddress, alignment),
        fmt::format("a multiple of {} for swizzle {}", alignment, b.swizzle.name.empty() ? "NONE" : b.swizzle.name));
  return {};
}

}  // namespace tessera
