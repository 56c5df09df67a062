// Addresses in both directions. One template serves numbers and expressions, so that the Map is always consistent.
#include "core/notation/xla/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"

namespace tessera::xla {
namespace {

i64 quotient(i64 a, i64 b) { return a / b; }
i64 remainder(i64 a, i64 b) { return a % b; }
Expr quotient(const Expr& a, i64 b) { return floorDiv(a, b); }
Expr remainder(const Expr& a, i64 b) { return mod(a, b); }

template <typename T>
T number(i64 n) {
  if constexpr (std::is_same_v<T, i64>)
    return n;
  else
    return Expr::constant(n);
}

// idx over the physical dimensions -> idx over the final ones.
template <typename T>
std::vector<T> expandIndex(const Expansion& expansion, std::vector<T> idx) {
  for (const Step& step : expansion.steps) {
    idx.insert(idx.begin(), step.prepended, number<T>(0));
    std::vector<T> merged;
    for (std::size_t g = 0; g + 1 < step.groupBegin.size(); ++g) {
      T e = idx[step.groupBegin[g]];
      for (std::size_t k = step.groupBegin[g] + 1; k < step.groupBegin[g + 1]; ++k) e = e * step.before[k] + idx[k];
      merged.push_back(e);
    }
    const std::size_t prefix = merged.size() - step.tile.size();
    std::vector<T> out(merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(prefix));
    std::vector<T> inside;
    for (std::size_t j = 0; j < step.tile.size(); ++j) {
      const T& e = merged[prefix + j];
      const bool oneTile = step.merged[prefix + j] <= step.tile[j];
      out.push_back(oneTile ? number<T>(0) : quotient(e, step.tile[j]));
      inside.push_back(oneTile ? e : remainder(e, step.tile[j]));
    }
    out.insert(out.end(), inside.begin(), inside.end());
    idx = std::move(out);
  }
  return idx;
}

// idx over the final dimensions -> idx over the physical ones. Calls inBounds(e, n) for each e that may exceed its n.
template <typename T, typename InBounds>
std::vector<T> collapseIndex(const Expansion& expansion, std::vector<T> idx, const InBounds& inBounds) {
  for (std::size_t s = expansion.steps.size(); s-- > 0;) {
    const Step& step = expansion.steps[s];
    const std::size_t tiled = step.tile.size(), prefix = step.merged.size() - tiled;
    std::vector<T> before;
    for (std::size_t g = 0; g < step.merged.size(); ++g) {
      T e = idx[g];
      if (g >= prefix) {
        const i64 t = step.tile[g - prefix];
        e = e * t + idx[g + tiled];
        if (step.merged[g] % t != 0) inBounds(e, step.merged[g]);
      }
      const std::size_t begin = step.groupBegin[g], end = step.groupBegin[g + 1];
      std::vector<T> parts;
      for (std::size_t k = end; k-- > begin;) {
        parts.push_back(k == begin ? e : remainder(e, std::max<i64>(step.before[k], 1)));
        if (k > begin) e = quotient(e, std::max<i64>(step.before[k], 1));
      }
      before.insert(before.end(), parts.rbegin(), parts.rend());
    }
    before.erase(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(step.prepended));
    idx = std::move(before);
  }
  return idx;
}

std::vector<i64> rowMajorStrides(const std::vector<i64>& dims) {
  std::vector<i64> strides(dims.size(), 1);
  for (std::size_t k = dims.size(); k-- > 1;) strides[k - 1] = strides[k] * std::max<i64>(dims[k], 1);
  return strides;
}

Diag noAddresses(const Shape& shape) {
  if (!shape.isArray()) {
    return Diag{fmt::format("{} is not an array, so it has no addresses", print(shape)),
                "an array such as f32[3,5]{1,0}"};
  }
  return Diag{fmt::format("{} has a dimension without a bound, so it has no addresses", print(shape)),
              "sizes, or bounds <=N"};
}

}  // namespace

Result<Addressing> Addressing::create(const Shape& shape) {
  if (!shape.isArray() || shape.isUnbounded()) return noAddresses(shape);
  Addressing out;
  out.shape_ = shape;
  out.expansion_ = *expand(shape.sizes(), shape.layout());  // check ensures that it fits
  out.strides_ = rowMajorStrides(out.expansion_.dims);
  out.elements_ = *product(shape.sizes());
  out.tiledSlots_ = *product(out.expansion_.dims);
  out.slots_ = roundUp(out.tiledSlots_, shape.layout().tailAlignment);
  out.bytes_ = *byteCount(out.slots_, shape.storedBits());
  return out;
}

i64 Addressing::linear(std::span<const i64> index) const {
  std::vector<i64> physical;
  for (const std::size_t d : expansion_.order) physical.push_back(index[d]);
  const std::vector<i64> idx = expandIndex(expansion_, std::move(physical));
  i64 sum = 0;
  for (std::size_t k = 0; k < idx.size(); ++k) sum += idx[k] * strides_[k];
  return sum;
}

Result<i64> Addressing::locate(std::span<const i64> index) const {
  if (index.size() != shape_.rank()) {
    return Diag{
        fmt::format("the index has {} numbers, but {} has {} dimensions", index.size(), print(shape_), shape_.rank()),
        "one number for each dimension"};
  }
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] < 0 || index[k] >= shape_.dims()[k].size) {
      return Diag{fmt::format("{} is outside dimension {}, [0, {})", index[k], k, shape_.dims()[k].size),
                  "an index inside the array"};
    }
  }
  return linear(index);
}

