// SheetLights: what every picture of the sheet lights for what is hovered, pinned, or shown of a counterexample
// (render/figure/linked.h says by which laws). Worked out anew only when one of them or the sheet has changed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/session/session.h"
#include "render/draw/links.h"
#include "render/gl/scene.h"

namespace tessera::panes {

// A hovered cell as what light starts from.
[[nodiscard]] Origin originOf(const Hover& hover);
// The figures of the sheet, each once; `seen`: what panes show instead of what the lines say.
[[nodiscard]] std::vector<const Figure*> figuresOf(const Snapshot& now, const std::vector<const Figure*>& seen = {});

class SheetLights {
 public:
  // Once a frame, before the pictures. `asked`: what step by step views show; `seen`: the pictures that panes show.
  void look(const Session& session, const Snapshot& now, const Origin& asked, std::vector<const Figure*> seen = {});
  [[nodiscard]] Lights in(const Figure& figure) const;
  // The point of that outcome's value that `asked` is, or is carried to; else the point itself.
  [[nodiscard]] std::optional<Point> askedOf(const Origin& asked, const Outcome& outcome) const;

 private:
  std::vector<Origin> origins_;
  std::vector<Linked> linked_;
  Linked asked_;
  std::vector<std::shared_ptr<const Outcome>> outcomes_;
  std::vector<const Figure*> seen_;
};

}  // namespace tessera::panes
