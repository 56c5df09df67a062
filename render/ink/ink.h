// ink: a Figure on paper. The ending of the output name picks the ink: svg png pdf tex txt csv json.
//
// Lazy grids are asked for all their cells here, so every ink has a limit and refuses beyond it with a Diag that says
// what fits. A 2^40-cell grid is for the window; on paper it is thinned to kMaxPaperCells cells, and says so.
#pragma once

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
  bool transparent = false;  // no background: PNG, SVG, PDF and TikZ lie on what is below them
};

// The bytes of the file. format: "svg", "png", "pdf", "tex", "txt", "csv", "json".
[[nodiscard]] Result<std::string> ink(const Figure& figure, std::string_view format, const InkOptions& options = {});
[[nodiscard]] bool haveCairo();

}  // namespace tessera
