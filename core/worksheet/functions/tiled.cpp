// The parts of a tiled mma or copy, by CuTe's names for them, and tiled copies.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/atlas/cutlass.h"
#include "core/atlas/partition.h"
#include "core/notation/cute/algebra/vector.h"
#include "core/worksheet/functions/tiled_values.h"
#include "core/worksheet/functions/typed.h"

namespace tessera {
namespace {

Value layoutValue(const cute::TilerEntry& entry) {
  if (entry.fromInteger) return normalised(entry.layout.shape());
  return Value(entry.layout);
}
Value extentsOf(const std::vector<i64>& numbers) { return tupleOf(numbers); }

// Argument 0 is a tiled mma; template argument or argument 1 is a mode.
Result<std::size_t> modeAt(const Call& c, std::size_t modes) {
  TESSERA_TRY(const std::vector<i64> path, c.numbers(1));
  if (path.size() == 1 && path[0] >= 0 && path[0] < static_cast<i64>(modes)) return static_cast<std::size_t>(path[0]);
  return Diag{fmt::format("{} takes one mode", c.function),
              fmt::format("{0}<0>(X), to {0}<{1}>(X)", c.function, modes - 1)};
}

std::vector<i64> tileOf(const Value& value) {
  if (const TiledMma* mma = mmaIn(value)) return {mma->tile.begin(), mma->tile.end()};
  std::vector<i64> sizes;
  if (const TiledCopy* copy = copyIn(value))
    for (const cute::TilerEntry& entry : copy->tiler.entries) sizes.push_back(entry.layout.size());
  return sizes;
}
Result<Value> tileShape(const Call& c) {
  const std::vector<i64> sizes = tileOf(c[0]);
  if (sizes.empty()) return c.wrong(0, "a tiled mma or a tiled copy");
  return extentsOf(sizes);
}
Result<Value> tileSize(const Call& c) {
  const std::vector<i64> sizes = tileOf(c[0]);
  if (sizes.empty()) return c.wrong(0, "a tiled mma or a tiled copy");
  TESSERA_TRY(const std::size_t k, modeAt(c, sizes.size()));
  return Value(sizes[k]);
}
Result<Value> permutationCall(const Call& c) {
  TESSERA_TRY(const TiledMma* mma, mmaAt(c, 0));
  if (c.count() == 1 && c.templateArgs.empty()) return Value(mma->permutation);
  TESSERA_TRY(const std::size_t k, modeAt(c, 3));
  return layoutValue(permutationOf(*mma, k));
}

// size(mma), size<1>(mma), size(copy): threads.
Result<Value> threadCount(const Call& c) {
  if (const TiledCopy* copy = copyIn(c[0])) return Value(threadsOf(*copy));
  TESSERA_TRY(const TiledMma* mma, mmaAt(c, 0));
  cute::Layout layout = mma->threads;
  TESSERA_TRY(const std::vector<i64> path, c.numbers(1));
  for (const i64 mode : path) {
    if (mode < 0 || mode >= layout.rank())
      return Diag{fmt::format("mode {} of {}", mode, print(layout)), fmt::format("0 to {}", layout.rank() - 1)};
    layout = layout.mode(static_cast<int>(mode));
  }
  return Value(layout.size());
}

Result<Value> copyTiler(const Call& c) {
  TESSERA_TRY(const TiledCopy* copy, copyAt(c, 0));
  const auto isExtent = [](const cute::TilerEntry& entry) { return entry.fromInteger; };
  if (!std::ranges::all_of(copy->tiler.entries, isExtent)) return Value(copy->tiler);
  return extentsOf(tileOf(c[0]));
}

template <auto Member>
Result<Value> ofMma(const Call& c) {
  TESSERA_TRY(const TiledMma* mma, mmaAt(c, 0));
  return Value(mma->*Member);
}
template <auto Member>
Result<Value> ofCopy(const Call& c) {
  TESSERA_TRY(const TiledCopy* copy, copyAt(c, 0));
  return Value(copy->*Member);
}

// The atom: of a tiled mma or copy, or an instruction itself.
Result<AtlasRow> atomAt(const Call& c) {
  if (const TiledMma* mma = mmaIn(c[0])) return mma->atom;
  if (const TiledCopy* copy = copyIn(c[0])) return copy->atom;
  if (const auto* row = as<AtlasRow>(c[0])) return *row;
  if (const auto* text = std::get_if<Text>(&c[0])) return c.at(0, findInstruction(text->text));
  return c.wrong(0, "a tiled mma, a tiled copy or an instruction");
}
Result<Value> atomCall(const Call& c) {
  TESSERA_TRY(AtlasRow row, atomAt(c));
  return Value(std::move(row));
}
Result<Value> atomShapeCall(const Call& c) {
  TESSERA_TRY(const AtlasRow row, atomAt(c));
  TESSERA_TRY(const auto mnk, c.at(0, atomShape(row)));
  return extentsOf({mnk.begin(), mnk.end()});
}
Result<Value> atomThreads(const Call& c) {
  TESSERA_TRY(const AtlasRow row, atomAt(c));
  return wrapped(cute::parseLayout(row.threadId));
}
template <char Operand>
Result<Value> atomLayout(const Call& c) {
  TESSERA_TRY(const AtlasRow row, atomAt(c));
  const char name = Operand;
  TESSERA_TRY(const AtlasOperand operand, c.at(0, findOperand(row, std::string_view(&name, 1))));
  return wrapped(threadValue(operand));
}
constexpr std::array<std::string_view, 3> kCopyOperands = {"src", "dst", "ref"};
template <std::size_t K>
Result<Value> copyAtomLayout(const Call& c) {
  TESSERA_TRY(const TiledCopy* copy, copyAt(c, 0));
  TESSERA_TRY(const AtlasOperand operand, findOperand(copy->atom, kCopyOperands[K]));
  TESSERA_TRY(const cute::Layout bits, threadValue(operand));
  return wrapped(upcast(bits, copy->elementBits));
}

Result<Value> threadIndex(const Call& c) {
  if (const ThreadSlice* slice = sliceIn(c[0])) return Value(slice->thread);
  return c.wrong(0, "one thread of a tiled mma or copy, X.get_slice(5)");
}
Result<Value> threadVmnk(const Call& c) {
  TESSERA_TRY(const ThreadSlice* slice, sliceAt(c, true));
  return valued(threadCoordinate(std::get<TiledMma>(slice->of), slice->thread));
}

// ---- tiled copies made from other tiled atoms

struct CopyAtom {
  AtlasRow row;
  int bits = 0;
};
// AutoVectorizingCopy spreads its threads by single elements; how many it moves at once follows from the tensors.
CopyAtom ofBits(AtlasRow row, int bits) {
  if (row.name == "AutoVectorizingCopy")
    for (AtlasOperand& operand : row.operands) operand.layout = fmt::format("(1,{}):(0,1)", bits);
  return {std::move(row), bits};
}

// The atom, and the bits of the elements: of Copy_Atom<OP, T>, or argument 1 if it is a type.
Result<CopyAtom> copyAtomAt(const Call& c, bool typed) {
  std::string text;
  AtlasRow row;
  if (const auto* known = as<AtlasRow>(c[0])) {
    row = *known;
  } else {
    TESSERA_TRY(text, c.word(0));
    TESSERA_TRY(row, c.at(0, findInstruction(text)));
  }
  if (typed) {
    if (const auto* bits = std::get_if<i64>(&c[1]))
      return ofBits(std::move(row), static_cast<int>(std::clamp<i64>(*bits, 1, 128)));
    TESSERA_TRY(const std::string type, c.word(1));
    TESSERA_TRY(const int bits, c.at(1, elementBits(type)));
    return ofBits(std::move(row), bits);
  }
  if (const auto bits = copyAtomBits(text)) return ofBits(std::move(row), *bits);
  return c.at(0, Diag{fmt::format("{} needs the element type", c.function),
                      "Copy_Atom<OPERATION, half_t>{}, or a type after the atom"});
}

template <auto Member, std::size_t First, std::size_t Second>
Result<Value> copyOfOperand(const Call& c) {
  TESSERA_TRY(const CopyAtom atom, copyAtomAt(c, c.count() == 3));
  TESSERA_TRY(const TiledMma* mma, mmaAt(c, c.count() - 1));
  return wrapped(makeTiledCopy(atom.row, atom.bits, mma->*Member, {mma->tile[First], mma->tile[Second]}));
}
Result<Value> copyOfAtom(const Call& c) {
  TESSERA_TRY(const CopyAtom atom, copyAtomAt(c, c.count() == 3));
  TESSERA_TRY(const TiledMma* mma, mmaAt(c, c.count() - 1));
  return wrapped(makeTiledCopyOfAtom(atom.row, atom.bits, *mma));
}
template <auto Member>
Result<Value> copyOfCopy(const Call& c) {
  TESSERA_TRY(const CopyAtom atom, copyAtomAt(c, c.count() == 3));
  TESSERA_TRY(const TiledCopy* copy, copyAt(c, c.count() - 1));
  return wrapped(makeTiledCopy(atom.row, atom.bits, copy->*Member, copy->tiler));
}
// make_tiled_copy(ATOM, [TYPE,] threads[, values]).
Result<Value> tiledCopyCall(const Call& c) {
  const bool typed = c.count() > 2 && (std::get_if<Text>(&c[1]) != nullptr || (c.count() == 4 && is<i64>(c[1])));
  TESSERA_TRY(const CopyAtom atom, copyAtomAt(c, typed));
  const std::size_t first = typed ? 2 : 1;
  TESSERA_TRY(const cute::Layout threads, c.layout(first));
  cute::Layout values = *cute::Layout::compact(cute::IntTuple(1));
  if (c.count() > first + 1) {
    TESSERA_TRY(values, c.layout(first + 1));
  }
  return wrapped(makeTiledCopy(atom.row, atom.bits, threads, values));
}
Result<Value> tiledCopyOfLayout(const Call& c) {
  const bool typed = c.count() == 4;
  TESSERA_TRY(const CopyAtom atom, copyAtomAt(c, typed));
  const std::size_t first = typed ? 2 : 1;
  TESSERA_TRY(const cute::Layout layout, c.layout(first));
  TESSERA_TRY(const cute::Tiler tiler, c.tiler(first + 1));
  return wrapped(makeTiledCopy(atom.row, atom.bits, layout, tiler));
}

// make_cotiled_copy(ATOM, [TYPE,] thread_value, data).
Result<Value> cotiledCopyCall(const Call& c) {
  const bool typed = c.count() == 4;
  TESSERA_TRY(const CopyAtom atom, copyAtomAt(c, typed));
  const std::size_t first = typed ? 2 : 1;
  TESSERA_TRY(const cute::Layout threadValue, c.layout(first));
  TESSERA_TRY(const cute::Layout data, c.layout(first + 1));
  return wrapped(makeCotiledCopy(atom.row, atom.bits, threadValue, data));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"make_tiled_copy", "make_tiled_copy(Copy_Atom<NAME, TYPE>{}, threads, values) or (NAME, TYPE, threads, values)",
     "a copy repeated over threads and values", 2, 4, tiledCopyCall, false, 0b1, 0, 0b10},
    {"make_tiled_copy_impl", "make_tiled_copy_impl(ATOM, layout_tv, tile)",
     "a copy by a layout (thread, value) -> index of a tile", 3, 4, tiledCopyOfLayout, false, 0b1, 0, 0b10},
    {"make_cotiled_copy", "make_cotiled_copy(ATOM, thread_value, data)",
     "a copy of the addresses that a (thread, value) layout names, in coordinates of the data", 3, 4, cotiledCopyCall,
     false, 0b1, 0, 0b10},
    {"make_tiled_copy_tv", "make_tiled_copy_tv(ATOM, threads, values)", "a copy repeated over threads and values", 2, 4,
     tiledCopyCall, false, 0b1, 0, 0b10},
    {"make_tiled_copy_A", "make_tiled_copy_A(ATOM, M)", "a copy with the threads and values of M's operand A", 2, 3,
     copyOfOperand<&TiledMma::a, 0, 2>, false, 0b1, 0, 0b10},
    {"make_tiled_copy_B", "make_tiled_copy_B(ATOM, M)", "a copy with the threads and values of M's operand B", 2, 3,
     copyOfOperand<&TiledMma::b, 1, 2>, false, 0b1, 0, 0b10},
    {"make_tiled_copy_C", "make_tiled_copy_C(ATOM, M)", "a copy with the threads and values of M's operand C", 2, 3,
     copyOfOperand<&TiledMma::c, 0, 1>, false, 0b1, 0, 0b10},
    {"make_tiled_copy_C_atom", "make_tiled_copy_C_atom(ATOM, M)", "the smallest copy of M's accumulators", 2, 3,
     copyOfAtom, false, 0b1, 0, 0b10},
    {"make_tiled_copy_S", "make_tiled_copy_S(ATOM, P)", "a copy with the threads and values of P's source", 2, 3,
     copyOfCopy<&TiledCopy::source>, false, 0b1, 0, 0b10},
    {"make_tiled_copy_D", "make_tiled_copy_D(ATOM, P)", "a copy with the threads and values of P's destination", 2, 3,
     copyOfCopy<&TiledCopy::destination>, false, 0b1, 0, 0b10},
    {"tile_shape", "tile_shape(X)", "the tile of a tiled mma (M,N,K) or copy", 1, 1, tileShape},
    {"tile_size", "tile_size<k>(X)", "one extent of the tile", 1, 2, tileSize},
    {"tile_size_mnk", "M.tile_size_mnk<k>()", "one extent of the tile", 1, 2, tileSize},
    {"thr_size", "thr_size(X)", "the number of threads", 1, 8, threadCount},
    {"permutation_mnk", "M.permutation_mnk<k>()", "the permutation of M, N or K", 1, 2, permutationCall},
    {"get_thr_layout_vmnk", "M.get_thr_layout_vmnk()", "(ThrV,ThrM,ThrN,ThrK) -> thread", 1, 1,
     ofMma<&TiledMma::threads>},
    {"thr_layout_vmnk", "M.thr_layout_vmnk()", "(ThrV,ThrM,ThrN,ThrK) -> thread", 1, 1, ofMma<&TiledMma::threads>},
    {"get_layoutA_TV", "M.get_layoutA_TV()", "(thread, value) -> index of the tile M x K", 1, 1, ofMma<&TiledMma::a>},
    {"get_layoutB_TV", "M.get_layoutB_TV()", "(thread, value) -> index of the tile N x K", 1, 1, ofMma<&TiledMma::b>},
    {"get_layoutC_TV", "M.get_layoutC_TV()", "(thread, value) -> index of the tile M x N", 1, 1, ofMma<&TiledMma::c>},
    {"tv_layout_A_tiled", "M.tv_layout_A_tiled()", "the same in the DSL", 1, 1, ofMma<&TiledMma::a>},
    {"tv_layout_B_tiled", "M.tv_layout_B_tiled()", "the same in the DSL", 1, 1, ofMma<&TiledMma::b>},
    {"tv_layout_C_tiled", "M.tv_layout_C_tiled()", "the same in the DSL", 1, 1, ofMma<&TiledMma::c>},
    {"get_layoutS_TV", "P.get_layoutS_TV()", "(thread, value) -> index of the tile, of the source", 1, 1,
     ofCopy<&TiledCopy::source>},
    {"get_layoutD_TV", "P.get_layoutD_TV()", "(thread, value) -> index of the tile, of the destination", 1, 1,
     ofCopy<&TiledCopy::destination>},
    {"layout_src_tv_tiled", "P.layout_src_tv_tiled()", "the same in the DSL", 1, 1, ofCopy<&TiledCopy::source>},
    {"layout_dst_tv_tiled", "P.layout_dst_tv_tiled()", "the same in the DSL", 1, 1, ofCopy<&TiledCopy::destination>},
    {"TiledLayout_TV", "TiledLayout_TV(P)", "(thread, value) -> index of the tile, before the atom's order", 1, 1,
     ofCopy<&TiledCopy::threadValue>},
    {"layout_tv_tiled", "P.layout_tv_tiled()", "the same in the DSL", 1, 1, ofCopy<&TiledCopy::threadValue>},
    {"Tiler_MN", "Tiler_MN(P)", "the tile of a copy", 1, 1, copyTiler},
    {"tiler_mn", "P.tiler_mn()", "the tile of a copy", 1, 1, copyTiler},
    {"atom", "atom(X)", "the instruction of a tiled mma or copy", 1, 1, atomCall},
    {"AtomShape_MNK", "AtomShape_MNK(M)", "the shape of the atom", 1, 1, atomShapeCall},
    {"shape_mnk", "M.shape_mnk()", "the shape of the atom", 1, 1, atomShapeCall},
    {"AtomThrID", "AtomThrID(X)", "thread of the atom -> thread", 1, 1, atomThreads},
    {"thr_id", "X.thr_id()", "thread of the atom -> thread", 1, 1, atomThreads},
    {"AtomLayoutA_TV", "AtomLayoutA_TV(M)", "A of the atom: (thread, value) -> index", 1, 1, atomLayout<'A'>},
    {"AtomLayoutB_TV", "AtomLayoutB_TV(M)", "B of the atom: (thread, value) -> index", 1, 1, atomLayout<'B'>},
    {"AtomLayoutC_TV", "AtomLayoutC_TV(M)", "C of the atom: (thread, value) -> index", 1, 1, atomLayout<'C'>},
    {"tv_layout_A", "M.tv_layout_A()", "A of the atom: (thread, value) -> index", 1, 1, atomLayout<'A'>},
    {"tv_layout_B", "M.tv_layout_B()", "B of the atom: (thread, value) -> index", 1, 1, atomLayout<'B'>},
    {"tv_layout_C", "M.tv_layout_C()", "C of the atom: (thread, value) -> index", 1, 1, atomLayout<'C'>},
    {"AtomLayoutSrc", "AtomLayoutSrc(P)", "the source of the atom in elements", 1, 1, copyAtomLayout<0>},
    {"AtomLayoutDst", "AtomLayoutDst(P)", "the destination of the atom in elements", 1, 1, copyAtomLayout<1>},
    {"AtomLayoutRef", "AtomLayoutRef(P)", "the order that both sides refer to, in elements", 1, 1, copyAtomLayout<2>},
    {"thr_idx", "thr_idx(SLICE)", "the thread of a slice", 1, 1, threadIndex},
    {"thr_vmnk", "thr_vmnk(SLICE)", "its place (ThrV, ThrM, ThrN, ThrK)", 1, 1, threadVmnk},
});

// Functions of other notations that a tiled mma or copy has, too.
constexpr auto kOverloads = std::to_array<Function>({
    {"size", "size(X) or size<k>(M)", "the number of threads", 1, 8, threadCount},
});

}  // namespace

std::span<const Function> tiledFunctions() { return kFunctions; }
std::span<const Function> tiledOverloads() { return kOverloads; }

}  // namespace tessera
