#include "core/layout/arrow.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"
#include "core/map/inverse/inverse.h"

namespace tessera {

i64 Mode::extent() const {
  i64 product = 1;
  for (const i64 d : digits) product = checkedMul(product, d).value_or(INT64_MAX);
  return product;
}

std::vector<i64> extentsOf(const Space& space) { return mapped<i64>(space.modes, &Mode::extent); }

const char* name(SpaceKind kind) {
  constexpr const char* kNames[] = {"elements", "memory", "hardware", "devices", "banks", "coordinates"};
  return kNames[static_cast<std::size_t>(kind)];
}

Arrow arrowOf(Map map, SpaceKind from, LinearOrder order, SpaceKind to) {
  Arrow arrow;
  arrow.from.kind = from;
  arrow.from.order = order;
  for (const int k : map.indexDigits()) {
    const Digit& d = map.digit(k);
    arrow.from.modes.push_back({d.name, {d.extent}, d.lo});
  }
  arrow.to.kind = to;
  arrow.to.order = order;
  arrow.map = std::move(map);
  return arrow;
}

std::optional<i64> sizeOf(const Arrow& arrow) { return arrow.map.size(); }

bool isMemory(const Arrow& arrow) {
  const bool address = arrow.to.kind == SpaceKind::Memory || arrow.to.kind == SpaceKind::Coordinates;
  const bool coordinates = arrow.from.kind == SpaceKind::Elements || arrow.from.kind == SpaceKind::Coordinates;
  return address && coordinates && arrow.map.axes().size() == 1;
}

bool isDistribution(const Arrow& arrow) {
  return (arrow.from.kind == SpaceKind::Hardware) != (arrow.to.kind == SpaceKind::Hardware);
}

std::vector<i64> digitsAt(const Arrow& arrow, std::span<const i64> coord) {
  std::vector<i64> digits(arrow.map.digits().size(), 0);
  const std::vector<int> index = arrow.map.indexDigits();
  std::size_t next = 0;
  for (std::size_t m = 0; m < arrow.from.modes.size(); ++m) {
    const Mode& mode = arrow.from.modes[m];
    i64 rest = coord[m] - mode.lo;
    for (std::size_t k = 0; k < mode.digits.size(); ++k) {
      const bool last = k + 1 == mode.digits.size();
      digits[static_cast<std::size_t>(index[next++])] = last ? rest : rest % mode.digits[k];
      rest /= mode.digits[k];
    }
  }
  return digits;
}

Result<Map> overDigits(const Map& map, std::vector<Digit> digits, const std::vector<Expr>& indexValues,
                       std::vector<Axis> axes) {
  const std::vector<Expr> values = placed(map, indexValues, digits.size());
  for (const int k : map.fanDigits()) digits.push_back(map.digit(k));
  return Map::create(std::move(digits), substituted(std::move(axes), values), substituted(map.guards(), values),
                     map.params());
}

bool isNested(const Arrow& arrow) {
  return std::ranges::any_of(arrow.from.modes, [](const Mode& m) { return m.digits.size() != 1; });
}

Result<Arrow> withWholeModes(const Arrow& arrow) {
  Arrow out = arrow;
  const std::vector<int> index = arrow.map.indexDigits();
  std::vector<Digit> digits;
  std::vector<Expr> values;
  const bool nested = isNested(arrow);
  for (Mode& mode : out.from.modes) {
    std::ranges::copy(splitDigits(Expr::digit(static_cast<int>(digits.size())), mode.digits),
                      std::back_inserter(values));
    const i64 extent = mode.extent();
    // If a mode nests, the digits' names are not mode names: number the modes instead.
    const std::string own = nested ? "" : arrow.map.digit(index[digits.size()]).name;
    std::string name = !mode.name.empty() ? mode.name : own;
    if (name.empty()) name = fmt::format("i{}", digits.size());
    while (std::ranges::any_of(digits, [&](const Digit& d) { return d.name == name; })) name += '_';
    digits.push_back({std::move(name), extent, DigitKind::Index, mode.lo});
    mode.digits = {extent};
  }
  TESSERA_TRY(out.map, overDigits(arrow.map, std::move(digits), values, arrow.map.axes()));
  return out;
}

Result<Arrow> withSimplerModes(const Arrow& arrow) {
  if (!isNested(arrow)) return arrow;
  TESSERA_TRY(Arrow whole, withWholeModes(arrow));
  whole.map = withSimplerValues(whole.map);
  return whole;
}

namespace {

// Combines the digits of each mode of `from`, which are the axes of `back`, to one axis per mode.
Result<Map> modesAsAxes(const Arrow& arrow, const Map& back) {
  std::vector<Axis> axes;
  std::size_t next = 0;
  for (const Mode& mode : arrow.from.modes) {
    Expr value;
    i64 place = 1;
    for (const i64 extent : mode.digits) {
      value = value + back.axes()[next++].value * place;
      place *= extent;
    }
    axes.push_back({mode.name, value, mode.extent()});
  }
  return Map::create(back.digits(), std::move(axes), back.guards(), back.params());
}

}  // namespace

Result<Arrow> converse(const Arrow& arrow) {
  TESSERA_TRY(const Map back, converse(arrow.map));
  TESSERA_TRY(Map map, modesAsAxes(arrow, back));
  Arrow out = arrowOf(std::move(map), arrow.to.kind, arrow.to.order, arrow.from.kind);
  out.from.elementBits = arrow.to.elementBits;
  out.to = arrow.from;
  return out;
}

Result<Map> overCodomain(const Arrow& arrow) {
  const bool places = arrow.to.kind == SpaceKind::Memory || arrow.to.kind == SpaceKind::Coordinates;
  if (!places) return arrow.map;  // hardware, devices, a tensor's elements: the map declares the extents
  std::vector<Axis> axes = arrow.map.axes();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool declared = k < arrow.to.modes.size() && arrow.to.modes[k].extent() > 0;
    if (declared || !axes[k].extent) continue;
    const auto range = exactRange(arrow.map, k);
    axes[k].extent = range && range->lo >= 0 ? checkedAdd(range->hi, 1) : std::nullopt;
  }
  return Map::create(arrow.map.digits(), std::move(axes), arrow.map.guards(), arrow.map.params());
}

}  // namespace tessera
