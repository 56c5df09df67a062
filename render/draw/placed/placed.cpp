#include "render/draw/placed/placed.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/map/forms/f2.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/eval.h"
#include "core/notation/convert.h"
#include "core/notation/linear/layout.h"

namespace tessera {
namespace {

constexpr i64 kWrap = 32;

std::string firstOf(const Placed& placed, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (std::ranges::find(placed.axes(), name) != placed.axes().end()) return std::string(name);
  return "";
}

// The contributions of the replica digits, the first kMaxReplicas of them.
std::vector<axe::Place> shiftsOf(const axe::Layout& layout) {
  std::vector<axe::Place> shifts{{}};
  for (const axe::Iter& it : layout.replica()) {
    std::vector<axe::Place> next;
    for (const axe::Place& base : shifts) {
      for (i64 d = 0; d < it.extent && next.size() < Placed::kMaxReplicas; ++d)
        next.push_back(plus(base, {{it.axis, d * it.stride}}));
    }
    shifts = std::move(next);
  }
  std::ranges::sort(shifts);
  shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
  return shifts;
}

// Inputs x != 0 with L(x) = 0, one for each dependent input bit.
std::vector<std::vector<i64>> kernelOf(const linear::Layout& l) {
  std::vector<std::vector<i64>> kernel;
  const F2Echelon<u64> echelon(linear::f2::columns(l));
  for (u64 vector : echelon.kernel()) {
    std::vector<i64>& input = kernel.emplace_back();
    for (const linear::In& in : l.ins()) {
      input.push_back(static_cast<i64>(vector & ((u64{1} << in.bases.size()) - 1)));
      vector >>= in.bases.size();
    }
  }
  return kernel;
}

}  // namespace

Result<std::shared_ptr<const Placed>> Placed::of(const Layout& layout) {
  auto p = std::make_shared<Placed>();
  p->text_ = print(layout);
  if (const Result<axe::Layout> form = toAxe(layout)) p->axe_ = *form;
  if (!p->axe_) {
    const Result<linear::Layout> linear = toLinear(layout);
    if (!linear)
      return Diag{fmt::format("{} does not place elements on threads or devices", layout.kind()),
                  "an Axe or a Triton layout"};
    p->linear_ = *linear;
    TESSERA_TRY(p->inverse_, pseudoinvert(p->linear_));
    p->kernel_ = kernelOf(p->linear_);
  }
  if (p->axe_) p->shape_ = p->axe_->domain();
  for (const linear::Out& out : p->linear_.outs()) p->shape_.push_back(out.size);
  if (p->shape_.empty()) p->shape_ = {1};
  for (const i64 e : p->shape_) p->size_ *= e;
  p->columns_ = p->shape_.back();
  if (p->shape_.size() == 1 && p->size_ > kWrap) {
    p->columns_ = 1;
    while (p->columns_ * 2 <= p->size_ && p->columns_ * p->columns_ < p->size_) p->columns_ *= 2;
    p->columns_ = std::max(p->columns_, kWrap);
    while (p->size_ % p->columns_ != 0) --p->columns_;
  }
  if (p->axe_) {
    p->axes_ = p->axe_->axes();
    for (const std::string& axis : p->axes_) p->extents_.push_back(span(*p->axe_, axis));
    p->shifts_ = shiftsOf(*p->axe_);
    p->replicaCount_ = p->axe_->replicaCount();
  } else {
    for (const linear::In& in : p->linear_.ins()) {
      if (in.bases.empty()) continue;
      p->axes_.push_back(in.name);
      p->extents_.push_back(i64{1} << in.bases.size());
    }
    p->replicaCount_ = i64{1} << std::min<std::size_t>(p->kernel_.size(), 60);
  }
  return std::shared_ptr<const Placed>(std::move(p));
}

std::vector<i64> Placed::coordOf(i64 linear) const { return delinearize(linear, shape_, LinearOrder::Lex); }

std::vector<axe::Place> Placed::places(i64 linear) const {
  std::vector<axe::Place> out;
  if (axe_) {
    axe::Place base = basePlace(*axe_, linear);
    for (const axe::Place& shift : shifts_) out.push_back(plus(base, shift));
    return out;
  }
  const std::vector<i64> inputs = inverse_.at(coordOf(linear));
  const std::size_t count = std::size_t{1} << std::min<std::size_t>(kernel_.size(), 6);
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<i64> x(linear_.ins().size(), 0);
    for (std::size_t k = 0; k < x.size(); ++k) {  // outputs of inverse_ have the names of linear_'s inputs
      for (std::size_t o = 0; o < inverse_.outs().size(); ++o)
        if (inverse_.outs()[o].name == linear_.ins()[k].name) x[k] = inputs[o];
    }
    for (std::size_t b = 0; b < kernel_.size() && b < 6; ++b)
      for (std::size_t k = 0; (n >> b & 1) != 0 && k < x.size(); ++k) x[k] ^= kernel_[b][k];
    axe::Place place;
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!linear_.ins()[k].bases.empty()) place[linear_.ins()[k].name] = x[k];
    out.push_back(std::move(place));
  }
  std::ranges::sort(out);
  return out;
}

Point Placed::pointOf(i64 linear) const {
  return {pointDomain(shape_), linearize(coordOf(linear), shape_, LinearOrder::Colex)};
}
std::optional<i64> Placed::linearOf(Point point) const {
  if (!point.isIn(pointDomain(shape_), size_)) return std::nullopt;
  return linearize(delinearize(point.index, shape_, LinearOrder::Colex), shape_, LinearOrder::Lex);
}

i64 Placed::extentOf(const std::string& axis) const {
  const auto it = std::ranges::find(axes_, axis);
  return it == axes_.end() ? 1 : extents_[static_cast<std::size_t>(it - axes_.begin())];
}

i64 valueOn(const axe::Place& place, const std::string& axis) {
  const auto at = place.find(axis);
  return at == place.end() ? 0 : at->second;
}

axe::Place plus(axe::Place a, const axe::Place& b) {
  for (const auto& [axis, value] : b) a[axis] += value;
  return a;
}

std::string laneAxis(const Placed& p) { return firstOf(p, {"lane", "laneid", "tx", "tid_in_wg", "P", "TLane"}); }
std::string warpAxis(const Placed& p) { return firstOf(p, {"warp", "warpid", "wid_in_wg", "wgid"}); }
std::string deviceAxis(const Placed& p) { return firstOf(p, {"gpuid", "pid", "dev", "device", "block", "cta"}); }

std::string axisMark(const std::string& axis) {
  constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
      {"lane", "T"},      {"laneid", "T"}, {"tx", "T"},  {"tid_in_wg", "T"}, {"warp", "W"},  {"warpid", "W"},
      {"wid_in_wg", "W"}, {"wgid", "G"},   {"reg", "r"}, {"register", "r"},  {"gpuid", "D"}, {"pid", "D"},
      {"block", "B"},     {"cta", "B"},    {"m", ""},    {"offset", ""}};
  for (const auto& [name, mark] : kMarks)
    if (name == axis) return std::string(mark);
  return axis + " ";
}

}  // namespace tessera
