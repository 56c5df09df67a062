#include "core/atlas/tiled.h"

#include <fmt/format.h>

#include <charconv>

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

// "16x8x16".
Result<std::array<i64, 3>> atomShape(const AtlasRow& atom) {
  std::array<i64, 3> mnk{};
  const char* at = atom.shape.data();
  const char* end = at + atom.shape.size();
  for (std::size_t i = 0; i < 3; ++i) {
    auto [next, error] = std::from_chars(at, end, mnk[i]);
    if (error != std::errc() || (i < 2 && (next == end || *next != 'x')))
      return Diag{fmt::format("{} is not a matrix product", atom.name), "an mma, wgmma or tcgen05.mma"};
    at = next + 1;
  }
  return mnk;
}

struct Side {
  const char* operand;
  std::array<std::size_t, 2> modes;  // of M N K
};

// thrfrg: the tile (rows, columns) as ((ThrV,(ThrR,ThrC)),(FrgV,(RestR,RestC))).
Result<cute::Layout> threadFragment(const Side& side, const AtlasRow& atom, const std::array<i64, 3>& shape,
                                    const std::array<cute::Layout, 3>& tilers, const cute::Layout& threads,
                                    const std::array<i64, 3>& tile) {
  TESSERA_TRY(cute::Layout reference, cute::Layout::compact(pairOf(tile[side.modes[0]], tile[side.modes[1]])));
  std::vector<cute::Layout> atoms, threadModes, restModes;
  for (int i = 0; i < 2; ++i) {
    const std::size_t m = side.modes[static_cast<std::size_t>(i)];
    TESSERA_TRY(cute::Layout permuted, logicalDivide(reference.mode(i), tilers[m]));
    TESSERA_TRY(cute::Layout divided, logicalDivide(permuted, contiguous(shape[m])));
    TESSERA_TRY(cute::Layout spread,
                logicalDivide(divided.mode(1), contiguous(threads.mode(static_cast<int>(m) + 1).size())));
    atoms.push_back(divided.mode(0));
    threadModes.push_back(spread.mode(0));
    restModes.push_back(spread.mode(1));
  }
  TESSERA_TRY(AtlasOperand operand, findOperand(atom, side.operand));
  TESSERA_TRY(cute::Layout atomTv, threadValue(operand));
  TESSERA_TRY(cute::Layout atomTile, cute::makeLayout(atoms));
  TESSERA_TRY(cute::Layout tv, composition(atomTile, atomTv));
  TESSERA_TRY(cute::Layout threadRest, cute::makeLayout(threadModes));
  TESSERA_TRY(cute::Layout valueRest, cute::makeLayout(restModes));
  TESSERA_TRY(cute::Layout thread, cute::makeLayout({tv.mode(0), threadRest}));
  TESSERA_TRY(cute::Layout value, cute::makeLayout({tv.mode(1), valueRest}));
  return cute::makeLayout({thread, value});
}

