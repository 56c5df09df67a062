// draw: renders a value or a verdict through a named view as a Figure.
//
// Views: one row each in the table (views.cpp), one file each: grid, memory, flow, algebra, f2, verdict ... `show L as
// VIEW`, `tessera draw L --as VIEW` and the window's view menu all read that table.
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
  // N-d tensors: which top-level modes are rows and columns; `fixed` (mode -> value) fixes others.
  std::optional<int> rowMode, colMode;
  std::vector<int> facetModes;
  std::vector<std::pair<int, i64>> fixed;
  Shared<Operation> operation;  // the operation that produced the value, for `algebra`
  std::optional<Point> hover;          // the point of the digit flow (default: an informative one in the middle)
};

struct ViewInfo {
  std::string_view name;   // "grid"
  std::string_view title;  // "Logical grid"
  std::string_view what;   // one line of help
};

[[nodiscard]] std::span<const ViewInfo> views();
// The applicable views of a value, the default first.
[[nodiscard]] std::vector<std::string_view> viewsFor(const Value& value);
// "" selects the default view. Returns a Diag with the applicable views for an unknown view or one that cannot show the
// value.
[[nodiscard]] Result<Figure> draw(const Value& value, std::string_view view, const DrawOptions& options = {});

// A verdict as a card: mark, claim, method, time, reason. If refuted, also the counterexample's sentence and witnesses,
// and the maps of the claim (if given) as grids with the offending cells lit. Points are those of the claim's original
// layouts: their modes, and for a refuted `equal` of two shapes, the place in each.
[[nodiscard]] Result<Figure> drawVerdict(const Verdict& verdict, const DrawOptions& options = {},
                                         const Claim* claim = nullptr);

// A counterexample as points in the domain of each of the claim's layouts, which every picture of them lights.
[[nodiscard]] std::vector<Point> pointsOf(const Claim& claim, const Counterexample& why);

// The verdict of a claim, with a picture by kind: a bank conflict as banks, otherwise as drawVerdict.
[[nodiscard]] Result<Figure> drawConflict(const Verdict& verdict, const Claim& claim, const DrawOptions& options = {});

// An algebra operation: its inputs beside its result. A refusal (result null) shows the inputs; for a composition also
// the function i -> A(B(i)) that is not a layout, with the cells lit where strides break.
[[nodiscard]] Result<Figure> drawOperation(const Operation& operation, const Value* result, const Diag* refusal,
                                           const DrawOptions& options = {});

}  // namespace tessera
