// draw: a layout, a report, a program, a module or a verdict as a Figure: one function for each view (views.h), one
// file each. Which view shows which value of a worksheet is a table of app/show.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/claim/claim.h"
#include "render/figure/figure.h"

namespace tessera {

struct DrawOptions {
  std::string name;                    // the value's name in the worksheet, for the title; may be empty
  std::vector<std::string> arguments;  // words after the view: "fp16", ...
  // N-d tensors: which top-level modes are rows and columns; `fixed` (mode -> value) fixes others.
  std::optional<int> rowMode, colMode;
  std::vector<int> facetModes;
  std::vector<std::pair<int, i64>> fixed;
  double width = 0;            // of the pane, in points, for views that arrange their parts by it; 0: unlimited
  std::optional<Point> hover;  // the point of the digit flow (default: an informative one in the middle)
};

// The width to arrange parts in: the pane's, at most `most`, or `most` if the pane is unlimited.
[[nodiscard]] inline double widthFor(const DrawOptions& options, double most) {
  return options.width > 0 && options.width < most ? options.width : most;
}

// A verdict as a card: mark, claim, method, time, reason. If refuted, also the counterexample's sentence and witnesses,
// and the maps of the claim (if given) as grids with the offending cells lit. Points are those of the claim's original
// layouts: their modes, and for a refuted `equal` of two shapes, the place in each.
[[nodiscard]] Result<Figure> drawVerdict(const Verdict& verdict, const DrawOptions& options = {},
                                         const Claim* claim = nullptr);

// A counterexample as points in the domain of each of the claim's layouts, which every picture of them lights.
[[nodiscard]] std::vector<Point> pointsOf(const Claim& claim, const Counterexample& why);

// The claim's maps as layouts with the modes of the originals, whose points pointsOf names.
[[nodiscard]] std::vector<Layout> layoutsOf(const Claim& claim);

// The verdict of a claim, with a picture by kind: a bank conflict as banks, otherwise as drawVerdict.
[[nodiscard]] Result<Figure> drawConflict(const Verdict& verdict, const Claim& claim, const DrawOptions& options = {});

}  // namespace tessera
