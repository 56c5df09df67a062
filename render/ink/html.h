// A picture inside an HTML page: SVG with the colours of two themes, and which points its cells show.
//
//     HtmlPicture one = htmlPicture(figure, tones, "a");
//     one.svg       <svg ... id="a"> ... fill="var(--c3)" ...
//     one.points    {"g":[{"x":40,"y":60,"w":28,"h":28,"r":4,"c":8,"p":"0:0~4|1~4|..."}],"d":["1f83a0"]}
//
// `g` lists the grids in the units of the viewBox: the corner, the pitch of the squares, and the numbers of rows and
// columns. `p` has the points of the squares, in base 36: rows are separated by `|`, squares by blanks, several points
// of one square by dots. `3~4` is a row that counts on from 3 by 4. `1:` before a point means that it and those after
// it are of domain 1 of `d`. A thinned grid has none, and so has a picture of more than 32768 cells.
//
// Law: two squares of a page have a common point iff the cells do (render/figure/linked.h).
#pragma once

#include <string>

#include "core/base/result.h"
#include "render/figure/figure.h"
#include "render/ink/tones.h"

namespace tessera {

struct HtmlPicture {
  std::string svg, points;
  std::string note;  // of a thinned grid: "Each square represents 8 x 8 cells ..."
  double width = 0, height = 0;
};
// `id`: of the SVG; letters and digits, unique in the page.
[[nodiscard]] HtmlPicture htmlPicture(const Figure& figure, Tones& tones, const std::string& id);

}  // namespace tessera
