#include "core/atlas/tma.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/atlas/atlas.h"
#include "core/base/arith.h"

namespace tessera {
namespace {

TmaSwizzleMode mode(const char* name, const char* bits, const char* base, int b, int m, int s, i64 line) {
  return {name, bits, base, *cute::Swizzle::make(b, m, s), line, b == 0 ? 128 : i64{1} << (b + m + s)};
}

// The modes' swizzles over elements of 2^shift bytes: "Sw<3,3,3> (128B)". Their chunks are at least 16 bytes, so no
// element is larger than a chunk.
std::string swizzleForms(int shift) {
  std::string out;
  for (const TmaSwizzleMode& m : tmaSwizzleModes()) {
    const cute::Swizzle& s = m.onBytes;
    if (s.isIdentity() || m.name.ends_with("FLIP_8B")) continue;
    out += fmt::format("Sw<{},{},{}> ({}), ", s.bits(), s.base() - shift, s.shift(), m.name);
  }
  return out + "or Sw<0,M,S> (NONE)";
}

const TmaSwizzleMode* modeOf(int bits, int base, int shift) {
  for (const TmaSwizzleMode& candidate : tmaSwizzleModes()) {
    const cute::Swizzle& x = candidate.onBytes;
    if (x.bits() == bits && (bits == 0 || (x.base() == base && x.shift() == shift))) return &candidate;
  }
  return nullptr;
}

// Bytes that one element takes in shared memory, times 8.
int sharedBits(const TmaElement& element) { return element.padded ? 8 : element.bits; }

using Fault = std::optional<TmaFault>;
Fault fault(TmaField field, std::string message, std::string expected, std::string hint = "") {
  return TmaFault{field, Diag{std::move(message), std::move(expected), std::move(hint)}};
}

Fault shapeFault(const TmaBox& b) {
  const std::size_t rank = b.globalExtents.size();
  if (rank < 1 || rank > 5)
    return fault(TmaField::Extents, fmt::format("a tensor map of rank {}", rank), "rank 1 to 5");
  if (b.globalStrideBytes.size() + 1 != rank)
    return fault(TmaField::Strides, fmt::format("{} extents, {} strides", rank, b.globalStrideBytes.size()),
                 fmt::format("{} strides in bytes, of dimensions 1 and up", rank - 1));
  if (b.box.size() != rank || (!b.elementStrides.empty() && b.elementStrides.size() != rank))
    return fault(TmaField::Box, fmt::format("{} extents, {} box extents", rank, b.box.size()),
                 "as many box extents as dimensions");
  const TmaElement& e = b.element;
  if (const auto known = tmaElement(i64{e.bits}); !known || (e.padded && e.bits > 6) || (!e.padded && e.bits == 6))
    return fault(TmaField::Element, fmt::format("{} elements of {} bits", e.padded ? "padded" : "packed", e.bits),
                 "packed 4, 8, 16, 32 or 64 bits, padded 4 or 6 bits");
  return {};
}

// The additional rules of 16U4_ALIGN16B and 16U6_ALIGN16B.
Fault paddedFault(const TmaBox& b) {
  const std::string type = fmt::format("16U{}_ALIGN16B", b.element.bits);
  if (b.globalAddress % 32 != 0)
    return fault(TmaField::Address, fmt::format("global address {} is not a multiple of 32", b.globalAddress),
                 "a multiple of 32 for " + type);
  if (b.globalExtents[0] % 128 != 0)
    return fault(TmaField::Extents, fmt::format("dimension 0 has {} elements", b.globalExtents[0]),
                 "a multiple of 128 for " + type, fmt::format("pad to {}", roundUp(b.globalExtents[0], 128)));
  for (std::size_t d = 1; d < b.globalExtents.size(); ++d)
    if (b.globalStrideBytes[d - 1] % 32 != 0)
      return fault(TmaField::Strides,
                   fmt::format("dimension {} has a stride of {} bytes", d, b.globalStrideBytes[d - 1]),
                   "a multiple of 32 for " + type);
  if (b.box[0] != 128)
    return fault(TmaField::Box, fmt::format("the box's inner dimension has {} elements", b.box[0]),
                 "128 elements for " + type);
  const std::string& mode = b.swizzle.name;
  const bool known = b.swizzle.onBytes.isIdentity() || mode == "128B" || mode == "128B_ATOM_32B" ||
                     (mode == "128B_ATOM_64B" && b.element.bits == 6);
  if (!known)
    return fault(TmaField::Swizzle, fmt::format("{} with swizzle {}", type, mode),
                 b.element.bits == 6 ? "NONE, 128B, 128B_ATOM_32B or, for stores, 128B_ATOM_64B"
                                     : "NONE, 128B or 128B_ATOM_32B");
  return {};
}

Fault dimensionFault(const TmaBox& b, std::size_t d) {
  if (b.globalExtents[d] < 1 || b.globalExtents[d] > (i64{1} << 32))
    return fault(TmaField::Extents, fmt::format("dimension {} has extent {}", d, b.globalExtents[d]), "1 to 2^32");
  if (b.box[d] < 1 || b.box[d] > 256)
    return fault(TmaField::Box, fmt::format("the box has {} elements in dimension {}", b.box[d], d), "1 to 256",
                 "use several boxes");
  if (!b.elementStrides.empty() && (b.elementStrides[d] < 1 || b.elementStrides[d] > 8))
    return fault(TmaField::Box, fmt::format("element stride {} in dimension {}", b.elementStrides[d], d), "1 to 8");
  if (d == 0) return {};
  const i64 stride = b.globalStrideBytes[d - 1];
  if (stride < 0 || stride % 16 != 0 || stride >= (i64{1} << 40))
    return fault(TmaField::Strides, fmt::format("dimension {} has a stride of {} bytes", d, stride),
                 "a multiple of 16 below 2^40",
                 stride > 0 && stride % 16 != 0 ? fmt::format("pad to {} bytes", roundUp(stride, 16)) : "");
  return {};
}

// No two elements may share bytes: sorted by stride, each dimension steps over all of the previous one.
Fault overlapFault(const TmaBox& b) {
  const i64 row = ceilDiv(b.globalExtents[0] * b.element.bits, 8);
  std::vector<std::size_t> order;
  for (std::size_t d = 1; d < b.globalExtents.size(); ++d) {
    if (b.globalStrideBytes[d - 1] < row)
      return fault(TmaField::Strides,
                   fmt::format("dimension {} has a stride of {} bytes, a row of {} elements takes {}", d,
                               b.globalStrideBytes[d - 1], b.globalExtents[0], row),
                   fmt::format("at least {} bytes", roundUp(row, 16)));
    if (b.globalExtents[d] > 1) order.push_back(d);
  }
  auto strideOf = [&](std::size_t d) { return b.globalStrideBytes[d - 1]; };
  std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) { return strideOf(x) < strideOf(y); });
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::size_t inner = order[k - 1], outer = order[k];
    const auto span = checkedMul(strideOf(inner), b.globalExtents[inner]);
    if (span && strideOf(outer) >= *span) continue;
    return fault(TmaField::Strides,
                 fmt::format("dimension {} has a stride of {} bytes, dimension {} takes {} steps of {}", outer,
                             strideOf(outer), inner, b.globalExtents[inner], strideOf(inner)),
                 span ? fmt::format("at least {} bytes", *span) : "a tensor below 2^63 bytes");
  }
  return {};
}

