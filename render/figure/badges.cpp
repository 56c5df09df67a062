#include "render/figure/badges.h"

#include "render/figure/marks.h"
#include "render/figure/text_metrics.h"

namespace tessera {

double addBadges(std::vector<Mark>& marks, const std::vector<FigureBadge>& badges, double x, double y, double width) {
  if (badges.empty()) return 0;
  constexpr double kHeight = 19, kBetween = 8, kInside = 9;
  double dx = 0, dy = 0;
  for (const FigureBadge& badge : badges) {
    const double w = textWidth(badge.text, Face::Mono, kType.small) + 2 * kInside;
    if (dx > 0 && dx + w > width) {
      dx = 0;
      dy += kHeight + kBetween / 2;
    }
    marks.push_back(boxMark({x + dx, y + dy, w, kHeight}, {Role::Panel}, {Role::Hairline}, kInside));
    marks.push_back(
        textMark(x + dx + kInside, y + dy + kHeight / 2, badge.text, kType.small, Face::Mono, Align::Left, badge.role));
    dx += w + kBetween;
  }
  return dy + kHeight + kBetween;
}

}  // namespace tessera
