// GridTextures: the images of the grids on screen. A grid is one textured quad; its texture is rebuilt only if its
// visible part changes (window, size, theme, figure), and after a pan only newly visible cells are sampled. Without a
// GL context (the null backend of the tests) textures have id 0.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "render/gl/cell_image.h"
#include "render/gl/scene.h"

namespace tessera {

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
