#include "solver/kernel/lanes/fragments.h"

#include <algorithm>
#include <charconv>

namespace tessera::kernel {

using ptx::Type;

std::optional<TileShape> shapeOf(const ptx::Opcode& opcode) {
  for (const std::string_view part : opcode.parts) {
    if (!part.starts_with("m") || part.find('n') == std::string_view::npos || part.find('k') == std::string_view::npos)
      continue;
    TileShape s;
    const std::size_t n = part.find('n'), k = part.find('k');
    const auto read = [](std::string_view text, int& into) {
      return std::from_chars(text.data(), text.data() + text.size(), into).ptr == text.data() + text.size() && into > 0;
    };
    if (n < k && read(part.substr(1, n - 1), s.m) && read(part.substr(n + 1, k - n - 1), s.n) &&
        read(part.substr(k + 1), s.k))
      return s;
  }
  return std::nullopt;
}

int Fragment::perRegister() const {
  const int bits = ptx::bitsOf(type);
  return bits >= 32 ? 1 : 32 / std::max(bits, 1);
}

TileElement Fragment::at(int lane, int reg, int element) const {
  const int n = perRegister(), g = lane / 4, t = lane % 4;
  if (mma) {
    if (tile == Tile::A) return {g + 8 * (reg % 2), reg / 2 * 4 * n + t * n + element};
    if (tile == Tile::B) return {reg * 4 * n + t * n + element, g};
    const int index = reg * n + element;
    return {g + 8 * (index / 2), 2 * t + index % 2};
  }
  const int each = registers * n, columns = shape.columns(tile), total = shape.rows(tile) * columns;
  const int index = lane % std::max(1, total / each) * each + reg * n + element;
  return {index / columns, index % columns};
}

std::optional<Fragment> mmaFragment(const TileShape& s, Tile tile, Type type) {
  const int bits = ptx::bitsOf(type);
  if (bits < 8 || s.n != 8 || (s.m != 16 && s.m != 8)) return std::nullopt;
  Fragment f{tile, s, type, true, 0};
  const int elements = tile == Tile::A ? s.m * s.k / 32 : tile == Tile::B ? s.k * 8 / 32 : s.m * 8 / 32;
  if (s.m == 8 && tile == Tile::A && elements / f.perRegister() > 1) return std::nullopt;
  f.registers = elements / f.perRegister();
  if (f.registers < 1 || f.registers * f.perRegister() != elements) return std::nullopt;
  return f;
}

std::optional<Fragment> wmmaFragment(const TileShape& s, Tile tile, Type type) {
  Fragment f{tile, s, type, false, 0};
  const int total = s.rows(tile) * s.columns(tile);
  if (type == Type::F16 && tile != Tile::C)
    f.registers = 8;  // each element twice, or oftener
  else
    f.registers = total / 32 / f.perRegister();
  if (f.registers < 1 || total % (f.registers * f.perRegister()) != 0) return std::nullopt;
  return f;
}

}  // namespace tessera::kernel
