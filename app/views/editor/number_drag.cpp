#include "app/views/editor/number_drag.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/widgets/ui.h"
#include "core/base/chars.h"

namespace tessera::panes {
namespace {

std::vector<i64> sizesFor(i64 value) {
  const i64 most = value <= kSliderMost ? kSliderMost : kLargestSize;
  std::vector<i64> sizes = {1};
  while (sizes.back() < most) sizes.push_back(nextSize(sizes.back(), 1));
  return sizes;
}

i64 stepped(i64 value, int steps) {
  for (; steps > 0; --steps) value = nextSize(value, 1);
  for (; steps < 0; ++steps) value = nextSize(value, -1);
  return value;
}

}  // namespace

i64 sizeAtShare(double share, i64 value) {
  const std::vector<i64> sizes = sizesFor(value);
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(sizes.size() - 1);
  return sizes[static_cast<std::size_t>(std::lround(at))];
}

double shareOf(i64 value) {
  const std::vector<i64> sizes = sizesFor(value);
  const auto above = std::ranges::lower_bound(sizes, value);
  const double last = static_cast<double>(sizes.size() - 1);
  if (above == sizes.begin()) return 0;
  if (above == sizes.end()) return 1;
  const auto k = static_cast<double>(above - sizes.begin());
  const auto low = static_cast<double>(*(above - 1)), high = static_cast<double>(*above);
  return (k - 1 + (static_cast<double>(value) - low) / (high - low)) / last;
}

std::optional<NumberPlace> boundConstant(std::string_view line) {
  const std::size_t equals = line.find('='), comment = std::min(line.find("//"), line.size());
  if (equals == std::string_view::npos || comment < equals) return std::nullopt;
  const std::string_view name = stripped(line.substr(0, equals));
  if (name.empty() || !isNameStart(name[0]) || !std::ranges::all_of(name, isNamePart)) return std::nullopt;
  const std::string_view value = line.substr(equals + 1, comment - equals - 1);
  const std::size_t first = value.find_first_not_of(" \t");
  if (first == std::string_view::npos || !isDigit(value[first])) return std::nullopt;
  const auto number = integerAt(line, equals + 1 + first);
  const bool alone = number && stripped(value).size() == number->span.end - number->span.begin;
  return alone ? number : std::nullopt;
}

void beginDrag(NumberDrag& drag, const NumberPlace& number, float x) {
  drag = {};
  drag.active = true;
  drag.from = number;
  drag.now = number.value;
  drag.startX = x;
}

void beginSlider(NumberDrag& drag, const NumberPlace& number, ImVec2 track) {
  beginDrag(drag, number, track.x);
  drag.slider = true;
  drag.track = track;
}

bool dragTo(NumberDrag& drag, Session& session, float x, bool sizes) {
  i64 value = drag.from.value;
  if (drag.slider) {
    value = sizeAtShare(static_cast<double>((x - drag.track.x) / std::max(1.0F, drag.track.y - drag.track.x)), value);
  } else {
    const double moved = static_cast<double>(x - drag.startX) / static_cast<double>(ui::look().scale);
    const auto steps =
        static_cast<int>(std::clamp(moved / (sizes ? NumberDrag::kSizePixels : NumberDrag::kPixels), -1e4, 1e4));
    value = sizes ? stepped(value, steps) : std::clamp<i64>(value + steps, 0, std::max(value, kLargestSize));
  }
  if (value == drag.now) return false;
  Document& d = session.document();
  // The number as it was before the drag, so that all of the drag is one step.
  if (drag.changed) d.undo();
  drag.changed = value != drag.from.value;
  const Span place = drag.from.span;
  if (drag.changed && !d.replace(place.begin, place.end, std::to_string(value))) drag.changed = false;
  drag.now = value;
  d.setCaret(place.begin + (drag.changed ? std::to_string(value).size() : place.end - place.begin));
  // The answers of a small sheet are known within a few milliseconds: then this frame shows them, and not the next one.
  constexpr double kWait = 0.015;
  session.waitUntilEvaluated(kWait);
  return true;
}

}  // namespace tessera::panes
