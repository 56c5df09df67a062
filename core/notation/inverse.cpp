#include "core/notation/inverse.h"

#include <fmt/format.h>

#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/notation.h"

namespace tessera {
namespace {

// A layout of one nested mode as a layout of its leaves: ((2,4)):((8,1)) is (2,4):(8,1).
Result<cute::Layout> withoutOnlyMode(cute::Layout layout, std::size_t modes) {
  if (modes != 1) return layout;
  return cute::ofLeaves(flatLeaves(layout), false);
}

std::string coordinateIn(const std::vector<i64>& at) {
  return at.size() == 1 ? std::to_string(at[0]) : fmt::format("({})", fmt::join(at, ","));
}

}  // namespace

Result<Table> valueTable(const Arrow& arrow) {
  TESSERA_TRY(const Arrow whole, withWholeModes(arrow));
  return valueTable(whole.map);
}

Result<Layout> layoutOfForm(const Swizzled& form) {
  TESSERA_TRY(auto found, cute::fromForm(form));
  if (auto* plain = std::get_if<cute::Layout>(&found)) {
    TESSERA_TRY(cute::Layout flat, withoutOnlyMode(std::move(*plain), form.digits.size()));
    return Layout(std::move(flat));
  }
  const auto& composed = std::get<cute::ComposedLayout>(found);
  TESSERA_TRY(cute::Layout inner, withoutOnlyMode(composed.inner(), form.digits.size()));
  TESSERA_TRY(cute::ComposedLayout layout,
              cute::ComposedLayout::make(composed.outer(), composed.offset(), std::move(inner)));
  return Layout(std::move(layout));
}

std::string noneText(const Table& table, i64 swizzles) {
  std::string text = fmt::format(
      "no Sw<B,M,S> o offset o shape:stride gives these {} values: {} tried, with the only strides that fit",
      table.values.size(), swizzles == 1 ? "the identity is" : fmt::format("{} swizzles are", swizzles));
  const ClosestForm closest = closestForm(table);
  const auto layout = layoutOfForm(closest.form);
  if (!layout || closest.first.empty()) return text;
  return text + fmt::format(
                    "; the closest of those read off at either end, {}, differs at {} of {} coordinates, "
                    "first at {}: {} instead of {}",
                    print(*layout), closest.differing, table.values.size(), coordinateIn(closest.first), closest.found,
                    closest.expected);
}

Result<Layout> layoutOfTable(const Table& table) {
  const TableForms found = formsOfTable(table);
  if (found.forms.empty()) return Diag{noneText(table, found.swizzles), "the values of a layout"};
  return layoutOfForm(found.forms.front());
}

}  // namespace tessera
