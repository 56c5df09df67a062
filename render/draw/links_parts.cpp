#include "render/draw/links_parts.h"

#include <algorithm>
#include <mutex>

#include "core/base/arith.h"
#include "render/draw/grid/memory.h"

namespace tessera {
namespace {

// For a digit of `whole`: a digit of the result, a number, or unconstrained.
struct Source {
  enum class Kind : unsigned char { Result, Fixed, Any } kind = Kind::Result;
  i64 number = 0;
};

std::vector<i64> extentsOfLeaves(const Subject& s) {
  std::vector<i64> all;
  for (const std::vector<i64>& mode : s.modes) all.insert(all.end(), mode.begin(), mode.end());
  return all;
}

// Conversion between an index and the leaves of a subject: modes are colex, and so are the leaves of a mode.
std::vector<i64> leavesOf(const std::vector<i64>& extents, i64 index) {
  return delinearize(index, extents, LinearOrder::Colex);
}

class PartLink : public Link {
 public:
  // `kept`: extents of whole's leaves that the result has; the result may split them further.
  PartLink(SubjectPtr result, SubjectPtr whole, std::vector<Source> sources, std::vector<i64> kept)
      : r_(std::move(result)),
        w_(std::move(whole)),
        sources_(std::move(sources)),
        mine_(std::move(kept)),
        theirs_(extentsOfLeaves(*w_)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    const Subject& from = way == Way::There ? *r_ : *w_;
    if (point.domain != from.domain || point.index < 0 || point.index >= from.size) return;
    if (way == Way::There) {
      there(leavesOf(mine_, point.index), out);
    } else {
      back(leavesOf(theirs_, point.index), out);
    }
  }

 private:
  void there(const std::vector<i64>& mine, std::vector<Point>& out) const {
    std::vector<i64> leaves, free;
    std::vector<std::size_t> any;
    std::size_t next = 0;
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      const Source& s = sources_[k];
      leaves.push_back(s.kind == Source::Kind::Result ? mine[next++] : s.number);
      if (s.kind == Source::Kind::Any) any.push_back(k), free.push_back(theirs_[k]);
    }
    i64 count = 1;
    for (const i64 extent : free) count = std::min<i64>(kMost, count * std::min<i64>(extent, kMost));
    for (i64 n = 0; n < count; ++n) {
      const std::vector<i64> digits = leavesOf(free, n);
      for (std::size_t k = 0; k < any.size(); ++k) leaves[any[k]] = digits[k];
      out.push_back({w_->domain, linearize(leaves, theirs_, LinearOrder::Colex)});
    }
  }
  void back(const std::vector<i64>& theirs, std::vector<Point>& out) const {
    std::vector<i64> mine;
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      if (sources_[k].kind == Source::Kind::Result) mine.push_back(theirs[k]);
      if (sources_[k].kind == Source::Kind::Fixed && theirs[k] != sources_[k].number) return;
    }
    out.push_back({r_->domain, linearize(mine, mine_, LinearOrder::Colex)});
  }

  SubjectPtr r_, w_;
  std::vector<Source> sources_;
  std::vector<i64> mine_, theirs_;
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

class CopiesLink : public Link {
 public:
  CopiesLink(SubjectPtr result, SubjectPtr block, std::vector<i64> extents)
      : r_(std::move(result)), b_(std::move(block)), extents_(std::move(extents)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    const Subject& from = way == Way::There ? *r_ : *b_;
    if (point.domain != from.domain || point.index < 0 || point.index >= from.size) return;
    if (way == Way::There) {
      std::vector<i64> c = r_->coordOf(point.index);
      for (std::size_t k = 0; k < c.size(); ++k) c[k] %= extents_[k];
      out.push_back({b_->domain, linearize(c, extents_, LinearOrder::Colex)});
      return;
    }
    const std::vector<i64> c = delinearize(point.index, extents_, LinearOrder::Colex);
    std::vector<i64> copies;
    for (std::size_t k = 0; k < extents_.size(); ++k) copies.push_back(r_->extents[k] / extents_[k]);
    for (i64 n = 0; n < std::min<i64>(r_->size / b_->size, kMost); ++n) {
      std::vector<i64> at = delinearize(n, copies, LinearOrder::Colex);
      for (std::size_t k = 0; k < at.size(); ++k) at[k] = at[k] * extents_[k] + c[k];
      out.push_back({r_->domain, r_->indexOf(at)});
    }
  }

