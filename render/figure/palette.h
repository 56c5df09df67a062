// The palette: the only place that maps a Paint to a colour, for the light and the dark theme.
//
// Groups (threads, rows, tiles, devices ...) use eight hues in the order 255 162 70 310 25 120 200 345 (OKLCH degrees);
// members of a group use four steps of lightness. A cell at rest has low chroma (the colour identifies the group); a
// lit one has high chroma and an outline in the text colour. Heat is one hue, from resting to lit. Colour is never the
// only carrier of information: every group is labelled, every verdict has a mark. The test checks label contrast (WCAG)
// and that the eight hues stay distinguishable under simulated protanopia, deuteranopia and tritanopia.
#pragma once

#include <cstdint>

#include "render/figure/figure.h"

namespace tessera {

enum class Theme : unsigned char { Light, Dark };

struct Rgba {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Rgba&) const = default;
};

// OKLCH to sRGB, reducing chroma until it is in gamut. Lightness 0..1, chroma about 0..0.3, hue in degrees.
[[nodiscard]] Rgba fromOklch(double lightness, double chroma, double hueDegrees);

// The colour of a paint. `lit` selects the lit state of a cell's fill; other roles ignore it.
[[nodiscard]] Rgba resolve(const Paint& paint, Theme theme, bool lit = false);
// The readable label colour on a fill: text or canvas colour, whichever has more contrast.
[[nodiscard]] Rgba labelOn(Rgba fill);
// Background of the drawing.
[[nodiscard]] Rgba canvas(Theme theme);
// WCAG contrast ratio, 1..21.
[[nodiscard]] double contrast(Rgba a, Rgba b);

}  // namespace tessera
