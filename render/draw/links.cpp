#include "render/draw/links.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/notation/convert.h"
#include "render/draw/grid/memory.h"
#include "render/draw/levels/levels.h"
#include "render/draw/views.h"

namespace tessera {
namespace {

constexpr i64 kTabled = i64{1} << 16;  // pairs listed by a link; beyond it a link is one-way, by formula
constexpr i64 kThreads = 0x7E55'0001;  // domain of thread points, which are not coordinates of a tensor

u64 threadDomain() {
  static const u64 domain = pointDomain({kThreads});
  return domain;
}

// The thread of a place; nullopt if its axes name none.
std::optional<i64> threadAt(const axe::Place& place) {
  struct Term {
    std::string_view axis;
    i64 threads;
  };
  constexpr Term kTerms[] = {{"lane", 1},  {"laneid", 1},  {"tx", 1},         {"tid_in_wg", 1}, {"tid", 1},
                             {"warp", 32}, {"warpid", 32}, {"wid_in_wg", 32}, {"wgid", 128}};
  i64 thread = 0;
  bool named = false;
  for (const Term& t : kTerms) {
    const auto found = place.find(std::string(t.axis));
    if (found == place.end()) continue;
    thread += found->second * t.threads;
    named = true;
  }
  return named && thread >= 0 ? std::optional(thread) : std::nullopt;
}

class PlacedLink : public Link {
 public:
  explicit PlacedLink(std::shared_ptr<const Placed> placed) : p_(std::move(placed)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    if (way == Way::There) {
      if (const auto linear = p_->linearOf(point))
        for (const i64 thread : threadsOf(*linear)) out.push_back(threadPoint(thread));
    } else if (isThread(point)) {
      std::call_once(once_, [this] { list(); });
      const auto found = held_.find(point.index);
      if (found != held_.end())
        out.insert(out.end(), found->second.begin(),
                   found->second.begin() + static_cast<std::ptrdiff_t>(std::min(found->second.size(), kMost)));
    }
  }

