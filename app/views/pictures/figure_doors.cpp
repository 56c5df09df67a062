#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/views/pictures/picture.h"
#include "app/widgets/ui.h"
#include "core/code/index_code.h"
#include "core/hlo/cost/read_counts.h"
#include "core/map/map.h"
#include "core/worksheet/value.h"

namespace tessera::panes {
namespace {

using ui::px;

// The cell of a grid nearest to a position.
Point nearestPoint(const Grid& grid, double x, double y) {
  const auto at = [](double offset, double pitch, i64 count) {
    return std::clamp(static_cast<i64>(std::floor(offset / pitch)), i64{0}, count - 1);
  };
  return grid.cells->cell(at(y - grid.y, grid.cellHeight, grid.rows), at(x - grid.x, grid.cellWidth, grid.cols)).point;
}

const Grid* tileGrid(const Figure& figure) {
  if (!figure.tile) return nullptr;
  for (const Grid& g : figure.grids)
    if (g.name == figure.tile->grid && g.rows > 0 && g.cols > 0) return &g;
  return nullptr;
}

// What a door opens: a part of a module, or the access at a line of code.
std::optional<PaneView::Opened> openedBy(const Value& value, const FigureDoor& door, const std::string& name) {
  if (const auto* code = as<code::IndexCode>(value)) {
    if (door.view == "player") return PaneView::Opened{door.to, name, Shared<Value>(Value(value))};
    auto access = code::selected(*code, door.to);
    if (!access) return std::nullopt;
    return PaneView::Opened{door.to, fmt::format("{}.{}", name, door.to),
                            Shared<Value>(Value(Layout(*std::move(access))))};
  }
  const auto* listing = as<hlo::Listing>(value);
  const auto* part = as<hlo::Part>(value);
  if (listing == nullptr && part == nullptr) return std::nullopt;
  auto found = hlo::findPart(listing != nullptr ? *listing : part->of, door.to);
  if (!found) return std::nullopt;
  std::string title(found->name());
  return PaneView::Opened{door.to, std::move(title), Shared<Value>(Value(Layout(*std::move(found))))};
}

// Handles the rectangle being dragged.
bool dragTile(const Figure& figure, Pane& pane, double x, double y) {
  const Grid* grid = tileGrid(figure);
  if (grid == nullptr || !ImGui::IsItemActive()) {
    pane.tileFrom = {};
    return false;
  }
  if (ImGui::IsItemActivated()) {
    const Hit hit = hitTest(figure, x, y);
    pane.tileFrom = hit.grid == grid ? nearestPoint(*grid, x, y) : Point{};
  }
  if (!pane.tileFrom.real()) return false;
  if (!ImGui::IsMouseDragging(0, px(4))) return true;
  const Point to = nearestPoint(*grid, x, y);
  if (to.real()) pane.look.tile = boxOf(*figure.tile, pane.tileFrom, to);
  return true;
}

}  // namespace

const FigureDoor* doorAt(const Figure& figure, double x, double y) {
  for (const FigureDoor& door : figure.doors)
    if (x >= door.at.x && y >= door.at.y && x < door.at.x + door.at.w && y < door.at.y + door.at.h) return &door;
  return nullptr;
}

std::string boxOf(const FigureTile& tile, Point a, Point b) {
  const auto from = delinearize(a.index, tile.sizes, LinearOrder::Colex),
             to = delinearize(b.index, tile.sizes, LinearOrder::Colex);
  hlo::ElementBox box;
  for (std::size_t k = 0; k < tile.sizes.size(); ++k) {
    box.from.push_back(std::min(from[k], to[k]));
    box.to.push_back(std::max(from[k], to[k]) + 1);
  }
  return print(box);
}

void openDoor(PaneView& look, const Outcome& outcome, const FigureDoor& door) {
  if (!door.copies.empty()) return ImGui::SetClipboardText(door.copies.c_str());
  const Value* value = valueOf(outcome);
  if (value == nullptr) return;
  if (door.to.empty()) {  // the same value with other words
    look.view = door.view;
    look.words = door.words;
    look.modes.clear();  // the bar would hide the words
    return;
  }
  auto opened = openedBy(*value, door, outcome.show ? outcome.show->name : outcome.statement.name);
  if (!opened) return;
  constexpr int kMostBefore = 100;
  opened->depth = look.opened ? look.opened->depth + 1 : 0;
  if (opened->depth < kMostBefore) opened->before = std::make_shared<const PaneView>(look);
  look.opened = *std::move(opened);
  look.view = door.view;
  look.words = door.words;
  look.modes.clear();
  look.tile.clear();
}

bool pointAtDoors(const Figure& figure, const Outcome& outcome, Pane& pane, ImVec2 origin) {
  const ImGuiIO& io = ImGui::GetIO();
  const double x = pane.x + static_cast<double>(io.MousePos.x - origin.x) / pane.scale,
               y = pane.y + static_cast<double>(io.MousePos.y - origin.y) / pane.scale;
  const bool taken = dragTile(figure, pane, x, y);
  if (!ImGui::IsItemHovered()) return taken;
  const FigureDoor* door = doorAt(figure, x, y);
  if (door == nullptr) return taken;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!ImGui::IsMouseDown(0) && !door->tip.empty())
    ui::tooltipAt({io.MousePos.x + px(14), io.MousePos.y + px(16)}, door->tip);
  const float moved = px(4);
  if (ImGui::IsMouseReleased(0) && io.MouseDragMaxDistanceSqr[0] < moved * moved) {
    const bool stays = door->to.empty();
    selectRowOf(pane.sight.rows, figure, *door);
    openDoor(pane.look, outcome, *door);
    pane.moved = pane.moved && stays;
  }
  return taken;
}

}  // namespace tessera::panes
