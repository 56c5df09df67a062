#include "core/map/inverse/inverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/map/compose.h"
#include "core/map/inverse/inverse_methods.h"
#include "core/map/tabulate.h"

namespace tessera {
namespace {

using namespace back;

// "it has no inverse: (2,0) and (0,1) both give 2"; the smaller point first, replayed through the map.
Diag collision(const Map& map, std::vector<i64> p, std::vector<i64> q) {
  if (q < p) std::swap(p, q);
  const auto values = map.at(p);
  const std::string place =
      values.size() == 1 ? std::to_string(values[0]) : fmt::format("({})", fmt::join(values, ","));
  return Diag{fmt::format("it has no inverse: ({}) and ({}) both give {}", fmt::join(p, ","), fmt::join(q, ","), place),
              "an injective map"};
}

// The formula as a map with one axis per digit of `of` in `which`; Index digits are named after of's axes.
Result<Map> mapOf(const Map& of, const BackFormula& formula, const std::vector<int>& which) {
  std::vector<Digit> digits;
  for (std::size_t a = 0; a < of.axes().size(); ++a) {
    const Axis& axis = of.axes()[a];
    const Range& r = formula.places[a];
    if (r.lo < 0 || r.hi == INT64_MAX)
      return Diag{fmt::format("axis {} has negative or huge values", axis.name), "values from 0"};
    digits.push_back({axis.name.empty() ? fmt::format("x{}", a) : axis.name, r.hi + 1, DigitKind::Index});
  }
  digits.insert(digits.end(), formula.choices.begin(), formula.choices.end());
  std::vector<Axis> axes;
  for (const int k : which) {
    const auto at = static_cast<std::size_t>(k);
    const Digit& d = of.digits()[at];
    axes.push_back({d.name, formula.values[at] + d.lo, d.lo == 0 ? std::optional(d.extent) : std::nullopt});
  }
  TESSERA_TRY(const Map back, Map::create(std::move(digits), std::move(axes), formula.guards));
  return withSimplerValues(back);
}

bool onlyUnmoved(const StridedBack& back) {
  return std::ranges::all_of(back.free, [&](std::size_t k) {
    return std::ranges::all_of(back.forms, [&](const Strided& s) { return s.strides[k] == 0; });
  });
}

// Without guards only the Index digits' values matter, so the kernel is restricted to their bits.
std::vector<u64> kernelOf(const Map& f, const F2Matrix& matrix) {
  std::vector<u64> kernel = kernelBasis(matrix);
  if (!f.guards().empty()) return kernel;
  u64 index = 0;
  int at = 0;
  for (const Digit& d : f.digits()) {
    if (d.kind == DigitKind::Index) index |= (static_cast<u64>(d.extent) - 1) << at;
    at += std::countr_zero(static_cast<u64>(d.extent));
  }
  for (u64& k : kernel) k &= index;
  return spanBasis(kernel);
}

std::optional<BackFormula> backwardOf(const Map& f) {
  std::optional<StridedBack> strided;
  if (auto forms = stridedForms(f)) {
    strided = stridedBack(f, *std::move(forms));
    if (onlyUnmoved(*strided)) return formulaOf(f, *strided);
  }
  if (const auto form = asF2(f); form.ok())
    return formulaOf(f, *form, pseudoInverse(form->matrix), kernelOf(f, form->matrix));
  if (strided) return formulaOf(f, *strided);
  const auto parts = partsOf(f);
  if (!parts) return std::nullopt;
  auto forms = stridedForms(parts->inner);
  if (!forms) return std::nullopt;
  const auto inner = formulaOf(parts->inner, stridedBack(parts->inner, *std::move(forms)));
  return inner ? lifted(*parts, *inner) : std::nullopt;
}

// Names k0, k1 ... that no axis of f has.
void nameChoices(const Map& f, BackFormula& back) {
  int next = 0;
  for (Digit& choice : back.choices) {
    const auto taken = [&](const Axis& a) { return a.name == choice.name; };
    do {
      choice.name = fmt::format("k{}", next++);
    } while (std::ranges::any_of(f.axes(), taken));
  }
}

// Axis values as one key (mixed radix over their ranges), sorted, with the point's linear index.
class TableInverse final : public Inverse {
 public:
  static Result<std::shared_ptr<const Inverse>> of(const Map& map, i64 count) {
    auto inv = std::make_shared<TableInverse>();
    inv->extents_ = extentsOf(map);
    const Environment box = environmentOf(map);
    std::vector<i64> keys(static_cast<std::size_t>(count), 0), column(static_cast<std::size_t>(count));
    i64 scale = 1;
    for (std::size_t a = 0; a < map.axes().size(); ++a) {
      TESSERA_CHECKED(tabulate(map, static_cast<int>(a), LinearOrder::Colex, column));
      const auto [lo, hi] = std::minmax_element(column.begin(), column.end());
      const auto width = checkedSub(*hi, *lo);
      const auto next = width ? checkedMul(scale, *width + (*width < INT64_MAX ? 1 : 0)) : std::nullopt;
      if (!next) return Diag{"its values are too far apart for a table", "axis ranges of 63 bits together"};
      inv->radix_.push_back({*lo, *hi, scale});
      for (std::size_t n = 0; n < keys.size(); ++n) keys[n] += (column[n] - *lo) * scale;
      scale = *next;
    }
    for (i64 n = 0; n < count; ++n)
      if (map.guards().empty() || map.isReal(inv->pointAt(n)))
        inv->entries_.push_back({keys[static_cast<std::size_t>(n)], n});
    std::ranges::sort(inv->entries_);
    std::optional<std::pair<i64, i64>> worst;  // the first colliding pair
    for (std::size_t k = 0; k + 1 < inv->entries_.size(); ++k) {
      const auto &p = inv->entries_[k], &q = inv->entries_[k + 1];
      if (p.first == q.first && (!worst || q.second < worst->second)) worst = {p.second, q.second};
    }
    if (worst) return collision(map, inv->pointAt(worst->first), inv->pointAt(worst->second));
    return std::shared_ptr<const Inverse>(inv);
  }

