// owned for layouts that place elements on threads: Axe, linear and Triton layouts, and CuTe's (thread, value) layouts.
#include "render/draw/hardware/owned.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/draw/placed/placed.h"

namespace tessera {
namespace {

using SharedPlaced = std::shared_ptr<const Placed>;

// The axes that number the threads, the fastest first.
std::vector<std::string> threadAxes(const Placed& placed) {
  std::vector<std::string> axes = {laneAxis(placed), warpAxis(placed), deviceAxis(placed)};
  std::erase(axes, "");
  return axes;
}

// What the thread holds the element as: the values of all other axes, "r1".
std::string heldAs(const Placed& placed, const std::vector<std::string>& axes, i64 thread, i64 linear) {
  std::string label;
  for (const axe::Place& place : placed.places(linear)) {
    i64 rest = thread;
    const bool held = std::ranges::all_of(axes, [&](const std::string& axis) {
      const i64 extent = placed.extentOf(axis), at = axis == axes.back() ? rest : rest % extent;
      rest /= extent;
      return valueOn(place, axis) == at;
    });
    if (!held) continue;
    std::string value;
    for (const std::string& axis : placed.axes())
      if (std::ranges::find(axes, axis) == axes.end())
        value += fmt::format("{}{}{}", value.empty() ? "" : " ", axisMark(axis), valueOn(place, axis));
    if (value.empty()) value = "here";
    label += label.empty() ? value : "," + value;
  }
  return label;
}

}  // namespace

Result<Figure> drawOwnedLayout(const Layout& given, const DrawOptions& options) {
  TESSERA_TRY(const Layout shown, heldTileOf(given, options));
  TESSERA_TRY(const SharedPlaced placed, Placed::of(shown));
  const std::vector<std::string> axes = threadAxes(*placed);
  if (axes.empty())
    return Diag{fmt::format("{} places nothing on threads", print(given)), "a layout with an axis for lanes or warps"};
  i64 threads = 1;
  for (const std::string& axis : axes) threads *= placed->extentOf(axis);
  TESSERA_TRY(const i64 thread, chosenThread(options, threads, 0));
  const i64 columns = placed->columns();
  OwnedTile tile{"owned", fmt::format("{}", fmt::join(placed->shape(), " x ")), placed->rows(), columns, {}, {}, {}};
  tile.value = [placed, axes, thread, columns](i64 row, i64 col) {
    return heldAs(*placed, axes, thread, row * columns + col);
  };
  tile.point = [placed, columns](i64 row, i64 col) { return placed->pointOf(row * columns + col); };
  tile.find = [placed, columns](Point point, int limit) -> std::vector<std::pair<i64, i64>> {
    const auto linear = placed->linearOf(point);
    if (!linear || limit < 1) return {};
    return {{*linear / columns, *linear % columns}};
  };
  constexpr i64 kMostNamed = i64{1} << 16;  // elements that the caption counts
  Figure figure = figureOf(gridOf(tile, {thread, threads}));
  setTitle(figure, options, "owned", "What a thread owns", print(given));
  const std::string holds = placed->size() <= kMostNamed ? holdsText(tile, "the tensor") : "the coloured elements";
  addThread(figure, {thread, threads}, holds);
  return figure;
}

}  // namespace tessera