Fault innerFault(const TmaBox& b) {
  const i64 innerBits = b.box[0] * sharedBits(b.element);
  if (innerBits % 128 != 0)
    return fault(TmaField::Box, fmt::format("the box's inner dimension has {} bytes", ceilDiv(innerBits, 8)),
                 "a multiple of 16 bytes",
                 fmt::format("use {} elements", roundUp(b.box[0], 128 / sharedBits(b.element))));
  if (!b.swizzle.onBytes.isIdentity() && innerBits / 8 > b.swizzle.lineBytes)
    return fault(TmaField::Box,
                 fmt::format("the box's inner dimension has {} bytes, swizzle {} spans {}", innerBits / 8,
                             b.swizzle.name, b.swizzle.lineBytes),
                 fmt::format("at most {} elements", b.swizzle.lineBytes * 8 / sharedBits(b.element)),
                 "split the box, or use a wider swizzle");
  return {};
}

Fault sharedFault(const TmaBox& b) {
  const i64 alignment = b.swizzle.onBytes.isIdentity() ? 128 : b.swizzle.patternBytes;
  if (b.sharedAddress < 0 || b.sharedAddress % alignment != 0)
    return fault(
        TmaField::Address, fmt::format("shared address {} is not a multiple of {}", b.sharedAddress, alignment),
        fmt::format("a multiple of {} for swizzle {}", alignment, b.swizzle.name.empty() ? "NONE" : b.swizzle.name));
  const i64 bytes = boxBytes(b);
  if (bytes > kSharedBytesOfBlock || b.sharedAddress > kSharedBytesOfBlock - bytes)
    return fault(
        TmaField::Box,
        fmt::format("the box takes {} bytes of shared memory{}, a block has {}", bytes,
                    b.sharedAddress > 0 ? fmt::format(" from {} on", b.sharedAddress) : "", kSharedBytesOfBlock),
        fmt::format("at most {} bytes (227 KiB)", kSharedBytesOfBlock), "use several boxes");
  return {};
}

}  // namespace

