#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/mapped.h"
#include "core/map/compose.h"
#include "core/map/forms/recognise.h"
#include "core/map/inverse/inverse_methods.h"

namespace tessera::back {
namespace {

int bitsOf(const Digit& d) { return std::countr_zero(static_cast<u64>(d.extent)); }

// Output bits [at, at + bits) of m.apply(words) as an expression, word w providing the next widths[w] input bits: runs
// of input bits that move by the same shift become ((x floordiv 2^from) mod 2^length) * 2^to, and the runs are xored.
Expr wordOf(const F2Matrix& m, int at, int bits, const std::vector<int>& widths, const std::vector<Expr>& words) {
  Expr out;
  int first = 0;
  for (std::size_t w = 0; w < widths.size(); ++w) {
    const int width = widths[w];
    const auto moves = [&](int from, int to) { return m.bit(at + to, first + from); };
    for (int shift = -(width - 1); shift < bits; ++shift)
      for (int from = std::max(0, -shift); from < width && from + shift < bits; ++from) {
        if (!moves(from, from + shift)) continue;
        int length = 1;
        while (from + length < width && from + length + shift < bits && moves(from + length, from + length + shift))
          ++length;
        const Expr high = floorDiv(words[w], i64{1} << from);
        const Expr run = length == 63 ? high : mod(high, i64{1} << length);
        out = out ^ (run * (i64{1} << (from + shift)));
        from += length;
      }
    first += width;
  }
  return out;
}

class F2Inverse final : public Inverse {
 public:
  F2Inverse(const Map& map, F2Form form, F2Matrix back) : map_(map), form_(std::move(form)), back_(std::move(back)) {}

  std::optional<Point> find(std::span<const i64> axes) const override {
    u64 y = 0;
    int at = 0;
    for (std::size_t a = 0; a < form_.axisBits.size(); ++a) {
      if (axes[a] < 0 || (static_cast<u64>(axes[a]) >> form_.axisBits[a]) != 0) return std::nullopt;
      y |= static_cast<u64>(axes[a]) << at;
      at += form_.axisBits[a];
    }
    const u64 p = back_.apply(y ^ form_.constant);
    if ((form_.matrix.apply(p) ^ form_.constant) != y) return std::nullopt;
    Point point = pointOfBits(map_, p);
    if (!map_.isReal(point)) return std::nullopt;
    return point;
  }
  std::string method() const override { return "F2"; }
  Result<BackFormula> formula() const override { return formulaOf(map_, form_, back_, {}); }

 private:
  Map map_;
  F2Form form_;
  F2Matrix back_;
};

// Kernel vectors as choices: a run of vectors that are shifts of each other is one choice of 2^length.
void addChoices(const std::vector<u64>& kernel, BackFormula& f, std::vector<int>& widths, std::vector<Expr>& words) {
  for (std::size_t k = 0; k < kernel.size(); ++k) {
    const bool goesOn = k > 0 && kernel[k] == kernel[k - 1] << 1;
    if (!goesOn) {
      words.push_back(Expr::digit(static_cast<int>(f.places.size() + f.choices.size())));
      widths.push_back(0);
      f.choices.push_back({fmt::format("k{}", f.choices.size()), 1, DigitKind::Fan});
    }
    ++widths.back();
    f.choices.back().extent *= 2;
  }
}

// The bit matrix of a swizzle over the values below 2^bits that it receives.
std::optional<Undone> undoneOf(const Outer& outer) {
  const int inputs = static_cast<int>(std::bit_width(static_cast<u64>(outer.top)));
  auto form = asF2(outer.post, inputs);
  auto back = form ? inverse(form->matrix) : std::nullopt;
  if (!back) return std::nullopt;
  return Undone{inputs, *std::move(form), *std::move(back)};
}

class PartsInverse final : public Inverse {
 public:
  PartsInverse(Parts parts, std::shared_ptr<const Inverse> inner)
      : parts_(std::move(parts)), inner_(std::move(inner)) {}

  std::optional<Point> find(std::span<const i64> axes) const override {
    std::vector<i64> places(axes.begin(), axes.end());
    for (std::size_t a = 0; a < places.size(); ++a) {
      const auto& u = parts_.undone[a];
      if (!u) continue;
      if (places[a] < 0 || (static_cast<u64>(places[a]) >> u->form.matrix.rows) != 0) return std::nullopt;
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
  Parts parts_;
  std::shared_ptr<const Inverse> inner_;
};

}  // namespace

Point pointOfBits(const Map& map, u64 bits) {
  Point point;
  for (const Digit& d : map.digits()) {
    point.push_back(static_cast<i64>(bits & (static_cast<u64>(d.extent) - 1)));
    bits >>= bitsOf(d);
  }
  return point;
}

BackFormula formulaOf(const Map& map, const F2Form& form, const F2Matrix& back, const std::vector<u64>& kernel) {
  BackFormula f;
  f.method = "F2";
  std::vector<int> widths = form.axisBits;
  std::vector<Expr> words;
  int at = 0;
  for (std::size_t a = 0; a < form.axisBits.size(); ++a) {
    const int bits = form.axisBits[a];
    f.places.push_back({0, static_cast<i64>((u64{1} << bits) - 1)});
    const i64 flipped = static_cast<i64>((form.constant >> at) & ((u64{1} << bits) - 1));
    words.push_back(Expr::digit(static_cast<int>(a)) ^ Expr::constant(flipped));
    at += bits;
  }
  // y is hit iff (A * back + 1) y == 0; one guard per axis.
  F2Matrix defect = form.matrix * back;
  for (std::size_t k = 0; k < defect.columns.size(); ++k) defect.columns[k] ^= u64{1} << k;
  at = 0;
  for (const int bits : form.axisBits) {
    const Expr word = wordOf(defect, at, bits, widths, words);
    if (!word.isConstant(0)) f.guards.push_back({word, 0, 0});
    at += bits;
  }
  F2Matrix wide = back;
  wide.columns.insert(wide.columns.end(), kernel.begin(), kernel.end());
  addChoices(kernel, f, widths, words);
  at = 0;
  for (const Digit& d : map.digits()) {
    f.values.push_back(wordOf(wide, at, bitsOf(d), widths, words));
    at += bitsOf(d);
  }
  for (Guard& g : substituted(map.guards(), f.values)) f.guards.push_back(std::move(g));
  return f;
}

std::shared_ptr<const Inverse> f2Inverse(const Map& map, F2Form form, F2Matrix back) {
  return std::make_shared<F2Inverse>(map, std::move(form), std::move(back));
}

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
  if (!cut && !parts.swizzled) return std::nullopt;
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

std::shared_ptr<const Inverse> partsInverse(const Parts& parts, std::shared_ptr<const Inverse> inner) {
  return std::make_shared<PartsInverse>(parts, std::move(inner));
}

}  // namespace tessera::back
