#include "core/notation/xla/expand.h"

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"

namespace tessera::xla {

std::optional<i64> product(const std::vector<i64>& factors) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  std::optional<i64> product = 1;
  for (const i64 f : factors) {
    if (product) product = checkedMul(*product, f);
  }
  return product;
}

std::optional<i64> byteCount(i64 slots, i64 bits) {
  const auto whole = checkedMul(slots / 8, bits);
  const auto rest = checkedMul(slots % 8, bits);
  if (!whole || !rest) return std::nullopt;
  return checkedAdd(*whole, *rest / 8 + (*rest % 8 != 0 ? 1 : 0));
}

namespace {

// The runs merged by the tile's asterisks: each * joins its dimension to the next more minor one.
std::optional<Step> stepOf(std::vector<i64> dims, const std::vector<i64>& tile) {
  Step step;
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
      const auto both = product({a, b});
      if (!both) return std::nullopt;
      step.merged.back() = *both;
    }
    joined = k >= prefix && tile[k - prefix] == kCombine;
    if (k >= prefix && !joined) step.tile.push_back(tile[k - prefix]);
  }
  step.groupBegin.push_back(step.before.size());
  return step;
}

}  // namespace

std::optional<Expansion> expand(const std::vector<i64>& sizes, const Layout& layout) {
  Expansion out;
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

namespace {

std::vector<Digit> cutDigits(const std::vector<Digit>& digits, const Step& step) {
  std::vector<Digit> merged;
  for (std::size_t g = 0; g + 1 < step.groupBegin.size(); ++g) {
    Digit one;  // no details for a merged run
    if (step.groupBegin[g + 1] == step.groupBegin[g] + 1 && step.groupBegin[g] >= step.prepended)
      one = digits[step.groupBegin[g] - step.prepended];
    if (one.dim == Digit::kShared) one.extent = step.merged[g];
    merged.push_back(one);
  }
  const std::size_t prefix = merged.size() - step.tile.size();
  std::vector<Digit> out(merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(prefix)), inside;
  for (std::size_t j = 0; j < step.tile.size(); ++j) {
    Digit high = merged[prefix + j], low = high;
    const i64 t = step.tile[j], whole = high.extent;
    if (whole > t && whole % t != 0) {
      high.uneven = low.uneven = std::pair(t, whole);
      high.pieceWeight = low.pieceWeight = high.weight;
    }
    high.weight *= t;
    high.extent = ceilDiv(std::max<i64>(whole, 1), t);
    low.extent = std::min(whole, t);
    out.push_back(high);
    inside.push_back(low);
  }
  out.insert(out.end(), inside.begin(), inside.end());
  return out;
}

}  // namespace

std::vector<Digit> digitsOf(const Expansion& expansion, const std::vector<i64>& sizes) {
  std::vector<Digit> digits;
  for (const std::size_t d : expansion.order) digits.push_back({d, 1, sizes[d], 1, std::nullopt});
  for (const Step& step : expansion.steps) digits = cutDigits(digits, step);
  i64 stride = 1;
  for (std::size_t k = digits.size(); k-- > 0;) {
    digits[k].stride = stride;
    stride *= std::max<i64>(expansion.dims[k], 1);
  }
  return digits;
}

std::vector<i64> contiguity(const Expansion& expansion, const std::vector<i64>& sizes) {
  std::vector<Digit> digits = digitsOf(expansion, sizes);
  std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
  std::vector<i64> runs(sizes.size(), 1);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    i64 run = 1;
    for (const Digit& digit : digits) {
      if (digit.dim != d || digit.extent < 2) continue;
      // The run continues while one step of the next digit equals that many slots; an uneven tile below ends it.
      const bool goesOn = digit.stride == digit.weight && digit.weight == run;
      run = goesOn ? digit.weight * digit.extent : std::min(run, digit.weight);
      if (!goesOn) break;
    }
    // An uneven tile restarts with each piece that it cuts.
    for (const Digit& digit : digits) {
      if (digit.dim != d || !digit.uneven) continue;
      const i64 piece = digit.uneven->second * digit.pieceWeight;
      if (piece < sizes[d] && run < piece) run = std::gcd(run, piece);
    }
    runs[d] = std::clamp<i64>(run, 1, std::max<i64>(sizes[d], 1));
  }
  return runs;
}

}  // namespace tessera::xla
