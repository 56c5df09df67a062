#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/notation/cute/algebra/composition.h"

namespace tessera::cute {

namespace {

bool fits(i128 v) { return v >= INT64_MIN && v <= INT64_MAX; }

i128 floorDivWide(i128 a, i128 b) {  // b > 0
  const i128 q = a / b;
  return a % b != 0 && a < 0 ? q - 1 : q;
}
i128 ceilDivWide(i128 a, i128 b) { return -floorDivWide(-a, b); }

}  // namespace

IndexFunction::IndexFunction(const Layout& layout) : leaves_(flatLeaves(layout)) {
  for (const LayoutLeaf& l : leaves_) {
    if (l.stride.value() == 0) continue;
    if (std::ranges::find(axes_, l.stride.basis()) == axes_.end()) axes_.push_back(l.stride.basis());
  }
  std::ranges::sort(axes_);
  if (axes_.empty()) axes_.emplace_back();
  i64 period = 1;
  std::vector<i128> previous(axes_.size(), 0);  // a_{k-1} * D_{k-1}
  for (const LayoutLeaf& l : leaves_) {
    std::vector<i128> own(axes_.size(), 0), delta(axes_.size());
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      if (axes_[c] == l.stride.basis()) own[c] = l.stride.value();
      delta[c] = own[c] - previous[c];
    }
    if (period > 1 && !terms_.empty() && terms_.back().period == period) {  // after an extent-1 leaf
      for (std::size_t c = 0; c < axes_.size(); ++c) terms_.back().delta[c] += delta[c];
    } else if (period > 1) {
      terms_.push_back({period, delta});
    }
    for (std::size_t c = 0; c < axes_.size(); ++c) previous[c] = own[c] * l.extent;
    period *= l.extent;  // the size fits
  }
  std::erase_if(terms_, [](const Term& t) { return std::ranges::all_of(t.delta, [](i128 d) { return d == 0; }); });
}

// f(y) along axis c.
i128 IndexFunction::along(std::size_t c, i64 y) const {
  i128 total = 0;
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    const LayoutLeaf& l = leaves_[k];
    const i64 digit = k + 1 == leaves_.size() ? y : y % l.extent;
    y /= l.extent;
    if (l.stride.value() != 0 && l.stride.basis() == axes_[c]) total += static_cast<i128>(digit) * l.stride.value();
  }
  return total;
}

std::optional<std::vector<i64>> IndexFunction::at(i64 y) const {
  std::vector<i64> out;
  out.reserve(axes_.size());
  for (std::size_t c = 0; c < axes_.size(); ++c) {
    const i128 v = along(c, y);
    if (!fits(v)) return std::nullopt;
    out.push_back(static_cast<i64>(v));
  }
  return out;
}

Result<IntTuple> IndexFunction::strideAt(i64 y) const {
  const auto value = at(y);
  if (!value) return Diag{"a stride of the result does not fit in 64 bits", "smaller strides"};
  std::optional<std::size_t> axis;
  for (std::size_t c = 0; c < value->size(); ++c) {
    if ((*value)[c] == 0) continue;
    if (axis)
      return Diag{fmt::format("a stride of the result would be {}, a sum of two bases", textAt(y)),
                  "steps that stay in one mode"};
    axis = c;
  }
  if (!axis) return IntTuple(0);
  return IntTuple::scaledBasis((*value)[*axis], axes_[*axis]);
}

std::string IndexFunction::textAt(i64 y) const {
  const auto value = at(y);
  if (!value) return "overflow";
  if (axes_.size() == 1 && axes_[0].empty()) return std::to_string((*value)[0]);
  return fmt::format("({})", fmt::join(*value, ","));
}

namespace {

// One merged term on a fixed box: carry(z) = trunc-like quotient of sum_t residue_t * z_t by period.
struct Carry {
  i64 period = 1;
  std::vector<i64> residue;
  std::vector<i128> delta;
};

// Bisection for the colex-first z whose weighted carries do not cancel.
class CarrySearch {
 public:
  CarrySearch(std::span<const StepMode> box, std::vector<Carry> carries) : box_(box), carries_(std::move(carries)) {
    lo_.assign(box.size(), 0);
    for (const StepMode& m : box) hi_.push_back(m.extent - 1);
  }

  IndexFunction::Linearity run() {
    const bool found = search();
    if (found) return {IndexFunction::Linearity::Answer::Breaks, lo_};
    if (budget_ < 0) return {IndexFunction::Linearity::Answer::Undecided, {}};
    return {};
  }

 private:
  struct Range {
    i128 lo = 0;
    i128 hi = 0;
  };

