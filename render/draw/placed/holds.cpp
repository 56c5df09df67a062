// holds: the owners of a register tensor's elements: the tile of its distribution, each element with its thread and
// register.
//
//     %d:[2,4].fp16.RF holds [16,16] as S[..]     the view `threads` of that layout over (16,16)
//
// A register of the picture is an address of the tensor.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/atlas/graphene_names.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/notation.h"
#include "core/notation/graphene/notation.h"
#include "core/notation/graphene/tensor.h"
#include "render/draw/views.h"

namespace tessera {
namespace {

// One digit of an element's row-major index, and its target.
struct Run {
  i64 extent, stride;  // in the tile as written
  axe::Iter iter;
};

// Of `extent` threads from `place` on, those before the next digit of threadId: lanes 0 to 3 of a quad pair's 0 to 7.
i64 withinDigit(const cute::Layout& threadId, i64 place, i64 extent) {
  i64 digit = 1;
  for (const cute::LayoutLeaf& leaf : flatLeaves(threadId)) {
    digit *= leaf.extent;
    if (digit > place && digit < place * extent && digit % place == 0) return digit / place;
  }
  return extent;
}

void addRuns(std::vector<Run>& runs, const cute::Layout& mode, const graphene::Fragment& f, bool lanes) {
  i64 place = 1;
  for (const cute::LayoutLeaf& leaf : flatLeaves(mode)) {
    i64 step = leaf.stride.value();
    for (i64 left = leaf.extent; left > 1;) {
      const i64 count = lanes ? withinDigit(f.threadId, place, left) : left;
      const i64 row = step % f.rows, column = step / f.rows;
      const i64 stride = f.transposed ? column * f.rows + row : row * f.columns + column;
      runs.push_back({count, stride, {count, lanes ? f.threadId(place) : place, lanes ? "lane" : "reg"}});
      place *= count;
      step *= count;
      left /= count;
    }
  }
}

// An operand of an instruction in Axe; returns a Diag if its digits are not a mixed radix of the tile.
Result<axe::Layout> axeOf(const graphene::Distribution& distribution) {
  const std::size_t blank = distribution.layout.find(' ');
  if (blank == std::string::npos) return Diag{"this distribution has no picture"};
  TESSERA_TRY(const graphene::Fragment fragment,
              graphene::atlasFragment(distribution.layout.substr(0, blank), distribution.layout.substr(blank + 1)));
  std::vector<Run> runs;
  addRuns(runs, fragment.threadValue.mode(0), fragment, true);
  addRuns(runs, fragment.threadValue.mode(1), fragment, false);
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.stride > b.stride; });
  i64 span = fragment.rows * fragment.columns;
  std::vector<axe::Iter> shard;
  for (const Run& run : runs) {
    if (run.extent * run.stride != span) return Diag{"this distribution has no picture"};
    span = run.stride;
    shard.push_back(run.iter);
  }
  return axe::Layout::create(std::move(shard), {}, {}, distribution.extents);
}

}  // namespace

Result<Figure> drawHolds(const Layout& layout, const DrawOptions& options) {
  const graphene::Tensor& tensor = *layout.as<graphene::Tensor>();
  const graphene::Distribution& distribution = *tensor.holds.is;
  DrawOptions sized = options;
  std::optional<Layout> held;
  if (const auto axe = axe::parse(distribution.layout)) {
    TESSERA_TRY(axe::Layout over, axe->over(distribution.extents));
    held = Layout(std::move(over));
  } else if (auto threadValue = cute::parseLayout(distribution.layout)) {
    held = Layout(*std::move(threadValue));
    if (distribution.extents.size() == 2) sized.arguments = {fmt::format("{}", fmt::join(distribution.extents, "x"))};
  } else {
    TESSERA_TRY(axe::Layout operand, axeOf(distribution));
    held = Layout(std::move(operand));
  }
  TESSERA_TRY(Figure figure, drawThreads(*held, sized));
  figure.title = options.name.empty() ? std::string("What registers hold") : options.name + " as holds";
  figure.subtitle = print(tensor);
  return figure;
}

bool holdsTile(const Layout& layout) {
  const auto* tensor = layout.as<graphene::Tensor>();
  return tensor != nullptr && tensor->holds;
}

}  // namespace tessera
