#include "core/analysis/swizzle/swizzle_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "core/analysis/swizzle/find_swizzle.h"
#include "core/base/arith.h"

namespace tessera {
namespace {

std::string indexTerm(const std::string& name, const cute::Layout& mode) {
  std::string out;
  i64 before = 1;
  const std::vector<cute::LayoutLeaf> leaves = flatLeaves(mode);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto& leaf = leaves[i];
    if (leaf.extent > 1 && leaf.stride.value() != 0) {
      std::string digit = before == 1 ? name : fmt::format("{} / {}", name, before);
      if (i + 1 < leaves.size())
        digit = before == 1 ? fmt::format("{} % {}", name, leaf.extent) : fmt::format("{} % {}", digit, leaf.extent);
      if (leaf.stride.value() != 1)
        digit = digit == name ? fmt::format("{} * {}", name, leaf.stride.value())
                              : fmt::format("({}) * {}", digit, leaf.stride.value());
      out += (out.empty() ? "" : " + ") + digit;
    }
    before *= leaf.extent;
  }
  return out;
}

// Element number i of the tile, counted along its rows or down its columns.
i64 offsetOfNumber(const Tile& tile, i64 i, bool rowMajor) {
  return rowMajor ? tile.offset(i / tile.columns(), i % tile.columns()) : tile.offset(i % tile.rows(), i / tile.rows());
}

struct Gap {
  i64 interval = 0, padding = 0;
};

// The gaps for which i + sum (i floordiv interval) * padding is the offset of every element i. Smaller intervals first:
// the first element that differs from the gaps so far begins the next interval.
std::optional<std::vector<Gap>> gapsOf(const Tile& tile, bool rowMajor) {
  std::vector<Gap> gaps;
  const i64 count = tile.rows() * tile.columns();
  for (i64 i = 0; i < count; ++i) {
    i64 place = i;
    for (const Gap& g : gaps) place += i / g.interval * g.padding;
    const i64 padding = offsetOfNumber(tile, i, rowMajor) - place;
    if (padding == 0) continue;
    const bool later = i > 0 && (gaps.empty() || i > gaps.back().interval);
    if (!later || !isPowerOfTwo(i) || !isPowerOfTwo(padding)) return std::nullopt;
    if (std::ranges::any_of(gaps, [&](const Gap& g) { return i % g.interval != 0; })) return std::nullopt;
    gaps.push_back({i, padding});
  }
  return gaps;
}

// The sources of output bit `row`.
std::vector<int> sources(const F2Matrix& m, int row) {
  std::vector<int> out;
  for (int c = 0; c < static_cast<int>(m.columns.size()); ++c)
    if (m.bit(row, c)) out.push_back(c);
  return out;
}

bool updatesItself(const F2Matrix& m) {
  for (int r = 0; r < m.rows; ++r)
    if (!m.bit(r, r)) return false;
  return true;
}

}  // namespace

std::optional<RowPitch> rowPitchOf(const Tile& tile) {
  RowPitch rows;
  rows.rowMajor = tile.contiguousDimension() == 1;
  const i64 others = rows.rowMajor ? tile.rows() : tile.columns();
  const auto at = [&](i64 r, i64 c) { return rows.rowMajor ? r * rows.pitch + c : c * rows.pitch + r; };
  if (others < 2) return std::nullopt;
  rows.pitch = rows.rowMajor ? tile.offset(1, 0) : tile.offset(0, 1);
  for (i64 r = 0; r < tile.rows(); ++r)
    for (i64 c = 0; c < tile.columns(); ++c)
      if (tile.offset(r, c) != at(r, c)) return std::nullopt;
  return rows;
}

std::optional<std::string> tmaSwizzleMode(const cute::Swizzle& onElements, int elementBits, i64 rowPitch) {
  if (onElements.isIdentity() || elementBits > 128) return std::nullopt;
  // In bytes: Sw<B,4,3> with rows of exactly 32, 64 or 128 bytes.
  const int baseInBits = onElements.base() + std::countr_zero(static_cast<unsigned>(elementBits));
  if (baseInBits != 7 || onElements.shift() != 3 || onElements.bits() > 3) return std::nullopt;
  const i64 bytes = i64{16} << onElements.bits();
  if (rowPitch * elementBits != 8 * bytes) return std::nullopt;
  return fmt::format("CU_TENSOR_MAP_SWIZZLE_{}B", bytes);
}