const std::vector<TmaSwizzleMode>& tmaSwizzleModes() {
  static const std::vector<TmaSwizzleMode> modes = {mode("NONE", "DISABLE", "16B", 0, 4, 3, 16),
                                                    mode("32B", "B32", "16B", 1, 4, 3, 32),
                                                    mode("64B", "B64", "16B", 2, 4, 3, 64),
                                                    mode("128B", "B128", "16B", 3, 4, 3, 128),
                                                    mode("128B_ATOM_32B", "B128", "32B", 2, 5, 2, 128),
                                                    mode("128B_ATOM_32B_FLIP_8B", "B128", "32B_FLIP_8B", 2, 5, 2, 128),
                                                    mode("128B_ATOM_64B", "B128", "64B", 1, 6, 1, 128)};
  return modes;
}

Result<TmaSwizzleMode> tmaSwizzleMode(const cute::Swizzle& onElements, int elementBits) {
  if (!isPowerOfTwo(elementBits) || elementBits < 4 || elementBits > 64)
    return Diag{fmt::format("elements of {} bits", elementBits), "4, 8, 16, 32 or 64 bits"};
  const int shift = std::countr_zero(static_cast<unsigned>(elementBits)) - 3;  // from elements to bytes; -1 for 4 bits
  const int base = onElements.base() + shift;
  if (const TmaSwizzleMode* found = modeOf(onElements.bits(), base, onElements.shift())) return *found;
  const std::string where = elementBits == 8 ? "on bytes" : fmt::format("on {}-bit elements", elementBits);
  std::string hint;
  if (onElements.bits() == 2 && base == 6) {
    hint = fmt::format(
        "CuTe's copy traits take it for 128B_ATOM_64B, whose 64-byte halves stay within 128 bytes: that is Sw<1,{},1>",
        6 - shift);
  } else if (elementBits == 8) {
    for (const int bits : {4, 16, 32, 64})  // most often the swizzle is on elements, without their type
      if (const auto other = tmaSwizzleMode(onElements, bits); other && hint.empty())
        hint = fmt::format("on {}-bit elements it is {}: give their type", bits, other->name);
  } else if (modeOf(onElements.bits(), onElements.base(), onElements.shift()) != nullptr) {
    hint = "it is a mode's swizzle on bytes: omit the type";
  }
  return Diag{fmt::format("{} {} is not a TMA swizzle", print(onElements), where), swizzleForms(shift), hint};
}

