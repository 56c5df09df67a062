#include "core/atlas/tiled.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/atlas/partition.h"
#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/algebra/vector.h"

namespace tessera {
namespace {

cute::Layout contiguous(i64 n) { return *cute::Layout::make(cute::IntTuple(n), cute::IntTuple(1)); }

cute::IntTuple pairOf(i64 a, i64 b) { return cute::IntTuple::tuple({cute::IntTuple(a), cute::IntTuple(b)}); }

cute::TilerEntry whole() { return {}; }
cute::TilerEntry by(const cute::Layout& layout) { return {cute::TilerEntry::Kind::Layout, layout, false, {}}; }
cute::TilerEntry nested(std::vector<cute::TilerEntry> entries) {
  return {cute::TilerEntry::Kind::Nested, {}, false, cute::Tiler{std::move(entries)}};
}

// thread -> index of (ThrV,ThrM,ThrN,ThrK). A quad pair of Volta is the threads 0-3 and 16-19: those between repeat it.
Result<cute::Layout> coordinateOfThread(const cute::Layout& threads) {
  TESSERA_TRY(const cute::IntTuple end, cosize(threads));
  if (end.isLeaf() && end.value() == threads.size()) return rightInverse(threads);
  TESSERA_TRY(const cute::Layout gaps, complement(threads));
  TESSERA_TRY(const cute::Layout all, cute::makeLayout({threads, gaps}));
  TESSERA_TRY(const cute::Layout inverse, rightInverse(all));
  TESSERA_TRY(const cute::Layout used, cute::Layout::make(pairOf(threads.size(), 1), pairOf(1, 0)));
  return composition(used, inverse);
}

// The thread mode indexed by thread number; `broadcast`: which of M and N an operand ignores.
Result<cute::Layout> byThread(const cute::Layout& fragment, const cute::Layout& threads,
                              const cute::Layout* broadcast) {
  cute::Layout layout = fragment;
  if (broadcast != nullptr) {
    TESSERA_TRY(layout,
                composition(layout, cute::Tiler{{nested({whole(), nested({by(*broadcast), whole()})}), whole()}}));
  }
  TESSERA_TRY(const cute::Layout threadOf, coordinateOfThread(threads));
  return composition(layout, cute::Tiler{{by(threadOf), whole()}});
}

// The same atoms with unit modes for missing directions: (2,2):(2,1) is (2,2,1):(2,1,0). "" for more than three.
std::string withUnitModes(const cute::Layout& atoms) {
  std::vector<cute::IntTuple> shapes, strides;
  const std::vector<cute::Layout> modes = atoms.shape().isLeaf() ? std::vector<cute::Layout>{atoms} : atoms.modes();
  for (const cute::Layout& mode : modes) {
    shapes.push_back(mode.shape().withStatic(false));
    strides.push_back(mode.stride().withStatic(false));
  }
  for (; shapes.size() < 3; shapes.emplace_back(1)) strides.emplace_back(0);
  if (shapes.size() > 3) return "";
  const auto made =
      cute::Layout::make(cute::IntTuple::tuple(std::move(shapes)), cute::IntTuple::tuple(std::move(strides)));
  return made ? print(*made) : "";
}

// One side of a tiled copy: (thread, value) -> index of the tile.
Result<cute::Layout> copySide(const TiledCopy& copy, CopySide side) {
  TESSERA_TRY(const cute::Layout held, threadValueOfTile(copy, side));
  std::vector<cute::IntTuple> shapes;
  for (const cute::TilerEntry& entry : copy.tiler.entries) shapes.push_back(entry.layout.shape());
  TESSERA_TRY(const cute::Layout tile, cute::Layout::compact(cute::IntTuple::tuple(std::move(shapes))));
  return composition(tile, held);
}

cute::TilerEntry extentEntry(i64 n) { return {cute::TilerEntry::Kind::Layout, contiguous(n), true, {}}; }

}  // namespace

Result<TiledMma> makeTiledMma(const AtlasRow& atom, const cute::Layout& atomLayout,
                              const std::array<std::optional<cute::Layout>, 3>& permutation) {
  TESSERA_TRY(auto shape, atomShape(atom));
  TESSERA_CHECKED(requirePlain(atomLayout, "make_tiled_mma"));
  if (atomLayout.rank() != 3)
    return Diag{fmt::format("the atom layout {} has {} mode{}", print(atomLayout), atomLayout.rank(),
                            atomLayout.rank() == 1 ? "" : "s"),
                "three modes: atoms along M, N and K", withUnitModes(atomLayout)};
  TESSERA_TRY(cute::Layout threadId, cute::parseLayout(atom.threadId));
  TiledMma out;
  out.atom = atom;
  out.permutation.entries.resize(3);
  TESSERA_TRY(out.threads, tiledProduct(threadId, atomLayout));
  for (std::size_t i = 0; i < 3; ++i) {
    const i64 plain = shape[i] * out.threads.mode(static_cast<int>(i) + 1).size();
    out.tile[i] = plain;
    if (!permutation[i]) continue;
    TESSERA_CHECKED(requirePlain(*permutation[i], "make_tiled_mma"));
    const bool size = permutation[i]->shape().isLeaf() && permutation[i]->stride() == cute::IntTuple(1);
    out.permutation.entries[i] = {cute::TilerEntry::Kind::Layout, *permutation[i], size, {}};
    out.tile[i] = permutation[i]->size();
    if (out.tile[i] % plain != 0)
      return Diag{fmt::format("a tile of {} along {} for atoms that take {}", out.tile[i], "MNK"[i], plain),
                  fmt::format("a multiple of {}", plain)};
  }
  const cute::IntTuple mn = pairOf(out.threads.mode(1).size(), out.threads.mode(2).size());
  TESSERA_TRY(cute::Layout alongM, cute::Layout::make(mn, pairOf(1, 0)));
  TESSERA_TRY(cute::Layout alongN, cute::Layout::make(mn, pairOf(0, 1)));
  const auto whole = [&](char operand, i64 rows, i64 columns) -> Result<cute::Layout> {
    TESSERA_TRY(const cute::Layout tile, cute::Layout::compact(pairOf(rows, columns)));
    return thrfrg(out, operand, tile);
  };
  TESSERA_TRY(const cute::Layout a, whole('A', out.tile[0], out.tile[2]));
  TESSERA_TRY(const cute::Layout b, whole('B', out.tile[1], out.tile[2]));
  TESSERA_TRY(const cute::Layout c, whole('C', out.tile[0], out.tile[1]));
  TESSERA_TRY(out.a, byThread(a, out.threads, &alongM));
  TESSERA_TRY(out.b, byThread(b, out.threads, &alongN));
  TESSERA_TRY(out.c, byThread(c, out.threads, nullptr));
  return out;
}

Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threadValueLayout,
                                const cute::Tiler& tiler) {
  TESSERA_CHECKED(requirePlain(threadValueLayout, "make_tiled_copy"));
  TESSERA_TRY(AtlasOperand ref, findOperand(atom, "ref"));
  TESSERA_TRY(cute::Layout bits, threadValue(ref));
  if (threadValueLayout.rank() != 2)
    return Diag{fmt::format("{} is not a thread-value layout", print(threadValueLayout)), "two modes: (thread, value)"};
  TESSERA_TRY(cute::Layout reference, upcast(bits, elementBits));
  for (int i = 0; i < 2; ++i)
    if (threadValueLayout.mode(i).size() % reference.mode(i).size() != 0)
      return Diag{fmt::format("{} takes {} {} of {} bits, the tile has {}", atom.name, reference.mode(i).size(),
                              i == 0 ? "threads" : "values", elementBits, threadValueLayout.mode(i).size()),
                  fmt::format("a multiple of {}", reference.mode(i).size())};
  TiledCopy out;
  out.atom = atom;
  out.elementBits = elementBits;
  out.tile = {1, 1};
  for (std::size_t k = 0; k < tiler.entries.size(); ++k) {
    if (tiler.entries[k].kind != cute::TilerEntry::Kind::Layout)
      return Diag{fmt::format("the tile {} has a mode without an extent", print(tiler)), "an extent for each mode"};
    if (!mulInto(out.tile[std::min<std::size_t>(k, 1)], tiler.entries[k].layout.size()))
      return Diag{"the tile has more than 2^63 elements", "a smaller tile"};
  }
  out.tiler = tiler;
  out.threadValue = threadValueLayout;
  TESSERA_TRY(out.source, copySide(out, CopySide::Source));
  TESSERA_TRY(out.destination, copySide(out, CopySide::Destination));
  return out;
}

Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threadValueLayout,
                                std::array<i64, 2> tile) {
  return makeTiledCopy(atom, elementBits, threadValueLayout, cute::Tiler{{extentEntry(tile[0]), extentEntry(tile[1])}});
}

Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threads,
                                const cute::Layout& values) {
  TESSERA_TRY(cute::Layout raked, rakedProduct(threads, values));
  TESSERA_TRY(cute::Layout inverse, rightInverse(raked));
  TESSERA_TRY(cute::Layout shape, cute::Layout::compact(pairOf(threads.size(), values.size())));
  TESSERA_TRY(cute::Layout tv, composition(inverse, shape));
  cute::Tiler tiler;
  for (const cute::Layout& mode : raked.modes()) tiler.entries.push_back(extentEntry(mode.size()));
  return makeTiledCopy(atom, elementBits, tv, tiler);
}

