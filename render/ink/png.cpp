#include "render/ink/png.h"

#ifdef TESSERA_HAVE_CAIRO
#include <cairo.h>
#endif

#include <cstdint>
#include <cstring>

namespace tessera {

#ifdef TESSERA_HAVE_CAIRO
Result<std::string> encodePng(int width, int height, const unsigned char* rgba) {
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy(surface);
    return Diag{"the picture is too large for an image", "at most 32767 pixels a side"};
  }
  cairo_surface_flush(surface);
  unsigned char* rows = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const unsigned char* from =
          rgba + 4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
      const std::uint32_t pixel = (std::uint32_t{from[0]} << 16) | (std::uint32_t{from[1]} << 8) | from[2];
      std::memcpy(rows + static_cast<std::ptrdiff_t>(y) * stride + static_cast<std::ptrdiff_t>(x) * 4, &pixel, 4);
    }
  cairo_surface_mark_dirty(surface);
  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned int n) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), n);
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_write_to_png_stream(surface, append, &bytes);
  cairo_surface_destroy(surface);
  return bytes;
}
#else
Result<std::string> encodePng(int, int, const unsigned char*) {
  return Diag{"this build has no Cairo, which writes PNG", "a build with libcairo2-dev"};
}
#endif

Result<std::string> encodePpm(int width, int height, const unsigned char* rgba) {
  std::string bytes = "P6 " + std::to_string(width) + " " + std::to_string(height) + " 255\n";
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  bytes.reserve(bytes.size() + 3 * pixels);
  for (std::size_t k = 0; k < pixels; ++k) bytes.append(reinterpret_cast<const char*>(rgba + 4 * k), 3);
  return bytes;
}

}  // namespace tessera
