#include "render/draw/hlo/array_cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/arith.h"
#include "core/map/map.h"

namespace tessera::hlo {
namespace {

using Ints = std::vector<i64>;

constexpr i64 kFewReads = i64{1} << 18, kMostKept = i64{1} << 20;
constexpr std::size_t kMostLit = 4096;
constexpr double kSide = 330;  // side of a page in points, unless its labels need more

// The label and the colour of an element; `read`: the label is a number of reads, also in data formats.
struct ElementLook {
  std::function<std::string(i64 element)> label;
  std::function<Paint(i64 element)> paint;
  bool read = false;
};

class ArrayCells : public CellSource {
 public:
  ArrayCells(Ints sizes, ElementLook look)
      : page_(std::move(sizes)), look_(std::move(look)), domain_(pointDomain(page_.sizes)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 n = page_.elementAt(row, col);
    if (n < 0) return {"", "", {Role::Padding}};
    return {look_.label(n), "", look_.paint(n), {domain_, page_.pointOf(n)}};
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const i64 n = page_.elementAt(row, col);
    return n < 0 ? Paint{Role::Padding} : look_.paint(n);
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (limit < 1 || !point.isIn(domain_, elementsOf(page_.sizes))) return {};
    return {page_.cellOf(page_.elementOf(point.index))};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    return page_.sizes.size() < 2 ? fmt::format("{}", row * page_.cols) : page_.header(page_.rowDims, row);
  }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    return page_.sizes.size() < 2 ? fmt::format("{}", col) : page_.header(page_.colDims, col);
  }
  [[nodiscard]] std::vector<std::string> fieldNames() const override {
    return look_.read ? std::vector<std::string>{"read"} : std::vector<std::string>();
  }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    const i64 n = page_.elementAt(row, col);
    return {n < 0 ? "" : look_.label(n)};
  }

 private:
  Page page_;
  ElementLook look_;
  u64 domain_;
};

Grid gridOf(const Ints& sizes, int labelChars, std::string name, ElementLook look) {
  const Page page(sizes);
  const double pitch = std::min(20.0, kSide / static_cast<double>(std::max(page.rows, page.cols)));
  // Widen very thin rows and columns.
  const auto wide = [&](i64 cells) { return std::max(pitch, std::min(kSide, 24.0) / static_cast<double>(cells)); };
  Grid grid = makeGrid(std::move(name), page.rows, page.cols, std::make_shared<ArrayCells>(sizes, std::move(look)),
                       wide(page.cols), wide(page.rows), labelChars);
  if (pitch >= 16) grid.cellWidth = std::max(grid.cellWidth, 8 + 6.5 * grid.labelChars);
  grid.headers = !page.sizes.empty();
  if (page.rowDims.size() > 1) grid.rowGroup = page.sizes[page.rowDims.back()];
  if (page.colDims.size() > 1) grid.colGroup = page.sizes[page.colDims.back()];
  return grid;
}

}  // namespace

i64 elementsOf(const Ints& sizes) {
  i64 n = 1;
  for (const i64 s : sizes) n = checkedMul(n, s).value_or(INT64_MAX);
  return n;
}

Page::Page(Ints arraySizes) : sizes(std::move(arraySizes)) {
  if (sizes.empty()) return;
  if (sizes.size() == 1) {
    while (cols < sizes[0] && (cols < 64 || cols * cols < sizes[0])) cols *= 2;
    cols = std::max<i64>(1, std::min(cols, sizes[0]));
    rows = ceilDiv(sizes[0], cols);
    return;
  }
  for (std::size_t k = sizes.size(); k-- > 0;) {
    const bool column = k + 1 == sizes.size() || (k + 2 < sizes.size() && cols <= rows);
    (column ? cols : rows) *= sizes[k];  // an array's elements fit in 63 bits
    std::vector<std::size_t>& dims = column ? colDims : rowDims;
    dims.insert(dims.begin(), k);
  }
}

i64 Page::elementAt(i64 row, i64 col) const {
  if (rowDims.empty()) {
    const i64 n = row * cols + col;
    return n < elementsOf(sizes) ? n : -1;
  }
  Ints at(sizes.size(), 0);
  const auto spread = [&](const std::vector<std::size_t>& dims, i64 n) {
    for (std::size_t k = dims.size(); k-- > 0; n /= sizes[dims[k]]) at[dims[k]] = n % sizes[dims[k]];
  };
  spread(rowDims, row);
  spread(colDims, col);
  return linearize(at, sizes, LinearOrder::Lex);
}
std::pair<i64, i64> Page::cellOf(i64 element) const {
  if (rowDims.empty()) return {element / cols, element % cols};
  const Ints at = delinearize(element, sizes, LinearOrder::Lex);
  const auto joined = [&](const std::vector<std::size_t>& dims) {
    i64 n = 0;
    for (const std::size_t d : dims) n = n * sizes[d] + at[d];
    return n;
  };
  return {joined(rowDims), joined(colDims)};
}
std::string Page::header(const std::vector<std::size_t>& dims, i64 n) const {
  std::string out;
  for (std::size_t k = dims.size(); k-- > 0; n /= sizes[dims[k]])
    out = fmt::format("{}{}{}", n % sizes[dims[k]], out.empty() ? "" : ",", out);
  return out;
}
i64 Page::pointOf(i64 element) const {
  return linearize(delinearize(element, sizes, LinearOrder::Lex), sizes, LinearOrder::Colex);
}
i64 Page::elementOf(i64 point) const {
  return linearize(delinearize(point, sizes, LinearOrder::Colex), sizes, LinearOrder::Lex);
}

