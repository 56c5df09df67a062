#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/inverse/inverse_methods.h"

namespace tessera::back {
namespace {

class StridedInverse final : public Inverse {
 public:
  StridedInverse(Map map, StridedBack back) : map_(std::move(map)), back_(std::move(back)), extents_(extentsOf(map_)) {}

  std::optional<Point> find(std::span<const i64> axes) const override {
    Point point(extents_.size(), 0);
    for (std::size_t a = 0; a < back_.peels.size(); ++a) {
      const Peel& peel = back_.peels[a];
      if (axes[a] < peel.base) return std::nullopt;
      u64 rest = static_cast<u64>(axes[a]) - static_cast<u64>(peel.base);
      for (const Wheel& w : peel.by) {
        const u64 last = static_cast<u64>(extents_[w.digit] - 1);
        const u64 q = std::min(rest / w.stride, last);
        rest -= q * w.stride;
        point[w.digit] = static_cast<i64>(w.down ? last - q : q);
      }
      if (rest != 0) return std::nullopt;
    }
    if (!map_.isReal(point)) return std::nullopt;
    return point;
  }
  std::string method() const override { return "strided"; }

  Result<BackFormula> formula() const override {
    if (auto f = formulaOf(map_, back_)) return *std::move(f);
    return Diag{"its values are too far apart for a formula", "values below 2^62"};
  }

 private:
  Map map_;
  StridedBack back_;
  std::vector<i64> extents_;
};

// The axis that a digit moves; nullopt if it moves none or several.
std::optional<std::size_t> onlyAxis(const std::vector<Strided>& forms, std::size_t digit) {
  std::optional<std::size_t> found;
  for (std::size_t a = 0; a < forms.size(); ++a) {
    if (forms[a].strides[digit] == 0) continue;
    if (found) return std::nullopt;
    found = a;
  }
  return found;
}

}  // namespace

std::optional<std::vector<Strided>> stridedForms(const Map& map) {
  std::vector<Strided> forms;
  for (std::size_t a = 0; a < map.axes().size(); ++a) {
    auto s = asStrided(map, static_cast<int>(a));
    if (!s) return std::nullopt;
    forms.push_back(*std::move(s));
  }
  return forms;
}

StridedBack stridedBack(const Map& map, std::vector<Strided> forms) {
  const std::vector<i64> extents = extentsOf(map);
  StridedBack back;
  for (const Strided& s : forms) back.peels.push_back({s.offset, 0, {}});
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (extents[k] == 1) continue;
    const auto a = onlyAxis(forms, k);
    if (!a) {
      back.free.push_back(k);
      continue;
    }
    const i64 s = forms[*a].strides[k];
    const u64 size = s < 0 ? u64{0} - static_cast<u64>(s) : static_cast<u64>(s);
    back.peels[*a].by.push_back({k, size, s < 0});
  }
  for (Peel& peel : back.peels) {
    std::vector<Wheel> wheels = std::move(peel.by);
    peel.by.clear();
    std::ranges::sort(wheels, [&](const Wheel& x, const Wheel& y) {
      return x.stride != y.stride ? x.stride < y.stride : extents[x.digit] > extents[y.digit];
    });
    for (const Wheel& w : wheels) {
      if (w.stride <= peel.span) {
        back.free.push_back(w.digit);
        continue;
      }
      const u64 reach = w.stride * static_cast<u64>(extents[w.digit] - 1);
      peel.span += reach;
      if (w.down) peel.base = static_cast<i64>(static_cast<u64>(peel.base) - reach);  // reach may be 2^63
      peel.by.insert(peel.by.begin(), w);
    }
  }
  std::ranges::sort(back.free);
  back.forms = std::move(forms);
  return back;
}

