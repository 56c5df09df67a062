#include "render/gl/first_fit.h"

#include <algorithm>
#include <cmath>

#include "render/figure/text_metrics.h"
#include "render/gl/scene.h"

namespace tessera {
namespace {

constexpr double kMostScale = 1.5;
constexpr double kMostRooms = 5;      // a higher picture is shown whole, or from its top
constexpr double kCornerRooms = 1.6;  // height of a picture that is shown from its top
constexpr double kThread = 0.2;       // a whole picture narrower than this share of its column shows too little
constexpr double kMargin = 8;

// Whether this grid has labels at all; inks draw the same ones.
bool labelled(const Grid& g) { return g.cells && g.rows > 0 && g.cols > 0 && labelSize(g) > 0; }

// The scale at which all labels are complete and `size` device units high; 0 without labels.
double scaleFor(const Figure& f, double size) {
  double scale = 0;
  for (const Grid& g : f.grids) {
    if (!labelled(g)) continue;
    const auto complete = [&](double s) {
      const LabelForm form = labelForm(g, g.cellWidth * s, g.cellHeight * s, size);
      return form.kind == LabelForm::Kind::TwoLines || form.kind == LabelForm::Kind::OneLine ||
             (g.secondChars == 0 && form.kind == LabelForm::Kind::First);
    };
    double low = 0, high = 64;
    for (int k = 0; k < 24; ++k) {
      const double s = (low + high) / 2;
      (complete(s) ? high : low) = s;
    }
    scale = std::max(scale, high);
  }
  return scale;
}

// The same for texts beside grids.
double scaleForTexts(const Figure& f, double size) {
  double least = 1e9;
  for (const Mark& m : f.marks)
    if (m.kind == Mark::Kind::Text && !m.text.empty()) least = std::min(least, m.size);
  return least < 1e9 ? size / least : 0;
}

// The number of grids with some label, and one if every text beside grids is drawn.
int readAt(const Figure& f, double scale, double unit) {
  int count = scaleForTexts(f, kLeastText * unit) <= scale * 1.001 ? 1 : 0;
  for (const Grid& g : f.grids)
    count += labelled(g) &&
             labelForm(g, g.cellWidth * scale, g.cellHeight * scale, kLeastText * unit).kind != LabelForm::Kind::None;
  return count;
}

Rect paneAt(const ExtentAt& extent, double scale, double unit) {
  const Rect r = extent(scale, unit);
  const double m = kMargin * unit;
  return {r.x - m, r.y - m, r.w + 2 * m, r.h + 2 * m};
}

// The largest scale at which the figure is in that width and height. Headers do not shrink with it, so in a very small
// pane they may leave no room: then the smallest scale.
double largestScale(const ExtentAt& f, double width, double height, double unit) {
  const auto fits = [&](double scale) {
    const Rect r = paneAt(f, scale, unit);
    return r.w <= width && r.h <= height;
  };
  double high = kMostScale * unit;
  if (fits(high)) return high;
  double low = high / 2;
  for (int k = 0; k < 60 && !fits(low); ++k) low /= 2;
  high = std::min(high, 2 * low);
  for (int k = 0; k < 48; ++k) {
    const double s = (low + high) / 2;
    (fits(s) ? low : high) = s;
  }
  return low;
}

// The picture of that scale at the top of a pane, in the middle of its width; in the middle of its height if there is
// room.
FirstFit placed(const ExtentAt& f, double scale, double width, double height, double unit) {
  FirstFit fit;
  fit.scale = scale;
  fit.height = height;
  const Rect r = paneAt(f, scale, unit);
  fit.x = (r.x - std::max(0.0, (width - r.w) / 2)) / scale;
  fit.y = (r.y - std::max(0.0, (height - r.h) / 2)) / scale;
  return fit;
}

}  // namespace

Rect wantedExtent(const Figure& figure) {
  const Rect e = extentOf(figure);
  return {e.x - 10, e.y - 8, e.w + 20, e.h + 16};
}

double readableScale(const Figure& figure, double unit) {
  return std::max(scaleFor(figure, kLeastText * unit), scaleForTexts(figure, kLeastText * 1.002 * unit));
}

FirstFit fitInto(const Figure& figure, double width, double height, double unit) {
  const ExtentAt extent(figure);
  return placed(extent, largestScale(extent, width, height, unit), width, height, unit);
}

FirstFit wholeFit(const Figure& figure, double width, double room, double unit) {
  const ExtentAt extent(figure);
  const double scale = largestScale(extent, width, room, unit), natural = paneAt(extent, scale, unit).h;
  return placed(extent, scale, width, std::clamp(natural, std::min(90 * unit, room), room), unit);
}

FirstFit firstFit(const Figure& figure, double width, double room, double unit, bool alone) {
  const ExtentAt extent(figure);
  const double across = largestScale(extent, width, 1e12, unit), whole = largestScale(extent, width, room, unit),
               tall = largestScale(extent, width, kMostRooms * room, unit);
  const double wanted = readableScale(figure, unit);
  const auto sizeAt = [&](double s) { return paneAt(extent, s, unit); };
  bool cut = false;
  double scale = std::clamp(wanted, whole, tall);
  if (figure.legible) {
    scale = std::clamp(wanted, whole, kMostScale * unit);
    cut = true;
  } else if (readAt(figure, scale, unit) <= readAt(figure, whole, unit)) {
    cut = wanted > 0 && sizeAt(whole).w < kThread * width && sizeAt(whole).h > 0.9 * room;
    scale = cut ? std::clamp(wanted, whole, across) : whole;
  }
  cut = cut && (sizeAt(scale).h > kMostRooms * room || sizeAt(scale).w > width * 1.001);
  const double natural = sizeAt(scale).h;
  // A lone picture, or one without labels, is meant to be zoomed into: it gets the room even if it does not fill it.
  const double least = std::max(90 * unit, alone ? room : scale < 0.3 * unit ? room * 0.6 : 0.0);
  const double height = cut ? std::max(90 * unit, std::min(natural, kCornerRooms * room)) : std::max(natural, least);
  FirstFit fit = placed(extent, scale, width, height, unit);
  fit.cut = cut;
  return fit;
}

}  // namespace tessera