Result<TmaSwizzleMode> tmaSwizzleMode(std::string_view name) {
  constexpr std::string_view prefix = "CU_TENSOR_MAP_SWIZZLE_";
  std::string_view wanted = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  std::string names;
  for (const TmaSwizzleMode& candidate : tmaSwizzleModes()) {
    if (candidate.name == wanted) return candidate;
    names += (names.empty() ? "" : ", ") + candidate.name;
  }
  return Diag{fmt::format("'{}' is not a TMA swizzle mode", name), names};
}

i64 tmaChunk(const TmaSwizzleMode& m, i64 line, i64 chunk) {
  const i64 start = line * m.lineBytes;
  return (m.onBytes(start + 16 * chunk) - start) / 16;
}

Result<TmaElement> tmaElement(i64 bits) {
  if (bits != 4 && bits != 6 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return Diag{fmt::format("elements of {} bits", bits), "4, 6, 8, 16, 32 or 64 bits"};
  return TmaElement{static_cast<int>(bits), bits == 6};
}

Result<TmaElement> tmaElement(std::string_view name) {
  struct Row {
    std::string_view name;
    TmaElement element;
  };
  static constexpr Row kTypes[] = {
      {"16U4_ALIGN8B", {4, false}},  {"16U4_ALIGN16B", {4, true}}, {"16U6_ALIGN16B", {6, true}},
      {"UINT8", {8, false}},         {"UINT16", {16, false}},      {"FLOAT16", {16, false}},
      {"BFLOAT16", {16, false}},     {"UINT32", {32, false}},      {"INT32", {32, false}},
      {"FLOAT32", {32, false}},      {"FLOAT32_FTZ", {32, false}}, {"TFLOAT32", {32, false}},
      {"TFLOAT32_FTZ", {32, false}}, {"UINT64", {64, false}},      {"INT64", {64, false}},
      {"FLOAT64", {64, false}}};
  constexpr std::string_view prefix = "CU_TENSOR_MAP_DATA_TYPE_";
  const std::string_view wanted = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  for (const Row& row : kTypes)
    if (row.name == wanted) return row.element;
  TESSERA_TRY(const int bits, elementBits(name));
  return tmaElement(i64{bits});
}

// With element strides, dimension d transfers ceil(box / stride) elements; dimension 0 has none.
i64 boxBytes(const TmaBox& box) {
  i64 elements = 1;
  for (std::size_t d = 0; d < box.box.size(); ++d)
    elements *= d == 0 || box.elementStrides.empty() ? box.box[d] : ceilDiv(box.box[d], box.elementStrides[d]);
  return ceilDiv(elements * sharedBits(box.element), 8);
}

std::optional<TmaFault> tmaFault(const TmaBox& b) {
  if (Fault f = shapeFault(b)) return f;
  if (b.globalAddress < 0 || b.globalAddress % 16 != 0)
    return fault(TmaField::Address, fmt::format("global address {} is not a multiple of 16", b.globalAddress),
                 "a multiple of 16");
  for (std::size_t d = 0; d < b.globalExtents.size(); ++d)
    if (Fault f = dimensionFault(b, d)) return f;
  if (b.element.padded) {
    if (Fault f = paddedFault(b)) return f;
  } else if (b.element.bits == 4 && b.globalExtents[0] % 2 != 0) {
    return fault(TmaField::Extents, fmt::format("dimension 0 has {} elements of 4 bits", b.globalExtents[0]),
                 "an even number for 16U4_ALIGN8B", fmt::format("pad to {}", b.globalExtents[0] + 1));
  }
  if (Fault f = overlapFault(b)) return f;
  if (Fault f = innerFault(b)) return f;
  return sharedFault(b);
}

}  // namespace tessera
