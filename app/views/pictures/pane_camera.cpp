#include <algorithm>

#include "app/views/pictures/picture.h"
#include "app/widgets/ui.h"

namespace tessera::panes {

void fit(const FirstFit& first, Pane& pane) {
  pane.firstScale = pane.scale = first.scale;
  pane.x = first.x;
  pane.y = first.y;
}

void fit(const Figure& figure, Pane& pane, float w, float h) {
  const FirstFit whole = fitInto(figure, w, h, ui::look().scale);
  pane.scale = whole.scale;
  pane.x = whole.x;
  pane.y = whole.y;
}

namespace {

constexpr double kMostScale = 40;

// The start of a window of `seen` points on a length from `from`; centred if everything fits.
double inside(double at, double from, double length, double seen) {
  if (seen >= length) return from - (seen - length) / 2;
  return std::clamp(at, from, from + length - seen);
}

void keepInside(const Figure& figure, Pane& pane, ImVec2 size) {
  const Rect e = extentIn(figure, pane);
  pane.x = inside(pane.x, e.x, e.w, size.x / pane.scale);
  pane.y = inside(pane.y, e.y, e.h, size.y / pane.scale);
}

}  // namespace

Rect extentIn(const Figure& figure, const Pane& pane) {
  const double margin = 8 * static_cast<double>(ui::look().scale);
  const Rect r = ExtentAt(figure)(pane.scale, ui::look().scale);
  return {(r.x - margin) / pane.scale, (r.y - margin) / pane.scale, (r.w + 2 * margin) / pane.scale,
          (r.h + 2 * margin) / pane.scale};
}

void zoomAt(const Figure& figure, Pane& pane, double factor, double x, double y, ImVec2 size) {
  Pane whole;
  fit(figure, whole, size.x, size.y);
  const double before = pane.scale, wants = before * factor;
  constexpr double kNear = 1.0005;  // the pane has whole pixels, the first fit has not
  if (wants <= whole.scale * kNear && factor < 1) {
    // Back to the fitted state, unless the first fit is closer than the whole.
    pane.moved = pane.firstScale > whole.scale * 1.01;
    pane.scale = whole.scale;
    pane.x = whole.x;
    pane.y = whole.y;
    return;
  }
  pane.moved = true;
  pane.scale = std::clamp(wants, std::min(before, whole.scale), std::max(kMostScale, whole.scale));
  pane.x += x / before - x / pane.scale;
  pane.y += y / before - y / pane.scale;
  keepInside(figure, pane, size);
}

bool panBy(const Figure& figure, Pane& pane, double dx, double dy, ImVec2 size) {
  Pane next = pane;
  next.x += dx / pane.scale;
  next.y += dy / pane.scale;
  keepInside(figure, next, size);
  const Rect e = extentIn(figure, pane);
  const bool wide = size.x / pane.scale < e.w - 0.5, high = size.y / pane.scale < e.h - 0.5;
  if (!(wide && dx != 0) && !(high && dy != 0)) return false;
  pane.x = next.x;
  pane.y = next.y;
  pane.moved = true;
  return true;
}

void lookAt(const Figure& figure, Pane& pane, double x, double y, double scale, ImVec2 size) {
  pane.moved = true;
  pane.scale = std::min(kMostScale, std::max(pane.scale, scale));
  pane.x = x - size.x / pane.scale / 2;
  pane.y = y - size.y / pane.scale / 2;
  keepInside(figure, pane, size);
}

}  // namespace tessera::panes