ElementCounts::ElementCounts(ReadCounts counts, Ints operand, const ElementBox& tile, std::optional<i64> reads)
    : counts_(std::move(counts)), operand_(std::move(operand)), most_(counts_.most()) {
  const i64 elements = elementsOf(operand_), outputs = tile.elements();
  if (reads && *reads <= kFewReads && outputs <= kFewReads) {
    isFew_ = true;
    Ints extents;
    for (std::size_t k = 0; k < tile.from.size(); ++k) extents.push_back(tile.to[k] - tile.from[k]);
    i64 seen = 0;
    for (i64 n = 0; n < outputs; ++n) {
      Ints at = delinearize(n, extents, LinearOrder::Lex);
      for (std::size_t k = 0; k < at.size(); ++k) at[k] += tile.from[k];
      for (const i64 e : counts_.readBy(at, static_cast<std::size_t>(kFewReads))) {
        ++few_[e];
        ++seen;
      }
    }
    isFew_ = seen == *reads;  // readBy stops at a loop limit
  }
  if (!isFew_ && elements <= kMostKept) {
    all_.reserve(static_cast<std::size_t>(elements));
    for (i64 n = 0; n < elements; ++n) {
      const ReadCounts::Times t = counts_.times(delinearize(n, operand_, LinearOrder::Lex));
      all_.push_back(t.exact ? t.times : -t.times);
    }
  }
  if (!isFew_ && all_.empty()) return;
  most_ = 0;
  for (const auto& [element, times] : few_) most_ = std::max(most_, times);
  for (const i64 n : all_) most_ = std::max(most_, std::abs(n));
}

ReadCounts::Times ElementCounts::at(i64 element) const {
  if (isFew_) {
    const auto found = few_.find(element);
    return {found == few_.end() ? 0 : found->second, true};
  }
  if (all_.empty()) return counts_.times(delinearize(element, operand_, LinearOrder::Lex));
  const i64 n = all_[static_cast<std::size_t>(element)];
  return {std::abs(n), n >= 0};
}

std::string arrangement(const Ints& sizes) {
  if (sizes.size() < 3) return "";
  const Page page(sizes);
  return fmt::format("rows: dimensions {}; columns: {}", fmt::join(page.rowDims, ", "), fmt::join(page.colDims, ", "));
}

Grid outputGrid(const Ints& sizes, const std::optional<ElementBox>& tile) {
  const auto paint = [sizes, tile](i64 element) -> Paint {
    if (!tile) return {Role::Panel};
    const Ints at = delinearize(element, sizes, LinearOrder::Lex);
    for (std::size_t k = 0; k < at.size(); ++k)
      if (at[k] < tile->from[k] || at[k] >= tile->to[k]) return {Role::Panel};
    return {Role::Group, 0, 1};
  };
  // The position identifies the element.
  return gridOf(sizes, 0, "output", {[](i64) { return std::string(); }, paint});
}

Grid operandGrid(const Ints& sizes, const std::shared_ptr<const ElementCounts>& counts, i64 most, std::string name) {
  const int chars = static_cast<int>(std::to_string(counts ? counts->most() : 0).size());
  const auto label = [counts](i64 element) -> std::string {
    if (!counts) return "?";
    const ReadCounts::Times t = counts->at(element);
    return fmt::format("{}{}", t.exact ? "" : "\u2264", t.times);
  };
  const auto paint = [counts, most](i64 element) {
    return counts ? heatOf(counts->at(element).times, most) : Paint{Role::Panel};
  };
  return gridOf(sizes, chars, std::move(name), {label, paint, true});
}

Paint heatOf(i64 times, i64 most) {
  if (times <= 0) return {Role::Faded};
  if (most <= 1) return {Role::Heat, 0, 0, 0.25F};
  const double share = std::log(static_cast<double>(times)) / std::log(static_cast<double>(most));
  return {Role::Heat, 0, 0, static_cast<float>(0.15 + 0.85 * std::min(1.0, share))};
}

LinkPtr readsLink(ReadCounts counts, Ints output, Ints operand) {
  const auto from = std::make_shared<const Page>(std::move(output)),
             to = std::make_shared<const Page>(std::move(operand));
  const auto shared = std::make_shared<const ReadCounts>(std::move(counts));
  const u64 reader = pointDomain(from->sizes), read = pointDomain(to->sizes);
  const auto side = [&](bool there) {
    const auto points = [=](i64 index, std::vector<Point>& out) {
      const Page &here = there ? *from : *to, &other = there ? *to : *from;
      const Ints at = delinearize(index, here.sizes, LinearOrder::Colex);
      for (const i64 n : there ? shared->readBy(at, kMostLit) : shared->readersOf(at, kMostLit))
        out.push_back({there ? read : reader, other.pointOf(n)});
    };
    return LinkSide{there ? reader : read, elementsOf(there ? from->sizes : to->sizes), points};
  };
  return formulaLink(side(true), side(false));
}

}  // namespace tessera::hlo
