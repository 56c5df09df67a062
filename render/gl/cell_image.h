// CellImage: what is seen of one grid as an image, kept from frame to frame. A pan, and a zoom that keeps the size of the
// blocks, sample what came into sight and copy the rest.
//
//     blocks of 4 x 4 cells, columns 0..1023 in sight: 256 pixels a row are sampled
//     panned by 40 cells: columns 40..1063: 246 pixels a row are copied, 10 sampled
//
// A pixel is a block of `side` x `side'` cells, sides are powers of two and blocks lie at their multiples; an image that
// is no such lattice is sampled whole. Law: pixels() is what sampleCells says of the whole block.
#pragma once

#include <cstdint>
#include <vector>

#include "render/gl/scene.h"

namespace tessera {

class CellImage {
 public:
  // True when the pixels changed. `content` changes when the grid's cells do.
  bool update(std::uint64_t content, const CellBlock& block);
  [[nodiscard]] const std::vector<Rgba>& pixels() const { return pixels_; }
  [[nodiscard]] int width() const { return block_.width; }
  [[nodiscard]] int height() const { return block_.height; }
  // How many pixels were sampled so far.
  [[nodiscard]] std::uint64_t sampled() const { return sampled_; }

 private:
  void sample(const CellBlock& block, int x0, int y0, int x1, int y1);

  CellBlock block_;  // its grid is not looked at again
  std::uint64_t content_ = 0;
  std::vector<Rgba> pixels_;
  std::uint64_t sampled_ = 0;
};

}  // namespace tessera
