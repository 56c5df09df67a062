// draw: a value or a verdict, seen through a named view, as a Figure.
//
// Views: one row in the table of views (views.cpp), one file each: grid, memory, flow, algebra, f2, verdict ...
// `show L as VIEW`, `tessera draw L --as VIEW` and the window's view menu all read that table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"
#include "render/figure/figure.h"

namespace tessera {

struct DrawOptions {
  std::string name;                    // the value's name in the worksheet, for the title; may be empty
  std::vector<std::string> arguments;  // words after the view: "fp16", ...
  // N-d tensors: which top-level modes are rows, columns and facets; the rest is fixed by `fixed` (mode -> value).
  std::optional<int> rowMode, colMode;
  std::vector<int> facetModes;
  std::vector<std::pair<int, i64>> fixed;
  std::optional<Operation> operation;  // how the value came about, for `algebra`
  std::optional<Point> hover;          // digit flow shows this point's numbers (default: a telling middle point)
};

struct ViewInfo {
  std::string_view name;   // "grid"
  std::string_view title;  // "Logical grid"
  std::string_view what;   // one line of help
};

[[nodiscard]] std::span<const ViewInfo> views();
// The views that make sense for this value, the default first.
[[nodiscard]] std::vector<std::string_view> viewsFor(const Value& value);
// view "" means the default view of the value.
// An unknown view or one that cannot show the value is a Diag naming those that can.
[[nodiscard]] Result<Figure> draw(const Value& value, std::string_view view, const DrawOptions& options = {});

// A verdict as a card: mark, claim, method, time, reason; refuted: the counterexample's sentence and witnesses, and the
// claim's maps (may be empty) as grids with the offending cells lit. With the claim they are the points of the layouts
// it was made from: its modes, and where an `equal` of two shapes is refuted, the place in either.
[[nodiscard]] Result<Figure> drawVerdict(const Verdict& verdict, const std::vector<Map>& maps,
                                         const DrawOptions& options = {}, const Claim* claim = nullptr);

// A counterexample as points, in the domain of each of the claim's layouts: what every picture of them lights.
[[nodiscard]] std::vector<Point> pointsOf(const Claim& claim, const Counterexample& why);

// The verdict of a claim, with the picture that fits its kind: a bank conflict as banks, else as drawVerdict.
[[nodiscard]] Result<Figure> drawConflict(const Verdict& verdict, const Claim& claim, const DrawOptions& options = {});

// One algebra operation: its inputs beside its result. A refusal (result null) shows the inputs; for a composition also
// the function i -> A(B(i)) that no layout describes, with the cells lit where strides break.
[[nodiscard]] Result<Figure> drawOperation(const Operation& operation, const Value* result, const Diag* refusal,
                                           const DrawOptions& options = {});

}  // namespace tessera
