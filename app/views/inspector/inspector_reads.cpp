#include "app/views/inspector/inspector_reads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/views/editor/sheet_lights.h"
#include "app/views/pictures/pane_view.h"
#include "core/hlo/listing.h"
#include "core/hlo/notation.h"

namespace tessera::panes {
namespace {

constexpr std::size_t kListedElements = 8;

// Sizes of the array in a grid of the picture; nullopt: none.
std::optional<std::vector<i64>> sizesOf(const hlo::Part& part, const std::string& grid) {
  const std::string_view operand = "operand ";
  const auto shape = grid.starts_with(operand) ? hlo::operandShape(part, std::atoi(grid.c_str() + operand.size()))
                                               : hlo::shapeOf(part);
  if (!shape || !shape->isArray()) return std::nullopt;
  return shape->sizes();
}

std::string coordinate(const Point& point, const std::vector<i64>& sizes) {
  return fmt::format("({})", fmt::join(delinearize(point.index, sizes, LinearOrder::Colex), ", "));
}

std::string listed(const std::vector<Point>& points, const std::vector<i64>& sizes) {
  if (points.empty()) return "nothing";
  std::string out;
  for (std::size_t k = 0; k < std::min(points.size(), kListedElements); ++k)
    out += (k == 0 ? "" : " ") + coordinate(points[k], sizes);
  if (points.size() > kListedElements) out += fmt::format(" and {} more", points.size() - kListedElements);
  return out;
}

std::string nameOf(const hlo::Part& part, const std::string& grid) {
  const std::string_view operand = "operand ";
  if (!grid.starts_with(operand)) return fmt::format("%{}", part.name());
  return fmt::format("%{}", hlo::operandName(part, std::atoi(grid.c_str() + operand.size())));
}

}  // namespace

std::optional<std::vector<Fact>> readsFacts(const Outcome& seen, const Hover& cell) {
  const Value* value = valueOf(seen);
  const auto* part = value != nullptr ? as<hlo::Part>(*value) : nullptr;
  if (part == nullptr || !seen.figure || !seen.figure->tile) return std::nullopt;
  const auto sizes = sizesOf(*part, cell.grid);
  if (!sizes) return std::nullopt;
  std::vector<Fact> facts;
  const auto add = [&](const char* section, std::string name, std::string said) {
    facts.push_back({section, std::move(name), std::move(said)});
  };
  const bool output = cell.grid == seen.figure->tile->grid;
  add("element", output ? "output" : cell.grid, nameOf(*part, cell.grid));
  add("element", "coordinate", coordinate(cell.point, *sizes));
  if (!output) add("element", seen.figure->tile->now.empty() ? "read" : "read by the tile", cell.label + " times");
  const Origin origin{{cell.point}, &*seen.figure, cell.grid};
  const Linked linked(origin, {&*seen.figure});
  for (const Grid& g : seen.figure->grids) {
    const auto there = sizesOf(*part, g.name);
    if (!there || (g.name == seen.figure->tile->grid) == output) continue;
    const std::vector<Point> points = linked.in(*seen.figure, g);
    add(output ? "reads" : "read by", nameOf(*part, g.name), listed(points, *there));
  }
  return facts;
}

}  // namespace tessera::panes
