// Badges: short facts about the whole of a picture, one pill each: "S(1) VMEM (TPU)", "34.9 % padding".
//
//     figure.badges = {{"S(0) HBM"}, {"34.9 % padding", Role::Refuted}}
//
// They stand between the subtitle and the picture and never shrink with it: inks put them on the page, the window above
// the canvas, text and JSON as words.
#pragma once

#include <vector>

#include "render/figure/figure.h"

namespace tessera {

// Appends the marks of the badges, from (x, y) in lines no wider than `width` (a badge that is wider stands alone).
// Returns the height that they take with a little room below, in points; 0 without badges.
double addBadges(std::vector<Mark>& marks, const std::vector<FigureBadge>& badges, double x, double y, double width);

}  // namespace tessera
