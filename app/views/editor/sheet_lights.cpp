#include "app/views/editor/sheet_lights.h"

#include <algorithm>

#include "app/views/pictures/pane_view.h"

namespace tessera::panes {

Origin originOf(const Hover& hover) {
  const Figure* figure = hover.seen && hover.seen->figure ? &*hover.seen->figure : nullptr;
  return {hover.points.empty() ? std::vector<Point>{hover.point} : hover.points, figure, hover.grid};
}

std::vector<const Figure*> figuresOf(const Snapshot& now, const std::vector<const Figure*>& seen) {
  std::vector<const Figure*> figures;
  for (const auto& o : now.outcomes)
    if (o->figure) figures.push_back(&*o->figure);
  for (const Figure* f : seen)
    if (f != nullptr && std::ranges::find(figures, f) == figures.end()) figures.push_back(f);
  return figures;
}

void SheetLights::look(const Session& session, const Snapshot& now, const Origin& asked,
                       std::vector<const Figure*> seen) {
  std::vector<Origin> origins;
  for (const auto* hover : {&session.pinned, &session.hover}) {
    if (!*hover) continue;
    origins.push_back(originOf(**hover));
    if (origins.back().figure != nullptr) seen.push_back(origins.back().figure);
  }
  for (const auto* points : {&session.litPoints, &session.pointedClaim})
    if (!points->empty()) origins.push_back({*points, nullptr, ""});
  const bool asksAnew = !(asked == asked_.origin());
  if (origins == origins_ && now.outcomes == outcomes_ && seen == seen_ && !asksAnew) return;
  const std::vector<const Figure*> sheet = figuresOf(now, seen);
  linked_.clear();
  for (const Origin& origin : origins) linked_.emplace_back(origin, sheet);
  asked_ = Linked(asked, sheet);
  origins_ = std::move(origins);
  outcomes_ = now.outcomes;
  seen_ = std::move(seen);
}

Lights SheetLights::in(const Figure& figure) const {
  Lights lights;
  if (linked_.empty()) return lights;
  lights.grids.resize(figure.grids.size());
  for (const Linked& linked : linked_) {
    const std::vector<Point>& own = linked.origin().points;
    lights.points.insert(lights.points.end(), own.begin(), own.end());
    for (std::size_t k = 0; k < figure.grids.size(); ++k) {
      if (!figure.grids[k].cells || figure.grids[k].rows == 0) continue;
      std::vector<Point>& lit = lights.grids[k];
      const std::size_t before = lit.size();  // lit by the pinned cell
      for (const Point& p : linked.in(figure, figure.grids[k])) {
        const auto known = lit.begin() + static_cast<std::ptrdiff_t>(before);
        if (before == 0 || std::find(lit.begin(), known, p) == known) lit.push_back(p);
      }
    }
  }
  return lights;
}

std::optional<Point> SheetLights::askedOf(const Origin& asked, const Outcome& outcome) const {
  if (asked.points.empty()) return std::nullopt;
  const Value* value = valueOf(outcome);
  if (value != nullptr) {
    const std::vector<Point> own = asked_.in(pointDomainOf(*value));
    if (!own.empty()) return own.front();
  }
  return asked.points.front();
}

}  // namespace tessera::panes