std::optional<std::string> tritonSwizzle(const cute::Swizzle& onElements, i64 rowPitch, bool rowMajor) {
  if (!isPowerOfTwo(rowPitch)) return std::nullopt;
  const int pitchBits = std::countr_zero(static_cast<u64>(rowPitch));
  const int source = onElements.base() + onElements.shift();
  if (onElements.isIdentity() || source < pitchBits || onElements.base() + onElements.bits() > pitchBits ||
      onElements.shift() < 0)
    return std::nullopt;
  return fmt::format("#ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = {}}}>",
                     i64{1} << onElements.base(), i64{1} << (source - pitchBits), i64{1} << onElements.bits(),
                     rowMajor ? "[1, 0]" : "[0, 1]");
}

std::optional<std::string> tritonPadding(const Tile& tile) {
  if (!isPowerOfTwo(tile.rows()) || !isPowerOfTwo(tile.columns())) return std::nullopt;
  for (const bool rowMajor : {true, false}) {
    const auto gaps = gapsOf(tile, rowMajor);
    if (!gaps || gaps->empty()) continue;
    std::string pairs;
    for (const Gap& g : *gaps) pairs += fmt::format("{}{}:+{}", pairs.empty() ? "" : ", ", g.interval, g.padding);
    return fmt::format("#ttg.padded_shared<[{}] {{order = {}, shape = [{}, {}]}}>", pairs,
                       rowMajor ? "[1, 0]" : "[0, 1]", tile.rows(), tile.columns());
  }
  return std::nullopt;
}

std::string cudaIndexCode(const cute::Swizzle& onElements, const cute::Layout& layout) {
  static constexpr const char* names[] = {"row", "column", "stage"};
  std::string sum;
  if (layout.rank() == 1) {
    sum = indexTerm("i", layout);
  } else {
    for (int k = 0; k < layout.rank(); ++k) {
      std::string term = indexTerm(k < 3 ? names[k] : fmt::format("i{}", k), layout.mode(k));
      if (!term.empty()) sum += (sum.empty() ? "" : " + ") + term;
    }
  }
  std::string code = fmt::format("int offset = {};", sum.empty() ? "0" : sum);
  if (onElements.isIdentity()) return code;
  const int shift = onElements.shift();
  return code + fmt::format(" offset ^= (offset & {:#x}) {} {};", onElements.yyyMask(), shift > 0 ? ">>" : "<<",
                            shift > 0 ? shift : -shift);
}

i64 LinearSwizzle::operator()(i64 offset) const {
  const u64 mask = (u64{1} << matrix.columns.size()) - 1;
  const u64 x = static_cast<u64>(offset);
  return static_cast<i64>((x & ~mask) | matrix.apply(x & mask));
}

std::string print(const LinearSwizzle& swizzle) {
  const F2Matrix& m = swizzle.matrix;
  std::string out;
  const bool update = updatesItself(m);
  for (int r = 0; r < m.rows; ++r) {
    std::string terms;
    for (const int c : sources(m, r))
      if (!update || c != r) terms += fmt::format("{}a{}", terms.empty() ? "" : " ^ ", c);
    if (update ? terms.empty() : terms == fmt::format("a{}", r)) continue;
    out += fmt::format("{}a{} {} {}", out.empty() ? "" : ", ", r, update ? "^=" : "=", terms);
  }
  return out.empty() ? "nothing" : out;
}

std::string cudaIndexCode(const LinearSwizzle& swizzle, const cute::Layout& layout) {
  std::string code = cudaIndexCode(cute::Swizzle(), layout);
  const F2Matrix& m = swizzle.matrix;
  // Distance from source to target -> mask of targets. In the triangular form the sources of an update are never
  // targets themselves; otherwise all flips read the old offset.
  std::map<int, u64> flips;
  for (int r = 0; r < m.rows; ++r) {
    for (const int c : sources(m, r))
      if (c != r) flips[c - r] |= u64{1} << r;
    if (!m.bit(r, r)) flips[0] |= u64{1} << r;
  }
  if (flips.empty()) return code;
  std::string sum;
  for (const auto& [distance, mask] : flips) {
    const std::string shifted = distance > 0   ? fmt::format("(offset >> {})", distance)
                                : distance < 0 ? fmt::format("(offset << {})", -distance)
                                               : std::string("offset");
    sum += fmt::format("{}({} & {:#x})", sum.empty() ? "" : " ^ ", shifted, mask);
  }
  return code + fmt::format(" offset ^= {};", sum);
}

}  // namespace tessera
