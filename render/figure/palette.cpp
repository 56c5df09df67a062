#include "render/figure/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {
namespace {

struct Linear {
  double r, g, b;
};

Linear linearFromOklch(double lightness, double chroma, double hueDegrees) {
  // Ottosson's OKLab matrices.
  const double h = hueDegrees * 3.14159265358979323846 / 180.0;
  const double a = chroma * std::cos(h), b = chroma * std::sin(h);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool inGamut(const Linear& c) {
  const double e = 1e-4;
  return c.r > -e && c.g > -e && c.b > -e && c.r < 1 + e && c.g < 1 + e && c.b < 1 + e;
}

std::uint8_t encoded(double v) {
  v = std::clamp(v, 0.0, 1.0);
  v = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(v * 255));
}

double decoded(std::uint8_t v) {
  const double x = v / 255.0;
  return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

double luminance(Rgba c) { return 0.2126 * decoded(c.r) + 0.7152 * decoded(c.g) + 0.0722 * decoded(c.b); }

constexpr Rgba hex(std::uint32_t v) {
  return {static_cast<std::uint8_t>(v >> 16), static_cast<std::uint8_t>(v >> 8), static_cast<std::uint8_t>(v), 255};
}

// Roles with one colour in each theme. All readable ones (text, muted, faint, accent, verdicts) have a contrast of at
// least 4.5 on canvas, panel and raised.
struct Token {
  Role role;
  Rgba dark, light;
};
constexpr Rgba kDarkText = hex(0xe7eaf0), kLightText = hex(0x171b22);
constexpr Token kTokens[] = {
    {Role::Panel, hex(0x151920), hex(0xffffff)},    {Role::Raised, hex(0x1b2029), hex(0xf1f3f6)},
    {Role::Hairline, hex(0x272e39), hex(0xdfe3e9)}, {Role::Text, kDarkText, kLightText},
    {Role::Muted, hex(0x9aa5b5), hex(0x4f5a69)},    {Role::Faint, hex(0x808b9c), hex(0x657080)},
    {Role::Accent, hex(0x7aa7ff), hex(0x275fe6)},   {Role::Proved, hex(0x46d39a), hex(0x0b7a4c)},
    {Role::Refuted, hex(0xff6f6f), hex(0xc42f2f)},  {Role::Unknown, hex(0xf2c14e), hex(0x8c6100)},
    {Role::Padding, hex(0x3a4352), hex(0xc3cad4)},  {Role::BitPlain, hex(0x1b2029), hex(0xf1f3f6)},
    {Role::OnLit, kLightText, kLightText}};

constexpr std::array<double, 8> kHues = {255, 162, 70, 310, 25, 120, 200, 345};
constexpr double kHeatHue = 40;

// Of the safe themes: blue and yellow hues in turn, which every reader tells apart, each group with its own lightness.
// Between 0.52 and 0.61 no label would have enough contrast.
constexpr std::array<double, 8> kSafeHues = {262, 90, 240, 60, 285, 105, 225, 75};
constexpr std::array<double, 8> kSafeDark = {0.27, 0.64, 0.43, 0.31, 0.35, 0.46, 0.49, 0.39};
constexpr std::array<double, 8> kSafeLight = {0.68, 0.905, 0.86, 0.725, 0.77, 0.815, 0.95, 0.64};

Rgba computedGroup(int g, int member, Theme theme, bool lit) {
  const auto k = static_cast<std::size_t>(((g % 8) + 8) % 8);
  const double hue = isSafe(theme) ? kSafeHues[k] : kHues[k];
  const double step = 0.035 * (((member % 4) + 4) % 4);
  if (lit) return fromOklch(0.86 - 0.3 * step, 0.125, hue);
  if (isSafe(theme)) return fromOklch((isDark(theme) ? kSafeDark : kSafeLight)[k] + 0.2 * step, 0.07, hue);
  if (theme == Theme::Contrast) return fromOklch(0.31 + step, 0.09, hue);
  if (theme == Theme::Dark) return fromOklch(0.365 + step, 0.055, hue);
  return fromOklch(0.945 - step * 0.8, 0.045 + step * 0.2, hue);
}

// Computed once, since it is read for every cell and frame.
Rgba group(int g, int member, Theme theme, bool lit) {
  constexpr int kThemes = 5, kEach = 64;
  static const std::array<Rgba, kThemes* kEach> kTable = [] {
    std::array<Rgba, kThemes * kEach> t;
    for (int k = 0; k < kThemes * kEach; ++k)
      t[static_cast<std::size_t>(k)] = computedGroup(k % 8, (k / 8) % 4, static_cast<Theme>(k / kEach), (k & 32) != 0);
    return t;
  }();
  const int k = (((g % 8) + 8) % 8) + 8 * (((member % 4) + 4) % 4) + (lit ? 32 : 0) + kEach * static_cast<int>(theme);
  return kTable[static_cast<std::size_t>(k)];
}

// What the other themes replace.
struct Other {
  Role role;
  Rgba contrast, safeDark, safeLight;  // transparent: as in the dark and the light theme
};
constexpr Other kOthers[] = {{Role::Panel, hex(0x050505), {0, 0, 0, 0}, {0, 0, 0, 0}},
                             {Role::Raised, hex(0x1c1c1c), {0, 0, 0, 0}, {0, 0, 0, 0}},
                             {Role::Hairline, hex(0x8b929c), {0, 0, 0, 0}, {0, 0, 0, 0}},
                             {Role::Text, hex(0xffffff), {0, 0, 0, 0}, {0, 0, 0, 0}},
                             {Role::Muted, hex(0xdfe3e9), {0, 0, 0, 0}, {0, 0, 0, 0}},
                             {Role::Faint, hex(0xd4d9e0), {0, 0, 0, 0}, {0, 0, 0, 0}},
                             {Role::Accent, hex(0xb4d0ff), {0, 0, 0, 0}, {0, 0, 0, 0}},
                             {Role::Proved, hex(0x6dffbf), hex(0x66b8f5), hex(0x0a5fb0)},
                             {Role::Refuted, hex(0xffbdb6), hex(0xff9a5c), hex(0x7a2e00)},
                             {Role::Unknown, hex(0xffe08a), hex(0xf0e442), hex(0x7a6c00)}};

}  // namespace

Rgba fromOklch(double lightness, double chroma, double hueDegrees) {
  Linear c = linearFromOklch(lightness, chroma, hueDegrees);
  for (int k = 0; k < 24 && !inGamut(c); ++k) {
    chroma *= 0.93;
    c = linearFromOklch(lightness, chroma, hueDegrees);
  }
  return {encoded(c.r), encoded(c.g), encoded(c.b), 255};
}

Rgba resolve(const Paint& paint, Theme theme, bool lit) {
  const bool dark = isDark(theme);
  switch (paint.role) {
    case Role::None:
      return {0, 0, 0, 0};
    case Role::Group:
      return group(paint.group, paint.member, theme, lit);
    case Role::Shade: {
      if (lit) return fromOklch(0.84, 0.125, 70);
      const double step = 0.022 * (((paint.group % 8) + 8) % 8);
      return dark ? fromOklch(0.27 + step, 0.012, 255) : fromOklch(0.97 - step, 0.008, 255);
    }
    case Role::Heat: {
      const double x = std::clamp(static_cast<double>(paint.level), 0.0, 1.0);
      if (lit) return fromOklch(0.84, 0.13, kHeatHue);
      return dark ? fromOklch(0.30 + 0.40 * x, 0.02 + 0.13 * x, kHeatHue)
                  : fromOklch(0.96 - 0.26 * x, 0.015 + 0.125 * x, kHeatHue);
    }
    case Role::Lit:
      return fromOklch(0.84, 0.125, 70);
    case Role::Faded: {
      Rgba c = group(paint.group, paint.member, theme, lit);
      c.a = 102;
      return c;
    }
    case Role::BitRead:
      return lit ? fromOklch(0.84, 0.125, 70) : dark ? fromOklch(0.42, 0.075, 70) : fromOklch(0.92, 0.07, 70);
    case Role::BitWrite:
      return lit ? fromOklch(0.84, 0.125, 255) : dark ? fromOklch(0.42, 0.085, 262) : fromOklch(0.91, 0.06, 262);
    default:
      break;
  }
  if (theme != Theme::Dark && theme != Theme::Light) {
    const auto* other = std::ranges::find(kOthers, paint.role, &Other::role);
    if (other != std::end(kOthers)) {
      const Rgba c = theme == Theme::Contrast ? other->contrast : dark ? other->safeDark : other->safeLight;
      if (c.a != 0) return c;
    }
  }
  const Token& t =
      *std::find_if(std::begin(kTokens), std::end(kTokens), [&](const Token& k) { return k.role == paint.role; });
  return dark ? t.dark : t.light;
}

Rgba canvas(Theme theme) {
  return theme == Theme::Contrast ? hex(0x000000) : isDark(theme) ? hex(0x0e1116) : hex(0xfbfbfc);
}

double contrast(Rgba a, Rgba b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Rgba labelOn(Rgba fill) { return contrast(fill, kDarkText) >= contrast(fill, kLightText) ? kDarkText : kLightText; }

}  // namespace tessera