 private:
  [[nodiscard]] std::vector<i64> threadsOf(i64 linear) const {
    std::vector<i64> threads;
    for (const axe::Place& place : p_->places(linear)) {
      const auto thread = threadAt(place);
      if (thread && std::find(threads.begin(), threads.end(), *thread) == threads.end()) threads.push_back(*thread);
    }
    return threads;
  }
  void list() const {
    for (i64 k = 0; k < p_->size() && p_->size() <= kTabled; ++k)
      for (const i64 thread : threadsOf(k)) held_[thread].push_back(p_->pointOf(k));
  }
  std::shared_ptr<const Placed> p_;
  mutable std::once_flag once_;
  mutable std::unordered_map<i64, std::vector<Point>> held_;
};

// (register, lane, warp) -> element.
LinkPtr elementsAt(const Arrow& arrow, const std::vector<i64>& shape) {
  const std::vector<i64> extents = extentsOf(arrow.from);
  const u64 from = pointDomain(extents), to = pointDomain(shape);
  std::vector<std::pair<Point, Point>> pairs;
  for (i64 i = 0; i < *sizeOf(arrow); ++i) {
    const std::vector<i64> digits = digitsAt(arrow, delinearize(i, extents, LinearOrder::Colex));
    if (!arrow.map.isReal(digits)) continue;
    pairs.push_back({{from, i}, {to, linearize(arrow.map.at(digits), shape, LinearOrder::Colex)}});
  }
  return tableLink(std::move(pairs));
}

// (register, lane, warp) -> thread.
LinkPtr threadsAt(const Arrow& arrow) {
  const std::vector<i64> extents = extentsOf(arrow.from);
  std::vector<std::pair<Point, Point>> pairs;
  for (i64 i = 0; i < *sizeOf(arrow); ++i) {
    const std::vector<i64> coord = delinearize(i, extents, LinearOrder::Colex);
    axe::Place place;
    for (std::size_t k = 0; k < coord.size(); ++k) place[arrow.from.modes[k].name] = coord[k];
    if (const auto thread = threadAt(place)) pairs.push_back({{pointDomain(extents), i}, threadPoint(*thread)});
  }
  return tableLink(std::move(pairs));
}

void hardwareLinks(const Arrow& arrow, const Layout& layout, std::vector<FigureLink>& links) {
  const auto count = sizeOf(arrow);
  const auto placed = Placed::of(layout);
  if (!count || *count > kTabled || !placed || !arrow.map.params().empty()) return;
  const std::vector<i64> shape = (*placed)->shape();
  if (arrow.map.axes().size() != shape.size()) return;
  const u64 from = pointDomain(extentsOf(arrow.from));
  const auto elements = [arrow, shape] { return elementsAt(arrow, shape); };
  links.push_back({lazyLink(from, pointDomain(shape), elements), "", ""});
  links.push_back({lazyLink(from, threadDomain(), [arrow] { return threadsAt(arrow); }), "", ""});
}

}  // namespace

Point threadPoint(i64 thread) { return {threadDomain(), thread}; }
bool isThread(Point point) { return point.domain == threadDomain() && point.real(); }

Paint threadPaint(i64 thread, i64 threads) {
  const i64 hue = threads > 64 ? thread / 32 : thread / 4;
  return {Role::Group, static_cast<int>(hue % 8), static_cast<int>(thread % 4), 0};
}

u64 pointDomainOf(const Layout& layout) {
  const auto subject = subjectOf(layout);
  return subject ? (*subject)->domain : 0;
}

Result<LinkPtr> valueLink(const SubjectPtr& f, u64 from, u64 to, i64 size) {
  TESSERA_TRY(auto index, addressIndex(f));
  const auto value = [f, to, size](i64 i, std::vector<Point>& out) {
    const i64 at = f->valueOf(i);
    if (at >= 0 && at < size) out.push_back({to, at});
  };
  const auto points = [index, from](i64 at, std::vector<Point>& out) {
    for (const i64 i : index->occupants(at, static_cast<int>(Link::kMost)).indices) out.push_back({from, i});
  };
  return formulaLink({from, f->size, value}, {to, size, points});
}

Result<LinkPtr> addressLink(const SubjectPtr& a, const SubjectPtr& b, i64 bitsOfA, i64 bitsOfB) {
  TESSERA_TRY(auto ofA, addressIndex(a));
  TESSERA_TRY(auto ofB, addressIndex(b));
  // The points of `to` in the bits of a point of `from`.
  const auto side = [](const SubjectPtr& from, i64 bits, const SubjectPtr& to, i64 others, const auto& index) {
    const auto points = [from, bits, to, others, index](i64 i, std::vector<Point>& out) {
      constexpr auto kMost = static_cast<int>(Link::kMost);
      const auto begin = checkedMul(from->valueOf(i), bits);
      if (!begin) return;
      const i64 first = floorDiv(*begin, others), last = floorDiv(*begin + bits - 1, others);
      for (i64 address = first; address <= std::min<i64>(last, first + kMost); ++address)
        for (const i64 j : index->occupants(address, kMost).indices) out.push_back({to->domain, j});
    };
    return LinkSide{from->domain, from->size, points};
  };
  return formulaLink(side(a, bitsOfA, b, bitsOfB, ofB), side(b, bitsOfB, a, bitsOfA, ofA));
}

LinkPtr firstModeLink(const Subject& subject) {
  const std::vector<i64> extents = subject.extents;
  const u64 own = subject.domain;
  const auto threads = [extents, own, size = std::min(subject.size, kTabled)] {
    std::vector<std::pair<Point, Point>> pairs;
    for (i64 i = 0; i < size; ++i) pairs.push_back({{own, i}, threadPoint(i % extents[0])});
    return tableLink(std::move(pairs));
  };
  return lazyLink(own, threadDomain(), threads);
}

LinkPtr placedLink(std::shared_ptr<const Placed> placed) { return std::make_shared<PlacedLink>(std::move(placed)); }

std::vector<FigureLink> linksOf(const Layout& layout) {
  std::vector<FigureLink> links;
  if (!layout.arrow()) return links;
  const Arrow& arrow = *layout.arrow();
  if (arrow.from.kind == SpaceKind::Hardware) {
    hardwareLinks(arrow, layout, links);
    return links;
  }
  if (arrow.to.kind == SpaceKind::Hardware) {
    if (auto placed = Placed::of(layout)) links.push_back({placedLink(*std::move(placed)), "", ""});
    return links;
  }
  if (LinkPtr declared = declaredLink(layout)) links.push_back({std::move(declared), "", ""});
  // Pictures of tiles (a chain) use rows x columns, independently of the modes.
  const auto subject = subjectOf(layout);
  if (subject && (*subject)->rank() > 2 && arrow.from.order == LinearOrder::Colex) {
    const i64 rows = (*subject)->extents[0];
    links.push_back(
        {sameIndex((*subject)->domain, pointDomain({rows, (*subject)->size / rows}), (*subject)->size), "", ""});
  }
  return links;
}

}  // namespace tessera
