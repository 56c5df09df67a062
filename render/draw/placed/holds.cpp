// holds: who holds what of a register tensor: the tile of its distribution, each element with its thread and register.
//
//     %d:[2,4].fp16.RF holds [16,16] as S[..]     the view `threads` of that layout over (16,16)
//
// A register of the picture is an address of the tensor.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graphene/fragments.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/notation.h"
#include "core/notation/graphene/tensor.h"
#include "render/draw/views.h"

namespace tessera {
namespace {

cute::IntTuple transposed(const cute::IntTuple& strides, i64 rows, i64 columns) {
  if (!strides.isTuple()) return cute::IntTuple(strides.value() % rows * columns + strides.value() / rows);
  std::vector<cute::IntTuple> out;
  for (const cute::IntTuple& s : strides.children()) out.push_back(transposed(s, rows, columns));
  return cute::IntTuple::tuple(std::move(out));
}

// (T,V) -> row + rows * column, of the tile as it is written. Requires leaves that step along one dimension.
Result<cute::Layout> threadValueOf(const graphene::Distribution& distribution) {
  if (auto layout = cute::parseLayout(distribution.layout)) return layout;
  const std::size_t blank = distribution.layout.find(' ');
  if (blank == std::string::npos) return Diag{"this distribution has no picture", "", "", {}};
  TESSERA_TRY(const graphene::Fragment fragment,
              graphene::atlasFragment(distribution.layout.substr(0, blank), distribution.layout.substr(blank + 1)));
  const cute::Layout& own = fragment.threadValue;
  if (!fragment.transposed) return own;
  return cute::Layout::make(own.shape(), transposed(own.stride(), fragment.rows, fragment.columns));
}

}  // namespace

Result<Figure> drawHolds(const Value& value, const DrawOptions& options) {
  const graphene::Tensor& tensor = *as<graphene::Tensor>(value);
  const graphene::Distribution& distribution = *tensor.holds.is;
  DrawOptions sized = options;
  std::optional<Value> layout;
  if (const auto axe = axe::parse(distribution.layout)) {
    TESSERA_TRY(axe::Layout over, axe->over(distribution.extents));
    layout = Value(Layout(std::move(over)));
  } else {
    TESSERA_TRY(cute::Layout threadValue, threadValueOf(distribution));
    layout = Value(Layout(std::move(threadValue)));
    if (distribution.extents.size() == 2) sized.arguments = {fmt::format("{}", fmt::join(distribution.extents, "x"))};
  }
  TESSERA_TRY(Figure figure, drawThreads(*layout, sized));
  figure.title = options.name.empty() ? std::string("What registers hold") : options.name + " as holds";
  figure.subtitle = print(tensor);
  return figure;
}

bool holdsTile(const Value& value) {
  const auto* tensor = as<graphene::Tensor>(value);
  return tensor != nullptr && tensor->holds;
}

}  // namespace tessera
