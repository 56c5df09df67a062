#include "app/desktop/offscreen.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>

namespace tessera {

Result<std::unique_ptr<Offscreen>> Offscreen::create(int width, int height) {
  const auto refuse = [](const char* what) {
    return Diag{fmt::format("cannot draw without a display: {}", what),
                "EGL with the surfaceless platform (libegl-mesa0, libgl1-mesa-dri)"};
  };
  std::unique_ptr<Offscreen> off(new Offscreen);
  if (!epoxy_has_egl()) return refuse("EGL is missing");
  EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  EGLint major = 0, minor = 0;
  if (display == EGL_NO_DISPLAY || eglInitialize(display, &major, &minor) == EGL_FALSE)
    return refuse("EGL does not start");
  off->display_ = display;
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint found = 0;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE || eglChooseConfig(display, wanted, &config, 1, &found) == EGL_FALSE ||
      found == 0)
    return refuse("EGL offers no OpenGL");
  const EGLint version[] = {
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
  if (context == EGL_NO_CONTEXT) return refuse("OpenGL 3.3 is missing");
  off->context_ = context;
  if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_FALSE)
    return refuse("the context cannot be made current");
  off->width_ = width;
  off->height_ = height;
  glGenTextures(1, &off->color_);
  glBindTexture(GL_TEXTURE_2D, off->color_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glGenFramebuffers(1, &off->frame_);
  glBindFramebuffer(GL_FRAMEBUFFER, off->frame_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, off->color_, 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    return refuse("the framebuffer is incomplete");
  return off;
}

Offscreen::~Offscreen() {
  if (display_ == nullptr) return;
  if (context_ != nullptr) {
    glDeleteFramebuffers(1, &frame_);
    glDeleteTextures(1, &color_);
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
  }
  eglTerminate(display_);
}

void Offscreen::bind() {
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  glViewport(0, 0, width_, height_);
}

std::vector<unsigned char> Offscreen::pixels() {
  const auto row = static_cast<std::size_t>(width_) * 4;
  std::vector<unsigned char> up(row * static_cast<std::size_t>(height_)), down(up.size());
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, up.data());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y)
    std::copy_n(up.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(height_) - 1 - y) * row), row,
                down.begin() + static_cast<std::ptrdiff_t>(y * row));
  return down;
}

std::string openGlProblem() {
  const int version = epoxy_gl_version();
  if (version >= 33) return "";
  return fmt::format("Tessera needs OpenGL 3.3; this display offers {}.{}", version / 10, version % 10);
}

}  // namespace tessera
