// reads: an instruction's output and its operands as grids, each operand's elements coloured by how often they are read. Pointing at
// an element of the output lights what it reads; at an element of an operand, who reads it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/arith.h"
#include "core/hlo/part_reads.h"
#include "core/hlo/usage.h"
#include "core/notation/indexing/map.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hlo/hlo.h"
#include "render/figure/linked.h"
#include "render/figure/text_metrics.h"

namespace tessera::hlo {
namespace {

constexpr i64 kMostElements = i64{1} << 18, kMostReads = i64{1} << 22, kMostPairs = i64{1} << 18;
constexpr int kMostOperands = 6;
constexpr i64 kWrap = 64;

using Ints = std::vector<i64>;

i64 productOf(const Ints& sizes) {
  i64 n = 1;
  for (const i64 s : sizes) n = checkedMul(n, s).value_or(INT64_MAX);
  return n;
}
i64 colexOf(const Ints& at, const Ints& sizes) { return linearize(at, sizes, LinearOrder::Colex); }

// An array as a page: the last dimension are the columns, all others the rows; one dimension alone is wrapped.
struct Page {
  Ints sizes;
  i64 rows = 1, cols = 1, wrap = 0;

  explicit Page(Ints s) : sizes(std::move(s)) {
    if (sizes.empty()) return;
    if (sizes.size() == 1) {
      wrap = std::min(sizes[0], kWrap);
      cols = std::max<i64>(wrap, 1);
      rows = ceilDiv(sizes[0], cols);
      return;
    }
    cols = sizes.back();
    rows = productOf(sizes) / std::max<i64>(cols, 1);
  }
  // Row-major number of a cell's element, -1 behind the last.
  [[nodiscard]] i64 elementAt(i64 row, i64 col) const {
    const i64 n = row * cols + col;
    return n < productOf(sizes) ? n : -1;
  }
  [[nodiscard]] i64 colex(i64 element) const { return colexOf(delinearize(element, sizes, LinearOrder::Lex), sizes); }
};

// The cells of one array: a count each, or (the output) none.
class ArrayCells : public CellSource {
 public:
  ArrayCells(Page page, std::vector<i64> counts, i64 most)
      : page_(std::move(page)), counts_(std::move(counts)), most_(most), domain_(pointDomain(page_.sizes)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    const i64 n = page_.elementAt(row, col);
    cell.paint = paint(row, col);
    if (n < 0) return cell;
    cell.label = counts_.empty() ? fmt::format("{}", n) : fmt::format("{}", counts_[static_cast<std::size_t>(n)]);
    cell.point = {domain_, page_.colex(n)};
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const i64 n = page_.elementAt(row, col);
    if (n < 0) return {Role::Padding};
    if (counts_.empty()) return {Role::Panel};
    const i64 count = counts_[static_cast<std::size_t>(n)];
    if (count == 0) return {Role::Faded};
    if (most_ <= 1) return {Role::Heat, 0, 0, 0.12F};
    return {
        Role::Heat, 0, 0,
        static_cast<float>(0.12 + 0.88 * std::log(static_cast<double>(count)) / std::log(static_cast<double>(most_)))};
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (limit < 1 || point.domain != domain_ || point.index < 0 || point.index >= productOf(page_.sizes)) return {};
    const i64 n = linearize(delinearize(point.index, page_.sizes, LinearOrder::Colex), page_.sizes, LinearOrder::Lex);
    return {{n / page_.cols, n % page_.cols}};
  }

 private:
  Page page_;
  std::vector<i64> counts_;
  i64 most_;
  u64 domain_;
};

// What one operand gives: counts by row-major element, and the pairs (output, element) where they are few.
struct Counted {
  std::vector<i64> counts;
  i64 most = 0, never = 0;
  std::vector<std::pair<Point, Point>> pairs;
  bool complete = true;  // the pairs are all
  std::string why;       // nothing was counted
};

// Every element of the output in turn: the different elements that all maps together read.
class Counter {
 public:
  Counter(const Ints& output, const Ints& operand)
      : output_(output), operand_(operand), from_(pointDomain(output)), to_(pointDomain(operand)) {}

  Counted count(const Reach& reach) {
    Counted out;
    out.why = refusal(reach);
    if (!out.why.empty()) return out;
    out.counts.assign(static_cast<std::size_t>(productOf(operand_)), 0);
    const i64 all = productOf(output_);
    for (i64 n = 0; n < all; ++n) addOne(out, reach, delinearize(n, output_, LinearOrder::Lex));
    for (const i64 c : out.counts) {
      out.most = std::max(out.most, c);
      out.never += c == 0;
    }
    return out;
  }

