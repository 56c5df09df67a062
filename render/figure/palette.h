// The one palette: what a Paint means becomes a colour here, for the light and the dark theme, and nowhere else.
//
// Groups (threads, rows, tiles, devices ...) take eight hues in the order 255 162 70 310 25 120 200 345 (OKLCH
// degrees), members of a group four steps of lightness. A resting cell has low chroma (the colour says which group); a
// lit one has high chroma and an outline in the text colour (the thing you asked about). Heat is one hue from resting
// to lit. Colour is never the only carrier: every group is labelled, every verdict has a mark. The test checks label
// contrast (WCAG) and that the eight hues stay apart under simulated protanopia, deuteranopia and tritanopia.
#pragma once

#include <cstdint>

#include "render/figure/figure.h"

namespace tessera {

enum class Theme : unsigned char { Light, Dark };

struct Rgba {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Rgba&) const = default;
};

// OKLCH to sRGB, clipped into gamut by lowering chroma. Lightness 0..1, chroma about 0..0.3, hue in degrees.
[[nodiscard]] Rgba fromOklch(double lightness, double chroma, double hueDegrees);

// The colour of a paint. `lit` turns a cell's fill into its lit state; roles that are not fills ignore it.
[[nodiscard]] Rgba resolve(const Paint& paint, Theme theme, bool lit = false);
// The label colour that is readable on a fill: text or canvas colour, whichever contrasts more.
[[nodiscard]] Rgba labelOn(Rgba fill, Theme theme);
// Background of the drawing.
[[nodiscard]] Rgba canvas(Theme theme);
// WCAG contrast ratio, 1..21.
[[nodiscard]] double contrast(Rgba a, Rgba b);

}  // namespace tessera
