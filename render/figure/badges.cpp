#include "render/figure/badges.h"

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
    Mark box;
    box.kind = Mark::Kind::Rectangle;
    box.rect = {x + dx, y + dy, w, kHeight};
    box.fill = {Role::Panel};
    box.stroke = {Role::Hairline};
    box.radius = kInside;
    marks.push_back(box);
    Mark text;
    text.rect = {x + dx + kInside, y + dy + kHeight / 2, 0, 0};
    text.text = badge.text;
    text.size = kType.small;
    text.face = Face::Mono;
    text.fill = {badge.role};
    marks.push_back(text);
    dx += w + kBetween;
  }
  return dy + kHeight + kBetween;
}

}  // namespace tessera
