// f2: a layout over powers of two is y = A x over the two-element field. Columns are coordinate bits, rows are address
// bits (most significant on top); a filled cell means "this coordinate bit flips that address bit".
//
// A point lights the ones in the columns of its bits: their xor is its address. A one represents the coordinate with
// only this bit set.
//
//     Sw<1,0,3> o (4,8):(8,1)      row a0 has two ones: a0 = j0 ^ i0     a swizzle is a row with more than one
#include <fmt/format.h>

#include <algorithm>

#include "core/map/forms/recognise.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

class MatrixCells : public CellSource {
 public:
  MatrixCells(F2Form form, std::vector<int> hues, SubjectPtr subject)
      : form_(std::move(form)), hues_(std::move(hues)), s_(std::move(subject)) {
    for (std::size_t leaf = 0; leaf < s_->leafDigit.size(); ++leaf) {
      const i64 extent = s_->map.digits()[static_cast<std::size_t>(s_->leafDigit[leaf])].extent;
      for (i64 e = extent, weight = 1; e > 1; e /= 2, weight *= 2) bits_.push_back({leaf, weight});
    }
    if (bits_.size() != form_.matrix.columns.size() || s_->hasFan()) bits_.clear();  // digits other than the leaves
  }
  // A one represents the coordinate with only this column's bit set.
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const int bit = form_.matrix.rows - 1 - static_cast<int>(row);
    const auto column = static_cast<std::size_t>(col);
    if (!form_.matrix.bit(bit, static_cast<int>(col))) return {"0", "", {Role::Raised}};
    const Point point = bits_.empty() ? Point{} : Point{s_->domain, unit(column)};
    return {"1", "", {Role::Group, hues_[column], 3, 0}, point};
  }
  // The contribution of a coordinate's bits to its address: the ones in their columns.
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> out;
    if (bits_.empty() || !point.isIn(s_->domain, s_->size)) return out;
    std::vector<i64> digits;
    s_->digitsOf(s_->coordOf(point.index).data(), digits);
    for (std::size_t c = 0; c < bits_.size(); ++c) {
      const i64 digit = digits[static_cast<std::size_t>(s_->leafDigit[bits_[c].leaf])];
      if (digit / bits_[c].weight % 2 == 0) continue;
      for (int bit = form_.matrix.rows - 1; bit >= 0; --bit)
        if (form_.matrix.bit(bit, static_cast<int>(c)) && static_cast<int>(out.size()) < limit)
          out.emplace_back(form_.matrix.rows - 1 - bit, static_cast<i64>(c));
    }
    return out;
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    return form_.outputBits[static_cast<std::size_t>(form_.matrix.rows - 1 - row)];
  }
  [[nodiscard]] std::string colHeader(i64 col) const override { return form_.inputBits[static_cast<std::size_t>(col)]; }

 private:
  struct Bit {
    std::size_t leaf = 0;
    i64 weight = 1;
  };
  // The index of the coordinate with only this bit set: leaves and modes are colex.
  [[nodiscard]] i64 unit(std::size_t column) const {
    i64 running = 1;
    for (std::size_t leaf = 0; leaf < bits_[column].leaf; ++leaf)
      running *= s_->map.digits()[static_cast<std::size_t>(s_->leafDigit[leaf])].extent;
    return running * bits_[column].weight;
  }
  F2Form form_;
  std::vector<int> hues_;
  SubjectPtr s_;
  std::vector<Bit> bits_;
};

// "offset.3 = i0.2 ^ i1.0"
std::string equation(const F2Form& form, int bit) {
  std::string s;
  for (std::size_t c = 0; c < form.matrix.columns.size(); ++c)
    if (form.matrix.bit(bit, static_cast<int>(c))) s += (s.empty() ? "" : " ^ ") + form.inputBits[c];
  if (((form.constant >> bit) & 1) != 0) s += s.empty() ? "1" : " ^ 1";
  return s.empty() ? "0" : s;
}

}  // namespace

Result<Figure> drawF2(const SubjectPtr& s, const DrawOptions& options) {
  TESSERA_TRY(F2Form form, asF2(s->map));
  if (s->map.axes().size() == 1 && s->map.axes()[0].name == "offset")
    for (std::size_t k = 0; k < form.outputBits.size(); ++k) form.outputBits[k] = fmt::format("a{}", k);
  std::vector<int> hues;
  std::size_t bit = 0;
  for (std::size_t d = 0; d < s->map.digits().size() && bit < form.inputBits.size(); ++d)
    for (i64 e = s->map.digits()[d].extent; e > 1; e /= 2, ++bit) hues.push_back(static_cast<int>(d));
  hues.resize(form.inputBits.size(), 0);
  Figure figure;
  setTitle(figure, options, "f2", "Bit matrix", s->text);
  const int columns = static_cast<int>(form.matrix.columns.size()), r = rank(form.matrix);
  std::size_t headerChars = 1;
  for (const std::string& name : form.inputBits) headerChars = std::max(headerChars, countCodePoints(name));
  if (columns > 0 && form.matrix.rows > 0) {
    Grid grid = makeGrid("", form.matrix.rows, columns, std::make_shared<MatrixCells>(form, hues, s),
                         std::max(26.0, 0.6 * kType.small * static_cast<double>(headerChars) + 8), 26, 1);
    const Margins m = headerMargins(grid);
    grid.x = m.left;
    grid.y = m.top;
    const double x = grid.x + grid.bounds().w + 22;
    for (int row = 0; row < form.matrix.rows; ++row) {
      const int b = form.matrix.rows - 1 - row;
      const std::string text = "= " + equation(form, b);
      const bool mixes = text.find('^') != std::string::npos;
      addFitted(figure, x, grid.y + (row + 0.5) * grid.cellHeight, 420, text, 11, Face::Mono,
                mixes ? Role::Text : Role::Muted);
    }
    figure.grids.push_back(std::move(grid));
  }
  fitSize(figure);
  figure.caption = fmt::format("{} coordinate bits, {} address bits, rank {}: ", columns, form.matrix.rows, r);
  if (r == columns) {
    figure.caption += "the columns are independent, so no two coordinates share an address.";
  } else {
    const u64 x = kernelVector(form.matrix).value_or(0);
    std::string bits;
    for (int c = 0; c < columns; ++c)
      if (((x >> c) & 1) != 0) bits += (bits.empty() ? "" : ", ") + form.inputBits[static_cast<std::size_t>(c)];
    figure.caption += fmt::format("not injective: flipping {} together does not change the address.", bits);
  }
  figure.table.push_back({"address bit", "is"});
  for (int b = form.matrix.rows - 1; b >= 0; --b)
    figure.table.push_back({form.outputBits[static_cast<std::size_t>(b)], equation(form, b)});
  return figure;
}

}  // namespace tessera
