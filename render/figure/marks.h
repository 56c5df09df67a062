// Constructors for marks.
//
//     textMark(40, 10, "lane", 10, Face::Sans, Align::Left, Role::Muted)    left edge at x 40, vertical centre at y 10
//     boxMark({0, 0, 60, 19}, {Role::Panel}, {Role::Hairline}, 9)           a pill
#pragma once

#include <string>

#include "render/figure/figure.h"

namespace tessera {

[[nodiscard]] Mark textMark(double x, double y, std::string text, double size, Face face, Align align, Role role);
// Adds a text to a figure; by default it begins at x.
void addText(Figure& figure, double x, double y, std::string text, double size, Face face, Role role,
             Align align = Align::Left);
[[nodiscard]] Mark boxMark(const Rect& rect, Paint fill, Paint stroke, double radius = 4);
[[nodiscard]] Mark arrowMark(double x0, double y0, double x1, double y1, Role role, double width = 1.1);
[[nodiscard]] Mark lineMark(double x0, double y0, double x1, double y1, Role role, double width = 1);

// Bounding box of a mark, in points.
[[nodiscard]] Rect extentOf(const Mark& mark);

}  // namespace tessera