std::optional<BackFormula> formulaOf(const Map& map, const StridedBack& back) {
  const std::vector<i64> extents = extentsOf(map);
  BackFormula f;
  f.method = "strides";
  f.values.resize(extents.size());
  for (const std::size_t k : back.free) {
    const bool matters =
        map.digits()[k].kind == DigitKind::Index ||
        std::ranges::any_of(back.forms, [&](const Strided& s) { return s.strides[k] != 0; }) ||
        std::ranges::any_of(map.guards(), [&](const Guard& g) {
          return anyLeaf(g.value, [&](const Expr& e) { return e == Expr::digit(static_cast<int>(k)); });
        });
    if (!matters) continue;  // any copy is valid
    f.values[k] = Expr::digit(static_cast<int>(back.peels.size() + f.choices.size()));
    f.choices.push_back({map.digits()[k].name, extents[k], DigitKind::Fan});
  }
  for (std::size_t a = 0; a < back.peels.size(); ++a) {
    const Peel& peel = back.peels[a];
    if (peel.span > static_cast<u64>(INT64_MAX / 4) || peel.base < INT64_MIN / 4 || peel.base > INT64_MAX / 4)
      return std::nullopt;
    Range place{peel.base, peel.base + static_cast<i64>(peel.span)};
    Expr rest = Expr::digit(static_cast<int>(a)) - peel.base;
    bool shared = false;
    for (const std::size_t k : back.free) {
      const i64 s = back.forms[a].strides[k];
      if (s == 0) continue;
      const auto reach = checkedMul(s, extents[k] - 1);
      i64& edge = reach && *reach < 0 ? place.lo : place.hi;
      if (!reach || !addInto(edge, *reach) || edge == INT64_MAX || edge == INT64_MIN) return std::nullopt;
      rest = rest - f.values[k] * s;
      shared = true;
    }
    f.places.push_back(place);
    if (peel.base != 0 || shared) f.guards.push_back({rest, 0, static_cast<i64>(peel.span)});
    for (const Wheel& w : peel.by) {
      const i64 last = extents[w.digit] - 1;
      const Expr q = floorDiv(rest, static_cast<i64>(w.stride));
      f.guards.push_back({q, 0, last});
      f.values[w.digit] = w.down ? q * -1 + last : q;
      rest = mod(rest, static_cast<i64>(w.stride));
    }
    f.guards.push_back({rest, 0, 0});
  }
  for (Guard& g : substituted(map.guards(), f.values)) f.guards.push_back(std::move(g));
  return f;
}

std::shared_ptr<const Inverse> stridedInverse(const Map& map, const std::vector<Strided>& forms) {
  StridedBack back = stridedBack(map, forms);
  if (!back.free.empty()) return nullptr;
  return std::make_shared<StridedInverse>(map, std::move(back));
}

std::optional<std::pair<Point, Point>> meetingStrides(const Map& map, const std::vector<Strided>& forms) {
  const std::vector<i64> extents = extentsOf(map);
  const std::size_t n = extents.size();
  const auto stride = [&](std::size_t a, std::size_t k) { return forms[a].strides[k]; };
  for (std::size_t i = 0; i < n; ++i) {
    if (extents[i] == 1 || std::ranges::any_of(forms, [&](const Strided& s) { return s.strides[i] != 0; })) continue;
    Point p(n, 0), q(n, 0);
    q[i] = 1;
    return std::pair(p, q);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t a = 0; a < forms.size(); ++a) {
        const i64 s = stride(a, i), t = stride(a, j);
        if (s == 0 || t == 0 || s == INT64_MIN || t == INT64_MIN) continue;
        const i64 g = std::gcd(s, t);
        const i64 di = t / g, dj = -(s / g);  // di*s + dj*t == 0
        if (std::abs(di) >= extents[i] || std::abs(dj) >= extents[j]) continue;
        Point p(n, 0), q(n, 0);
        p[i] = std::max<i64>(0, -di);
        q[i] = p[i] + di;
        p[j] = std::max<i64>(0, -dj);
        q[j] = p[j] + dj;
        if (map.at(p) == map.at(q)) return std::pair(p, q);  // with several axes, all must agree
      }
  return std::nullopt;
}

}  // namespace tessera::back
