#include "core/atlas/tiled.h"

#include <fmt/format.h>

#include <charconv>

#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/make.h"
#include "core/notation/cute/algebra/recast.h"
#include "core/notation/cute/algebra/slice.h"
#include "core/notation/cute/algebra/tiler.h"

namespace tessera {
namespace {

CuteLayout contiguous(i64 n) { return *CuteLayout::make(IntTuple(n), IntTuple(1)); }

TilerEntry whole() { return {}; }
TilerEntry by(const CuteLayout& layout) { return {TilerEntry::Kind::Layout, layout, false, {}}; }
TilerEntry nested(std::vector<TilerEntry> entries) {
  return {TilerEntry::Kind::Nested, {}, false, Tiler{std::move(entries)}};
}

// "16x8x16".
Result<std::array<i64, 3>> atomShape(const AtlasRow& atom) {
  std::array<i64, 3> mnk{};
  const char* at = atom.shape.data();
  const char* end = at + atom.shape.size();
  for (std::size_t i = 0; i < 3; ++i) {
    auto [next, error] = std::from_chars(at, end, mnk[i]);
    if (error != std::errc() || (i < 2 && (next == end || *next != 'x')))
      return Diag{fmt::format("{} is no matrix product", atom.name), "an mma, wgmma or tcgen05.mma", "", {}};
    at = next + 1;
  }
  return mnk;
}

struct Side {
  const char* operand;
  std::array<std::size_t, 2> modes;  // of M N K
};

// thrfrg: the tile (rows, columns) as ((ThrV,(ThrR,ThrC)),(FrgV,(RestR,RestC))).
Result<CuteLayout> threadFragment(const Side& side, const AtlasRow& atom, const std::array<i64, 3>& shape,
                                  const std::array<CuteLayout, 3>& tilers, const CuteLayout& threads,
                                  const std::array<i64, 3>& tile) {
  TESSERA_TRY(CuteLayout reference,
              CuteLayout::compact(IntTuple::tuple({IntTuple(tile[side.modes[0]]), IntTuple(tile[side.modes[1]])})));
  std::vector<CuteLayout> atoms, threadModes, restModes;
  for (int i = 0; i < 2; ++i) {
    const std::size_t m = side.modes[static_cast<std::size_t>(i)];
    TESSERA_TRY(CuteLayout permuted, logicalDivide(reference.mode(i), tilers[m]));
    TESSERA_TRY(CuteLayout divided, logicalDivide(permuted, contiguous(shape[m])));
    TESSERA_TRY(CuteLayout spread,
                logicalDivide(divided.mode(1), contiguous(threads.mode(static_cast<int>(m) + 1).size())));
    atoms.push_back(divided.mode(0));
    threadModes.push_back(spread.mode(0));
    restModes.push_back(spread.mode(1));
  }
  TESSERA_TRY(AtlasOperand operand, findOperand(atom, side.operand));
  TESSERA_TRY(CuteLayout atomTv, threadValue(operand));
  TESSERA_TRY(CuteLayout atomTile, makeLayout(atoms));
  TESSERA_TRY(CuteLayout tv, composition(atomTile, atomTv));
  TESSERA_TRY(CuteLayout threadRest, makeLayout(threadModes));
  TESSERA_TRY(CuteLayout valueRest, makeLayout(restModes));
  TESSERA_TRY(CuteLayout thread, makeLayout({tv.mode(0), threadRest}));
  TESSERA_TRY(CuteLayout value, makeLayout({tv.mode(1), valueRest}));
  return makeLayout({thread, value});
}

// The thread mode indexed by thread number; `broadcast` says which of M and N an operand ignores.
Result<CuteLayout> byThread(const CuteLayout& fragment, const CuteLayout& threads, const CuteLayout* broadcast) {
  CuteLayout layout = fragment;
  if (broadcast != nullptr) {
    TESSERA_TRY(layout, composition(layout, Tiler{{nested({whole(), nested({by(*broadcast), whole()})}), whole()}}));
  }
  TESSERA_TRY(CuteLayout threadOf, rightInverse(threads));
  return composition(layout, Tiler{{by(threadOf), whole()}});
}

}  // namespace

Result<TiledMma> makeTiledMma(const AtlasRow& atom, const CuteLayout& atomLayout,
                              const std::array<std::optional<CuteLayout>, 3>& permutation) {
  TESSERA_TRY(auto shape, atomShape(atom));
  TESSERA_CHECKED(requirePlain(atomLayout, "make_tiled_mma"));
  if (atomLayout.rank() != 3)
    return Diag{fmt::format("the atom layout {} has {} modes", print(atomLayout), atomLayout.rank()),
                "three modes: atoms along M, N and K",
                "(2,2,1)",
                {}};
  TESSERA_TRY(CuteLayout threadId, parseCuteLayout(atom.threadId));
  TiledMma out;
  out.atom = atom;
  TESSERA_TRY(out.threads, tiledProduct(threadId, atomLayout));
  std::array<CuteLayout, 3> tilers;
  for (std::size_t i = 0; i < 3; ++i) {
    const i64 plain = shape[i] * out.threads.mode(static_cast<int>(i) + 1).size();
    tilers[i] = permutation[i] ? *permutation[i] : contiguous(plain);
    TESSERA_CHECKED(requirePlain(tilers[i], "make_tiled_mma"));
    out.tile[i] = tilers[i].size();
    if (out.tile[i] % plain != 0)
      return Diag{fmt::format("a tile of {} along {} for atoms that take {}", out.tile[i], "MNK"[i], plain),
                  fmt::format("a multiple of {}", plain),
                  "",
                  {}};
  }
  const IntTuple mn = IntTuple::tuple({IntTuple(out.threads.mode(1).size()), IntTuple(out.threads.mode(2).size())});
  TESSERA_TRY(CuteLayout alongM, CuteLayout::make(mn, IntTuple::tuple({IntTuple(1), IntTuple(0)})));
  TESSERA_TRY(CuteLayout alongN, CuteLayout::make(mn, IntTuple::tuple({IntTuple(0), IntTuple(1)})));
  TESSERA_TRY(CuteLayout a, threadFragment({"A", {0, 2}}, atom, shape, tilers, out.threads, out.tile));
  TESSERA_TRY(CuteLayout b, threadFragment({"B", {1, 2}}, atom, shape, tilers, out.threads, out.tile));
  TESSERA_TRY(CuteLayout c, threadFragment({"C", {0, 1}}, atom, shape, tilers, out.threads, out.tile));
  TESSERA_TRY(out.a, byThread(a, out.threads, &alongM));
  TESSERA_TRY(out.b, byThread(b, out.threads, &alongN));
  TESSERA_TRY(out.c, byThread(c, out.threads, nullptr));
  return out;
}

namespace {

// One side of a tiled copy: the atom's ref -> side map, spread over the tile.
Result<CuteLayout> copySide(const TiledCopy& copy, const CuteLayout& reference, std::string_view operand) {
  TESSERA_TRY(AtlasOperand side, findOperand(copy.atom, operand));
  TESSERA_TRY(CuteLayout bits, threadValue(side));
  TESSERA_TRY(CuteLayout target, upcast(bits, copy.elementBits));
  TESSERA_TRY(CuteLayout inverse, rightInverse(reference));
  TESSERA_TRY(CuteLayout refToTarget, composition(inverse, target));
  std::vector<CuteLayout> atomModes, restModes;
  for (int i = 0; i < 2; ++i) {
    TESSERA_TRY(CuteLayout divided, logicalDivide(copy.threadValue.mode(i), contiguous(reference.mode(i).size())));
    atomModes.push_back(divided.mode(0));
    restModes.push_back(divided.mode(1));
  }
  TESSERA_TRY(CuteLayout atom, makeLayout(atomModes));
  TESSERA_TRY(CuteLayout tv, composition(atom, refToTarget));
  TESSERA_TRY(CuteLayout thread, makeLayout({tv.mode(0), restModes[0]}));
  TESSERA_TRY(CuteLayout value, makeLayout({tv.mode(1), restModes[1]}));
  TESSERA_TRY(CuteLayout zipped, makeLayout({thread, value}));
  const IntTuple one(1);
  TESSERA_TRY(CuteLayout flat, coalesce(zipped, IntTuple::tuple({one, IntTuple::tuple({one, one})})));
  TESSERA_TRY(CuteLayout tile, CuteLayout::compact(IntTuple::tuple({IntTuple(copy.tile[0]), IntTuple(copy.tile[1])})));
  return composition(tile, flat);
}

}  // namespace

Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const CuteLayout& threadValueOfTile,
                                std::array<i64, 2> tile) {
  TESSERA_CHECKED(requirePlain(threadValueOfTile, "make_tiled_copy"));
  TESSERA_TRY(AtlasOperand ref, findOperand(atom, "ref"));
  TESSERA_TRY(CuteLayout bits, threadValue(ref));
  if (threadValueOfTile.rank() != 2)
    return Diag{
        fmt::format("{} is no thread-value layout", print(threadValueOfTile)), "two modes: (thread, value)", "", {}};
  TESSERA_TRY(CuteLayout reference, upcast(bits, elementBits));
  for (int i = 0; i < 2; ++i)
    if (threadValueOfTile.mode(i).size() % reference.mode(i).size() != 0)
      return Diag{fmt::format("{} takes {} {} of {} bits, the tile has {}", atom.name, reference.mode(i).size(),
                              i == 0 ? "threads" : "values", elementBits, threadValueOfTile.mode(i).size()),
                  fmt::format("a multiple of {}", reference.mode(i).size()),
                  "",
                  {}};
  TiledCopy out;
  out.atom = atom;
  out.elementBits = elementBits;
  out.tile = tile;
  out.threadValue = threadValueOfTile;
  TESSERA_TRY(out.source, copySide(out, reference, "src"));
  TESSERA_TRY(out.destination, copySide(out, reference, "dst"));
  return out;
}

Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const CuteLayout& threads,
                                const CuteLayout& values) {
  TESSERA_TRY(CuteLayout raked, rakedProduct(threads, values));
  if (raked.rank() != 2)
    return Diag{fmt::format("threads {} and values {} span {} modes", print(threads), print(values), raked.rank()),
                "rows and columns",
                "",
                {}};
  TESSERA_TRY(CuteLayout inverse, rightInverse(raked));
  TESSERA_TRY(CuteLayout shape,
              CuteLayout::compact(IntTuple::tuple({IntTuple(threads.size()), IntTuple(values.size())})));
  TESSERA_TRY(CuteLayout tv, composition(inverse, shape));
  return makeTiledCopy(atom, elementBits, tv, {raked.mode(0).size(), raked.mode(1).size()});
}

}  // namespace tessera
