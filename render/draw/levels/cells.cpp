#include <fmt/format.h>

#include "render/draw/levels/levels.h"
#include "render/draw/links.h"

namespace tessera {
namespace {

// The positions in all bands, outermost first: "2.1" is place 1 of tile 2.
std::string pathOf(const LevelPicture& p, i64 number, bool down) {
  std::string text;
  for (std::size_t b = p.bands.size(); b-- > p.apart;) {
    const i64 extent = p.bands[b].along(down).extent;
    if (extent == 1 && !text.empty()) continue;
    text = text.empty() ? fmt::format("{}", number % extent) : fmt::format("{}.{}", number % extent, text);
    number /= extent;
  }
  return text;
}

class LevelCells : public CellSource {
 public:
  LevelCells(LevelPicturePtr picture, i64 row, i64 column) : p_(std::move(picture)), row_(row), column_(column) {}

  [[nodiscard]] Cell cell(i64 row, i64 column) const override {
    const Subject& s = *p_->levels.subject;
    At here;
    at(row, column, here);
    // Modes are colex, and so are the leaves of a mode.
    Cell cell{"", "", paintOf(row, column, here), {s.domain, linearize(here.leaves, p_->extents, LinearOrder::Colex)}};
    if (cell.paint.role == Role::Padding) return cell;
    if (!p_->whoIs.empty()) cell.also.push_back(threadPoint(s.valueAt(here.digits)));
    cell.label = p_->label == LevelLabel::Number  ? s.labelAt(here.digits)
                 : p_->label == LevelLabel::Coord ? coordinateText(*p_, here.leaves, p_->levels.levels.size())
                                                  : fmt::format("{}", cell.point.index);
    return cell;
  }

  [[nodiscard]] Paint paint(i64 row, i64 column) const override {
    static thread_local At here;
    at(row, column, here);
    return paintOf(row, column, here);
  }

  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> found;
    const auto add = [&](i64 index) {
      if (const auto at = cellOfIndex(index); at && static_cast<int>(found.size()) < limit) found.push_back(*at);
    };
    if (point.domain == p_->levels.subject->domain) add(point.index);
    if (const auto who = p_->whoIs.find(point.index); isThread(point) && who != p_->whoIs.end())
      for (const i64 index : who->second) add(index);
    return found;
  }

  [[nodiscard]] std::string rowHeader(i64 row) const override { return pathOf(*p_, row, true); }
  [[nodiscard]] std::string colHeader(i64 column) const override { return pathOf(*p_, column, false); }

 private:
  struct At {
    std::vector<i64> leaves, digits;
  };
  void at(i64 row, i64 column, At& out) const {
    const Subject& s = *p_->levels.subject;
    leavesAt(p_->bands, p_->extents, row_ + row, column_ + column, out.leaves);
    out.digits.assign(s.map.digits().size(), 0);
    for (std::size_t leaf = 0; leaf < out.leaves.size(); ++leaf)
      out.digits[static_cast<std::size_t>(s.leafDigit[leaf])] = out.leaves[leaf];
  }

  [[nodiscard]] Paint paintOf(i64 row, i64 column, const At& at) const {
    const Subject& s = *p_->levels.subject;
    if (!s.map.guards().empty() && !s.map.isReal(at.digits)) return {Role::Padding};
    if (p_->colour == LevelColour::Plain) return {Role::Group, 0, 0, 0};
    if (p_->colour == LevelColour::Address) return p_->blocks.paint(s.valueAt(at.digits));
    // The hue is the outermost tile, the lightness the next one or the place in the tile.
    const std::size_t first = p_->bands.size() > 1 ? 1 : 0;
    const i64 high = rowsFrom(*p_, first), wide = columnsFrom(*p_, first);
    const i64 r = row_ + row, c = column_ + column;
    const i64 hue = first == 0 ? r : (r / high) * 3 + c / wide;
    if (p_->bands.size() > 2) return groupPaint(hue, r % high / rowsFrom(*p_, 2) + c % wide / columnsFrom(*p_, 2));
    const i64 step = wide > 1 ? c % wide : r % high, steps = wide > 1 ? wide : high;
    return groupPaint(hue, steps <= 4 ? step : step * 4 / steps);
  }

  [[nodiscard]] std::optional<std::pair<i64, i64>> cellOfIndex(i64 index) const {
    if (index < 0 || index >= p_->levels.subject->size) return std::nullopt;
    const auto [row, column] = cellOf(p_->bands, p_->extents, delinearize(index, p_->extents, LinearOrder::Colex));
    if (row < row_ || row >= row_ + rowsFrom(*p_, p_->apart)) return std::nullopt;
    if (column < column_ || column >= column_ + columnsFrom(*p_, p_->apart)) return std::nullopt;
    return std::pair(row - row_, column - column_);
  }

  LevelPicturePtr p_;
  i64 row_, column_;
};

}  // namespace

std::shared_ptr<const CellSource> levelCells(LevelPicturePtr picture, i64 row, i64 column) {
  return std::make_shared<LevelCells>(std::move(picture), row, column);
}

i64 extentFrom(const LevelPicture& p, std::size_t band, bool down) {
  i64 extent = 1;
  for (; band < p.bands.size(); ++band) extent *= p.bands[band].along(down).extent;
  return extent;
}

std::string coordinateText(const LevelPicture& p, const std::vector<i64>& leaves, std::size_t levels) {
  std::string text;
  for (std::size_t k = 0; k < levels; ++k) {
    const TileLevel& level = p.levels.levels[k];
    std::string one;
    for (const LevelDim& dim : level.dims)
      one += fmt::format("{}{}", one.empty() ? "" : ",", joinedOf(dim, p.extents, leaves));
    text += fmt::format("{}{}", text.empty() ? "" : " ", one);
  }
  return text;
}

}  // namespace tessera
