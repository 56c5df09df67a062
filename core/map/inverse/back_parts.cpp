#include <algorithm>
#include <bit>

#include "core/base/mapped.h"
#include "core/map/domain/refine.h"
#include "core/map/inverse/inverse_methods.h"

namespace tessera::back {
namespace {

using Point = std::vector<i64>;

// The bit matrix of a swizzle over the values below 2^bits that it receives.
std::optional<Undone> undoneOf(const Outer& outer) {
  Undone u;
  u.inputs = static_cast<int>(std::bit_width(static_cast<u64>(outer.top)));
  const auto map = Map::create({{"x", i64{1} << u.inputs, DigitKind::Index}}, {{"y", outer.post, std::nullopt}});
  if (!map) return std::nullopt;
  auto form = asF2(*map);
  if (!form) return std::nullopt;
  auto back = inverse(form->matrix);
  if (!back) return std::nullopt;
  u.bits = form->matrix.rows;
  u.form = *std::move(form);
  u.matrix = *std::move(back);
  return u;
}

class PartsInverse final : public Inverse {
 public:
  PartsInverse(Map map, Parts parts, std::shared_ptr<const Inverse> inner)
      : map_(std::move(map)), parts_(std::move(parts)), inner_(std::move(inner)) {}

  std::optional<Point> find(std::span<const i64> axes) const override {
    std::vector<i64> places(axes.begin(), axes.end());
    for (std::size_t a = 0; a < places.size(); ++a) {
      const auto& u = parts_.undone[a];
      if (!u) continue;
      if (places[a] < 0 || (static_cast<u64>(places[a]) >> u->bits) != 0) return std::nullopt;
      const u64 y = static_cast<u64>(places[a]) ^ u->form.constant;
      const u64 x = u->matrix.apply(y);
      if (u->form.matrix.apply(x) != y) return std::nullopt;
      places[a] = static_cast<i64>(x);
    }
    const auto parts = inner_->find(places);
    if (!parts) return std::nullopt;
    Point point;
    for (const Expr& e : parts_.digits) point.push_back(evaluate(e, *parts));
    return point;
  }
  std::string method() const override { return parts_.swizzled ? "swizzle, strided" : "strided"; }
  Result<BackFormula> formula() const override {
    TESSERA_TRY(const BackFormula inner, inner_->formula());
    if (auto f = lifted(parts_, inner)) return *std::move(f);
    return Diag{"its values are too far apart for a formula", "values below 2^62"};
  }

 private:
  Map map_;
  Parts parts_;
  std::shared_ptr<const Inverse> inner_;
};

}  // namespace

std::optional<Parts> partsOf(const Map& map) {
  Parts parts;
  std::vector<Axis> axes = map.axes();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    parts.undone.emplace_back();
    const auto outer = outerOf(map, static_cast<int>(a));
    if (!outer) continue;
    parts.undone.back() = undoneOf(*outer);
    if (!parts.undone.back()) continue;
    axes[a].value = outer->inner;
    axes[a].extent.reset();
    parts.swizzled = true;
  }
  const auto under = Map::create(map.digits(), std::move(axes), map.guards(), map.params());
  if (!under) return std::nullopt;
  const auto cut = refined(*under);
  parts.cut = cut.has_value();
  if (!parts.cut && !parts.swizzled) return std::nullopt;
  parts.inner = cut ? cut->map : *under;
  for (std::size_t k = 0; k < map.digits().size(); ++k)
    parts.digits.push_back(cut ? cut->digits[k] : Expr::digit(static_cast<int>(k)));
  return parts;
}

std::optional<BackFormula> lifted(const Parts& parts, const BackFormula& inner) {
  BackFormula f;
  f.method = parts.swizzled ? "strides under a swizzle" : "strides";
  f.choices = inner.choices;
  std::vector<Expr> under;  // the values of inner's digits: places, then choices
  for (std::size_t a = 0; a < inner.places.size(); ++a) {
    const auto& u = parts.undone[a];
    Expr place = Expr::digit(static_cast<int>(a));
    if (u) {
      const auto y = Map::create({{"x", i64{1} << u->inputs, DigitKind::Index}}, {{"y", Expr(), std::nullopt}});
      if (!y) return std::nullopt;
      const BackFormula one = formulaOf(*y, u->form, u->matrix, {});
      const std::vector<Expr> at{place};
      f.places.push_back(one.places[0]);
      for (const Guard& g : one.guards) f.guards.push_back({substitute(g.value, at), g.lo, g.hi});
      place = substitute(one.values[0], at);
      const Range& r = inner.places[a];
      if (r.lo > 0 || r.hi < (i64{1} << u->inputs) - 1) f.guards.push_back({place, r.lo, r.hi});
    } else {
      f.places.push_back(inner.places[a]);
    }
    under.push_back(place);
  }
  for (std::size_t t = 0; t < inner.choices.size(); ++t)
    under.push_back(Expr::digit(static_cast<int>(inner.places.size() + t)));
  for (const Guard& g : inner.guards) f.guards.push_back({substitute(g.value, under), g.lo, g.hi});
  auto values = mapped<Expr>(inner.values, [&](const Expr& v) { return substitute(v, under); });
  for (const Expr& whole : parts.digits) f.values.push_back(substitute(whole, values));
  return f;
}

std::shared_ptr<const Inverse> partsInverse(const Map& map, const Parts& parts, std::shared_ptr<const Inverse> inner) {
  return std::make_shared<PartsInverse>(map, parts, std::move(inner));
}

}  // namespace tessera::back
