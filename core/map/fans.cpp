#include "core/map/fans.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "core/base/arith.h"
#include "core/map/compose.h"

namespace tessera {
namespace {

struct Run {
  std::vector<i64> stride;  // one per axis; the first nonzero one is positive
  i64 extent = 1;
};

// Marks the digits in an expression.
void mark(const Expr& e, std::vector<bool>& digits) {
  std::vector<Expr> stack{e};
  std::unordered_set<const void*> seen;
  while (!stack.empty()) {
    const Expr n = stack.back();
    stack.pop_back();
    if (n.op() == Op::Constant || n.op() == Op::Param || !seen.insert(n.id()).second) continue;
    if (n.op() == Op::Digit) {
      digits[static_cast<std::size_t>(n.index())] = true;
    } else {
      stack.push_back(n.lhs());
      stack.push_back(n.rhs());
    }
  }
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

// The terms of a sum: the stride of every digit that only occurs times a constant, and the rest.
struct Terms {
  std::vector<i64> strides;
  Expr rest;
};
std::optional<Terms> termsOf(const Expr& e, std::size_t digits) {
  Terms out{std::vector<i64>(digits, 0), Expr()};
  std::vector<std::pair<Expr, i64>> stack{{e, 1}};
  while (!stack.empty()) {
    const auto [n, scale] = stack.back();
    stack.pop_back();
    if (n.op() == Op::Add) {
      stack.emplace_back(n.rhs(), scale);
      stack.emplace_back(n.lhs(), scale);
    } else if (n.op() == Op::Mul && n.rhs().isConstant()) {
      const auto s = checkedMul(scale, n.rhs().value());
      if (!s) return std::nullopt;
      stack.emplace_back(n.lhs(), *s);
    } else if (n.op() == Op::Digit) {
      i64& stride = out.strides[static_cast<std::size_t>(n.index())];
      const auto s = checkedAdd(stride, scale);
      if (!s) return std::nullopt;
      stride = *s;
    } else {
      out.rest = out.rest + n * scale;
    }
  }
  return out;
}

}  // namespace

Map withFewerFans(const Map& f) {
  if (f.fanDigits().empty()) return f;
  const Map simple = withSimplerValues(f);
  std::vector<Terms> terms;
  std::vector<bool> stuck(f.digits().size(), false);
  for (const Guard& g : simple.guards()) mark(g.value, stuck);
  for (const Axis& a : simple.axes()) {
    auto t = termsOf(a.value, f.digits().size());
    if (!t) return f;
    mark(t->rest, stuck);
    terms.push_back(*std::move(t));
  }
  std::vector<Run> runs;
  std::vector<i64> constant(terms.size(), 0);
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
    for (const Terms& t : terms) run.stride.push_back(t.strides[k]);
    const auto lead = std::find_if(run.stride.begin(), run.stride.end(), [](i64 s) { return s != 0; });
    if (d.extent == 1 || lead == run.stride.end()) continue;
    if (*lead < 0) {
      for (std::size_t a = 0; a < terms.size(); ++a) {
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
  std::vector<Guard> guards = simple.guards();
  for (Guard& g : guards) g.value = substitute(g.value, moved);
  for (std::size_t r = 0; r < runs.size(); ++r)
    digits.push_back({fmt::format("r{}", r), runs[r].extent, DigitKind::Fan});
  auto made = Map::create(std::move(digits), std::move(axes), std::move(guards), f.params());
  return made ? withSimplerValues(*made) : f;
}

}  // namespace tessera
