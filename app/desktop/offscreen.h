// Offscreen: an OpenGL 3.3 context without a display (EGL surfaceless) and a framebuffer to draw into.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera {

class Offscreen {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Offscreen>> create(int width, int height);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;
  void bind();
  // RGBA rows, top row first.
  [[nodiscard]] std::vector<unsigned char> pixels();

 private:
  Offscreen() = default;
  void* display_ = nullptr;
  void* context_ = nullptr;
  unsigned int frame_ = 0, color_ = 0;
  int width_ = 0, height_ = 0;
};

// "" if the current context is OpenGL 3.3 or later; otherwise the actual and the required version.
[[nodiscard]] std::string openGlProblem();

}  // namespace tessera
