#include "render/draw/grid/elide.h"

#include <optional>

namespace tessera {
namespace {

constexpr const char* kEllipsis = "\xE2\x80\xA6";

class ElidedCells : public CellSource {
 public:
  ElidedCells(std::shared_ptr<const CellSource> whole, i64 group, i64 first, i64 last)
      : whole_(std::move(whole)), group_(group), first_(first), last_(last) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    if (const auto c = wholeColumn(col)) return whole_->cell(row, *c);
    Cell gap;
    gap.label = kEllipsis;
    return gap;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const auto c = wholeColumn(col);
    return c ? whole_->paint(row, *c) : Paint{};
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> shown;
    for (const auto& [row, col] : whole_->find(point, limit)) {
      const i64 inside = col % group_;
      if (inside >= first_ && inside < group_ - last_) continue;
      const i64 at = inside < first_ ? inside : inside - (group_ - last_) + first_ + 1;
      shown.emplace_back(row, col / group_ * (first_ + 1 + last_) + at);
    }
    return shown;
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return whole_->rowHeader(row); }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    const auto c = wholeColumn(col);
    return c ? whole_->colHeader(*c) : kEllipsis;
  }

 private:
  // nullopt for the ellipsis column.
  [[nodiscard]] std::optional<i64> wholeColumn(i64 col) const {
    const i64 shown = first_ + 1 + last_, inside = col % shown, start = col / shown * group_;
    if (inside < first_) return start + inside;
    if (inside == first_) return std::nullopt;
    return start + group_ - last_ + (inside - first_ - 1);
  }

  std::shared_ptr<const CellSource> whole_;
  i64 group_, first_, last_;
};

}  // namespace

Grid elided(const Grid& grid, i64 group, i64 keepFirst, i64 keepLast) {
  const i64 shown = keepFirst + 1 + keepLast;
  if (group < 1 || group <= shown + 1 || grid.cols % group != 0) return grid;
  Grid brief = grid;
  brief.cols = grid.cols / group * shown;
  brief.colGroup = grid.cols == group ? 0 : shown;
  brief.cells = std::make_shared<ElidedCells>(grid.cells, group, keepFirst, keepLast);
  return brief;
}

}  // namespace tessera
