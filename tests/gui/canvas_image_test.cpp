// Pixels copied from the last frame's image equal those that would be sampled.
#include <catch2/catch.hpp>
#include <random>

#include "render/gl/grid_textures.h"

using namespace tessera;

namespace {

// Hue and step of a cell; within a block of `side` all cells are alike, so that it does not matter which is looked at.
class Blocks : public CellSource {
 public:
  Blocks(i64 side, int salt) : side_(side), salt_(salt) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 r = row / side_, c = col / side_;
    Cell cell;
    cell.paint = {Role::Group, static_cast<int>((r * 5 + c * 3 + salt_) % 8), static_cast<int>((r ^ c) % 4), 0};
    return cell;
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point, int) const override { return {}; }

 private:
  i64 side_;
  int salt_;
};

std::vector<Rgba> whole(const CellBlock& b) {
  CellImage fresh;
  fresh.update(1, b);
  return fresh.pixels();
}

// Blocks of `side` over cells from about `from`, about `length` of them.
void along(i64 side, i64 from, i64 length, i64 limit, i64& begin, i64& end, int& pixels) {
  begin = from / side * side;
  end = std::min(limit, (from + length + side - 1) / side * side);
  pixels = static_cast<int>((end - begin + side - 1) / side);
}

}  // namespace

TEST_CASE("an image that follows pans, zooms and other cells is the image sampled anew") {
  std::mt19937 random(7);
  for (const i64 side : {1, 2, 8}) {
    Grid grid;
    grid.rows = 203;
    grid.cols = 517;
    CellImage image;
    std::uint64_t content = 1;
    grid.cells = std::make_shared<Blocks>(side, 0);
    i64 row = 0, col = 0;
    for (int step = 0; step < 300; ++step) {
      if (step % 40 == 39) grid.cells = std::make_shared<Blocks>(side, static_cast<int>(++content));
      row = std::clamp<i64>(row + static_cast<i64>(random() % 41) - 20, 0, grid.rows - 1);
      col = std::clamp<i64>(col + static_cast<i64>(random() % 81) - 40, 0, grid.cols - 1);
      CellBlock b;
      b.grid = &grid;
      b.theme = step % 90 < 80 ? Theme::Dark : Theme::Light;
      along(side, row, 20 + static_cast<i64>(random() % 90), grid.rows, b.row0, b.row1, b.height);
      along(side, col, 20 + static_cast<i64>(random() % 200), grid.cols, b.col0, b.col1, b.width);
      image.update(content, b);
      INFO("side " << side << ", step " << step << ", rows " << b.row0 << ".." << b.row1 << ", columns " << b.col0
                   << ".." << b.col1);
      const bool same = image.pixels() == whole(b);
      REQUIRE(same);
    }
  }
}

TEST_CASE("a pan samples what came into sight and nothing else") {
  Grid grid;
  grid.rows = grid.cols = i64{1} << 40;
  grid.cells = std::make_shared<Blocks>(1, 0);
  CellImage image;
  CellBlock b;
  b.grid = &grid;
  b.row0 = 64, b.row1 = 64 + 128 * 4, b.height = 128;
  b.col0 = 0, b.col1 = 256 * 4, b.width = 256;
  CHECK(image.update(1, b));
  CHECK(image.sampled() == 256 * 128);
  CHECK_FALSE(image.update(1, b));
  b.col0 += 40, b.col1 += 40;
  CHECK(image.update(1, b));
  CHECK(image.sampled() == 256 * 128 + 10 * 128);
  b.row0 -= 12, b.row1 -= 12;
  CHECK(image.update(1, b));
  CHECK(image.sampled() == 256 * 128 + 10 * 128 + 3 * 256);
}
