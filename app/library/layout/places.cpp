// Layout::at, places, backward and table, through the arrow, for every notation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/library/layout/inside.h"
#include "core/map/tabulate.h"
#include "core/worksheet/functions/calls.h"

namespace tessera::api {
namespace {

constexpr std::int64_t kMostPlaces = std::int64_t{1} << 20;   // of one coordinate, and points that backward searches
constexpr std::int64_t kMostEntries = std::int64_t{1} << 26;  // of a table

// The arrow of a layout; a Diag if it has symbolic sizes.
tessera::Result<Arrow> knownArrow(const Layout& layout) {
  TESSERA_TRY(Arrow arrow, Access::valueOf(layout).arrow());
  if (!arrow.map.params().empty())
    return Diag{fmt::format("{} is not known here", arrow.map.params()[0].name), "a layout without symbolic sizes"};
  return arrow;
}

// The coordinate with one number per mode, from such numbers or from a linear index; a Diag outside the shape.
tessera::Result<Numbers> coordinateIn(const Arrow& arrow, const Numbers& given) {
  const std::vector<Mode>& modes = arrow.from.modes;
  const Numbers extents = extentsOf(arrow.from);
  const std::string shape = fmt::format("({})", fmt::join(extents, ","));
  if (given.size() == 1 && modes.size() != 1) {
    const std::optional<std::int64_t> size = arrow.map.size();
    if (given[0] < 0 || (size && given[0] >= *size))
      return Diag{fmt::format("{} is not a linear index of shape {}", given[0], shape)};
    Numbers out = delinearize(given[0], extents, arrow.from.order);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += modes[k].lo;
    return out;
  }
  if (given.size() != modes.size())
    return Diag{fmt::format("the coordinate ({}) has {} entries, shape {} has {}", fmt::join(given, ","), given.size(),
                            shape, modes.size()),
                "one number per mode, or a linear index"};
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (given[k] < modes[k].lo || given[k] - modes[k].lo >= extents[k])
      return Diag{fmt::format("{} is outside mode {} of shape {}", given[k], k, shape)};
  return given;
}

tessera::Result<std::vector<Numbers>> placesOf(const Layout& layout, const Numbers& given) {
  TESSERA_TRY(const Arrow arrow, knownArrow(layout));
  TESSERA_TRY(const Numbers coordinate, coordinateIn(arrow, given));
  auto images = imagesAt(arrow, digitsAt(arrow, coordinate), kMostPlaces);
  if (!images) return Diag{"this coordinate has more than 2^20 places"};
  return *std::move(images);
}

tessera::Result<std::vector<Numbers>> coordinatesOf(const Layout& layout, const Numbers& place) {
  TESSERA_TRY(const Arrow arrow, knownArrow(layout));
  const Map& map = arrow.map;
  if (place.size() != map.axes().size())
    return Diag{fmt::format("a place of this layout has {} numbers, ({}) has {}", map.axes().size(),
                            fmt::join(place, ","), place.size()),
                fmt::format("{}", fmt::join(layout.axes(), ", "))};
  auto out = coordinatesAt(arrow, place, kMostPlaces);
  if (!out) return Diag{"this map has no inverse formula, and more than 2^20 points to search"};
  return *std::move(out);
}

tessera::Result<Numbers> tableOf(const Layout& layout, std::size_t axis) {
  TESSERA_TRY(const Arrow arrow, knownArrow(layout));
  TESSERA_TRY(const Arrow whole, withWholeModes(arrow));
  const Map& map = whole.map;
  if (axis >= map.axes().size())
    return Diag{fmt::format("this layout has {} axes; there is no axis {}", map.axes().size(), axis)};
  if (!map.fanDigits().empty() || !map.guards().empty())
    return Diag{"some elements have several places or none, which a table cannot express", "", "use places()"};
  const std::optional<std::int64_t> points = map.pointCount();
  if (!points || *points > kMostEntries) return Diag{"a table has at most 2^26 entries", "", "use at()"};
  spend(*points);
  Numbers out(static_cast<std::size_t>(*points));
  TESSERA_CHECKED(tabulate(map, static_cast<int>(axis), whole.from.order, out));
  return out;
}

// The value at a coordinate or linear index inside the box; nullopt otherwise, and the slow way says what is wrong.
std::optional<Numbers> quickAt(const QuickPoints& quick, const Numbers& given) {
  if (given.size() == quick.extents.size()) {
    for (std::size_t k = 0; k < given.size(); ++k)
      if (given[k] < 0 || given[k] >= quick.extents[k]) return std::nullopt;
  } else if (given.size() != 1 || given[0] < 0 || given[0] >= quick.size) {
    return std::nullopt;
  }
  const bool linear = given.size() != quick.extents.size();
  Numbers out(quick.axes);
  for (std::size_t axis = 0; axis < quick.axes; ++axis)
    out[axis] = linear ? quick.evaluator.at(given[0], quick.order, static_cast<int>(axis))
                       : quick.evaluator.value(given, static_cast<int>(axis));
  return out;
}

std::optional<QuickPoints> quickOf(const tessera::Layout& layout) {
  const tessera::Result<Arrow>& arrow = layout.arrow();
  if (!arrow || !arrow->map.params().empty() || !arrow->map.guards().empty() || !arrow->map.fanDigits().empty())
    return std::nullopt;
  const std::optional<std::int64_t> size = arrow->map.size();
  const tessera::Result<Arrow> whole = withWholeModes(*arrow);
  if (!whole || !size || *size == 0 || whole->map.isShifted()) return std::nullopt;
  return QuickPoints{PointEvaluator(whole->map), extentsOf(whole->from), whole->from.order, *size,
                     whole->map.axes().size()};
}

}  // namespace

const QuickPoints* Layout::Impl::quick() const {
  std::call_once(quickOnce_, [this] {
    quick_ = quickOf(value);
    if (quick_) known_.store(&*quick_, std::memory_order_release);
  });
  return quick_ ? &*quick_ : nullptr;
}

Result<std::vector<Numbers>> Layout::places(const Numbers& coordinate) const {
  return guarded<std::vector<Numbers>>({}, {}, [&] { return placesOf(*this, coordinate); });
}

Result<Numbers> Layout::at(const Numbers& coordinate) const {
  if (const QuickPoints* quick = Access::knownQuickOf(*this)) {
    try {
      if (std::optional<Numbers> place = quickAt(*quick, coordinate)) return *std::move(place);
    } catch (const std::bad_alloc&) {  // reported below
    }
  }
  return guarded<Numbers>({}, {}, [&]() -> tessera::Result<Numbers> {
    if (const QuickPoints* quick = Access::quickOf(*this))
      if (std::optional<Numbers> place = quickAt(*quick, coordinate)) return *std::move(place);
    TESSERA_TRY(std::vector<Numbers> all, placesOf(*this, coordinate));
    if (all.size() == 1) return std::move(all.front());
    return Diag{fmt::format("the element ({}) is at {}", fmt::join(coordinate, ","),
                            all.empty() ? "no place" : fmt::format("{} places", all.size())),
                "", "use places()"};
  });
}

Result<std::vector<Numbers>> Layout::backward(const Numbers& place, const Options& options) const {
  return guarded<std::vector<Numbers>>(options, {}, [&] { return coordinatesOf(*this, place); });
}

Result<Layout> Layout::inverse(const Options& options) const {
  return guarded<Layout>(options, {}, [&]() -> tessera::Result<Layout> {
    TESSERA_TRY(const Arrow arrow, knownArrow(*this));
    TESSERA_TRY(Arrow back, converse(arrow));
    return Access::made(tessera::Layout(std::move(back)));
  });
}

Result<Numbers> Layout::table(std::size_t axis, const Options& options) const {
  return guarded<Numbers>(options, {}, [&] { return tableOf(*this, axis); });
}

}  // namespace tessera::api