// The thread mode indexed by thread number; `broadcast`: which of M and N an operand ignores.
Result<cute::Layout> byThread(const cute::Layout& fragment, const cute::Layout& threads,
                              const cute::Layout* broadcast) {
  cute::Layout layout = fragment;
  if (broadcast != nullptr) {
    TESSERA_TRY(layout,
                composition(layout, cute::Tiler{{nested({whole(), nested({by(*broadcast), whole()})}), whole()}}));
  }
  TESSERA_TRY(cute::Layout threadOf, rightInverse(threads));
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

// One side of a tiled copy: the atom's ref -> side map, spread over the tile.
Result<cute::Layout> copySide(const TiledCopy& copy, const cute::Layout& reference, std::string_view operand) {
  TESSERA_TRY(AtlasOperand side, findOperand(copy.atom, operand));
  TESSERA_TRY(cute::Layout bits, threadValue(side));
  TESSERA_TRY(cute::Layout target, upcast(bits, copy.elementBits));
  TESSERA_TRY(cute::Layout inverse, rightInverse(reference));
  TESSERA_TRY(cute::Layout refToTarget, composition(inverse, target));
  std::vector<cute::Layout> atomModes, restModes;
  for (int i = 0; i < 2; ++i) {
    TESSERA_TRY(cute::Layout divided, logicalDivide(copy.threadValue.mode(i), contiguous(reference.mode(i).size())));
    atomModes.push_back(divided.mode(0));
    restModes.push_back(divided.mode(1));
  }
  TESSERA_TRY(cute::Layout atom, cute::makeLayout(atomModes));
  TESSERA_TRY(cute::Layout tv, composition(atom, refToTarget));
  TESSERA_TRY(cute::Layout thread, cute::makeLayout({tv.mode(0), restModes[0]}));
  TESSERA_TRY(cute::Layout value, cute::makeLayout({tv.mode(1), restModes[1]}));
  TESSERA_TRY(cute::Layout zipped, cute::makeLayout({thread, value}));
  TESSERA_TRY(cute::Layout flat, coalesce(zipped, cute::IntTuple::tuple({cute::IntTuple(1), pairOf(1, 1)})));
  TESSERA_TRY(cute::Layout tile, cute::Layout::compact(pairOf(copy.tile[0], copy.tile[1])));
  return composition(tile, flat);
}

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
  TESSERA_TRY(out.threads, tiledProduct(threadId, atomLayout));
  std::array<cute::Layout, 3> tilers;
  for (std::size_t i = 0; i < 3; ++i) {
    const i64 plain = shape[i] * out.threads.mode(static_cast<int>(i) + 1).size();
    tilers[i] = permutation[i] ? *permutation[i] : contiguous(plain);
    TESSERA_CHECKED(requirePlain(tilers[i], "make_tiled_mma"));
    out.tile[i] = tilers[i].size();
    if (out.tile[i] % plain != 0)
      return Diag{fmt::format("a tile of {} along {} for atoms that take {}", out.tile[i], "MNK"[i], plain),
                  fmt::format("a multiple of {}", plain)};
  }
  const cute::IntTuple mn = pairOf(out.threads.mode(1).size(), out.threads.mode(2).size());
  TESSERA_TRY(cute::Layout alongM, cute::Layout::make(mn, pairOf(1, 0)));
  TESSERA_TRY(cute::Layout alongN, cute::Layout::make(mn, pairOf(0, 1)));
  TESSERA_TRY(cute::Layout a, threadFragment({"A", {0, 2}}, atom, shape, tilers, out.threads, out.tile));
  TESSERA_TRY(cute::Layout b, threadFragment({"B", {1, 2}}, atom, shape, tilers, out.threads, out.tile));
  TESSERA_TRY(cute::Layout c, threadFragment({"C", {0, 1}}, atom, shape, tilers, out.threads, out.tile));
  TESSERA_TRY(out.a, byThread(a, out.threads, &alongM));
  TESSERA_TRY(out.b, byThread(b, out.threads, &alongN));
  TESSERA_TRY(out.c, byThread(c, out.threads, nullptr));
  return out;
}

Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threadValueOfTile,
                                std::array<i64, 2> tile) {
  TESSERA_CHECKED(requirePlain(threadValueOfTile, "make_tiled_copy"));
  TESSERA_TRY(AtlasOperand ref, findOperand(atom, "ref"));
  TESSERA_TRY(cute::Layout bits, threadValue(ref));
  if (threadValueOfTile.rank() != 2)
    return Diag{fmt::format("{} is not a thread-value layout", print(threadValueOfTile)), "two modes: (thread, value)"};
  TESSERA_TRY(cute::Layout reference, upcast(bits, elementBits));
  for (int i = 0; i < 2; ++i)
    if (threadValueOfTile.mode(i).size() % reference.mode(i).size() != 0)
      return Diag{fmt::format("{} takes {} {} of {} bits, the tile has {}", atom.name, reference.mode(i).size(),
                              i == 0 ? "threads" : "values", elementBits, threadValueOfTile.mode(i).size()),
                  fmt::format("a multiple of {}", reference.mode(i).size())};
  TiledCopy out;
  out.atom = atom;
  out.elementBits = elementBits;
  out.tile = tile;
  out.threadValue = threadValueOfTile;
  TESSERA_TRY(out.source, copySide(out, reference, "src"));
  TESSERA_TRY(out.destination, copySide(out, reference, "dst"));
  return out;
}

Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threads,
                                const cute::Layout& values) {
  TESSERA_TRY(cute::Layout raked, rakedProduct(threads, values));
  if (raked.rank() != 2)
    return Diag{fmt::format("threads {} and values {} span {} modes", print(threads), print(values), raked.rank()),
                "rows and columns"};
  TESSERA_TRY(cute::Layout inverse, rightInverse(raked));
  TESSERA_TRY(cute::Layout shape, cute::Layout::compact(pairOf(threads.size(), values.size())));
  TESSERA_TRY(cute::Layout tv, composition(inverse, shape));
  return makeTiledCopy(atom, elementBits, tv, {raked.mode(0).size(), raked.mode(1).size()});
}

}  // namespace tessera
