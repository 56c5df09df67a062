// The derivation of a cell, computed from the value of its picture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "app/views/editor/sheet_lights.h"
#include "app/views/inspector/inspector.h"
#include "app/views/pictures/pane_view.h"
#include "core/base/arith.h"
#include "core/hlo/listing.h"
#include "core/hlo/notation.h"
#include "core/map/compose.h"
#include "core/map/inverse/inverse.h"
#include "core/notation/convert.h"
#include "core/notation/cute/notation.h"
#include "core/notation/xla/address.h"
#include "core/worksheet/functions/functions.h"
#include "core/worksheet/value.h"

namespace tessera::panes {

std::string tupleText(const std::vector<i64>& values) {
  return values.size() == 1 ? std::to_string(values[0]) : fmt::format("({})", fmt::join(values, ", "));
}

std::string listed(const std::vector<Point>& points, std::size_t most,
                   const std::function<std::string(const Point&)>& text) {
  std::string out;
  for (std::size_t k = 0; k < std::min(points.size(), most); ++k) out += (k == 0 ? "" : " ") + text(points[k]);
  if (points.size() > most) out += fmt::format(" and {} more", points.size() - most);
  return out;
}

namespace {

// The element swizzle of the layout's CuTe form, if there is one.
std::optional<cute::Swizzle> swizzleOf(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  const Result<Layout> cute = layout == nullptr ? Result<Layout>(Diag{}) : toCute(*layout);
  const auto* composed = cute ? cute->as<cute::ComposedLayout>() : nullptr;
  if (composed == nullptr || composed->swizzle() == nullptr) return std::nullopt;
  return composed->elementSwizzle();
}

class Derivation {
 public:
  Derivation(const Value& value, const Arrow& arrow, i64 index)
      : value_(value),
        map_(arrow.map),
        index_(index),
        modeExtents_(tessera::extentsOf(arrow.from)),
        modes_(arrow.from.modes) {
    for (const Digit& d : map_.digits()) extents_.push_back(d.extent);
  }

  Facts facts() {
    const std::vector<i64> digits = delinearize(index_, extents_, LinearOrder::Colex);
    facts_.add("logical", "coordinate", tupleText(delinearize(index_, modeExtents_, LinearOrder::Colex)));
    facts_.add("logical", "linear index", std::to_string(index_));
    if (digits.size() > modes_.size()) split(digits);
    const std::vector<i64> values = map_.at(digits);
    if (values.size() != 1) {
      for (std::size_t k = 0; k < values.size(); ++k)
        facts_.add("value", map_.axes()[k].name, std::to_string(values[k]));
      return std::move(facts_);
    }
    std::vector<std::string> numbers;
    for (const i64 d : digits) numbers.push_back(std::to_string(d));
    facts_.add("address", "formula", print(withSimplerValues(map_).axes()[0].value, numbers));
    address(values[0]);
    if (const xla::Shape* array = xlaShapeIn(value_)) {
      memoryOf(*array, values[0], digits);
    } else {
      back(values[0], digits);
    }
    return std::move(facts_);
  }

 private:
  void split(const std::vector<i64>& digits) {
    auto at = digits.begin();
    for (std::size_t m = 0; m < modes_.size(); ++m) {
      const auto end = at + static_cast<std::ptrdiff_t>(modes_[m].digits.size());
      facts_.add("digits", fmt::format("mode {}", m), tupleText({at, end}));
      at = end;
    }
  }

