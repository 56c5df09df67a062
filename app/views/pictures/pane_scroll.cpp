#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/views/pictures/picture.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

// A rectangle of the screen.
struct Area {
  ImVec2 min, max;
  [[nodiscard]] bool has(ImVec2 p) const { return p.x >= min.x && p.y >= min.y && p.x < max.x && p.y < max.y; }
  [[nodiscard]] float width() const { return max.x - min.x; }
  [[nodiscard]] float height() const { return max.y - min.y; }
};

struct ScrollParts {
  Rect all, seen;  // of the figure, in points
  bool across = false, down = false;
  Area barAcross, barDown;  // the tracks
  bool map = false;
  Area mapArea;
  double mapScale = 0;
};

ScrollParts partsOf(const Figure& figure, const Pane& pane, ImVec2 origin, ImVec2 size) {
  ScrollParts p;
  p.all = extentIn(figure, pane);
  p.seen = {pane.x, pane.y, size.x / pane.scale, size.y / pane.scale};
  p.across = p.seen.w < p.all.w * 0.998;
  p.down = p.seen.h < p.all.h * 0.998;
  const float bar = px(10), right = origin.x + size.x;
  // At the lower end of what is visible of a pane that is higher than the column.
  const float bottom =
      std::max(origin.y + px(40), std::min(origin.y + size.y, ImGui::GetWindowPos().y + ImGui::GetWindowHeight()));
  p.barAcross = {{origin.x, bottom - bar}, {right - (p.down ? bar : 0), bottom}};
  p.barDown = {{right - bar, origin.y}, {right, bottom - (p.across ? bar : 0)}};
  // A map is of use if it shows more than a bar does, in a pane that it does not fill.
  const double w = std::min(static_cast<double>(px(150)), size.x * 0.25),
               h = std::min(static_cast<double>(px(110)), size.y * 0.3);
  p.mapScale = std::min(w / p.all.w, h / p.all.h);
  const auto wide = static_cast<float>(std::max(p.all.w * p.mapScale, static_cast<double>(px(12)))),
             high = static_cast<float>(std::max(p.all.h * p.mapScale, static_cast<double>(px(12))));
  p.map = (p.across || p.down) && size.x > px(220) && size.y > px(140);
  const ImVec2 corner = {right - px(16), bottom - px(16)};
  p.mapArea = {{corner.x - wide, corner.y - high}, corner};
  return p;
}

// The thumb of a track.
Area thumbOf(const Area& track, bool across, double from, double share) {
  const float length = across ? track.width() : track.height();
  const float thumb = std::min(length, std::max(px(24), static_cast<float>(share) * length));
  const float at = static_cast<float>(std::clamp(from, 0.0, 1.0)) * (length - thumb);
  const float inset = px(3);
  return across ? Area{{track.min.x + at, track.min.y + inset}, {track.min.x + at + thumb, track.max.y - inset}}
                : Area{{track.min.x + inset, track.min.y + at}, {track.max.x - inset, track.min.y + at + thumb}};
}

// How far the window is between the ends, 0 to 1.
double shareOf(double at, double from, double length, double seen) {
  return length > seen ? (at - from) / (length - seen) : 0;
}

}  // namespace

