#include "app/views/editor/highlight.h"

namespace tessera {
namespace {

constexpr Rgba hex(unsigned v) {
  return {static_cast<std::uint8_t>(v >> 16), static_cast<std::uint8_t>(v >> 8), static_cast<std::uint8_t>(v), 255};
}

Rgba between(Rgba a, Rgba b, int percent) {
  const auto mix = [&](int x, int y) { return static_cast<std::uint8_t>(x + (y - x) * percent / 100); };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), 255};
}

}  // namespace

Rgba colorOf(CodeInk ink, Theme theme) {
  const bool dark = isDark(theme);
  switch (ink) {
    case CodeInk::Keyword:
      return hex(dark ? 0xc79bff : 0x7a3fd0);
    case CodeInk::Number:
      return hex(dark ? 0x8fd3ff : 0x0b6fb8);
    case CodeInk::Function:
      return hex(dark ? 0x7fe0c3 : 0x0a7559);
    case CodeInk::Comment:
      return resolve({Role::Muted, 0, 0, 0}, theme);
    case CodeInk::Plain:
      break;
  }
  return resolve({Role::Text, 0, 0, 0}, theme);
}

Rgba colorOf(Ink ink, Theme theme) {
  const Rgba text = resolve({Role::Text, 0, 0, 0}, theme);
  switch (ink) {
    case Ink::Link:
      return isDark(theme) ? resolve({Role::Accent, 0, 0, 0}, theme) : hex(0x2158d6);
    case Ink::Code:
      return colorOf(CodeInk::Function, theme);
    case Ink::Bullet:
      return resolve({Role::Muted, 0, 0, 0}, theme);
    case Ink::Body:
      return between(resolve({Role::Muted, 0, 0, 0}, theme), text, 50);
    default:
      return text;
  }
}

}  // namespace tessera
