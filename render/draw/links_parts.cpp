#include "render/draw/links_parts.h"

#include <algorithm>

namespace tessera {
namespace {

// For a digit of `whole`: a digit of the result, a number, or unconstrained.
struct Source {
  enum class Kind : unsigned char { Result, Fixed, Any } kind = Kind::Result;
  i64 number = 0;
};

// Conversion between an index and the leaves of a subject: modes are colex, and so are the leaves of a mode.
std::vector<i64> leavesOf(const std::vector<i64>& extents, i64 index) {
  return delinearize(index, extents, LinearOrder::Colex);
}

// Which leaves of `whole` the result keeps. `mine`: their extents; the result may split them further.
struct Kept {
  SubjectPtr result, whole;
  std::vector<Source> sources;
  std::vector<i64> mine, theirs;

  void there(i64 index, std::vector<Point>& out) const {
    const std::vector<i64> own = leavesOf(mine, index);
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
      const std::vector<i64> digits = leavesOf(free, n);
      for (std::size_t k = 0; k < any.size(); ++k) leaves[any[k]] = digits[k];
      out.push_back({whole->domain, linearize(leaves, theirs, LinearOrder::Colex)});
    }
  }
  void back(i64 index, std::vector<Point>& out) const {
    const std::vector<i64> all = leavesOf(theirs, index);
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
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (wildcard == (keep == Keep::Wildcards)) {
      out.push_back({Source::Kind::Result, 0});
    } else if (wildcard) {
      out.push_back({Source::Kind::Any, 0});
    } else {
      const bool last = k + 1 == leaves.size();
      out.push_back({Source::Kind::Fixed, last ? rest : rest % leaves[k].extent});
      rest /= leaves[k].extent;
    }
  }
  return true;
}

}  // namespace

LinkPtr coordinateLink(const SubjectPtr& f, const SubjectPtr& to) {
  if (f->axes() != to->rank() || f->hasFan() || f->size > (i64{1} << 16)) return nullptr;
  return lazyLink(f->domain, to->domain, [f, to] {
    std::vector<std::pair<Point, Point>> pairs;
    std::vector<i64> digits, at(to->extents.size());
    for (i64 i = 0; i < f->size; ++i) {
      f->digitsOf(f->coordOf(i).data(), digits);
      bool inside = f->map.isReal(digits);
      for (std::size_t k = 0; k < at.size(); ++k) {
        at[k] = f->valueAt(digits, static_cast<int>(k));
        inside = inside && at[k] >= 0 && at[k] < to->extents[k];
      }
      if (inside) pairs.push_back({{f->domain, i}, {to->domain, to->indexOf(at)}});
    }
    return tableLink(std::move(pairs));
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
    if (sources[k].kind == Source::Kind::Result) kept.push_back(theirs[k]), size *= theirs[k];
    if (sources[k].kind == Source::Kind::Fixed && (sources[k].number < 0 || sources[k].number >= theirs[k]))
      return nullptr;
  }
  if (kept.empty() || size != result->size) return nullptr;
  // The numbers of a dice select modes; their values do not matter.
  if (keep == Keep::Numbers)
    for (Source& s : sources)
      if (s.kind == Source::Kind::Fixed) s.kind = Source::Kind::Any;
  const auto parts =
      std::make_shared<const Kept>(Kept{result, whole, std::move(sources), std::move(kept), leafExtents(*whole)});
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
    std::vector<i64> copies;
    for (std::size_t k = 0; k < extents.size(); ++k) copies.push_back(result->extents[k] / extents[k]);
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