  void address(i64 offset) {
    facts_.add("address", "offset", std::to_string(offset));
    if (offset < 0) return;
    const std::optional<cute::Swizzle> swizzle = swizzleOf(value_);
    const bool swizzled = swizzle.has_value();
    const cute::Swizzle s = swizzle.value_or(cute::Swizzle());
    facts_.add("address", "hexadecimal", fmt::format("{:#x}", offset));
    const u64 reads = swizzled ? static_cast<u64>(s.yyyMask()) : 0,
              writes = swizzled ? static_cast<u64>(s.zzzMask()) : 0;
    const i64 top = std::max(offset, factsOf(map_.axes()[0].value, environmentOf(map_)).interval.hi);
    const int width = std::clamp(static_cast<int>(std::bit_width(static_cast<u64>(top) | reads | writes)), 4, 40);
    facts_.push_back({"address", "", "", Fact::Kind::Bits, static_cast<u64>(offset), reads, writes, width});
    if (!swizzled || s.isIdentity()) return;
    facts_.add("address", "before the swizzle", std::to_string(s(offset)));  // a swizzle is its own inverse
    facts_.add("address", "reads bits", fmt::format("{:#x}", reads));
    facts_.add("address", "flips bits", fmt::format("{:#x}", writes));
  }

  // An array has an inverse at any size, padding included.
  void memoryOf(const xla::Shape& array, i64 slot, const std::vector<i64>& index) {
    const i64 bits = array.storedBits();
    if (const auto at = checkedMul(slot, bits))
      facts_.add("address", bits % 8 == 0 ? "byte" : "bit", std::to_string(bits % 8 == 0 ? *at / 8 : *at));
    facts_.add("address", "memory space", xla::memorySpaceName(array.layout().memorySpace));
    const auto addressing = xla::Addressing::create(array);
    if (!addressing.ok()) return;
    const xla::Addressing::Slot found = addressing->at(slot);
    facts_.add("back to logical", "index of the slot", tupleText(found.index),
               !found.padding && found.index == index ? Fact::Kind::Check : Fact::Kind::Row);
  }

  void back(i64 offset, const std::vector<i64>& digits) {
    const auto inv = inverse(map_, i64{1} << 16);
    if (!inv.ok()) {
      const bool refuted = inv.error().message.rfind("it has no inverse", 0) == 0;
      facts_.add("back to logical", "inverse", refuted ? "not unique" : "not tabulated: too many points");
      return;
    }
    const auto found = (*inv)->find(offset);
    if (!found) return;
    facts_.add(
        "back to logical", fmt::format("inverse, by {}", (*inv)->method()),
        tupleText(delinearize(linearize(*found, extents_, LinearOrder::Colex), modeExtents_, LinearOrder::Colex)),
        *found == digits ? Fact::Kind::Check : Fact::Kind::Row);
  }

