#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/map/compose.h"
#include "core/map/inverse/inverse_methods.h"

namespace tessera::back {
namespace {

using Point = std::vector<i64>;

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

}  // namespace tessera::back
