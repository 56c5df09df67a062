#include "app/views/pane_camera.h"

#include <algorithm>

#include "app/widgets/ui.h"
#include "render/gl/scene.h"

namespace tessera::panes {

using ui::px;
Rect wanted(const Figure& f) {
  const Rect e = extentOf(f);
  return {e.x - 10, e.y - 8, e.w + 20, e.h + 16};
}

void fit(const Figure& f, Pane& pane, float w, float h) {
  const Rect e = wanted(f);
  pane.scale = std::min(
      {static_cast<double>(w) / e.w, static_cast<double>(h) / e.h, 1.5 * static_cast<double>(ui::look().scale)});
  // Seen from afar the margins shrink and the headers do not: they get their room from the pane.
  const bool far = pane.scale < 0.3;
  const float left = far ? std::min(px(48), w / 8) : 0, top = far ? std::min(px(20), h / 8) : 0;
  if (far) pane.scale = std::min(static_cast<double>(w - left) / e.w, static_cast<double>(h - top) / e.h);
  // Centred when there is room, from the left edge of the pane when it is a strip.
  pane.x = e.x - std::max(0.0, (static_cast<double>(w) / pane.scale - e.w) / 2);
  pane.y = e.y - std::max(0.0, (static_cast<double>(h) / pane.scale - e.h) / 2);
}

}  // namespace tessera::panes