 private:
  SubjectPtr r_, b_;
  std::vector<i64> extents_;  // of the block, one per mode of the result
};

class CornerLink : public Link {
 public:
  CornerLink(SubjectPtr result, SubjectPtr whole, std::vector<i64> corner)
      : r_(std::move(result)), w_(std::move(whole)), corner_(std::move(corner)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    const Subject &from = way == Way::There ? *r_ : *w_, &to = way == Way::There ? *w_ : *r_;
    if (point.domain != from.domain || point.index < 0 || point.index >= from.size) return;
    std::vector<i64> c = from.coordOf(point.index);
    for (std::size_t k = 0; k < c.size(); ++k) {
      c[k] += way == Way::There ? corner_[k] : -corner_[k];
      if (c[k] < 0 || c[k] >= to.extents[k]) return;
    }
    out.push_back({to.domain, to.indexOf(c)});
  }

 private:
  SubjectPtr r_, w_;
  std::vector<i64> corner_;
};

class RecastLink : public Link {
 public:
  struct Side {
    SubjectPtr subject;
    std::shared_ptr<const AddressIndex> index;
    i64 bits = 1;
  };
  RecastLink(Side result, Side old) : r_(std::move(result)), o_(std::move(old)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    const Side &from = way == Way::There ? r_ : o_, &to = way == Way::There ? o_ : r_;
    if (point.domain != from.subject->domain || point.index < 0 || point.index >= from.subject->size) return;
    const auto begin = checkedMul(from.subject->valueOf(point.index), from.bits);
    if (!begin) return;
    const i64 first = floorDiv(*begin, to.bits), last = floorDiv(*begin + from.bits - 1, to.bits);
    for (i64 a = first; a <= std::min(last, first + static_cast<i64>(kMost)); ++a)
      for (const i64 i : to.index->occupants(a, static_cast<int>(kMost)).indices)
        out.push_back({to.subject->domain, i});
  }

 private:
  Side r_, o_;
};

class CoordinateLink : public Link {
 public:
  CoordinateLink(SubjectPtr f, SubjectPtr to) : f_(std::move(f)), to_(std::move(to)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    if (point.index < 0 || point.domain != (way == Way::There ? f_->domain : to_->domain)) return;
    std::call_once(once_, [this] { list(); });
    listed_->carry(point, way, out);
  }

 private:
  void list() const {
    std::vector<std::pair<Point, Point>> pairs;
    std::vector<i64> digits, at(to_->extents.size());
    for (i64 i = 0; i < f_->size; ++i) {
      f_->digitsOf(f_->coordOf(i).data(), digits);
      bool inside = f_->map.isReal(digits);
      for (std::size_t k = 0; k < at.size(); ++k) {
        at[k] = f_->valueAt(digits, static_cast<int>(k));
        inside = inside && at[k] >= 0 && at[k] < to_->extents[k];
      }
      if (inside) pairs.push_back({{f_->domain, i}, {to_->domain, to_->indexOf(at)}});
    }
    listed_ = tableLink(std::move(pairs));
  }
  SubjectPtr f_, to_;
  mutable std::once_flag once_;
  mutable LinkPtr listed_;
};

}  // namespace

LinkPtr coordinateLink(const SubjectPtr& f, const SubjectPtr& to) {
  if (f->axes() != to->rank() || f->hasFan() || f->size > (i64{1} << 16)) return nullptr;
  return std::make_shared<CoordinateLink>(f, to);
}

LinkPtr partLink(const SubjectPtr& result, const SubjectPtr& whole, const cute::IntTuple& coord, Keep keep) {
  if (!whole->inner) return nullptr;
  std::vector<Source> sources;
  if (!addSources(coord, *whole->inner, keep, sources)) return nullptr;
  const std::vector<i64> theirs = extentsOfLeaves(*whole);
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
  return std::make_shared<PartLink>(result, whole, std::move(sources), std::move(kept));
}

LinkPtr copiesLink(const SubjectPtr& result, const SubjectPtr& block) {
  std::vector<i64> extents = block->extents;
  if (extents.size() > result->extents.size()) return nullptr;
  extents.resize(result->extents.size(), 1);
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (result->extents[k] % extents[k] != 0) return nullptr;
  return std::make_shared<CopiesLink>(result, block, std::move(extents));
}

LinkPtr cornerLink(const SubjectPtr& result, const SubjectPtr& whole, const std::vector<i64>& corner) {
  if (result->rank() != whole->rank() || static_cast<int>(corner.size()) != whole->rank()) return nullptr;
  return std::make_shared<CornerLink>(result, whole, corner);
}

LinkPtr recastLink(const SubjectPtr& result, i64 newBits, const SubjectPtr& old, i64 oldBits) {
  if (newBits < 1 || oldBits < 1) return nullptr;
  auto ofResult = addressIndex(result), ofOld = addressIndex(old);
  if (!ofResult || !ofOld) return nullptr;
  return std::make_shared<RecastLink>(RecastLink::Side{result, *ofResult, newBits},
                                      RecastLink::Side{old, *ofOld, oldBits});
}

}  // namespace tessera
