#include "render/draw/links.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/base/arith.h"
#include "render/draw/grid/memory.h"
#include "render/draw/levels/levels.h"

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
  constexpr std::pair<std::string_view, i64> kTerms[] = {{"lane", 1},      {"laneid", 1},     {"tx", 1},
                                                         {"tid_in_wg", 1}, {"tid", 1},        {"warp", 32},
                                                         {"warpid", 32},   {"wid_in_wg", 32}, {"wgid", 128}};
  i64 thread = 0;
  bool named = false;
  for (const auto& [axis, threads] : kTerms) {
    const auto found = place.find(std::string(axis));
    if (found == place.end()) continue;
    thread += found->second * threads;
    named = true;
  }
  return named && thread >= 0 ? std::optional(thread) : std::nullopt;
}

// (register, lane, warp) -> element.
LinkPtr elementsAt(const Arrow& arrow, const std::vector<i64>& shape) {
  const std::vector<i64> extents = extentsOf(arrow.from);
  const u64 to = pointDomain(shape);
  return tableLink(pointDomain(extents), *sizeOf(arrow), [&](i64 i) {
    const std::vector<i64> digits = digitsAt(arrow, delinearize(i, extents, LinearOrder::Colex));
    return arrow.map.isReal(digits) ? Point{to, linearize(arrow.map.at(digits), shape, LinearOrder::Colex)} : Point{};
  });
}

// (register, lane, warp) -> thread.
LinkPtr threadsAt(const Arrow& arrow) {
  const std::vector<i64> extents = extentsOf(arrow.from);
  return tableLink(pointDomain(extents), *sizeOf(arrow), [&](i64 i) {
    const std::vector<i64> coord = delinearize(i, extents, LinearOrder::Colex);
    axe::Place place;
    for (std::size_t k = 0; k < coord.size(); ++k) place[arrow.from.modes[k].name] = coord[k];
    const auto thread = threadAt(place);
    return thread ? threadPoint(*thread) : Point{};
  });
}

void hardwareLinks(const Arrow& arrow, const Layout& layout, std::vector<FigureLink>& links) {
  const auto count = sizeOf(arrow);
  const auto placed = Placed::of(layout);
  if (!count || *count > kTabled || !placed || !arrow.map.params().empty()) return;
  const std::vector<i64> shape = (*placed)->shape();
  if (arrow.map.axes().size() != shape.size()) return;
  const u64 from = pointDomain(extentsOf(arrow.from));
  const auto elements = [arrow, shape] { return elementsAt(arrow, shape); };
  links.push_back({lazyLink(from, pointDomain(shape), elements)});
  links.push_back({lazyLink(from, threadDomain(), [arrow] { return threadsAt(arrow); })});
}

// For a digit of `whole`: a digit of the result, a number, or unconstrained.
struct Source {
  enum class Kind : unsigned char { Result, Fixed, Any } kind = Kind::Result;
  i64 number = 0;
};

// Which leaves of `whole` the result keeps. `mine`: their extents; the result may split them further.
struct Kept {
  SubjectPtr result, whole;
  std::vector<Source> sources;
  std::vector<i64> mine, theirs;

  void there(i64 index, std::vector<Point>& out) const {
    // Modes are colex, and so are the leaves of a mode.
    const std::vector<i64> own = delinearize(index, mine, LinearOrder::Colex);
    std::vector<i64> leaves, free;
    std::vector<std::size_t> any;
    std::size_t next = 0;
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const Source& s = sources[k];
      leaves.push_back(s.kind == Source::Kind::Result ? own[next++] : s.number);
      if (s.kind == Source::Kind::Any) any.push_back(k), free.push_back(theirs[k]);
    }
    constexpr i64 kMost = Link::kMost;
    i64 count = 1;
    for (const i64 extent : free) count = std::min<i64>(kMost, count * std::min<i64>(extent, kMost));
    for (i64 n = 0; n < count; ++n) {
      const std::vector<i64> digits = delinearize(n, free, LinearOrder::Colex);
      for (std::size_t k = 0; k < any.size(); ++k) leaves[any[k]] = digits[k];
      out.push_back({whole->domain, linearize(leaves, theirs, LinearOrder::Colex)});
    }
  }
  void back(i64 index, std::vector<Point>& out) const {
    const std::vector<i64> all = delinearize(index, theirs, LinearOrder::Colex);
    std::vector<i64> own;
    for (std::size_t k = 0; k < sources.size(); ++k) {
      if (sources[k].kind == Source::Kind::Result) own.push_back(all[k]);
      if (sources[k].kind == Source::Kind::Fixed && all[k] != sources[k].number) return;
    }
    out.push_back({result->domain, linearize(own, mine, LinearOrder::Colex)});
  }
};