bool scrollPane(const Figure& figure, Pane& pane, ImVec2 origin, ImVec2 size) {
  using Grip = PaneSight::Grip;
  if (!ImGui::IsMouseDown(0)) pane.sight.grip = Grip::None;
  const ScrollParts p = partsOf(figure, pane, origin, size);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over =
      (p.across && p.barAcross.has(mouse)) || (p.down && p.barDown.has(mouse)) || (p.map && p.mapArea.has(mouse));
  if (ImGui::IsItemActivated()) {
    pane.sight.grip = p.map && p.mapArea.has(mouse)        ? Grip::Map
                      : p.across && p.barAcross.has(mouse) ? Grip::Across
                      : p.down && p.barDown.has(mouse)     ? Grip::Down
                                                           : Grip::None;
  }
  if (pane.sight.grip == Grip::None) return over && ImGui::IsItemHovered();
  double dx = 0, dy = 0;
  if (pane.sight.grip == Grip::Map) {  // the place under the mouse becomes the middle
    dx = p.all.x + (mouse.x - p.mapArea.min.x) / p.mapScale - (p.seen.x + p.seen.w / 2);
    dy = p.all.y + (mouse.y - p.mapArea.min.y) / p.mapScale - (p.seen.y + p.seen.h / 2);
  } else {
    const bool across = pane.sight.grip == Grip::Across;
    const Area& track = across ? p.barAcross : p.barDown;
    const double length = across ? track.width() : track.height(), all = across ? p.all.w : p.all.h,
                 seen = across ? p.seen.w : p.seen.h;
    const double thumb = std::min(length, std::max(static_cast<double>(px(24)), seen / all * length));
    const double at = across ? mouse.x - track.min.x : mouse.y - track.min.y;
    const double share = length > thumb ? std::clamp((at - thumb / 2) / (length - thumb), 0.0, 1.0) : 0;
    const double to = (across ? p.all.x : p.all.y) + share * (all - seen);
    (across ? dx : dy) = to - (across ? p.seen.x : p.seen.y);
  }
  panBy(figure, pane, dx * pane.scale, dy * pane.scale, size);
  return true;
}

void paintScroll(const Figure& figure, const Pane& pane, ImVec2 origin, ImVec2 size, Theme theme,
                 GridTextures& textures, const std::string& key, std::uint64_t content, std::size_t index) {
  const ScrollParts p = partsOf(figure, pane, origin, size);
  if (!p.across && !p.down) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto bar = [&](const Area& track, bool across, const char* name) {
    const Area thumb = across
                           ? thumbOf(track, true, shareOf(p.seen.x, p.all.x, p.all.w, p.seen.w), p.seen.w / p.all.w)
                           : thumbOf(track, false, shareOf(p.seen.y, p.all.y, p.all.h, p.seen.h), p.seen.h / p.all.h);
    const bool held = pane.sight.grip == (across ? PaneSight::Grip::Across : PaneSight::Grip::Down);
    ui::fill(track.min, track.max, Role::Panel, 0.85);
    ui::fill(thumb.min, thumb.max, Role::Muted, held || track.has(mouse) ? 0.9 : 0.5, px(2));
    ui::place(fmt::format("figure.{}.{}", index, name), track.min, track.max);
  };
  if (p.across) bar(p.barAcross, true, "across");
  if (p.down) bar(p.barDown, false, "down");
  if (!p.map) return;
  ui::fill({p.mapArea.min.x - px(3), p.mapArea.min.y - px(3)}, {p.mapArea.max.x + px(3), p.mapArea.max.y + px(3)},
           Role::Panel, 1, px(3));
  Pane far;
  far.scale = p.mapScale;
  far.x = p.all.x;
  far.y = p.all.y;
  paintPicture(figure, far, p.mapArea.min, {p.mapArea.width(), p.mapArea.height()}, {}, theme, textures, key + "/map",
               content, {.texts = false});
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto at = [&](double x, double y) {
    return ImVec2(p.mapArea.min.x + static_cast<float>((x - p.all.x) * p.mapScale),
                  p.mapArea.min.y + static_cast<float>((y - p.all.y) * p.mapScale));
  };
  const ImVec2 a = at(p.seen.x, p.seen.y), b = at(p.seen.x + p.seen.w, p.seen.y + p.seen.h);
  list->PushClipRect({p.mapArea.min.x - px(3), p.mapArea.min.y - px(3)},
                     {p.mapArea.max.x + px(3), p.mapArea.max.y + px(3)}, true);
  list->AddRect(a, {std::max(b.x, a.x + px(4)), std::max(b.y, a.y + px(4))}, ui::color(Role::Accent), 0, 0, px(1.5));
  list->PopClipRect();
  list->AddRect({p.mapArea.min.x - px(3), p.mapArea.min.y - px(3)}, {p.mapArea.max.x + px(3), p.mapArea.max.y + px(3)},
                ui::color(Role::Hairline), px(3));
  ui::place(fmt::format("figure.{}.map", index), p.mapArea.min, p.mapArea.max);
}

}  // namespace tessera::panes
