#include "core/notation/cute/algebra/divide.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/complement.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/make.h"
#include "core/notation/cute/algebra/slice.h"

namespace tessera::cute {

namespace {

// ((t0,r0),(t1,r1),rest..) -> ((t0,t1),(r0,r1,rest..)), following the tiler's nesting. `_` keeps its mode in the tile.
Result<Layout> zipped(const Layout& divided, const Tiler& tiler) {
  std::vector<Layout> tiles;
  std::vector<Layout> rests;
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

Result<Layout> tiled(Result<Layout> pair) {
  if (!pair) return pair;
  std::vector<Layout> modes = {pair->mode(0)};
  for (Layout& m : unpacked(pair->mode(1))) modes.push_back(std::move(m));
  return makeLayout(modes);
}

Result<Layout> flat(Result<Layout> pair) {
  if (!pair) return pair;
  std::vector<Layout> modes = unpacked(pair->mode(0));
  for (Layout& m : unpacked(pair->mode(1))) modes.push_back(std::move(m));
  return makeLayout(modes);
}

// One factor of a product with its original profile: composition
// may have split a leaf into several modes, which count as one.
struct Factor {
  Layout layout;
  const Layout& like;
};

// Mode by mode; a leaf on the left is paired with the whole of the other, however nested: 4 and ((3)) give ((4,((3)))).
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
Result<Layout> tiledDivide(const Layout& a, const Layout& b) { return tiled(zippedDivide(a, b)); }
Result<Layout> tiledDivide(const Layout& a, const Tiler& b) { return tiled(zippedDivide(a, b)); }
Result<Layout> flatDivide(const Layout& a, const Layout& b) { return flat(zippedDivide(a, b)); }
Result<Layout> flatDivide(const Layout& a, const Tiler& b) { return flat(zippedDivide(a, b)); }

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
Result<Layout> tiledProduct(const Layout& a, const Layout& b) { return tiled(zippedProduct(a, b)); }
Result<Layout> tiledProduct(const Layout& a, const Tiler& b) { return tiled(zippedProduct(a, b)); }
Result<Layout> flatProduct(const Layout& a, const Layout& b) { return flat(zippedProduct(a, b)); }
Result<Layout> flatProduct(const Layout& a, const Tiler& b) { return flat(zippedProduct(a, b)); }

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

Result<Layout> tileToShape(const Layout& block, const IntTuple& shape) {
  std::vector<IntTuple> order;
  for (int k = 0; k < shape.rank(); ++k) order.emplace_back(k);
  return tileToShape(block, shape, shape.isLeaf() ? IntTuple(0) : IntTuple::tuple(std::move(order)));
}

Result<Layout> tileToShape(const Layout& block, const IntTuple& shape, const IntTuple& order) {
  TESSERA_CHECKED(requirePlain(block, "tile_to_shape"));
  if (block.rank() > shape.rank()) {
    return Diag{fmt::format("block {} has {} modes, the target shape {} has {}", print(block), block.rank(),
                            print(shape), shape.rank()),
                "a shape of at least the block's rank"};
  }
  TESSERA_TRY(const Layout padded, padRank(block, shape.rank()));
  TESSERA_TRY(const IntTuple target, productEach(shape));
  TESSERA_TRY(const IntTuple unit, productEach(padded.shape()));
  std::vector<IntTuple> copies;
  for (int k = 0; k < target.rank(); ++k) {
    const i64 whole = target.mode(k).value();
    const i64 part = unit.mode(k).value();
    if (whole < 1 || whole % part != 0) {
      return Diag{fmt::format("mode {} of the target, {}, is no multiple of the block's {}", k, whole, part),
                  "a shape that the block divides",
                  fmt::format("did you mean {}?", roundUp(std::max<i64>(whole, 1), part))};
    }
    const bool isStatic = target.mode(k).isStatic() && block.isStatic();
    copies.push_back(isStatic ? IntTuple::staticLeaf(whole / part) : IntTuple(whole / part));
  }
  const IntTuple counts = target.isLeaf() ? copies[0] : IntTuple::tuple(std::move(copies));
  TESSERA_TRY(const Layout outer, makeOrderedLayout(counts, order));
  return blockedProduct(padded, outer);
}

}  // namespace tessera::cute
