#include "core/analysis/swizzle/linear_swizzle.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "core/analysis/swizzle/find_swizzle.h"

namespace tessera {
namespace {

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