namespace {

// The copy of the elements of a tile that `part` names: (thread, value) -> index of the tile.
Result<TiledCopy> copyOfTouched(const AtlasRow& atom, int elementBits, const std::vector<i64>& extents,
                                const cute::Layout& part) {
  std::vector<cute::IntTuple> shape;
  for (const i64 extent : extents) shape.emplace_back(extent);
  const cute::IntTuple tile = cute::IntTuple::tuple(shape);
  cute::Tiler tiler;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::vector<cute::IntTuple> steps(extents.size(), cute::IntTuple(0));
    steps[i] = cute::IntTuple(1);
    TESSERA_TRY(const cute::Layout along, cute::Layout::make(tile, cute::IntTuple::tuple(std::move(steps))));
    TESSERA_TRY(const cute::Layout touched, composition(along, part));
    TESSERA_TRY(cute::Layout kept, filter(touched));
    tiler.entries.push_back({cute::TilerEntry::Kind::Layout, std::move(kept), false, {}});
  }
  TESSERA_TRY(const cute::Layout whole, cute::Layout::compact(tile));
  TESSERA_TRY(const cute::Layout toTile, composition(whole, tiler));
  TESSERA_TRY(const cute::Layout inverse, leftInverse(toTile));
  TESSERA_TRY(const cute::Layout tv, composition(inverse, part));
  return makeTiledCopy(atom, elementBits, tv, tiler);
}

}  // namespace

