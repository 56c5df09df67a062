// GridTextures: the images behind the grids on screen. A grid is one textured quad; its texture is made again only
// when what is shown of it changes (window, size, theme, figure), and of a pan only what came into sight is sampled.
// Without a GL context (the null backend of the tests) textures have id 0.
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

  // The texture name for this block; `key` names the grid on screen ("line 5/A"), `content` changes when its cells do.
  [[nodiscard]] unsigned int texture(const std::string& key, std::uint64_t content, const CellBlock& block);
  // Forgets textures that were not asked for in a while: what is scrolled out of sight may come back. Once a frame.
  void endFrame();
  // How many images were sampled so far, for tests and benchmarks.
  [[nodiscard]] std::uint64_t sampled() const { return sampled_; }

 private:
  struct Entry {
    unsigned int name = 0;
    CellImage image;
    int idle = 0;  // frames since it was asked for
  };
  std::unordered_map<std::string, Entry> entries_;
  std::uint64_t sampled_ = 0;
  bool gl_;
};

}  // namespace tessera
