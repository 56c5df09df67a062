#include "solver/kernel/lanes/fragments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

// ---- elements

double TileType::value(u64 held) const {
  if (!integer) return unpack((held & maskOf(bits)) >> shift, format);
  return isSigned ? static_cast<double>(signedOf(held, bits)) : static_cast<double>(held & maskOf(bits));
}

u64 TileType::held(double value, bool saturates) const {
  if (!integer) return format == kF64 ? std::bit_cast<u64>(value) : pack(value, format) << shift;
  if (saturates) value = std::clamp<double>(value, INT32_MIN, INT32_MAX);
  return static_cast<u64>(static_cast<i64>(value)) & maskOf(bits);
}

TileType TileType::inByte() const {
  TileType out = *this;
  out.shift = bits == 4 ? 2 : 0;
  out.bits = 8;
  return out;
}

std::optional<TileType> tileType(std::string_view element) {
  struct Row {
    std::string_view name;
    TileType type;
  };
  static const Row kRows[] = {
      {"f16", {16, false, false, kF16}},  {"bf16", {16, false, false, kBf16}}, {"tf32", {32, false, false, kTf32}},
      {"f32", {32, false, false, kF32}},  {"f64", {64, false, false, kF64}},   {"e4m3", {8, false, false, kE4m3}},
      {"e5m2", {8, false, false, kE5m2}}, {"s8", {8, true, true, {}}},         {"u8", {8, true, false, {}}},
      {"s4", {4, true, true, {}}},        {"u4", {4, true, false, {}}},        {"b1", {1, true, false, {}}},
      {"s32", {32, true, true, {}}},      {"e3m2", {6, false, false, kE3m2}},  {"e2m3", {6, false, false, kE2m3}},
      {"e2m1", {4, false, false, kE2m1}},
  };
  for (const Row& row : kRows)
    if (row.name == element) return row.type;
  return std::nullopt;
}

ptx::Type typeOf(const TileType& element) {
  using ptx::Type;
  const FloatFormat& f = element.format;
  if (element.integer)
    return element.bits == 32 ? Type::S32 : element.bits != 8 ? Type::None : element.isSigned ? Type::S8 : Type::U8;
  return f == kF16            ? Type::F16
         : f == kBf16         ? Type::BF16
         : f == kF64          ? Type::F64
         : f == kE4m3         ? Type::E4M3
         : f == kE5m2         ? Type::E5M2
         : element.bits == 32 ? Type::F32
                              : Type::None;
}

std::optional<TileShape> shapeOf(const ptx::Opcode& opcode) {
  for (const std::string_view part : opcode.parts) {
    const std::size_t n = part.find('n'), k = part.find('k');
    if (!part.starts_with("m") || n == std::string_view::npos || k == std::string_view::npos || n > k) continue;
    TileShape s;
    const auto read = [](std::string_view text, int& into) {
      return std::from_chars(text.data(), text.data() + text.size(), into).ptr == text.data() + text.size() && into > 0;
    };
    if (read(part.substr(1, n - 1), s.m) && read(part.substr(n + 1, k - n - 1), s.n) && read(part.substr(k + 1), s.k))
      return s;
  }
  return std::nullopt;
}

// ---- tiles

void multiplyAdd(const TileMatrix& a, const TileMatrix& b, TileMatrix& c, bool exclusive) {
  for (int i = 0; i < c.rows; ++i)
    for (int k = 0; k < a.columns; ++k) {
      const double x = a.at(i, k);
      for (int j = 0; j < c.columns; ++j) {
        double& sum = c.at(i, j);
        const double y = b.at(k, j);
        sum = exclusive ? sum + x + y - 2 * x * y : std::fma(x, y, sum);
      }
    }
}

void Fragment::gather(int thread, const Registers& registersOf, TileMatrix& tile) const {
  const int n = type.perRegister();
  for (int v = 0; v < values(); ++v) {
    const TileElement& place = at(thread, v);
    tile.at(place.row, place.column) = type.value(registersOf(v / n) >> (n == 1 ? 0 : v % n * type.bits));
  }
}

void Fragment::scatter(int thread, const Registers& registersOf, const TileMatrix& tile, bool saturates) const {
  const int n = type.perRegister();
  for (int r = 0; r < registers; ++r) {
    u64 out = 0;
    for (int e = 0; e < n; ++e) {
      const TileElement& place = at(thread, r * n + e);
      out |= type.held(tile.at(place.row, place.column), saturates) << (n == 1 ? 0 : e * type.bits);
    }
    registersOf(r) = out;
  }
}

// ---- fragments

std::optional<Fragment> fragmentOf(const AtlasRow& row, std::string_view operand, bool inBytes) {
  const auto found = findOperand(row, operand);
  if (!found || found->space != OperandSpace::Register) return std::nullopt;
  const auto layout = threadValue(*found);
  auto type = tileType(found->element);
  if (type && inBytes) type = type->inByte();
  if (!layout || !type || layout->rank() != 2) return std::nullopt;
  Fragment f;
  f.type = *type;
  const int rows = static_cast<int>(rowsOf(*found)), columns = static_cast<int>(columnsOf(*found));
  const i64 total = layout->size();
  f.threads = static_cast<int>(layout->mode(0).size());
  const auto each = static_cast<int>(total / f.threads);
  f.registers = each / f.type.perRegister();
  if (f.registers == 0 || f.values() != each) return std::nullopt;
  const bool transposed = operand == "B";  // the atlas states B as n x k
  f.rows = transposed ? columns : rows;
  f.columns = transposed ? rows : columns;
  for (int t = 0; t < f.threads; ++t)
    for (int v = 0; v < each; ++v) {
      const i64 index = (*layout)(i64{t} + i64{v} * f.threads);
      const int x = static_cast<int>(index % rows), y = static_cast<int>(index / rows);
      f.places.push_back(transposed ? TileElement{y, x} : TileElement{x, y});
    }
  return f;
}

std::optional<Fragment> wmmaFragment(const TileShape& s, char operand, std::string_view element) {
  const auto type = tileType(element);
  if (!type) return std::nullopt;
  Fragment f;
  f.type = *type;
  f.rows = operand == 'b' ? s.k : s.m;
  f.columns = operand == 'a' ? s.k : s.n;
  const int total = f.rows * f.columns;
  // A and B of f16 have eight registers for every shape: each element is held twice, or more often.
  f.registers = element == "f16" && operand != 'c' ? 8 : total / 32 / f.type.perRegister();
  if (f.registers < 1 || total % f.values() != 0) return std::nullopt;
  for (int t = 0; t < 32; ++t)
    for (int v = 0; v < f.values(); ++v) {
      const int index = t % (total / f.values()) * f.values() + v;
      f.places.push_back({index / f.columns, index % f.columns});
    }
  return f;
}

std::optional<AtlasRow> rowOf(const ptx::Opcode& opcode, bool registersA) {
  std::string name;
  for (const std::string_view part : opcode.parts)
    if (part != "satfinite" && part != "rn") name += (name.empty() ? "" : ".") + std::string(part);
  if (opcode.base() == "wgmma") name += registersA ? ".rs" : ".ss";
  auto row = findInstruction(name);
  if (!row) return std::nullopt;
  return *std::move(row);
}

}  // namespace tessera::kernel
