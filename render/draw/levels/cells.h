// The cells of a picture by levels, and their colouring.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "render/draw/levels/levels.h"
#include "render/figure/figure.h"

namespace tessera {

enum class LevelColour : unsigned char { Tile, Address, Plain };
enum class LevelLabel : unsigned char { Number, Coord, Index };

// Shared by all grids of one picture.
struct LevelPicture {
  Levels levels;
  std::vector<Band> bands;
  std::vector<i64> extents;  // of the leaves
  std::size_t apart = 0;     // number of bands that are separate grids; the others are cells
  LevelColour colour = LevelColour::Tile;
  LevelLabel label = LevelLabel::Number;
  AddressBlocks blocks;
  std::unordered_map<i64, std::vector<i64>> whoIs;  // if numbered: thread -> indices; empty beyond 2^16 threads
};
using LevelPicturePtr = std::shared_ptr<const LevelPicture>;

// Rows and columns of the cells of one grid; for the contents of `band`: rowsFrom(p, band + 1).
[[nodiscard]] i64 rowsFrom(const LevelPicture& p, std::size_t band);
[[nodiscard]] i64 columnsFrom(const LevelPicture& p, std::size_t band);

// The grid whose first cell is (row, column) of the whole.
class LevelCells : public CellSource {
 public:
  LevelCells(LevelPicturePtr picture, i64 row, i64 column) : p_(std::move(picture)), row_(row), column_(column) {}
  [[nodiscard]] Cell cell(i64 row, i64 column) const override;
  [[nodiscard]] Paint paint(i64 row, i64 column) const override;
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override;
  [[nodiscard]] std::string rowHeader(i64 row) const override;
  [[nodiscard]] std::string colHeader(i64 column) const override;

 private:
  struct At {
    std::vector<i64> leaves, coord, digits;
  };
  void at(i64 row, i64 column, At& out) const;
  [[nodiscard]] Paint paintOf(i64 row, i64 column, const At& at) const;
  [[nodiscard]] std::optional<std::pair<i64, i64>> cellOfIndex(i64 index) const;
  LevelPicturePtr p_;
  i64 row_, column_;
};

// One coordinate per level, for the first `levels`: "1,0 0,3".
[[nodiscard]] std::string coordinateText(const LevelPicture& p, const std::vector<i64>& leaves, std::size_t levels);

}  // namespace tessera