Addressing::Slot Addressing::at(i64 slot) const {
  Slot out;
  if (slot < 0 || slot >= tiledSlots_) {
    out.padding = true;
    return out;
  }
  std::vector<i64> idx(strides_.size());
  for (std::size_t k = 0; k < idx.size(); ++k) {
    idx[k] = slot / strides_[k];
    slot %= strides_[k];
  }
  const std::vector<i64> physical = collapseIndex(expansion_, std::move(idx), [&](i64 e, i64 n) {
    if (e >= n) out.padding = true;
  });
  out.index.resize(physical.size());
  for (std::size_t k = 0; k < physical.size(); ++k) out.index[expansion_.order[k]] = physical[k];
  return out;
}

Result<std::vector<i64>> Addressing::indexOf(i64 slot) const {
  if (slot < 0 || slot >= slots_) {
    return Diag{fmt::format("slot {} is outside [0, {})", slot, slots_), "a slot of the array"};
  }
  Slot found = at(slot);
  if (!found.padding) return std::move(found.index);
  if (found.index.empty()) {
    return Diag{
        fmt::format("slot {} is padding: it is in the tail that L({}) adds", slot, shape_.layout().tailAlignment)};
  }
  return Diag{
      fmt::format("slot {} is padding", slot), "",
      fmt::format("XLA's Delinearize returns the index ({}) outside the array there", fmt::join(found.index, ","))};
}

namespace {

Result<Addressing> addressingOfElements(const Shape& shape) {
  TESSERA_TRY(Addressing addressing, Addressing::create(shape));
  if (addressing.elements() > 0) return addressing;
  return Diag{fmt::format("{} has no elements, so it has no map", print(shape)), "sizes >= 1"};
}

}  // namespace

Result<Map> toMap(const Shape& shape) {
  TESSERA_TRY(const Addressing addressing, addressingOfElements(shape));
  std::vector<tessera::Digit> digits;
  std::vector<Expr> physical;
  for (std::size_t k = 0; k < shape.rank(); ++k)
    digits.push_back({fmt::format("d{}", k), shape.dims()[k].size, DigitKind::Index});
  for (const std::size_t d : addressing.expansion().order)
    physical.push_back(shape.dims()[d].size == 1 ? Expr() : Expr::digit(static_cast<int>(d)));
  const std::vector<Expr> idx = expandIndex(addressing.expansion(), std::move(physical));
  const std::vector<i64> strides = rowMajorStrides(addressing.expansion().dims);
  Expr sum;
  for (std::size_t k = 0; k < idx.size(); ++k) sum = sum + idx[k] * strides[k];
  return Map::create(std::move(digits), {{"m", sum, addressing.slots()}});
}

Result<Map> physicalMap(const Shape& shape) {
  TESSERA_TRY(const Addressing addressing, addressingOfElements(shape));
  const std::vector<i64>& dims = addressing.expansion().dims;
  const std::vector<i64> strides = rowMajorStrides(dims);
  std::vector<Expr> idx;
  std::vector<Guard> guards;
  const Expr slot = Expr::digit(0);
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const Expr high = floorDiv(slot, strides[k]);
    idx.push_back(dims[k] == 1 ? Expr() : k == 0 ? high : mod(high, dims[k]));
  }
  if (addressing.slots() != addressing.tiledSlots()) guards.push_back({slot, 0, addressing.tiledSlots() - 1});
  const std::vector<Expr> physical = collapseIndex(addressing.expansion(), std::move(idx), [&](const Expr& e, i64 n) {
    guards.push_back({e, 0, n - 1});
  });
  std::vector<Axis> axes(shape.rank());
  for (std::size_t k = 0; k < physical.size(); ++k) {
    const std::size_t d = addressing.expansion().order[k];
    axes[d] = {fmt::format("d{}", d), physical[k], shape.dims()[d].size};
  }
  return Map::create({{"slot", addressing.slots(), DigitKind::Index}}, std::move(axes), std::move(guards));
}

std::optional<i64> product(const std::vector<i64>& factors) {
  if (std::ranges::find(factors, 0) != factors.end()) return 0;
  std::optional<i64> product = 1;
  for (const i64 f : factors) product = product ? checkedMul(*product, f) : product;
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
  std::ranges::sort(digits, [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
  std::vector<i64> runs(sizes.size(), 1);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    i64 run = 1;
    for (const Digit& digit : digits) {
      if (digit.dim != d || digit.extent < 2) continue;
      // The run continues while one step of the next digit is that many slots; an uneven tile below ends it.
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