  const Value& value_;
  const Map& map_;
  i64 index_;
  std::vector<i64> extents_, modeExtents_;
  const std::vector<Mode>& modes_;
  Facts facts_;
};

}  // namespace

Facts factsAbout(const Value& value, Point point) {
  if (!point.real()) return {};
  const auto arrow = arrowOf(value);
  if (!arrow.ok() || arrow->map.axes().empty() || !arrow->map.params().empty()) return {};
  if (const auto size = arrow->map.pointCount(); !size || point.index >= *size) return {};
  // Banks and threads are points, too, but not of this layout.
  if (point.domain != pointDomain(tessera::extentsOf(arrow->from))) return {};
  return Derivation(value, *arrow, point.index).facts();
}

Facts factsAboutCell(const Figure& figure, const Hover& cell) {
  constexpr int kPlaces = 24;
  Facts facts;
  const auto found = std::ranges::find(figure.grids, cell.grid, &Grid::name);
  if (found == figure.grids.end() || cell.row >= found->rows || cell.col >= found->cols) return facts;
  facts.add("cell", cell.grid,
            fmt::format("({}, {})", found->cells->rowHeader(cell.row), found->cells->colHeader(cell.col)));
  const Cell c = found->cells->cell(cell.row, cell.col);
  if (!c.label.empty()) facts.add("cell", "label", c.second.empty() ? c.label : c.label + "  " + c.second);
  const bool thread = c.label.size() > 1 && c.label[0] == 'T' && !c.second.empty() && c.second[0] == 'V';
  if (thread) {
    facts.add("thread", "thread", std::to_string(cell.point.index));
    facts.add("thread", "warp, lane", fmt::format("{}, {}", cell.point.index / 32, cell.point.index % 32));
    facts.add("thread", "quad", std::to_string(cell.point.index / 4));
  }
  for (const Grid& g : figure.grids) {
    const auto places = g.cells->find(cell.point, kPlaces + 1);
    std::vector<std::pair<std::string, std::string>> said;  // distinguishing part (V3), position
    for (std::size_t k = 0; k < places.size() && k < kPlaces; ++k) {
      const Cell there = g.cells->cell(places[k].first, places[k].second);
      if (!there.label.empty())
        said.emplace_back(there.second, fmt::format("{},{}", places[k].first, places[k].second));
    }
    std::ranges::stable_sort(said, [](const auto& x, const auto& y) {
      return std::pair(x.first.size(), x.first) < std::pair(y.first.size(), y.first);  // V2 before V10
    });
    std::string text;
    for (const auto& [what, where] : said) {
      text += fmt::format("{}{}", text.empty() ? "" : "  ", what.empty() ? where : what + ":" + where);
    }
    if (places.size() > kPlaces) text += " ...";
    if (!text.empty()) facts.add(thread ? "holds" : "same point", g.name, text);
  }
  return facts;
}

namespace {

// The operand shown by a grid of the picture, "operand 1"; nullopt: the output.
std::optional<int> operandOf(const std::string& grid) {
  constexpr std::string_view kOperand = "operand ";
  return grid.starts_with(kOperand) ? std::optional(std::atoi(grid.c_str() + kOperand.size())) : std::nullopt;
}

// Sizes of the array in a grid of the picture; nullopt: none.
std::optional<std::vector<i64>> sizesOf(const hlo::Part& part, const std::string& grid) {
  const auto operand = operandOf(grid);
  const auto shape = operand ? hlo::operandShape(part, *operand) : hlo::shapeOf(part);
  if (!shape || !shape->isArray()) return std::nullopt;
  return shape->sizes();
}

std::string coordinate(const Point& point, const std::vector<i64>& sizes) {
  return fmt::format("({})", fmt::join(delinearize(point.index, sizes, LinearOrder::Colex), ", "));
}

std::string nameOf(const hlo::Part& part, const std::string& grid) {
  const auto operand = operandOf(grid);
  return fmt::format("%{}", operand ? std::string(hlo::operandName(part, *operand)) : std::string(part.name()));
}

}  // namespace

std::optional<Facts> readsFacts(const Outcome& seen, const Hover& cell) {
  const Value* value = valueOf(seen);
  const auto* part = value != nullptr ? as<hlo::Part>(*value) : nullptr;
  if (part == nullptr || !seen.figure || !seen.figure->tile) return std::nullopt;
  const auto sizes = sizesOf(*part, cell.grid);
  if (!sizes) return std::nullopt;
  Facts facts;
  const bool output = cell.grid == seen.figure->tile->grid;
  facts.add("element", output ? "output" : cell.grid, nameOf(*part, cell.grid));
  facts.add("element", "coordinate", coordinate(cell.point, *sizes));
  if (!output)
    facts.add("element", seen.figure->tile->now.empty() ? "read" : "read by the tile", cell.label + " times");
  const Origin origin{{cell.point}, &*seen.figure, cell.grid};
  const Linked linked(origin, {&*seen.figure});
  for (const Grid& g : seen.figure->grids) {
    const auto there = sizesOf(*part, g.name);
    if (!there || (g.name == seen.figure->tile->grid) == output) continue;
    const std::vector<Point> points = linked.in(*seen.figure, g);
    facts.add(output ? "reads" : "read by", nameOf(*part, g.name),
              points.empty() ? "nothing" : listed(points, 8, [&](const Point& p) { return coordinate(p, *there); }));
  }
  return facts;
}

}  // namespace tessera::panes
