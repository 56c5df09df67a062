#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/layout/hardware.h"
#include "core/map/inverse/inverse.h"
#include "core/notation/axe/layout.h"
#include "core/worksheet/functions/calls.h"

namespace tessera {
namespace {

constexpr i64 kMostPoints = i64{1} << 20;

bool serves(const Arrow& arrow) {
  const bool hardware = arrow.from.kind == SpaceKind::Elements && arrow.to.kind == SpaceKind::Hardware;
  return (isMemory(arrow) || hardware) && arrow.map.params().empty();
}

// The usual names of the axes: m for the address.
std::vector<std::string> axesOf(const Arrow& arrow) {
  if (isMemory(arrow)) return {axe::kMemoryAxis};
  std::vector<std::string> names;
  for (const Axis& a : arrow.map.axes()) names.push_back(hardwareAxis(a.name));
  return names;
}

// One number per mode, from one per digit.
std::vector<i64> coordinateOf(const Arrow& arrow, const std::vector<i64>& digits) {
  const std::vector<int> index = arrow.map.indexDigits();
  std::vector<i64> out;
  std::size_t next = 0;
  for (const Mode& mode : arrow.from.modes) {
    i64 whole = mode.lo, place = 1;
    for (const i64 extent : mode.digits) {
      whole += digits[static_cast<std::size_t>(index[next++])] * place;
      place *= extent;
    }
    out.push_back(whole);
  }
  return out;
}

// The values of the axes at the place; nullopt if it names an axis that the layout does not have.
std::optional<std::vector<i64>> valuesAt(const Arrow& arrow, const axe::Place& place) {
  const std::vector<std::string> names = axesOf(arrow);
  std::vector<i64> values(names.size(), 0);
  for (const auto& [name, value] : place) {
    const auto own = std::ranges::find(names, hardwareAxis(name));
    if (own == names.end() && value != 0) return std::nullopt;
    if (own != names.end()) values[static_cast<std::size_t>(own - names.begin())] = value;
  }
  return values;
}

}  // namespace

std::optional<std::vector<std::vector<i64>>> imagesAt(const Arrow& arrow, const std::vector<i64>& digits, i64 most) {
  i64 fans = 1;
  for (const int d : arrow.map.fanDigits()) {
    const i64 extent = arrow.map.digits()[static_cast<std::size_t>(d)].extent;
    if (extent > most / fans) return std::nullopt;
    fans *= extent;
  }
  std::vector<i64> point;
  for (const int d : arrow.map.indexDigits()) point.push_back(digits[static_cast<std::size_t>(d)]);
  return arrow.map.imageOf(point);
}

std::optional<std::vector<std::vector<i64>>> coordinatesAt(const Arrow& arrow, const std::vector<i64>& values,
                                                           i64 most) {
  const Map& map = arrow.map;
  std::vector<std::vector<i64>> out;
  if (const auto back = inverse(map, 0)) {
    if (const auto point = (*back)->find(values)) out.push_back(coordinateOf(arrow, *point));
    return out;
  }
  const auto points = map.pointCount();
  if (!points || *points > most) return std::nullopt;
  const auto extents = mapped<i64>(map.digits(), &Digit::extent);
  for (i64 n = 0; n < *points; ++n) {
    spend();
    const std::vector<i64> point = delinearize(n, extents, LinearOrder::Colex);
    if (map.isReal(point) && map.at(point) == values) out.push_back(coordinateOf(arrow, point));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::optional<Result<axe::Places>> forwardOf(const Arrow& arrow, const std::vector<i64>& coordinate) {
  if (!serves(arrow)) return std::nullopt;
  const std::vector<Mode>& modes = arrow.from.modes;
  const std::string shape = fmt::format("({})", fmt::join(extentsOf(arrow.from), ","));
  if (coordinate.size() != modes.size())
    return Diag{fmt::format("the coordinate ({}) has {} entries, shape {} has {}", fmt::join(coordinate, ","),
                            coordinate.size(), shape, modes.size()),
                "one number for each dimension"};
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (coordinate[k] < modes[k].lo || coordinate[k] - modes[k].lo >= modes[k].extent())
      return Diag{fmt::format("{} is outside dimension {} of shape {}", coordinate[k], k, shape),
                  "a coordinate inside"};
  }
  const auto images = imagesAt(arrow, digitsAt(arrow, coordinate), kMostPoints);
  if (!images) return std::nullopt;
  axe::Places out;
  const std::vector<std::string> names = axesOf(arrow);
  for (const std::vector<i64>& image : *images) {
    axe::Place place;
    for (std::size_t k = 0; k < names.size(); ++k) place[names[k]] = image[k];
    out.places.push_back(std::move(place));
  }
  std::ranges::sort(out.places);
  return out;
}

std::optional<Result<axe::Coords>> backwardOf(const Arrow& arrow, const axe::Place& place) {
  if (!serves(arrow)) return std::nullopt;
  const auto values = valuesAt(arrow, place);
  if (!values) return axe::Coords{};
  auto coords = coordinatesAt(arrow, *values, kMostPoints);
  if (!coords) return std::nullopt;
  return axe::Coords{*std::move(coords)};
}

}  // namespace tessera
