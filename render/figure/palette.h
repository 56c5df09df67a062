// The palette: the only place that maps a Paint to a colour, for the light and the dark theme.
//
// Groups (threads, rows, tiles, devices ...) use eight hues in the order 255 162 70 310 25 120 200 345 (OKLCH degrees);
// members of a group use four steps of lightness. A cell at rest has low chroma (the colour identifies the group); a
// lit one has high chroma and an outline in the text colour. Heat is one hue, from resting to lit. Colour is never the
// only carrier of information: every group is labelled, every verdict has a mark. Tests check label contrast (WCAG).
//
// Contrast is white on black with text of at least 10:1. The safe themes are for readers who confuse hues: groups also
// differ in lightness, and proved, refuted and unknown are blue, orange and yellow. Law (tests/render/palette_test):
// under simulated protanopia, deuteranopia and tritanopia any two groups of a safe theme stay apart.
#pragma once

#include <cstdint>

#include "render/figure/figure.h"

namespace tessera {

enum class Theme : unsigned char { Light, Dark, Contrast, SafeLight, SafeDark };
[[nodiscard]] constexpr bool isDark(Theme t) { return t != Theme::Light && t != Theme::SafeLight; }
[[nodiscard]] constexpr bool isSafe(Theme t) { return t == Theme::SafeLight || t == Theme::SafeDark; }

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
