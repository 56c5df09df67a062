#include "render/draw/views.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/draw/grid.h"

namespace tessera {
namespace {

// A view of a function. Views of other values (verdicts, explanations) follow their kind.
struct View {
  ViewInfo info;
  Result<Figure> (*draw)(const SubjectPtr&, const DrawOptions&);
};

constexpr View kViews[] = {
    {{"grid", "Logical grid", "coordinates as rows and columns, each cell shows its address"}, drawGrid},
    {{"memory", "Memory order", "addresses in order, each shows the coordinate that lies there; holes and aliasing"},
     drawMemory},
    {{"flow", "Digit flow", "index, coordinate, digits, products, sum, swizzle, address: one point, step by step"},
     drawFlow},
    {{"f2", "Bit matrix", "the address bits as xors of the coordinate bits"}, drawF2},
    {{"table", "Table", "the text that CuTe's print_layout prints"}, drawTable},
};

constexpr ViewInfo kValueViews[] = {
    {"verdict", "Verdict", "claim, truth, method, time and the counterexample"},
    {"steps", "Steps", "a derivation, step by step"},
};

std::string namesOf(const std::vector<std::string_view>& views) {
  std::string s;
  for (std::string_view v : views) s += (s.empty() ? "" : ", ") + std::string(v);
  return s;
}

}  // namespace

std::span<const ViewInfo> views() {
  static const std::vector<ViewInfo> all = [] {
    std::vector<ViewInfo> list;
    for (const View& v : kViews) list.push_back(v.info);
    for (const ViewInfo& v : kValueViews) list.push_back(v);
    return list;
  }();
  return all;
}

std::vector<std::string_view> viewsFor(const Value& value) {
  if (std::holds_alternative<Verdict>(value)) return {"verdict"};
  if (std::holds_alternative<Explanation>(value)) return {"steps"};
  if (std::holds_alternative<i64>(value) || std::holds_alternative<bool>(value) ||
      std::holds_alternative<Text>(value) || std::holds_alternative<Tiler>(value)) {
    return {};
  }
  const auto subject = subjectOf(value);
  if (!subject) return {};
  std::vector<std::string_view> list = {"grid"};
  if ((*subject)->axes() == 1) {
    if (!(*subject)->hasFan()) list.push_back("memory");
    if ((*subject)->inner && (*subject)->inner->isPlain()) list.push_back("flow");
  }
  if (asF2((*subject)->map)) list.push_back("f2");
  if ((*subject)->rank() <= 2) list.push_back("table");
  return list;
}

Result<Figure> draw(const Value& value, std::string_view view, const DrawOptions& options) {
  if (const auto* verdict = std::get_if<Verdict>(&value)) {
    if (view.empty() || view == "verdict") return drawVerdict(*verdict, {}, options);
  } else if (const auto* explanation = std::get_if<Explanation>(&value)) {
    if (view.empty() || view == "steps") return drawSteps(*explanation, options);
  } else if (std::holds_alternative<i64>(value) || std::holds_alternative<bool>(value)) {
    return Diag{fmt::format("{} is a {}, there is nothing to draw", print(value),
                            std::holds_alternative<i64>(value) ? "number" : "truth value"),
                "a layout, a swizzle, a map or a verdict",
                "",
                {}};
  } else {
    const View* found = view.empty() ? &kViews[0] : nullptr;
    for (const View& v : kViews) {
      if (v.info.name == view) found = &v;
    }
    if (found != nullptr) {
      TESSERA_TRY(const SubjectPtr subject, subjectOf(value));
      return found->draw(subject, options);
    }
  }
  const std::vector<std::string_view> able = viewsFor(value);
  const bool exists = std::any_of(views().begin(), views().end(), [&](const ViewInfo& v) { return v.name == view; });
  return Diag{exists ? fmt::format("the view {} does not show a {}", view, kindOf(value))
                     : fmt::format("there is no view \"{}\"", view),
              able.empty() ? "a layout, a swizzle, a map or a verdict" : "one of " + namesOf(able),
              able.empty() ? "" : fmt::format("as {}", able[0]),
              {}};
}

}  // namespace tessera
