#include "core/atlas/partition.h"

#include <fmt/format.h>

#include <charconv>

#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/vector.h"

namespace tessera {
namespace {

using cute::IntTuple;

cute::TilerEntry count(i64 n) {
  return {cute::TilerEntry::Kind::Layout, *cute::Layout::make(IntTuple(n), IntTuple(1)), true, {}};
}

// The modes of M, N and K that an operand has, as rows and columns.
Result<std::array<std::size_t, 2>> modesOf(char operand) {
  switch (operand) {
    case 'A':
      return std::array<std::size_t, 2>{0, 2};
    case 'B':
      return std::array<std::size_t, 2>{1, 2};
    case 'C':
      return std::array<std::size_t, 2>{0, 1};
    default:
      return Diag{fmt::format("an mma has no operand {}", operand), "A, B or C"};
  }
}

Result<void> requireModes(const cute::Layout& layout, int modes, std::string_view what) {
  TESSERA_CHECKED(requireKnown(layout, "a partition"));
  if (layout.rank() >= modes) return {};
  return Diag{fmt::format("{} has {} mode{}, and {} has {}", print(layout), layout.rank(),
                          layout.rank() == 1 ? "" : "s", what, modes),
              fmt::format("a tensor of at least {} modes", modes)};
}

// Mode 0 composed with `inner`; the other modes stay.
Result<cute::Layout> composedFirst(const cute::Layout& layout, const cute::Layout& inner) {
  TESSERA_TRY(cute::Layout first, composition(layout.mode(0), inner));
  std::vector<cute::Layout> modes = layout.modes();
  modes[0] = std::move(first);
  return cute::makeLayout(modes);
}

Result<cute::Layout> referenceOf(const TiledCopy& copy) {
  TESSERA_TRY(AtlasOperand operand, findOperand(copy.atom, "ref"));
  TESSERA_TRY(const cute::Layout bits, threadValue(operand));
  return upcast(bits, copy.elementBits);
}

// The shapes of the tiler's entries: (64,32).
IntTuple shapeOf(const cute::Tiler& tiler) {
  std::vector<IntTuple> shapes;
  for (const cute::TilerEntry& entry : tiler.entries) shapes.push_back(entry.layout.shape());
  return IntTuple::tuple(std::move(shapes));
}

}  // namespace

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

cute::TilerEntry permutationOf(const TiledMma& mma, std::size_t k) {
  if (k < mma.permutation.entries.size() && mma.permutation.entries[k].kind == cute::TilerEntry::Kind::Layout)
    return mma.permutation.entries[k];
  return count(mma.tile[k]);
}

i64 threadsOf(const TiledMma& mma) { return mma.threads.size(); }
i64 threadsOf(const TiledCopy& copy) { return copy.threadValue.mode(0).size(); }

Result<void> requireThread(i64 thread, i64 threads, std::string_view noun) {
  if (thread >= 0 && thread < threads) return {};
  return Diag{fmt::format("thread {} of {} of {} threads", thread, noun, threads), fmt::format("0 to {}", threads - 1)};
}

Result<cute::Layout> thrfrg(const TiledMma& mma, char operand, const cute::Layout& layout) {
  TESSERA_TRY(const auto modes, modesOf(operand));
  TESSERA_CHECKED(requireModes(layout, 2, fmt::format("operand {}", operand)));
  TESSERA_TRY(const auto shape, atomShape(mma.atom));
  TESSERA_TRY(const AtlasOperand atom, findOperand(mma.atom, std::string_view(&operand, 1)));
  TESSERA_TRY(const cute::Layout atomValues, threadValue(atom));
  cute::Tiler permutation, atoms, warps;
  for (const std::size_t m : modes) {
    permutation.entries.push_back(permutationOf(mma, m));
    atoms.entries.push_back(count(shape[m]));
    warps.entries.push_back(count(mma.threads.mode(static_cast<int>(m) + 1).size()));
  }
  TESSERA_TRY(const cute::Layout permuted, logicalDivide(layout, permutation));
  TESSERA_TRY(const cute::Layout divided, zippedDivide(permuted, atoms));
  TESSERA_TRY(const cute::Layout held, composition(divided.mode(0), atomValues));
  TESSERA_TRY(const cute::Layout spread, zippedDivide(divided.mode(1), warps));
  TESSERA_TRY(const cute::Layout thread, cute::makeLayout({held.mode(0), spread.mode(0)}));
  TESSERA_TRY(const cute::Layout value, cute::makeLayout({held.mode(1), spread.mode(1)}));
  return cute::makeLayout({thread, value});
}

Result<IntTuple> threadCoordinate(const TiledMma& mma, i64 thread) {
  TESSERA_CHECKED(requireThread(thread, threadsOf(mma), "a tiled mma"));
  return cute::flatCoordinate(mma.threads, thread);
}

Result<cute::Tensor> partition(const TiledMma& mma, char operand, i64 thread, const cute::Tensor& tensor) {
  TESSERA_TRY(const auto modes, modesOf(operand));
  TESSERA_TRY(const IntTuple at, threadCoordinate(mma, thread));
  TESSERA_TRY(const cute::Tensor divided, withLayout(tensor, thrfrg(mma, operand, tensor.layout)));
  const auto along = [&](std::size_t m) { return at.mode(static_cast<int>(m) + 1); };
  const IntTuple who = IntTuple::tuple({at.mode(0), IntTuple::tuple({along(modes[0]), along(modes[1])})});
  const IntTuple all = IntTuple::tuple({IntTuple::wildcard(), cute::wildcards(divided.layout.mode(1).mode(1).rank())});
  return slice(IntTuple::tuple({who, all}), divided);
}

Result<IntTuple> partitionShape(const TiledMma& mma, char operand, const IntTuple& shape) {
  TESSERA_TRY(cute::Layout compact, cute::Layout::compact(shape));
  TESSERA_TRY(const cute::Tensor part, partition(mma, operand, 0, cute::tensorOf(std::move(compact))));
  return part.layout.shape();
}

bool hasDescriptors(const TiledMma& mma, char operand) {
  const Result<AtlasOperand> atom = findOperand(mma.atom, std::string_view(&operand, 1));
  return atom && atom->space == OperandSpace::Shared;
}

Result<cute::Layout> fragment(const TiledMma& mma, char operand, const cute::Layout& part) {
  TESSERA_TRY(const AtlasOperand atom, findOperand(mma.atom, std::string_view(&operand, 1)));
  if (atom.space == OperandSpace::Tensor)
    return Diag{fmt::format("operand {} of {} is in tensor memory, not in registers", operand, mma.atom.name),
                "an operand in registers or shared memory", "tmem_layout(TYPE, M, N) is an accumulator's layout"};
  if (operand == 'C') return cute::Layout::compact(part.shape());
  if (atom.space != OperandSpace::Shared) return makeFragmentLike(part);
  TESSERA_TRY(const int bits, elementBits(atom.element));
  if (128 % bits != 0) return Diag{fmt::format("16 bytes hold no whole number of elements of {} bits", bits), "a type"};
  std::vector<cute::Layout> modes = part.modes();
  modes[0] = cute::Layout();
  for (std::size_t k = 1; k < modes.size(); ++k) {
    TESSERA_TRY(modes[k], upcast(modes[k], 128 / bits));
  }
  return cute::makeLayout(modes);
}

Result<cute::Layout> threadValueOfTile(const TiledCopy& copy, CopySide side) {
  TESSERA_TRY(const AtlasOperand operand, findOperand(copy.atom, side == CopySide::Source ? "src" : "dst"));
  TESSERA_TRY(const cute::Layout bits, threadValue(operand));
  TESSERA_TRY(const cute::Layout target, upcast(bits, copy.elementBits));
  TESSERA_TRY(const cute::Layout reference, referenceOf(copy));
  TESSERA_TRY(const cute::Layout inverse, rightInverse(reference));
  TESSERA_TRY(const cute::Layout refToTarget, composition(inverse, target));
  const cute::Tiler atoms{{count(reference.mode(0).size()), count(reference.mode(1).size())}};
  TESSERA_TRY(const cute::Layout divided, zippedDivide(copy.threadValue, atoms));
  TESSERA_TRY(const cute::Layout held, composition(divided.mode(0), refToTarget));
  TESSERA_TRY(const cute::Layout thread, cute::makeLayout({held.mode(0), divided.mode(1).mode(0)}));
  TESSERA_TRY(const cute::Layout value, cute::makeLayout({held.mode(1), divided.mode(1).mode(1)}));
  TESSERA_TRY(const cute::Layout zipped, cute::makeLayout({thread, value}));
  const IntTuple profile = IntTuple::tuple({IntTuple(1), IntTuple::tuple({IntTuple(1), IntTuple(1)})});
  return coalesce(zipped, profile);
}

Result<cute::Layout> tidfrg(const TiledCopy& copy, CopySide side, const cute::Layout& layout) {
  TESSERA_CHECKED(requireModes(layout, static_cast<int>(copy.tiler.entries.size()), "the tile"));
  TESSERA_TRY(const cute::Layout tile, threadValueOfTile(copy, side));
  TESSERA_TRY(const cute::Layout divided, zippedDivide(layout, copy.tiler));
  TESSERA_TRY(const cute::Layout held, composedFirst(divided, tile));
  return cute::makeLayout({held.mode(0).mode(0), held.mode(0).mode(1), held.mode(1)});
}

Result<cute::Tensor> partition(const TiledCopy& copy, CopySide side, i64 thread, const cute::Tensor& tensor) {
  TESSERA_CHECKED(requireThread(thread, threadsOf(copy), "a tiled copy"));
  TESSERA_TRY(const cute::Tensor divided, withLayout(tensor, tidfrg(copy, side, tensor.layout)));
  const IntTuple rest = cute::wildcards(divided.layout.mode(2).rank());
  return slice(IntTuple::tuple({IntTuple(thread), IntTuple::wildcard(), rest}), divided);
}

Result<cute::Layout> retile(const TiledCopy& copy, const cute::Layout& registers) {
  TESSERA_CHECKED(requireModes(registers, static_cast<int>(copy.tiler.entries.size()) + 1, "a retiled fragment"));
  const i64 values = registers.mode(0).size();
  TESSERA_TRY(const cute::Layout tile, cute::Layout::compact(shapeOf(copy.tiler)));
  TESSERA_TRY(const cute::Layout inverse, rightInverse(copy.threadValue));
  TESSERA_TRY(const cute::Layout owners, composition(inverse, tile));
  TESSERA_TRY(const cute::Layout order, upcast(owners, threadsOf(copy) * values));
  TESSERA_TRY(const cute::Layout places, rightInverse(order));
  TESSERA_TRY(const cute::Layout first, cute::Layout::compact(IntTuple(values)));
  TESSERA_TRY(const cute::Layout product, logicalProduct(first, places));
  TESSERA_TRY(const cute::Layout reference, referenceOf(copy));
  TESSERA_TRY(const cute::Layout atoms, cute::Layout::compact(IntTuple(reference.mode(1).size())));
  TESSERA_TRY(const cute::Layout byAtom, zippedDivide(product, atoms));
  cute::Tiler tiler{{count(values)}};
  TESSERA_TRY(const IntTuple extents, productEach(order.shape()));
  for (int k = 0; k < extents.rank(); ++k) tiler.entries.push_back(count(extents.mode(k).value()));
  TESSERA_TRY(const cute::Layout divided, zippedDivide(registers, tiler));
  TESSERA_TRY(const cute::Layout held, composedFirst(divided, byAtom));
  std::vector<cute::Layout> modes{held.mode(0)};
  for (int k = 1; k < held.mode(1).rank(); ++k) modes.push_back(held.mode(1).mode(k));
  return cute::makeLayout(modes);
}

}  // namespace tessera
