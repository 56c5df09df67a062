// The themes for readers who need more contrast, or who confuse hues.
#include "render/figure/palette.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

using namespace tessera;

namespace {

using Vector = std::array<double, 3>;

double linear(std::uint8_t v) {
  const double x = v / 255.0;
  return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

// Machado, Oliveira, Fernandes 2009, severity 1: what a dichromat sees, in linear sRGB.
constexpr std::array<std::array<double, 9>, 4> kSeen = {
    {{1, 0, 0, 0, 1, 0, 0, 0, 1},
     {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
     {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
     {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}}};

// OKLab of the colour as seen.
Vector seen(Rgba c, const std::array<double, 9>& m) {
  const Vector rgb = {linear(c.r), linear(c.g), linear(c.b)};
  Vector v;
  for (std::size_t k = 0; k < 3; ++k)
    v[k] = std::max(0.0, m[3 * k] * rgb[0] + m[3 * k + 1] * rgb[1] + m[3 * k + 2] * rgb[2]);
  const double l = std::cbrt(0.4122214708 * v[0] + 0.5363325363 * v[1] + 0.0514459929 * v[2]);
  const double a = std::cbrt(0.2119034982 * v[0] + 0.6806995451 * v[1] + 0.1073969566 * v[2]);
  const double s = std::cbrt(0.0883024619 * v[0] + 0.2817188376 * v[1] + 0.6299787005 * v[2]);
  return {0.2104542553 * l + 0.7936177850 * a - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * a + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * a - 0.8086757660 * s};
}

// The smallest distance of two groups, for the reader who sees it smallest.
double leastApart(Theme theme) {
  double least = 1;
  for (const auto& reader : kSeen)
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < a; ++b) {
        const Vector x = seen(resolve({Role::Group, a, 0, 0}, theme), reader),
                     y = seen(resolve({Role::Group, b, 0, 0}, theme), reader);
        least = std::min(least, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
      }
  return least;
}

}  // namespace

TEST_CASE("the groups of the safe themes stay apart for every reader") {
  CHECK(leastApart(Theme::SafeDark) >= 0.025);
  CHECK(leastApart(Theme::SafeLight) >= 0.025);
  CHECK(leastApart(Theme::SafeDark) > 2 * leastApart(Theme::Dark));
  CHECK(leastApart(Theme::SafeLight) > 2 * leastApart(Theme::Light));
  // Verdicts, too.
  for (const Theme theme : {Theme::SafeDark, Theme::SafeLight})
    for (const auto& reader : kSeen)
      for (const auto& [a, b] :
           {std::pair{Role::Proved, Role::Refuted}, {Role::Proved, Role::Unknown}, {Role::Refuted, Role::Unknown}}) {
        const Vector x = seen(resolve({a, 0, 0, 0}, theme), reader), y = seen(resolve({b, 0, 0, 0}, theme), reader);
        CHECK(std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]) >= 0.05);
      }
}

TEST_CASE("text can be read in every theme, and in the high contrast theme from afar") {
  for (const Theme theme : {Theme::Light, Theme::Dark, Theme::Contrast, Theme::SafeLight, Theme::SafeDark}) {
    CAPTURE(static_cast<int>(theme));
    const double least = theme == Theme::Contrast ? 10 : 4.5;
    for (const Role role :
         {Role::Text, Role::Muted, Role::Faint, Role::Accent, Role::Proved, Role::Refuted, Role::Unknown})
      for (const Rgba behind :
           {canvas(theme), resolve({Role::Panel, 0, 0, 0}, theme), resolve({Role::Raised, 0, 0, 0}, theme)}) {
        CAPTURE(static_cast<int>(role));
        CHECK(contrast(resolve({role, 0, 0, 0}, theme), behind) >= least);
      }
    for (int g = 0; g < 8; ++g)
      for (int m = 0; m < 4; ++m)
        for (const bool lit : {false, true}) {
          CAPTURE(g, m, lit);
          const Rgba fill = resolve({Role::Group, g, m, 0}, theme, lit);
          CHECK(contrast(fill, labelOn(fill)) >= 4.5);
        }
  }
}
