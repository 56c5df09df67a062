// Badges: short facts about a whole picture, one pill each: "S(1) VMEM (TPU)", "34.9 % padding".
//
//     figure.badges = {{"S(0) HBM"}, {"34.9 % padding", Role::Refuted}}
//
// They are between the subtitle and the picture and do not scale with it. Inks put them on the page, the window above
// the canvas; text and JSON output lists them as words.
#pragma once

#include <vector>

#include "render/figure/figure.h"

namespace tessera {

// Appends the marks of the badges, from (x, y), in lines of at most `width` (a wider badge gets its own line). Returns
// their height in points, including a small margin below; 0 without badges.
double addBadges(std::vector<Mark>& marks, const std::vector<FigureBadge>& badges, double x, double y, double width);

}  // namespace tessera
