// Maps an element of the tiles to the element of the declared tensor: origin + digit * step along each declared
// dimension; tile, reshape and index preserve this form (core/notation/graphene/tensor.h).
#include <mutex>

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

class DeclaredLink : public Link {
 public:
  DeclaredLink(SubjectPtr subject, std::vector<Step> steps, std::vector<i64> origin, std::vector<i64> extents)
      : s_(std::move(subject)),
        steps_(std::move(steps)),
        origin_(std::move(origin)),
        extents_(std::move(extents)),
        declared_(pointDomain(extents_)) {}

  void carry(Point point, Way way, std::vector<Point>& out) const override {
    if (point.index < 0 || point.domain != (way == Way::There ? s_->domain : declared_)) return;
    std::call_once(once_, [this] { list(); });
    listed_->carry(point, way, out);
  }

 private:
  void list() const {
    std::vector<std::pair<Point, Point>> pairs;
    std::vector<i64> digits;
    for (i64 i = 0; i < s_->size; ++i) {
      s_->digitsOf(s_->coordOf(i).data(), digits);
      std::vector<i64> at = origin_;
      for (std::size_t k = 0; k < steps_.size(); ++k)
        at[static_cast<std::size_t>(steps_[k].dim)] +=
            digits[static_cast<std::size_t>(s_->leafDigit[k])] * steps_[k].step;
      i64 index = 0, running = 1;
      bool inside = true;
      for (std::size_t d = 0; d < at.size(); ++d) {
        inside = inside && at[d] >= 0 && at[d] < extents_[d];
        index += running * at[d];
        running *= extents_[d];
      }
      if (inside) pairs.push_back({{s_->domain, i}, {declared_, index}});
    }
    listed_ = tableLink(std::move(pairs));
  }

  SubjectPtr s_;
  std::vector<Step> steps_;  // one per leaf of the subject
  std::vector<i64> origin_, extents_;
  u64 declared_;
  mutable std::once_flag once_;
  mutable LinkPtr listed_;
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
  return std::make_shared<DeclaredLink>(*subject, std::move(steps), std::move(origin), std::move(extents));
}

}  // namespace tessera
