// ink: a Figure on paper. The file extension selects the ink: svg png pdf tex txt csv json.
//
// Inks read all cells of a lazy grid, so each has a limit and returns a Diag with the limit beyond it. A grid of 2^40
// cells is for the window; on paper it is thinned to kMaxPaperCells cells, and the caption says so.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "render/figure/figure.h"
#include "render/figure/palette.h"

namespace tessera {

struct InkOptions {
  Theme theme = Theme::Light;
  double scale = 2;          // PNG pixels per point
  bool frame = true;         // title, subtitle and caption
  bool transparent = false;  // no background: PNG, SVG, PDF and TikZ
};

// The file's contents. format: "svg", "png", "pdf", "tex", "txt", "csv", "json".
[[nodiscard]] Result<std::string> ink(const Figure& figure, std::string_view format, const InkOptions& options = {});
[[nodiscard]] bool haveCairo();
// Without Cairo: makes the bytes for "png" from those for "svg", at so many pixels per point. The web page uses it.
using PngFromSvg = std::function<std::string(const std::string& svg, double scale)>;
void setPngFromSvg(PngFromSvg draw);

// PNG bytes of an RGBA image (rows top to bottom), or a Diag if this build has no Cairo; and PPM bytes, which a script
// can read without a library.
[[nodiscard]] Result<std::string> encodePng(int width, int height, const unsigned char* rgba);
[[nodiscard]] Result<std::string> encodePpm(int width, int height, const unsigned char* rgba);

}  // namespace tessera
