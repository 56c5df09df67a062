#include "core/notation/cute/algebra/divide.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/inverse.h"

namespace tessera::cute {

namespace {

// ((t0,r0),(t1,r1),rest..) -> ((t0,t1),(r0,r1,rest..)), following the tiler's nesting. `_` keeps its mode in the tile.
Result<Layout> zipped(const Layout& divided, const Tiler& tiler) {
  std::vector<Layout> tiles, rests;
  for (std::size_t k = 0; k < tiler.entries.size(); ++k) {
    const TilerEntry& entry = tiler.entries[k];
    Layout mode = divided.mode(static_cast<int>(k));
    if (entry.kind == TilerEntry::Kind::Whole) {
      tiles.push_back(mode);
      rests.push_back(unitBeside(divided));
      continue;
    }
    if (entry.kind == TilerEntry::Kind::Nested) {
      TESSERA_TRY(mode, zipped(mode, entry.nested));
    }
    tiles.push_back(mode.mode(0));
    rests.push_back(mode.mode(1));
  }
  for (int k = static_cast<int>(tiler.entries.size()); k < divided.rank(); ++k) rests.push_back(divided.mode(k));
  TESSERA_TRY(const Layout tile, makeLayout(tiles));
  TESSERA_TRY(const Layout rest, makeLayout(rests));
  return makeLayout({tile, rest});
}

// The modes of one mode; a mode of rank 1 is unchanged.
std::vector<Layout> unpacked(const Layout& mode) { return mode.rank() == 1 ? std::vector<Layout>{mode} : mode.modes(); }

// The modes of `tile`, then those of the pair's second mode.
Result<Layout> withRest(std::vector<Layout> tile, const Layout& pair) {
  for (Layout& m : unpacked(pair.mode(1))) tile.push_back(std::move(m));
  return makeLayout(tile);
}

// One factor of a product, with its original profile: modes that composition has split from one leaf count as one.
struct Factor {
  Layout layout;
  const Layout& like;
};

// Pairs the modes; a leaf on the left is paired with the whole of the other: 4 and ((3)) give ((4,((3)))).
Result<Layout> zip(const Factor& first, const Factor& second) {
  const auto modesOf = [](const Factor& f, bool whole) {
    return whole || f.like.shape().isLeaf() ? std::vector<Layout>{f.layout} : f.layout.modes();
  };
  const std::vector<Layout> a = modesOf(first, false);
  const std::vector<Layout> b = modesOf(second, first.like.shape().isLeaf());
  std::vector<Layout> modes;
  for (std::size_t k = 0; k < a.size(); ++k) {
    TESSERA_TRY(Layout pair, makeLayout({a[k], b[k]}));
    modes.push_back(std::move(pair));
  }
  return makeLayout(modes);
}

}  // namespace

Result<Layout> logicalDivide(const Layout& a, const Layout& b) {
  TESSERA_CHECKED(requireKnown(a, "logical_divide"));
  TESSERA_CHECKED(requirePlain(b, "logical_divide"));
  TESSERA_TRY(const Layout rest, complement(b, a.size()));
  TESSERA_TRY(const Layout both, makeLayout({b, rest}));
  return composition(a, both);
}

Result<Layout> logicalDivide(const Layout& a, const Tiler& b) { return modeWise(a, b, &logicalDivide, true); }

Result<Layout> zippedDivide(const Layout& a, const Layout& b) { return logicalDivide(a, b); }
Result<Layout> zippedDivide(const Layout& a, const Tiler& b) {
  TESSERA_TRY(const Layout divided, logicalDivide(a, b));
  return zipped(divided, b);
}

Result<Layout> tiledForm(const Result<Layout>& pair) { return pair ? withRest({pair->mode(0)}, *pair) : pair; }
Result<Layout> flatForm(const Result<Layout>& pair) { return pair ? withRest(unpacked(pair->mode(0)), *pair) : pair; }

Result<Layout> logicalProduct(const Layout& a, const Layout& b) {
  TESSERA_CHECKED(requirePlain(a, "logical_product"));
  TESSERA_CHECKED(requirePlain(b, "logical_product"));
  const auto room = checkedMul(a.size(), b.cosize());
  if (!room) return Diag{"logical_product: the copies do not fit in 64 bits", "a smaller product"};
  TESSERA_TRY(const Layout rest, complement(a, *room));
  TESSERA_TRY(const Layout copies, composition(rest, b));
  return makeLayout({a, copies});
}

Result<Layout> logicalProduct(const Layout& a, const Tiler& b) { return modeWise(a, b, &logicalProduct, true); }

Result<Layout> zippedProduct(const Layout& a, const Layout& b) { return logicalProduct(a, b); }
Result<Layout> zippedProduct(const Layout& a, const Tiler& b) {
  TESSERA_TRY(const Layout whole, logicalProduct(a, b));
  return zipped(whole, b);
}

namespace {

Result<Layout> interleaved(const Layout& block, const Layout& tiler, bool blockFirst) {
  const int rank = std::max(block.rank(), tiler.rank());
  TESSERA_TRY(const Layout a, padRank(block, rank));
  TESSERA_TRY(const Layout b, padRank(tiler, rank));
  TESSERA_TRY(const Layout whole, logicalProduct(a, b));
  const Factor blocks{whole.mode(0), a}, copies{whole.mode(1), b};
  return blockFirst ? zip(blocks, copies) : zip(copies, blocks);
}

}  // namespace

Result<Layout> blockedProduct(const Layout& block, const Layout& tiler) { return interleaved(block, tiler, true); }
Result<Layout> rakedProduct(const Layout& block, const Layout& tiler) { return interleaved(block, tiler, false); }

Result<Layout> tileToShape(const Layout& block, const IntTuple& shape, const IntTuple& order) {
  TESSERA_CHECKED(requirePlain(block, "tile_to_shape"));
  if (block.rank() > shape.rank())
    return Diag{fmt::format("block {} has {} modes, but the target shape {} has {}", print(block), block.rank(),
                            print(shape), shape.rank()),
                "a shape of at least the block's rank"};
  TESSERA_TRY(const Layout padded, padRank(block, shape.rank()));
  TESSERA_TRY(const IntTuple target, productEach(shape));
  TESSERA_TRY(const IntTuple unit, productEach(padded.shape()));
  std::vector<IntTuple> copies;
  for (int k = 0; k < target.rank(); ++k) {
    const i64 whole = target.mode(k).value();
    const i64 part = unit.mode(k).value();
    if (whole < 1 || whole % part != 0)
      return Diag{fmt::format("mode {} of the target, {}, is not a multiple of the block's {}", k, whole, part),
                  "a shape that the block divides",
                  fmt::format("did you mean {}?", roundUp(std::max<i64>(whole, 1), part))};
    copies.push_back(IntTuple(whole / part).withStatic(target.mode(k).isStatic() && block.isStatic()));
  }
  const IntTuple counts = target.isLeaf() ? copies[0] : IntTuple::tuple(std::move(copies));
  TESSERA_TRY(const Layout outer, makeOrderedLayout(counts, order));
  return blockedProduct(padded, outer);
}

namespace {

// The modes of filter(A) sorted by stride, with their places in A so that a Diag can name indices of A.
std::vector<IndexRun> sortedRuns(const Layout& a) {
  std::vector<IndexRun> sorted = indexRuns(a);
  std::erase_if(sorted, [](const IndexRun& r) { return r.stride == 0; });
  std::ranges::stable_sort(sorted, [](const IndexRun& x, const IndexRun& y) { return x.stride < y.stride; });
  return sorted;
}

// extent * stride, or INT64_MAX on overflow, which exceeds every cotarget.
i64 spanOf(const IndexRun& r) { return checkedMul(r.extent, r.stride).value_or(INT64_MAX); }

// Whether each mode begins at or after the span of the modes below it, so that the gaps are CuTe's.
bool isChain(const std::vector<IndexRun>& sorted) {
  i64 span = 1;
  for (const IndexRun& p : sorted) {
    if (p.stride < span) return false;
    span = spanOf(p);
  }
  return true;
}

std::vector<LayoutLeaf> gapsOfChain(const std::vector<IndexRun>& sorted, i64 cotarget) {
  std::vector<LayoutLeaf> gaps;
  gaps.reserve(sorted.size() + 1);
  i64 span = 1;
  for (const IndexRun& p : sorted) {
    gaps.push_back({p.stride / span, span});
    span = spanOf(p);
  }
  gaps.push_back({ceilDiv(cotarget, span), span});
  return gaps;
}

// The smallest t such that the values, in units of g, differ modulo t: copies of A every g * t steps then do not
// overlap. The largest value + 1 always works, and is used if the search would take too long.
i64 periodOf(const std::vector<Point>& hits, i64 g) {
  constexpr i64 kWork = i64{1} << 24;
  const i64 most = hits.back().y / g + 1;
  const i64 size = static_cast<i64>(hits.size());
  i64 work = 0;
  std::vector<i64> seen;  // last t at which each remainder was seen
  for (i64 t = size; t < most && (work += size) < kWork; ++t) {
    seen.resize(static_cast<std::size_t>(t), 0);
    if (std::ranges::all_of(
            hits, [&](const Point& h) { return std::exchange(seen[static_cast<std::size_t>(h.y / g % t)], t) != t; }))
      return t;
  }
  return most;
}

// Interleaved modes: the gap below all of them is their common factor g, and copies of the whole follow every g * t
// steps, as close as possible without overlap.
Result<std::vector<LayoutLeaf>> gapsOfInterleaved(const std::vector<IndexRun>& sorted, i64 cotarget) {
  constexpr i64 kMost = i64{1} << 16;
  i64 size = 1, g = 0, reach = 0;
  for (const IndexRun& p : sorted) {
    if (!mulInto(size, p.extent) || size > kMost)
      return Diag{fmt::format("complement: the modes interleave, and more than {} values are too many to check", kMost),
                  "sorted by stride, each stride at least the extent * stride before it"};
    g = std::gcd(g, p.stride);
    reach = std::max(reach, spanOf(p));
  }
  std::vector<Point> hits = *pointsOf(sorted);  // at most kMost
  std::ranges::sort(hits, [](const Point& x, const Point& y) { return std::pair(x.y, x.i) < std::pair(y.y, y.i); });
  for (std::size_t k = 1; k < hits.size(); ++k) {
    if (hits[k].y != hits[k - 1].y) continue;
    const i64 first = hits[k - 1].i, second = hits[k].i;
    return Diag{fmt::format("complement needs a layout that repeats no value: at i = {} and i = {}, A({}) = A({}) = {}",
                            first, second, first, second, hits[k].y),
                "an injective layout", "filter(A) drops the modes of stride 0"};
  }
  const i64 period = g * periodOf(hits, g);
  const i64 copies = ceilDiv(cotarget, period);
  return std::vector<LayoutLeaf>{{g, 1}, {copies == 1 && reach < cotarget ? 2 : copies, period}};
}

}  // namespace

Result<Layout> complement(const Layout& a, i64 cotarget) {
  TESSERA_CHECKED(requirePlain(a, "complement"));
  if (cotarget < 1) return Diag{fmt::format("complement up to {}: nothing to fill", cotarget), "a size of at least 1"};
  const std::vector<IndexRun> sorted = sortedRuns(a);
  if (!sorted.empty() && sorted[0].stride < 0)
    return Diag{fmt::format("complement needs values of at least 0: A({}) = {}", sorted[0].before, sorted[0].stride),
                "strides of at least 0"};
  std::vector<LayoutLeaf> gaps;
  if (isChain(sorted)) {
    gaps = gapsOfChain(sorted, cotarget);
  } else {
    TESSERA_TRY(gaps, gapsOfInterleaved(sorted, cotarget));
  }
  return coalesced(gaps, a.isStatic());
}

Result<Layout> complement(const Layout& a) {
  TESSERA_CHECKED(requirePlain(a, "complement"));
  TESSERA_TRY(const Layout moving, filter(a));
  return complement(a, moving.cosize());
}

Result<Layout> complement(const Layout& a, const IntTuple& shape) {
  TESSERA_TRY(const i64 n, product(shape));
  return complement(a, n);
}

}  // namespace tessera::cute
