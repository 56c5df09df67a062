// GridTextures: the images of the grids on screen. A grid is one textured quad; its texture is rebuilt only if its
// visible part changes (window, size, theme, figure), and after a pan only newly visible cells are sampled. Without a
// GL context (the null backend of the tests) textures have id 0.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "render/gl/scene.h"

namespace tessera {

// CellImage: the visible part of one grid as an image, cached between frames. After a pan, or a zoom that keeps the
// block size, only the newly visible pixels are sampled and the rest is copied.
//
//     blocks of 4 x 4 cells, columns 0..1023 visible: 256 pixels per row are sampled
//     panned by 40 cells: columns 40..1063: 246 pixels a row are copied, 10 sampled
//
// A pixel is a block of `side` x `side'` cells; sides are powers of two and blocks are aligned to them. Other images
// are sampled completely. Law: pixels() equals sampleCells of the whole block.

class CellImage {
 public:
  // Returns whether the pixels changed. `content` changes when the grid's cells do.
  bool update(std::uint64_t content, const CellBlock& block);
  [[nodiscard]] const std::vector<Rgba>& pixels() const { return pixels_; }
  // Number of pixels sampled so far.
  [[nodiscard]] std::uint64_t sampled() const { return sampled_; }

 private:
  void sample(const CellBlock& block, int x0, int y0, int x1, int y1);

  CellBlock block_;  // its grid pointer is not dereferenced
  std::uint64_t content_ = 0;
  std::vector<Rgba> pixels_;
  std::uint64_t sampled_ = 0;
};

class GridTextures {
 public:
  explicit GridTextures(bool gl) : gl_(gl) {}
  ~GridTextures();
  GridTextures(const GridTextures&) = delete;
  GridTextures& operator=(const GridTextures&) = delete;

  // The texture name for a block; `key` identifies the grid on screen ("line 5/A"), `content` changes when its cells
  // do.
  [[nodiscard]] unsigned int texture(const std::string& key, std::uint64_t content, const CellBlock& block);
  // Drops textures that have not been used for a while; recent ones are kept, since they may scroll back. Call once per
  // frame.
  void endFrame();
  // Number of images sampled so far, for tests and benchmarks.
  [[nodiscard]] std::uint64_t sampled() const { return sampled_; }

 private:
  struct Entry {
    unsigned int name = 0;
    CellImage image;
    int idle = 0;  // frames since its last use
  };
  std::unordered_map<std::string, Entry> entries_;
  std::uint64_t sampled_ = 0;
  bool gl_;
};

}  // namespace tessera