  template <typename Weight>
  Range range(const Weight& weight) const {
    Range r;
    for (std::size_t t = 0; t < box_.size(); ++t) {
      const i128 w = weight(t);
      r.lo += w * (w >= 0 ? lo_[t] : hi_[t]);
      r.hi += w * (w >= 0 ? hi_[t] : lo_[t]);
    }
    return r;
  }

  // nullopt: the carries are not constant on the box; otherwise whether they fail to cancel.
  std::optional<bool> constantBreak() const {
    const Range y = range([&](std::size_t t) { return static_cast<i128>(box_[t].step); });
    std::vector<i128> total;
    for (const Carry& c : carries_) {
      const Range rho = range([&](std::size_t t) { return static_cast<i128>(c.residue[t]); });
      const i128 lo = y.hi < 0 ? ceilDivWide(rho.lo, c.period) : floorDivWide(rho.lo, c.period);
      const i128 hi = y.lo >= 0 ? floorDivWide(rho.hi, c.period) : ceilDivWide(rho.hi, c.period);
      if (lo != hi) return std::nullopt;
      total.resize(c.delta.size(), 0);
      for (std::size_t a = 0; a < total.size(); ++a) {
        i128 product = 0;
        // 128-bit overflow needs values far outside 64 bits on both sides, which do not cancel either.
        if (__builtin_mul_overflow(c.delta[a], lo, &product) || __builtin_add_overflow(total[a], product, &total[a]))
          return true;
      }
    }
    return std::ranges::any_of(total, [](i128 v) { return v != 0; });
  }

  // True: lo_ is the first failure. Halves the most significant digit first, lower half first: colex order.
  bool search() {
    budget_ -= static_cast<i64>(box_.size() * carries_.size()) + 1;
    if (budget_ < 0) return false;
    if (const auto answer = constantBreak()) return *answer;
    std::size_t t = box_.size() - 1;
    while (lo_[t] == hi_[t]) --t;
    const i64 low = lo_[t];
    const i64 high = hi_[t];
    const i64 middle = low + (high - low) / 2;
    hi_[t] = middle;
    if (search()) return true;
    hi_[t] = high;
    lo_[t] = middle + 1;
    if (search()) return true;
    lo_[t] = low;
    return false;
  }

  std::span<const StepMode> box_;
  std::vector<Carry> carries_;
  std::vector<i64> lo_;
  std::vector<i64> hi_;
  i64 budget_ = 20'000'000;
};

}  // namespace

IndexFunction::Linearity IndexFunction::linearity(std::span<const StepMode> box) const {
  if (terms_.empty()) return {};
  std::map<std::pair<i64, std::vector<i64>>, std::vector<i128>> merged;
  for (const Term& term : terms_) {
    Carry c{term.period, {}, term.delta};
    i128 reach = 0;
    i64 common = term.period;
    for (const StepMode& m : box) {
      const i64 r = m.step % term.period;
      c.residue.push_back(r);
      common = std::gcd(common, r);
      reach += static_cast<i128>(r < 0 ? -r : r) * (m.extent - 1);
    }
    // With steps of one sign, a reach below the period carries nothing; with both signs, truncation can still matter.
    const bool oneSign = std::ranges::all_of(box, [](const StepMode& m) { return m.step >= 0; }) ||
                         std::ranges::all_of(box, [](const StepMode& m) { return m.step <= 0; });
    if (reach == 0 || (oneSign && reach < term.period)) continue;
    for (i64& r : c.residue) r /= common;
    auto [it, fresh] = merged.emplace(std::pair(term.period / common, c.residue), c.delta);
    for (std::size_t a = 0; !fresh && a < c.delta.size(); ++a) it->second[a] += c.delta[a];
  }
  std::vector<Carry> carries;
  for (auto& [key, delta] : merged) {
    if (std::ranges::all_of(delta, [](i128 d) { return d == 0; })) continue;
    carries.push_back({key.first, key.second, delta});
  }
  if (carries.empty()) return {};
  return CarrySearch(box, std::move(carries)).run();
}

IndexFunction::Split IndexFunction::split(i64 extent, i64 step) const {
  Split out;
  while (extent > 1) {
    const StepMode whole{extent, step};
    const Linearity line = linearity(std::span(&whole, 1));
    const i64 run = line.answer == Linearity::Answer::Breaks ? line.at[0] : 0;
    if (run == 0 || extent % run != 0) {  // the rest is one mode, or none fits
      out.modes.push_back(whole);
      out.exact = line.answer == Linearity::Answer::Linear;
      return out;
    }
    out.modes.push_back({run, step});
    step *= run;  // run < extent, and extent * step fits
    extent /= run;
  }
  if (out.modes.empty()) out.modes.push_back({1, 0});
  return out;
}

}  // namespace tessera::cute
