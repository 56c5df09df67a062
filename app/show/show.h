// Which view shows a value of a worksheet. `show L as VIEW`, `tessera draw L --as VIEW` and the window's view menu all
// read the table of views.cpp: one row per view, drawn by a function of render/draw/views.h.
//
//     viewsFor((4,8):(8,1))       grid, memory, flow, f2, table
//     draw(f32[3,5], "")          its first view, "tensor"
//
// An operation and its result (operation.cpp) and a value without a picture of its own (card.cpp) are drawn here,
// because they hold values, not layouts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/worksheet/any_value.h"
#include "core/worksheet/worksheet.h"
#include "render/draw/draw.h"
#include "render/draw/subject.h"

namespace tessera {

struct ViewInfo {
  std::string_view name;   // "grid"
  std::string_view title;  // "Logical grid"
  std::string_view what;   // one line of help
  bool reflows = false;    // arranges its parts by the pane's width (DrawOptions::width)
};

[[nodiscard]] std::span<const ViewInfo> views();
// "banks fp16 ldmatrix.x4", as after a show: the view and the words after it, with or without commas.
[[nodiscard]] std::pair<std::string, std::vector<std::string>> viewWords(const std::string& view);
// The applicable views of a value, the default first.
[[nodiscard]] std::vector<std::string_view> viewsFor(const Value& value);
// "" selects the default view. Returns a Diag with the applicable views for an unknown view or one that cannot show the
// value.
[[nodiscard]] Result<Figure> draw(const Value& value, std::string_view view, const DrawOptions& options = {});

// An algebra operation: its inputs beside its result. A refusal (result null) shows the inputs; for a composition also
// the function i -> A(B(i)) that is not a layout, with the cells lit where strides break.
[[nodiscard]] Result<Figure> drawOperation(const Operation& operation, const Value* result, const Diag* refusal,
                                           const DrawOptions& options = {});
// Links between the inputs and the result, for grids of these names.
//
//     R = composition(A, B)            R's i and B's i are A's B(i)
//     R = logical_divide(A, B)         R's i is the j of A with the same address
//     R = logical_product(A, B)        R's i is A's i mod size(A) and B's i / size(A)
[[nodiscard]] std::vector<FigureLink> linksOf(const Operation& operation, const Value* result,
                                              std::span<const std::string> inputs, const std::string& resultName);

[[nodiscard]] Result<Figure> drawCard(const Value& value, const DrawOptions& options);

// The value as its views see it: a shape or a number is its compact layout, by its own text.
[[nodiscard]] Result<SubjectPtr> subjectOf(const Value& value);
// Domain of its elements (render/draw/links.h); 0 if the value is not a layout.
[[nodiscard]] u64 pointDomainOf(const Value& value);

}  // namespace tessera