 private:
  [[nodiscard]] std::string refusal(const Reach& reach) const {
    if (reach.soundness == Soundness::Unknown) return "unknown: " + reach.why;
    if (productOf(operand_) > kMostElements) return fmt::format("more than {} elements", kMostElements);
    i64 reads = 0;
    for (const Map& m : reach.maps) {
      if (!m.params().empty()) return "read at a place that only the run knows";
      if (m.indexDigits().size() != output_.size()) return "read by other coordinates than the output's";
      const i64 points = m.pointCount().value_or(INT64_MAX);
      reads = checkedAdd(reads, points).value_or(INT64_MAX);
    }
    if (reads > kMostReads) return fmt::format("more than {} reads", kMostReads);
    return "";
  }

  // The digits of a map at a coordinate; nullopt: outside of its box.
  static std::optional<Ints> digitsAt(const Map& map, const Ints& at) {
    Ints digits;
    const std::vector<int> index = map.indexDigits();
    for (std::size_t k = 0; k < index.size(); ++k) {
      const Digit& d = map.digits()[static_cast<std::size_t>(index[k])];
      const i64 value = at[k] - d.lo;
      if (value < 0 || value >= d.extent) return std::nullopt;
      digits.push_back(value);
    }
    return digits;
  }

  void addOne(Counted& out, const Reach& reach, const Ints& at) {
    read_.clear();
    for (const Map& map : reach.maps) {
      const auto digits = digitsAt(map, at);
      if (!digits) continue;
      for (const Ints& element : map.imageOf(*digits)) {
        bool inside = element.size() == operand_.size();
        for (std::size_t k = 0; inside && k < element.size(); ++k) inside = element[k] >= 0 && element[k] < operand_[k];
        if (inside) read_.push_back(linearize(element, operand_, LinearOrder::Lex));
      }
    }
    std::sort(read_.begin(), read_.end());
    read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
    const Point from{from_, colexOf(at, output_)};
    for (const i64 n : read_) {
      ++out.counts[static_cast<std::size_t>(n)];
      out.complete = out.complete && static_cast<i64>(out.pairs.size()) < kMostPairs;
      if (out.complete)
        out.pairs.emplace_back(from, Point{to_, colexOf(delinearize(n, operand_, LinearOrder::Lex), operand_)});
    }
  }

  Ints output_, operand_;
  u64 from_, to_;
  Ints read_;
};

Grid gridOf(const Ints& sizes, std::vector<i64> counts, i64 most, std::string name) {
  const Page page(sizes);
  Grid grid;
  grid.name = std::move(name);
  grid.rows = page.rows;
  grid.cols = page.cols;
  const i64 largest = counts.empty() ? productOf(sizes) - 1 : most;
  grid.labelChars = static_cast<int>(fmt::format("{}", largest).size());
  const double pitch = std::clamp(520.0 / static_cast<double>(std::max(grid.rows, grid.cols)), 3.0, 26.0);
  grid.cellWidth = grid.cellHeight = pitch;
  if (pitch >= 18) grid.cellWidth = std::max(pitch, pitchFor(grid.labelChars));
  grid.headers = pitch >= 12 && !sizes.empty();
  grid.cells = std::make_shared<ArrayCells>(page, std::move(counts), most);
  return grid;
}

// A column of the picture: a heading of lines above a grid.
class Sheet {
 public:
  explicit Sheet(Figure& figure) : figure_(figure) {}

  void add(const std::string& head, const std::vector<std::pair<std::string, Role>>& lines, std::optional<Grid> grid) {
    constexpr double kLine = 17, kTop = 4;
    double y = kTop, width = textWidth(head, Face::SansMedium, 13);
    figure_.marks.push_back(textMark(x_, y + 6, head, 13, Face::SansMedium, Align::Left, Role::Text));
    y += 26;
    for (const auto& [line, role] : lines) {
      const std::string shown = fitted(line, Face::Mono, 10.5, 420);
      figure_.marks.push_back(textMark(x_, y, shown, 10.5, Face::Mono, Align::Left, role));
      width = std::max(width, textWidth(shown, Face::Mono, 10.5));
      y += kLine;
    }
    if (grid) {
      const Margins margins = grid->headers ? headerMargins(*grid) : Margins{};
      grid->x = x_ + margins.left;
      pending_.push_back({std::move(*grid), margins.top});
      width = std::max(width, pending_.back().first.bounds().w + margins.left);
    }
    below_ = std::max(below_, y);
    x_ += width + 44;
  }

