// SheetLights: the points that the pictures of the sheet light because they are hovered, pinned, or part of a
// counterexample (render/figure/linked.h has the laws). Recomputed only if one of these or the sheet has changed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/session/session.h"
#include "render/draw/links.h"
#include "render/gl/scene.h"

namespace tessera::panes {

// A hovered cell as an origin of links.
[[nodiscard]] Origin originOf(const Hover& hover);
// The figures of the sheet, each once; `seen`: the figures that panes show in place of the lines'.
[[nodiscard]] std::vector<const Figure*> figuresOf(const Snapshot& now, const std::vector<const Figure*>& seen = {});

class SheetLights {
 public:
  // Call once per frame, before the pictures. `asked`: subject of step-by-step views; `seen`: the panes' figures.
  void look(const Session& session, const Snapshot& now, const Origin& asked, std::vector<const Figure*> seen = {});
  [[nodiscard]] Lights in(const Figure& figure) const;
  // The point of that outcome's value that `asked` is or maps to; else the point itself.
  [[nodiscard]] std::optional<Point> askedOf(const Origin& asked, const Outcome& outcome) const;

 private:
  std::vector<Origin> origins_;
  std::vector<Linked> linked_;
  Linked asked_;
  std::vector<std::shared_ptr<const Outcome>> outcomes_;
  std::vector<const Figure*> seen_;
};

}  // namespace tessera::panes