Result<TiledCopy> makeTiledCopyOfAtom(const AtlasRow& atom, int elementBits, const TiledMma& mma) {
  TESSERA_TRY(const AtlasOperand source, findOperand(atom, "src"));
  TESSERA_TRY(const cute::Layout bits, threadValue(source));
  TESSERA_TRY(const cute::Layout values, upcast(bits, elementBits));
  const i64 held = values.mode(1).size();
  if (held > mma.c.mode(1).size())
    return Diag{
        fmt::format("{} stores {} values, a thread of the tiled mma has {}", atom.name, held, mma.c.mode(1).size()),
        "an atom of at most as many values"};
  TESSERA_TRY(const cute::Layout first, cute::Layout::compact(pairOf(mma.c.mode(0).size(), held)));
  TESSERA_TRY(const cute::Layout part, composition(mma.c, first));
  return copyOfTouched(atom, elementBits, {mma.tile[0], mma.tile[1]}, part);
}

Result<TiledCopy> makeCotiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threadValue,
                                  const cute::Layout& data) {
  for (const cute::Layout* one : {&threadValue, &data}) TESSERA_CHECKED(requirePlain(*one, "make_cotiled_copy"));
  if (threadValue.rank() != 2)
    return Diag{fmt::format("{} is not a thread-value layout", print(threadValue)), "two modes: (thread, value)"};
  TESSERA_TRY(const cute::Layout inverse, leftInverse(data));
  TESSERA_TRY(const cute::Layout places,
              cute::makeLayout({inverse, *cute::Layout::make(cute::IntTuple(1), cute::IntTuple(0))}));
  TESSERA_TRY(const cute::Layout touched, composition(places, threadValue));
  TESSERA_TRY(const cute::Layout reached, composition(data, touched.mode(1)));
  TESSERA_TRY(const cute::Layout mine, coalesce(reached));
  TESSERA_TRY(const cute::Layout wanted, coalesce(threadValue.mode(1)));
  if (mine.withStatic(false) != wanted.withStatic(false))
    return Diag{
        fmt::format("the values of a thread are at {}, and {} has no elements there", print(wanted), print(data)),
        "values whose addresses are those of elements of the data"};
  std::vector<i64> extents;
  for (const cute::Layout& mode : data.modes()) extents.push_back(mode.size());
  return copyOfTouched(atom, elementBits, extents, touched);
}

}  // namespace tessera