  // All grids begin at one height.
  void finish() {
    double top = 0;
    for (const auto& [grid, margin] : pending_) top = std::max(top, margin);
    for (auto& [grid, margin] : pending_) {
      grid.y = below_ + 4 + top;
      figure_.grids.push_back(std::move(grid));
    }
    fitSize(figure_);
  }

 private:
  Figure& figure_;
  std::vector<std::pair<Grid, double>> pending_;
  double x_ = 0, below_ = 0;
};

void addOperand(Figure& figure, Sheet& sheet, const Part& part, int k, const Ints& output, std::string& most) {
  const std::string name = operandName(part, k), head = fmt::format("operand {}: %{}", k, name);
  const auto reach = reads(part, k);
  const auto shape = operandShape(part, k);
  if (!reach || !shape) {
    sheet.add(head, {{(!reach ? reach.error() : shape.error()).message, Role::Refuted}}, std::nullopt);
    return;
  }
  std::vector<std::pair<std::string, Role>> lines = {{xla::print(*shape), Role::Muted}};
  for (const Map& map : reach->maps) lines.emplace_back(indexing::print(indexing::toIndexingMap(map)), Role::Muted);
  if (!shape->isArray()) return sheet.add(head, lines, std::nullopt);
  Counted counted = Counter(output, shape->sizes()).count(*reach);
  const std::string said = counted.why.empty() || reach->soundness != Soundness::Unknown
                               ? textOf(usageOf(reach->maps, shape->sizes()))
                               : counted.why;
  lines.emplace_back(reach->soundness == Soundness::Over ? "at most " + said : said,
                     reach->soundness == Soundness::Exact  ? Role::Text
                     : reach->soundness == Soundness::Over ? Role::Unknown
                                                           : Role::Refuted);
  figure.table.push_back({fmt::format("{}", k), "%" + name, xla::print(*shape), said});
  if (!counted.why.empty()) {
    if (reach->soundness != Soundness::Unknown) lines.emplace_back("no grid: " + counted.why, Role::Faint);
    return sheet.add(head, lines, std::nullopt);
  }
  if (counted.most > 1) most = fmt::format(" An element of %{} is read up to {} times.", name, counted.most);
  const std::string grid = fmt::format("operand {}", k);
  if (counted.complete && !counted.pairs.empty())
    figure.links.push_back({tableLink(std::move(counted.pairs)), "output", grid});
  sheet.add(head, lines, gridOf(shape->sizes(), std::move(counted.counts), counted.most, grid));
}

}  // namespace

Result<Figure> drawReads(const Part& part, const DrawOptions& options) {
  if (!options.arguments.empty())
    return Diag{fmt::format("the reads view knows no \"{}\"", options.arguments.front()),
                "no word behind it",
                "show NAME.%fusion.1 as reads",
                {}};
  TESSERA_TRY(const xla::Shape shape, shapeOf(part));
  if (!shape.isArray())
    return Diag{fmt::format("%{} has no array", part.name()), "an instruction whose output is an array", "", {}};
  if (productOf(shape.sizes()) > kMostElements)
    return Diag{fmt::format("%{} has more than {} elements", part.name(), kMostElements),
                "a smaller output",
                fmt::format("usage({}.%{}, 0) counts what is read", part.of.name, part.name()),
                {}};
  Figure figure;
  figure.title = fmt::format("%{} as reads", part.name());
  figure.subtitle = print(part);
  figure.table.push_back({"operand", "name", "shape", "read"});
  Sheet sheet(figure);
  const int count = operandsOf(part);
  std::string most;
  for (int k = 0; k < std::min(count, kMostOperands); ++k) addOperand(figure, sheet, part, k, shape.sizes(), most);
  sheet.add("output", {{xla::print(shape), Role::Muted}}, gridOf(shape.sizes(), {}, 0, "output"));
  sheet.finish();
  figure.caption = "In each cell how often its element is read: pale once, warmer more often, grey never." + most;
  if (count > kMostOperands) figure.caption += fmt::format(" {} more operands are not shown.", count - kMostOperands);
  return figure;
}

}  // namespace tessera::hlo
