// CellImage: the visible part of one grid as an image, cached between frames. After a pan, or a zoom that keeps the
// block size, only the newly visible pixels are sampled and the rest is copied.
//
//     blocks of 4 x 4 cells, columns 0..1023 visible: 256 pixels per row are sampled
//     panned by 40 cells: columns 40..1063: 246 pixels a row are copied, 10 sampled
//
// A pixel is a block of `side` x `side'` cells; sides are powers of two and blocks are aligned to them. Other images
// are sampled completely. Law: pixels() equals sampleCells of the whole block.
#pragma once

#include <cstdint>
#include <vector>

#include "render/gl/scene.h"

namespace tessera {

class CellImage {
 public:
  // Returns whether the pixels changed. `content` changes when the grid's cells do.
  bool update(std::uint64_t content, const CellBlock& block);
  [[nodiscard]] const std::vector<Rgba>& pixels() const { return pixels_; }
  [[nodiscard]] int width() const { return block_.width; }
  [[nodiscard]] int height() const { return block_.height; }
  // Number of pixels sampled so far.
  [[nodiscard]] std::uint64_t sampled() const { return sampled_; }

 private:
  void sample(const CellBlock& block, int x0, int y0, int x1, int y1);

  CellBlock block_;  // its grid pointer is not dereferenced
  std::uint64_t content_ = 0;
  std::vector<Rgba> pixels_;
  std::uint64_t sampled_ = 0;
};

}  // namespace tessera
