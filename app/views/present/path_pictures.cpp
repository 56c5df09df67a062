#include "app/views/present/path_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/views/editor/sheet_lights.h"
#include "app/views/pictures/picture.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

constexpr Role kPathColour = Role::Accent,
               kSecondColour = Role::Refuted;  // the path, and the second one of a counterexample

struct PathPane {
  ImVec2 origin, size;  // of the picture, without its title
  Pane pane;
};

// The cell of a stop on the screen, at least 10 points wide and high.
struct CellBox {
  ImVec2 min, max;
  [[nodiscard]] ImVec2 centre() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
};

class PathPainter {
 public:
  PathPainter(const PathScene& scene, const PathMoment& moment, const PathLook& look, GridTextures& textures)
      : scene_(scene), moment_(moment), look_(look), textures_(textures) {
    reached_ = std::min(moment.stop + 1, moment.stops.size());
    if (reached_ > 0) active_ = moment.stops[reached_ - 1].picture;
  }

  std::optional<i64> run(ImVec2 at, ImVec2 size) {
    std::vector<const Figure*> figures;
    for (const PathPicture& p : scene_.pictures) figures.push_back(&*p.outcome->figure);
    const std::size_t columns = columnsFor(figures, size.x, size.y), rows = (figures.size() + columns - 1) / columns;
    const float gap = px(20);
    const ImVec2 room = {(size.x - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                         (size.y - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows)};
    std::optional<i64> clicked;
    for (std::size_t k = 0; k < figures.size(); ++k) {
      const ImVec2 corner = {at.x + (room.x + gap) * static_cast<float>(k % columns),
                             at.y + (room.y + gap) * static_cast<float>(k / columns)};
      if (const auto route = picture(k, corner, room)) clicked = route;
    }
    const Role now = moment_.before.empty() ? kPathColour : kSecondColour;
    for (const auto& earlier : moment_.before) arrows(earlier, earlier.size(), kPathColour, 1);
    arrows(moment_.stops, reached_, now, look_.arrived);
    for (const auto& earlier : moment_.before)
      for (const PathStop& s : earlier) mark(s, kPathColour, 1.5F);
    for (std::size_t k = 0; k + 1 < reached_; ++k) mark(moment_.stops[k], now, 1.5F);
    if (reached_ > 0 && look_.arrived >= 1) {
      mark(moment_.stops[reached_ - 1], now, 3);
      tag(moment_.stops[reached_ - 1], now);
    }
    return clicked;
  }

 private:
  // The first picture's route of the cell under the mouse, if it was clicked.
  std::optional<i64> picture(std::size_t k, ImVec2 at, ImVec2 room) {
    const PathPicture& shown = scene_.pictures[k];
    const Figure& figure = *shown.outcome->figure;
    const ui::Fonts& f = ui::look().fonts;
    const float head = px(26);
    PathPane here{{at.x, at.y + head}, {std::max(1.0F, room.x), std::max(1.0F, room.y - head)}, {}};
    ui::text(f.sansMedium, at, k == active_ ? Role::Accent : Role::Text,
             ui::fitted(figure.title, f.sansMedium, room.x));
    fit(figure, here.pane, here.size.x, here.size.y);
    ImGui::SetCursorScreenPos(here.origin);
    ImGui::PushID(static_cast<int>(k));
    ui::hitArea("path", here.size);
    ImGui::PopID();
    ui::placeLast(fmt::format("present.picture.{}", k));
    if (shown.index != SIZE_MAX) ui::placeLast(fmt::format("figure.{}.picture", shown.index));
    const bool clicked = ImGui::IsItemHovered() && ImGui::IsMouseReleased(0);
    const auto content = reinterpret_cast<std::uintptr_t>(shown.outcome.get());
    const Omitted omitted = paintPicture(figure, here.pane, here.origin, here.size, lightsOf(k), look_.theme, textures_,
                                         fmt::format("present.{}", k), content);
    if (omitted.any()) noteLeftOut(k, figure.title, at, room.x);
    const ImVec2 end = {here.origin.x + here.size.x, here.origin.y + here.size.y};
    ImGui::GetWindowDrawList()->AddRect(here.origin, end, ui::color(k == active_ ? Role::Accent : Role::Hairline, 0.8),
                                        px(4), 0, k == active_ ? px(1.5) : 1);
    placed_.push_back(here);
    return clicked ? routeUnder(figure, placed_.back()) : std::nullopt;
  }

  // After the title, that some texts would be too small.
  static void noteLeftOut(std::size_t k, const std::string& title, ImVec2 at, float width) {
    const ui::Fonts& f = ui::look().fonts;
    const char* const note = "without labels: too small";
    const float w = ui::width(f.small, note), x = at.x + width - w;
    if (x < at.x + ui::width(f.sansMedium, title) + px(12)) return;
    ui::text(f.small, {x, at.y + px(3)}, Role::Faint, note);
    ui::place(fmt::format("present.note.{}", k), {x, at.y}, {x + w, at.y + px(20)});
  }

  // The cells of the stops that are reached, nothing else.
  [[nodiscard]] Lights lightsOf(std::size_t picture) const {
    const Figure& figure = *scene_.pictures[picture].outcome->figure;
    Lights lights;
    lights.grids.resize(figure.grids.size());
    const auto add = [&](const PathStop& s) {
      if (s.picture != picture || !s.at) return;
      const Cell cell = figure.grids[s.at->grid].cells->cell(s.at->row, s.at->col);
      if (cell.point.real()) lights.grids[s.at->grid].push_back(cell.point);
    };
    for (const auto& earlier : moment_.before)
      for (const PathStop& s : earlier) add(s);
    for (std::size_t k = 0; k < reached_; ++k) add(moment_.stops[k]);
    return lights;
  }

  [[nodiscard]] std::optional<i64> routeUnder(const Figure& figure, const PathPane& here) const {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Hit hit = hitTest(figure, here.pane.x + (mouse.x - here.origin.x) / here.pane.scale,
                            here.pane.y + (mouse.y - here.origin.y) / here.pane.scale);
    if (hit.grid == nullptr || !hit.grid->cells) return std::nullopt;
    const std::vector<Point> points = pointsOf(hit.grid->cells->cell(hit.row, hit.col));
    const Figure& first = *scene_.pictures.front().outcome->figure;
    for (const Grid& g : first.grids) {
      if (!g.cells || g.rows <= 0 || g.cols <= 0) continue;
      for (const Point& p : points) {
        const auto places = g.cells->find(p, 1);
        if (!places.empty()) return places[0].first * g.cols + places[0].second;
      }
      return std::nullopt;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<CellBox> boxOf(const PathStop& stop) const {
    if (!stop.at || stop.picture >= placed_.size()) return std::nullopt;
    const PathPane& in = placed_[stop.picture];
    const Rect r = rectOf(*scene_.pictures[stop.picture].outcome->figure, *stop.at);
    const auto x = in.origin.x + static_cast<float>((r.x - in.pane.x) * in.pane.scale),
               y = in.origin.y + static_cast<float>((r.y - in.pane.y) * in.pane.scale);
    const auto w = static_cast<float>(r.w * in.pane.scale), h = static_cast<float>(r.h * in.pane.scale);
    const float dx = std::max(0.0F, px(10) - w) / 2, dy = std::max(0.0F, px(10) - h) / 2;
    return CellBox{{x - dx, y - dy}, {x + w + dx, y + h + dy}};
  }

  // A ring around the cell.
  void mark(const PathStop& stop, Role role, float width) const {
    const auto box = boxOf(stop);
    if (!box) return;
    ImGui::GetWindowDrawList()->AddRect({box->min.x - px(2), box->min.y - px(2)},
                                        {box->max.x + px(2), box->max.y + px(2)}, ui::color(role), px(4), 0, px(width));
  }

  // Beside the cell, what it is.
  void tag(const PathStop& stop, Role role) const {
    const auto box = boxOf(stop);
    if (!box) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImFont* const font = ui::look().fonts.sansMedium;
    const PathPane& in = placed_[stop.picture];
    const float w = ui::width(font, stop.text) + px(14), h = font->FontSize + px(6);
    const float right = in.origin.x + in.size.x, below = in.origin.y + in.size.y;
    float x = box->max.x + px(8), y = box->max.y + px(8);
    if (x + w > right) x = std::max(in.origin.x, box->min.x - w - px(8));
    if (y + h > below) y = std::max(in.origin.y, box->min.y - h - px(8));
    list->AddRectFilled({x, y}, {x + w, y + h}, ui::color(Role::Raised), px(4));
    list->AddRect({x, y}, {x + w, y + h}, ui::color(role), px(4), 0, px(1.5));
    ui::text(font, {x + px(7), y + px(3)}, Role::Text, stop.text);
    ui::place("present.tag", {x, y}, {x + w, y + h});
  }

  // Where the path crosses from one picture to another; the last arrow is drawn up to `arrived`.
  void arrows(const std::vector<PathStop>& stops, std::size_t count, Role role, double arrived) const {
    const PathStop* last = nullptr;
    for (std::size_t k = 0; k < count; ++k) {
      if (!stops[k].at) continue;
      if (last != nullptr && last->picture != stops[k].picture) {
        const auto from = boxOf(*last), to = boxOf(stops[k]);
        if (from && to) {
          arrow(from->centre(), to->centre(), role, k + 1 == count ? arrived : 1);
          ui::place(fmt::format("present.arrow.{}", k), from->centre(), to->centre());
        }
      }
      last = &stops[k];
    }
  }

  static void arrow(ImVec2 from, ImVec2 to, Role role, double arrived) {
    const float dx = to.x - from.x, dy = to.y - from.y, length = std::sqrt(dx * dx + dy * dy);
    if (length < 1) return;
    // A bow above the straight line, so that arrows of one row stay apart.
    const ImVec2 bow = {(from.x + to.x) / 2 + dy * 0.12F, (from.y + to.y) / 2 - dx * 0.12F};
    const auto at = [&](float t) {
      const float u = 1 - t;
      return ImVec2(u * u * from.x + 2 * u * t * bow.x + t * t * to.x,
                    u * u * from.y + 2 * u * t * bow.y + t * t * to.y);
    };
    constexpr int kPieces = 24;
    const auto end = static_cast<float>(std::clamp(arrived, 0.02, 1.0));
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int k = 0; k <= kPieces; ++k) list->PathLineTo(at(end * static_cast<float>(k) / kPieces));
    list->PathStroke(ui::color(role, 0.9), 0, px(2.5));
    const ImVec2 tip = at(end), back = at(std::max(0.0F, end - px(14) / length));
    const float hx = tip.x - back.x, hy = tip.y - back.y, h = std::sqrt(hx * hx + hy * hy);
    if (h < 0.5F) return;
    const float nx = -hy / h * px(6), ny = hx / h * px(6);
    list->AddTriangleFilled(tip, {back.x + nx, back.y + ny}, {back.x - nx, back.y - ny}, ui::color(role, 0.9));
  }

  const PathScene& scene_;
  const PathMoment& moment_;
  const PathLook& look_;
  GridTextures& textures_;
  std::size_t reached_ = 0, active_ = SIZE_MAX;
  std::vector<PathPane> placed_;
};

}  // namespace

std::optional<i64> pathPictures(const PathScene& scene, const PathMoment& moment, const PathLook& look,
                                GridTextures& textures, ImVec2 at, ImVec2 size) {
  return PathPainter(scene, moment, look, textures).run(at, size);
}

}  // namespace tessera::panes