// The sources of a layout's leaves under a coordinate.
bool addSources(const cute::IntTuple& coord, const cute::Layout& layout, Keep keep, std::vector<Source>& out) {
  if (coord.isTuple()) {
    if (coord.rank() != layout.rank()) return false;
    for (int m = 0; m < coord.rank(); ++m)
      if (!addSources(coord.mode(m), coord.rank() == 1 && !layout.shape().isTuple() ? layout : layout.mode(m), keep,
                      out))
        return false;
    return true;
  }
  const std::vector<cute::LayoutLeaf> leaves = flatLeaves(layout);
  const bool wildcard = coord.isWildcard();
  i64 rest = wildcard || !coord.isPlain() ? 0 : coord.value();
  using Kind = Source::Kind;
  const Kind kind = wildcard == (keep == Keep::Wildcards) ? Kind::Result : wildcard ? Kind::Any : Kind::Fixed;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const i64 digit = k + 1 == leaves.size() ? rest : rest % leaves[k].extent;
    out.push_back({kind, kind == Kind::Fixed ? digit : 0});
    rest /= leaves[k].extent;
  }
  return true;
}

}  // namespace

Point threadPoint(i64 thread) { return {threadDomain(), thread}; }
bool isThread(Point point) { return point.domain == threadDomain() && point.real(); }

Paint threadPaint(i64 thread, i64 threads) { return groupPaint(threads > 64 ? thread / 32 : thread / 4, thread); }

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
  const auto threads = [own = subject.domain, size = std::min(subject.size, kTabled), first = subject.extents[0]] {
    return tableLink(own, size, [&](i64 i) { return threadPoint(i % first); });
  };
  return lazyLink(subject.domain, threadDomain(), threads);
}

LinkPtr placedLink(std::shared_ptr<const Placed> placed) {
  struct Held {
    std::once_flag once;
    std::unordered_map<i64, std::vector<Point>> by;  // thread
  };
  const auto threadsOf = [placed](i64 linear) {
    std::vector<i64> threads;
    for (const axe::Place& place : placed->places(linear)) {
      const auto thread = threadAt(place);
      if (thread && std::ranges::find(threads, *thread) == threads.end()) threads.push_back(*thread);
    }
    return threads;
  };
  const auto carry = [placed, threadsOf, held = std::make_shared<Held>()](Point point, Way way,
                                                                          std::vector<Point>& out) {
    if (way == Way::There) {
      if (const auto linear = placed->linearOf(point))
        for (const i64 thread : threadsOf(*linear)) out.push_back(threadPoint(thread));
    } else if (isThread(point)) {
      std::call_once(held->once, [&] {
        for (i64 k = 0; k < placed->size() && placed->size() <= kTabled; ++k)
          for (const i64 thread : threadsOf(k)) held->by[thread].push_back(placed->pointOf(k));
      });
      const auto found = held->by.find(point.index);
      if (found == held->by.end()) return;
      const auto n = std::min(found->second.size(), Link::kMost);
      out.insert(out.end(), found->second.begin(), found->second.begin() + static_cast<std::ptrdiff_t>(n));
    }
  };
  return std::make_shared<Link>(Link{carry});
}

std::vector<FigureLink> linksOf(const Layout& layout) {
  std::vector<FigureLink> links;
  if (!layout.arrow()) return links;
  const Arrow& arrow = *layout.arrow();
  if (arrow.from.kind == SpaceKind::Hardware) {
    hardwareLinks(arrow, layout, links);
    return links;
  }
  if (arrow.to.kind == SpaceKind::Hardware) {
    if (auto placed = Placed::of(layout)) links.push_back({placedLink(*std::move(placed))});
    return links;
  }
  if (LinkPtr declared = declaredLink(layout)) links.push_back({std::move(declared)});
  // Pictures of tiles (a chain) use rows x columns, independently of the modes.
  const auto subject = subjectOf(layout);
  if (subject && (*subject)->rank() > 2 && arrow.from.order == LinearOrder::Colex) {
    const i64 rows = (*subject)->extents[0];
    links.push_back({sameIndex((*subject)->domain, pointDomain({rows, (*subject)->size / rows}), (*subject)->size)});
  }
  return links;
}

