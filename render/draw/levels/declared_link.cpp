// Maps an element of the tiles to the element of the declared tensor: origin + digit * step along each declared
// dimension; tile, reshape and index preserve this form (core/notation/graphene/tensor.h).
#include "core/notation/graphene/notation.h"
#include "core/notation/graphene/operations.h"
#include "render/draw/levels/levels.h"
#include "render/figure/linked.h"

namespace tessera {
namespace {

constexpr i64 kMostPoints = i64{1} << 16;

struct Step {
  int dim = 0;
  i64 step = 0;
};

}  // namespace

std::shared_ptr<const Link> declaredLink(const Layout& layout) {
  const auto* tensor = layout.as<graphene::Tensor>();
  if (tensor == nullptr || tensor->threads || !graphene::requireKnown(*tensor)) return nullptr;
  const auto subject = subjectOf(layout);
  if (!subject || (*subject)->size > kMostPoints) return nullptr;
  std::vector<i64> extents, origin;
  for (const Expr& e : tensor->extents) extents.push_back(e.value());
  for (const Expr& o : tensor->origin) {
    if (!o.isConstant()) return nullptr;
    origin.push_back(o.value());
  }
  if (extents.empty() || extents.size() != origin.size()) return nullptr;
  if (pointDomain(extents) == (*subject)->domain) return nullptr;  // not tiled
  std::vector<Step> steps;
  for (const graphene::Level& level : tensor->levels)
    for (const graphene::Dim& dim : level.dims)
      for (const graphene::Mode& m : dim) {
        if (!m.step.isConstant()) return nullptr;
        steps.push_back({m.dim, m.step.value()});
      }
  if (steps.size() != (*subject)->leafDigit.size()) return nullptr;
  const u64 declared = pointDomain(extents);
  return lazyLink((*subject)->domain, declared, [s = *subject, steps, origin, extents, declared] {
    std::vector<std::pair<Point, Point>> pairs;
    std::vector<i64> digits;
    for (i64 i = 0; i < s->size; ++i) {
      s->digitsOf(s->coordOf(i).data(), digits);
      std::vector<i64> at = origin;
      for (std::size_t k = 0; k < steps.size(); ++k)
        at[static_cast<std::size_t>(steps[k].dim)] += digits[static_cast<std::size_t>(s->leafDigit[k])] * steps[k].step;
      i64 index = 0, running = 1;
      bool inside = true;
      for (std::size_t d = 0; d < at.size(); ++d) {
        inside = inside && at[d] >= 0 && at[d] < extents[d];
        index += running * at[d];
        running *= extents[d];
      }
      if (inside) pairs.push_back({{s->domain, i}, {declared, index}});
    }
    return tableLink(std::move(pairs));
  });
}

}  // namespace tessera