  std::optional<Point> find(std::span<const i64> axes) const override {
    i64 key = 0;
    for (std::size_t a = 0; a < radix_.size(); ++a) {
      if (axes[a] < radix_[a].lo || axes[a] > radix_[a].hi) return std::nullopt;
      key += (axes[a] - radix_[a].lo) * radix_[a].scale;
    }
    const auto it = std::lower_bound(entries_.begin(), entries_.end(), std::pair<i64, i64>{key, 0});
    if (it == entries_.end() || it->first != key) return std::nullopt;
    return pointAt(it->second);
  }
  std::string method() const override { return "table"; }
  Result<BackFormula> formula() const override {
    return Diag{"its inverse is a table, not a formula", "nested strides or an invertible bit matrix"};
  }

 private:
  [[nodiscard]] Point pointAt(i64 n) const { return delinearize(n, extents_, LinearOrder::Colex); }
  struct Radix {
    i64 lo = 0, hi = 0, scale = 1;
  };
  std::vector<i64> extents_;
  std::vector<Radix> radix_;
  std::vector<std::pair<i64, i64>> entries_;  // key, linear index
};

}  // namespace

Result<std::shared_ptr<const Inverse>> inverse(const Map& map, i64 tableLimit) {
  using Found = std::shared_ptr<const Inverse>;
  if (map.axes().empty()) return Diag{"a map without axes has no inverse", "at least one axis"};
  if (!map.params().empty()) return Diag{"an inverse needs concrete sizes, not symbolic ones", "concrete sizes"};
  if (const auto forms = stridedForms(map)) {
    if (auto inv = stridedInverse(map, *forms)) return Found(std::move(inv));
    if (map.guards().empty())
      if (const auto pair = meetingStrides(map, *forms)) return collision(map, pair->first, pair->second);
  }
  if (const auto form = asF2(map); form.ok()) {
    if (auto matrix = inverse(form->matrix)) return Found(f2Inverse(map, *form, *std::move(matrix)));
    if (const auto kernel = kernelVector(form->matrix); kernel && map.guards().empty())
      return collision(map, Point(map.digits().size(), 0), pointOfBits(map, *kernel));
  }
  if (const auto parts = partsOf(map))
    if (const auto forms = stridedForms(parts->inner))
      if (auto inv = stridedInverse(parts->inner, *forms)) return Found(partsInverse(*parts, std::move(inv)));
  const auto count = map.pointCount();
  if (!count || *count > tableLimit)
    return Diag{"it has neither nested strides nor an invertible bit matrix, and is too large for a table",
                fmt::format("at most {} points for a table", tableLimit)};
  return TableInverse::of(map, *count);
}

Result<BackFormula> backFormula(const Map& f) {
  if (f.axes().empty()) return Diag{"a map without axes has no converse", "at least one axis"};
  if (!f.params().empty()) return Diag{"a converse needs concrete sizes, not symbolic ones", "concrete sizes"};
  auto back = backwardOf(f);
  if (!back)
    return Diag{
        "its axes are neither sums of strides (of digits or of their parts, under a swizzle or not) nor linear "
        "over bits",
        "strides, tiles, swizzles or a bit matrix"};
  nameChoices(f, *back);
  return *std::move(back);
}

Result<Map> converse(const Map& f) {
  TESSERA_TRY(const BackFormula back, backFormula(f));
  return mapOf(f, back, f.indexDigits());
}

}  // namespace tessera