LinkPtr coordinateLink(const SubjectPtr& f, const SubjectPtr& to) {
  if (f->axes() != to->rank() || f->hasFan() || f->size > (i64{1} << 16)) return nullptr;
  return lazyLink(f->domain, to->domain, [f, to] {
    std::vector<i64> digits, at(to->extents.size());
    return tableLink(f->domain, f->size, [&](i64 i) {
      f->digitsOf(f->coordOf(i).data(), digits);
      bool inside = f->map.isReal(digits);
      for (std::size_t k = 0; k < at.size(); ++k) {
        at[k] = f->valueAt(digits, static_cast<int>(k));
        inside = inside && at[k] >= 0 && at[k] < to->extents[k];
      }
      return inside ? Point{to->domain, to->indexOf(at)} : Point{};
    });
  });
}

LinkPtr partLink(const SubjectPtr& result, const SubjectPtr& whole, const cute::IntTuple& coord, Keep keep) {
  if (!whole->inner) return nullptr;
  std::vector<Source> sources;
  if (!addSources(coord, *whole->inner, keep, sources)) return nullptr;
  const std::vector<i64> theirs = leafExtents(*whole);
  if (sources.size() != theirs.size()) return nullptr;
  std::vector<i64> kept;
  i64 size = 1;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    Source& s = sources[k];
    if (s.kind == Source::Kind::Result) kept.push_back(theirs[k]), size *= theirs[k];
    if (s.kind != Source::Kind::Fixed) continue;
    if (s.number < 0 || s.number >= theirs[k]) return nullptr;
    if (keep == Keep::Numbers) s.kind = Source::Kind::Any;  // a dice's numbers select modes; their values do not matter
  }
  if (kept.empty() || size != result->size) return nullptr;
  const auto parts = std::make_shared<const Kept>(Kept{result, whole, std::move(sources), std::move(kept), theirs});
  return formulaLink(
      {result->domain, result->size, [parts](i64 index, std::vector<Point>& out) { parts->there(index, out); }},
      {whole->domain, whole->size, [parts](i64 index, std::vector<Point>& out) { parts->back(index, out); }});
}

LinkPtr copiesLink(const SubjectPtr& result, const SubjectPtr& block) {
  std::vector<i64> extents = block->extents;
  if (extents.size() > result->extents.size()) return nullptr;
  extents.resize(result->extents.size(), 1);
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (result->extents[k] % extents[k] != 0) return nullptr;
  const auto inBlock = [result, block, extents](i64 index, std::vector<Point>& out) {
    std::vector<i64> c = result->coordOf(index);
    for (std::size_t k = 0; k < c.size(); ++k) c[k] %= extents[k];
    out.push_back({block->domain, linearize(c, extents, LinearOrder::Colex)});
  };
  const auto inCopies = [result, block, extents](i64 index, std::vector<Point>& out) {
    const std::vector<i64> c = delinearize(index, extents, LinearOrder::Colex);
    std::vector<i64> copies = result->extents;
    for (std::size_t k = 0; k < extents.size(); ++k) copies[k] /= extents[k];
    for (i64 n = 0; n < std::min<i64>(result->size / block->size, Link::kMost); ++n) {
      std::vector<i64> at = delinearize(n, copies, LinearOrder::Colex);
      for (std::size_t k = 0; k < at.size(); ++k) at[k] = at[k] * extents[k] + c[k];
      out.push_back({result->domain, result->indexOf(at)});
    }
  };
  return formulaLink({result->domain, result->size, inBlock}, {block->domain, block->size, inCopies});
}

LinkPtr cornerLink(const SubjectPtr& result, const SubjectPtr& whole, const std::vector<i64>& corner) {
  if (result->rank() != whole->rank() || static_cast<int>(corner.size()) != whole->rank()) return nullptr;
  const auto side = [&corner](const SubjectPtr& from, const SubjectPtr& to, i64 sign) {
    const auto moved = [from, to, sign, corner](i64 index, std::vector<Point>& out) {
      std::vector<i64> c = from->coordOf(index);
      for (std::size_t k = 0; k < c.size(); ++k) {
        c[k] += sign * corner[k];
        if (c[k] < 0 || c[k] >= to->extents[k]) return;
      }
      out.push_back({to->domain, to->indexOf(c)});
    };
    return LinkSide{from->domain, from->size, moved};
  };
  return formulaLink(side(result, whole, 1), side(whole, result, -1));
}

}  // namespace tessera
