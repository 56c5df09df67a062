#include "render/gl/grid_textures.h"

#include <epoxy/gl.h>

namespace tessera {
namespace {

constexpr int kKeptFrames = 600;

}  // namespace

GridTextures::~GridTextures() {
  if (!gl_) return;
  for (const auto& [key, e] : entries_) glDeleteTextures(1, &e.name);
}

unsigned int GridTextures::texture(const std::string& key, std::uint64_t content, const CellBlock& block) {
  Entry& e = entries_[key];
  e.idle = 0;
  if (!e.image.update(content, block)) return e.name;
  ++sampled_;
  if (!gl_) return 0;
  if (e.name == 0) {
    glGenTextures(1, &e.name);
    glBindTexture(GL_TEXTURE_2D, e.name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }
  glBindTexture(GL_TEXTURE_2D, e.name);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, block.width, block.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               e.image.pixels().data());
  return e.name;
}

void GridTextures::endFrame() {
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (++it->second.idle < kKeptFrames) {
      ++it;
    } else {
      if (gl_) glDeleteTextures(1, &it->second.name);
      it = entries_.erase(it);
    }
  }
}

}  // namespace tessera
