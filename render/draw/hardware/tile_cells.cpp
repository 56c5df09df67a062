#include "render/draw/hardware/tile_cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera {
namespace {

class Cells : public CellSource {
 public:
  explicit Cells(TileCells tile) : t_(std::move(tile)) {}
  [[nodiscard]] Cell cell(i64 row, i64 column) const override {
    Cell cell;
    cell.paint = t_.paint(row, column);
    cell.point = {t_.domain, row + t_.rows * column};
    if (t_.label) cell.label = t_.label(row, column);
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 column) const override { return t_.paint(row, column); }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int) const override {
    if (point.domain != t_.domain || point.index < 0 || point.index >= t_.rows * t_.columns) return {};
    return {{point.index % t_.rows, point.index / t_.rows}};
  }

 private:
  TileCells t_;
};

}  // namespace

std::shared_ptr<const CellSource> cellsOf(TileCells tile) { return std::make_shared<Cells>(std::move(tile)); }

Paint paintOutside(TileCoord corner, TileCoord end, i64 row, i64 column) {
  const i64 high = end.row - corner.row, wide = end.column - corner.column;
  const bool even = (floorDiv(row - corner.row, high) + floorDiv(column - corner.column, wide)) % 2 == 0;
  return {even ? Role::Raised : Role::Faded};
}

Figure figureOverTile(const std::string& what, const std::string& type, const Tile& tile,
                      const std::vector<TileCoord>& positions, std::size_t now, const DrawOptions& options) {
  constexpr std::size_t kMostChoices = 64;  // positions in the menu
  const auto word = [&](std::size_t k) { return fmt::format("{},{}", positions[k].row, positions[k].column); };
  Figure figure;
  const std::string name = options.name.empty() || options.name.size() > 60 ? what + " over a tile" : options.name;
  figure.title = fmt::format("{}, at ({})", name, word(now));
  figure.subtitle = fmt::format("{}, {}", tile.text(), type);
  if (positions.size() < 2) return figure;
  figure.badges.push_back({fmt::format("position {} of {}", now + 1, positions.size()), Role::Muted});
  FigureChoice choice{"position", {}, word(now)};
  for (std::size_t k = 0; k < std::min(positions.size(), kMostChoices); ++k) choice.words.push_back(word(k));
  if (now >= kMostChoices) choice.words.push_back(word(now));
  figure.choices.push_back(std::move(choice));
  return figure;
}

}  // namespace tessera
