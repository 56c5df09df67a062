#include "core/map/forms/fans.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"

namespace tessera {
namespace {

struct Run {
  std::vector<i64> stride;  // one per axis; the first nonzero one is positive
  i64 extent = 1;
};

// Marks the digits in an expression.
void mark(const Expr& e, std::vector<bool>& digits) {
  for (const int k : leavesIn(e, Op::Digit)) digits[static_cast<std::size_t>(k)] = true;
}

// k when b == k * a, k > 0.
std::optional<i64> multiple(const std::vector<i64>& b, const std::vector<i64>& a) {
  std::optional<i64> k;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0 && b[i] == 0) continue;
    if (a[i] == 0 || b[i] == INT64_MIN || b[i] % a[i] != 0 || (k && *k != b[i] / a[i])) return std::nullopt;
    k = b[i] / a[i];
  }
  return k && *k > 0 ? k : std::nullopt;
}

void mergeAll(std::vector<Run>& runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.stride < b.stride; });
  for (bool merged = true; merged;) {
    merged = false;
    for (std::size_t i = 0; i < runs.size() && !merged; ++i) {
      for (std::size_t j = 0; j < runs.size() && !merged; ++j) {
        if (i == j) continue;
        const auto k = multiple(runs[j].stride, runs[i].stride);
        if (!k || *k > runs[i].extent) continue;
        const auto more = checkedMul(*k, runs[j].extent - 1);
        const auto extent = more ? checkedAdd(runs[i].extent, *more) : std::nullopt;
        if (!extent) continue;
        runs[i].extent = *extent;
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(j));
        merged = true;
      }
    }
  }
}

}  // namespace

bool usesFans(const Expr& e, const Map& map) {
  const std::vector<int> digits = leavesIn(e, Op::Digit);
  return std::any_of(digits.begin(), digits.end(), [&](int k) { return map.digit(k).kind == DigitKind::Fan; });
}

Map withFewerFans(const Map& f) {
  if (f.fanDigits().empty()) return f;
  const Map simple = withSimplerValues(f);
  std::vector<std::vector<i64>> strides;  // by axis: of every digit that only occurs times a constant
  std::vector<bool> stuck(f.digits().size(), false);
  for (const Guard& g : simple.guards()) mark(g.value, stuck);
  for (const Axis& a : simple.axes()) {
    const auto sum = linearSum(a.value);
    if (!sum) return f;
    strides.emplace_back(f.digits().size(), 0);
    for (const Term& t : sum->terms) {
      if (t.part.op() == Op::Digit)
        strides.back()[static_cast<std::size_t>(t.part.index())] = t.coefficient;
      else
        mark(t.part, stuck);
    }
  }
  std::vector<Run> runs;
  std::vector<i64> constant(strides.size(), 0);
  std::vector<Digit> digits;
  std::vector<Expr> moved(f.digits().size());  // fanned terms are taken out of the sums; 0 elsewhere
  for (std::size_t k = 0; k < f.digits().size(); ++k) {
    const Digit& d = f.digits()[k];
    if (d.kind == DigitKind::Index || stuck[k]) {
      moved[k] = Expr::digit(static_cast<int>(digits.size()));
      digits.push_back(d);
      continue;
    }
    Run run{{}, d.extent};
    for (const std::vector<i64>& ofAxis : strides) run.stride.push_back(ofAxis[k]);
    const auto lead = std::find_if(run.stride.begin(), run.stride.end(), [](i64 s) { return s != 0; });
    if (d.extent == 1 || lead == run.stride.end()) continue;
    if (*lead < 0) {
      for (std::size_t a = 0; a < strides.size(); ++a) {
        const auto least = checkedMul(run.stride[a], d.extent - 1);
        const auto sum = least ? checkedAdd(constant[a], *least) : std::nullopt;
        if (!sum || run.stride[a] == INT64_MIN) return f;
        constant[a] = *sum;
        run.stride[a] = -run.stride[a];
      }
    }
    runs.push_back(std::move(run));
  }
  mergeAll(runs);
  std::vector<Axis> axes = simple.axes();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    axes[a].value = substitute(axes[a].value, moved) + constant[a];
    for (std::size_t r = 0; r < runs.size(); ++r)
      axes[a].value = axes[a].value + Expr::digit(static_cast<int>(digits.size() + r)) * runs[r].stride[a];
  }
  for (std::size_t r = 0; r < runs.size(); ++r)
    digits.push_back({fmt::format("r{}", r), runs[r].extent, DigitKind::Fan});
  auto made = Map::create(std::move(digits), std::move(axes), substituted(simple.guards(), moved), f.params());
  return made ? withSimplerValues(*made) : f;
}

}  // namespace tessera
