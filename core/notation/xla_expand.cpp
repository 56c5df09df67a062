#include "core/notation/xla_expand.h"

#include <algorithm>

#include "core/base/arith.h"

namespace tessera {

std::optional<i64> xlaProduct(const std::vector<i64>& factors) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  std::optional<i64> product = 1;
  for (const i64 f : factors) {
    if (product) product = checkedMul(*product, f);
  }
  return product;
}

std::optional<i64> xlaBytes(i64 slots, i64 bits) {
  const auto whole = checkedMul(slots / 8, bits);
  const auto rest = checkedMul(slots % 8, bits);
  if (!whole || !rest) return std::nullopt;
  return checkedAdd(*whole, *rest / 8 + (*rest % 8 != 0 ? 1 : 0));
}

namespace {

// The runs that the tile's asterisks merge: each * joins its dimension to the next more minor one.
std::optional<XlaStep> stepOf(std::vector<i64> dims, const std::vector<i64>& tile) {
  XlaStep step;
  if (tile.size() > dims.size()) {
    step.prepended = tile.size() - dims.size();
    dims.insert(dims.begin(), step.prepended, 1);
  }
  step.before = std::move(dims);
  const std::size_t prefix = step.before.size() - tile.size();
  bool joined = false;
  for (std::size_t k = 0; k < step.before.size(); ++k) {
    if (!joined) {
      step.groupBegin.push_back(k);
      step.merged.push_back(step.before[k]);
    } else {
      const i64 a = step.merged.back(), b = step.before[k];
      const auto product = xlaProduct({a, b});
      if (!product) return std::nullopt;
      step.merged.back() = *product;
    }
    joined = k >= prefix && tile[k - prefix] == kXlaCombine;
    if (k >= prefix && !joined) step.tile.push_back(tile[k - prefix]);
  }
  step.groupBegin.push_back(step.before.size());
  return step;
}

}  // namespace

std::optional<XlaExpansion> expandXla(const std::vector<i64>& sizes, const XlaLayout& layout) {
  XlaExpansion out;
  for (std::size_t k = layout.minorToMajor.size(); k-- > 0;) {
    out.order.push_back(static_cast<std::size_t>(layout.minorToMajor[k]));
    out.dims.push_back(sizes[out.order.back()]);
  }
  for (const std::vector<i64>& tile : layout.tiles) {
    auto step = stepOf(std::move(out.dims), tile);
    if (!step) return std::nullopt;
    const std::size_t prefix = step->merged.size() - step->tile.size();
    out.dims.assign(step->merged.begin(), step->merged.begin() + static_cast<std::ptrdiff_t>(prefix));
    for (std::size_t j = 0; j < step->tile.size(); ++j) {
      const i64 n = step->merged[prefix + j], t = step->tile[j];
      out.dims.push_back(n / t + (n % t != 0 ? 1 : 0));
    }
    out.dims.insert(out.dims.end(), step->tile.begin(), step->tile.end());
    out.steps.push_back(*std::move(step));
  }
  return out;
}

}  // namespace tessera
