// Hardware functions: instructions, banks, sectors, swizzles of shared memory.
#include <fmt/format.h>

#include <array>

#include "core/analysis/access/access.h"
#include "core/analysis/access/access_map.h"
#include "core/atlas/gmma.h"
#include "core/atlas/guess.h"
#include "core/atlas/tma.h"
#include "core/base/arith.h"
#include "core/map/compose.h"
#include "core/worksheet/functions/thread_value.h"
#include "core/worksheet/functions/tile_value.h"
#include "core/worksheet/functions/typed.h"

namespace tessera {

// The bits of an element: 16, fp16.
template <>
constexpr auto kReader<int> = [](const Call& c, std::size_t k) -> Result<int> {
  if (const auto* n = std::get_if<i64>(&c[k])) {
    if (*n < 1 || *n > 128) return c.at(k, Diag{fmt::format("{} is not an element size", *n), "1 to 128 bits"});
    return static_cast<int>(*n);
  }
  TESSERA_TRY(const std::string type, c.word(k));
  return c.at(k, elementBits(type));
};
template <>
constexpr auto kReader<AtlasRow> = [](const Call& c, std::size_t k) -> Result<AtlasRow> {
  if (const auto* row = as<AtlasRow>(c[k])) return *row;
  TESSERA_TRY(const std::string name, c.word(k));
  return c.at(k, findInstruction(name));
};
template <>
constexpr auto kReader<AccessSpec> = [](const Call& c, std::size_t k) -> Result<AccessSpec> {
  TESSERA_TRY(const std::string text, c.word(k));
  return c.at(k, parseAccess(text));
};

template <>
constexpr auto kReader<cute::Swizzle> =
    [](const Call& c, std::size_t k) { return held<cute::Swizzle>(c, k, "a swizzle"); };

namespace {

// The element type: argument k, or that of the tensor in argument 0.
Result<int> bitsOf(const Call& c, std::size_t k) {
  if (c.count() > k) return argument<int>(c, k);
  if (const auto own = elementBitsOf(c[0])) return *own;
  return Diag{fmt::format("{} needs the element type", c.function), "a type such as fp16 after the layout"};
}

// ---- atlas ----
Result<Value> atlasCall(const Call& c) {
  TESSERA_TRY(const std::string name, c.word(0));
  Result<InstructionGuess> guess = guessInstruction(name);
  if (!guess) return c.at(0, guess.error());
  if (!guess->note.empty()) c.note(0, guess->note, guess->hint);
  if (c.count() == 1) return Value(std::move(guess->row));
  TESSERA_TRY(const std::string operandName, c.word(1));
  TESSERA_TRY(AtlasOperand operand, c.at(1, findOperand(guess->row, operandName)));
  return wrapped(threadValue(operand));
}

// As in CuTe, missing modes of the atoms are 1.
Result<TiledMma> tiledMma(const AtlasRow& row, const std::optional<cute::Layout>& given,
                          const std::optional<cute::Tiler>& tiler) {
  const cute::Layout one = *cute::Layout::compact(cute::IntTuple::tuple({1, 1, 1}));
  TESSERA_TRY(const cute::Layout atoms, given ? padRank(*given, 3) : Result<cute::Layout>(one));
  std::array<std::optional<cute::Layout>, 3> permutation;
  for (std::size_t k = 0; tiler && k < tiler->entries.size() && k < 3; ++k)
    if (tiler->entries[k].kind == cute::TilerEntry::Kind::Layout) permutation[k] = tiler->entries[k].layout;
  return makeTiledMma(row, atoms, permutation);
}

// ---- banks, sectors, vectors ----
using Addresses = std::vector<std::optional<i64>>;
std::optional<Addresses> addressesOf(const Value& value) {
  const auto* list = std::get_if<cute::IntTuple>(&value);
  if (list == nullptr || !list->isTuple()) return std::nullopt;
  Addresses out;
  for (const cute::IntTuple& e : list->children()) {
    if (e.isWildcard()) {
      out.push_back(std::nullopt);
    } else if (e.isPlain()) {
      out.push_back(e.value());
    } else {
      return std::nullopt;
    }
  }
  return out;
}

struct TileAsked {
  Tile tile;
  AccessSpec spec;
};
Result<TileAsked> tileAsked(const Call& c) {
  TESSERA_TRY(const AccessSpec spec, argument<AccessSpec>(c, 1));
  TESSERA_TRY(const int bits, bitsOf(c, 2));
  TESSERA_TRY(Tile tile, c.at(0, tileOf(c[0], bits)));
  return TileAsked{std::move(tile), spec};
}

// wavefronts([byte addresses], width[, kind]) of one access; wavefronts(L, ACCESS, TYPE) summed over the tile.
Result<Value> wavefrontsCall(const Call& c) {
  if (const auto addresses = addressesOf(c[0])) {
    TESSERA_TRY(const i64 width, c.integer(1));
    std::string kind = "load";
    if (c.count() > 2) {
      TESSERA_TRY(kind, c.word(2));
    }
    if (width < 1 || width > 16)
      return Diag{fmt::format("an access cannot be {} bytes wide", width), "1, 2, 4, 8 or 16", "", c.args[1].span};
    TESSERA_TRY(const WarpAccess access, warpAccess(kind, static_cast<int>(width), *addresses));
    TESSERA_TRY(BankAccess counted, bankAccess(access));
    return Value(std::move(counted));
  }
  TESSERA_TRY(const TileAsked asked, tileAsked(c));
  TESSERA_TRY(const TileBankReport report, bankReport(asked.tile, std::array{asked.spec}));
  return Value(
      Text{fmt::format("{{wavefronts: {}, ideal: {}, excess: {}}}", report.wavefronts, report.ideal, report.excess)});
}

Result<Value> sectorsCall(const Call& c) {
  if (const auto addresses = addressesOf(c[0])) {
    TESSERA_TRY(const i64 width, c.integer(1));
    if (width < 1 || width > 32 || !isPowerOfTwo(width))
      return Diag{fmt::format("an access cannot be {} bytes wide", width), "1, 2, 4, 8, 16 or 32", "", c.args[1].span};
    TESSERA_TRY(const SectorReport report, c.at(0, sectorReport(*addresses, static_cast<int>(width))));
    return Value(Text{print(report)});
  }
  TESSERA_TRY(const TileAsked asked, tileAsked(c));
  TESSERA_TRY(const TileSectorReport report, tileSectors(asked.tile, asked.spec));
  return Value(Text{fmt::format("{{sectors: {}, ideal: {}, lines: {}, instructions: {}}}", report.sectors,
                                report.idealSectors, report.lines, report.instructions)});
}

Result<Value> vectorBytesCall(const Call& c) {
  TESSERA_TRY(const int bits, bitsOf(c, 1));
  TESSERA_TRY(Tile tile, c.at(0, tileOf(c[0], bits)));
  return Value(i64{vectorBytes(tile)});
}

// chain(G, COPY, S, LOAD, MMA, OPERAND): the element type is the operand's.
Result<Value> chainCall(const Call& c) {
  TESSERA_TRY(const AtlasRow mma, argument<AtlasRow>(c, 4));
  TESSERA_TRY(const std::string operandName, c.word(5));
  TESSERA_TRY(AtlasOperand operand, c.at(5, findOperand(mma, operandName)));
  TESSERA_TRY(const int bits, elementBits(operand.element));
  TESSERA_TRY(const AccessSpec copy, argument<AccessSpec>(c, 1));
  TESSERA_TRY(const AccessSpec load, argument<AccessSpec>(c, 3));
  TESSERA_TRY(Tile global, c.at(0, tileOf(c[0], bits)));
  TESSERA_TRY(Tile shared, c.at(2, tileOf(c[2], bits)));
  return wrapped(makeChain(std::move(global), copy, std::move(shared), load, mma, operandName));
}

struct AccessAsked {
  TileMap tile;
  int bits = 0;
  bool global = false;
  AccessMap access;
};
// L, the access and the type at these arguments.
Result<AccessAsked> accessAsked(const Call& c, std::size_t accessIndex, std::size_t typeIndex) {
  TESSERA_TRY(const AccessSpec spec, argument<AccessSpec>(c, accessIndex));
  TESSERA_TRY(const int bits, bitsOf(c, typeIndex));
  TESSERA_TRY(TileMap tile, c.at(0, tileMapOf(c[0], bits)));
  TESSERA_TRY(const TileExtents extents, c.at(0, tileExtents(tile.map, tile.rowDigits)));
  const bool alongRow = contiguousAlongRow(tile.map, tile.rowDigits);
  TESSERA_TRY(AccessMap access, c.at(accessIndex, accessMap(spec, extents.rows, extents.columns, alongRow, bits)));
  return AccessAsked{std::move(tile), bits, spec.space == MemorySpace::Global, std::move(access)};
}

// lanes(L, ACCESS, TYPE): Hardware -> Elements.
Result<Value> lanesCall(const Call& c) {
  TESSERA_TRY(AccessAsked asked, accessAsked(c, 1, 2));
  return Value(Layout(std::move(asked.access.lanes)));
}

// Hardware as a map: byte -> (bank, row of 128 bytes), after the layout and the lanes of an access.
Result<Value> toBanksCall(const Call& c) {
  if (c.count() > 2) {
    TESSERA_TRY(const AccessAsked asked, accessAsked(c, 2, 1));
    if (asked.global)
      return c.at(2, Diag{"this access does not touch shared memory", "an access to shared memory",
                          "lanes(L, ACCESS, TYPE) gives the elements at which its lanes begin"});
    return wrapped(accessBanks(asked.access, asked.tile.map, asked.tile.rowDigits, asked.bits));
  }
  TESSERA_TRY(const int bits, bitsOf(c, 1));
  TESSERA_TRY(Arrow memory, c.at(0, memoryArrowOf(c[0])));
  return wrapped(toBanks(memory.from, memory.map, memory.map.axes()[0].value, bits));
}

// accesses(S, f32), accesses(S, f32, 4), accesses(C)
Result<Value> accessesCall(const Call& c) {
  std::optional<ElementsOfLane> elements;
  if (c.count() > 1) {
    TESSERA_TRY(const std::string word, c.word(1));
    elements = elementsIn(word);
    if (!elements) return c.wrong(1, "an element type: f32, f16, float4 ...");
  }
  if (c.count() > 2) {
    TESSERA_TRY(const i64 count, c.integer(2));
    if (count < 1 || count > 256) return c.wrong(2, "the elements of one lane in one instruction: 1, 2, 4, 8 ...");
    elements->count = count;
  }
  TESSERA_TRY(std::string text, c.at(0, accessesText(c[0], elements)));
  return Value(Text{std::move(text)});
}

// The TMA mode of a swizzle on bytes, or on elements of a type.
Result<std::string> tmaMode(const Call& c, const cute::Swizzle& swizzle, std::optional<int> elements) {
  const int bits = elements.value_or(8);
  if (elements && (bits < 4 || bits > 64 || !isPowerOfTwo(bits)))
    return c.at(1, Diag{fmt::format("elements of {} bits", bits), "4, 8, 16, 32 or 64 bits"});
  TESSERA_TRY(const TmaSwizzleMode mode, tmaSwizzleMode(swizzle, bits));
  return "CU_TENSOR_MAP_SWIZZLE_" + mode.name;
}

Result<TmaElement> tmaElementAt(const Call& c, std::size_t k) {
  if (const auto* bits = std::get_if<i64>(&c[k])) return c.at(k, tmaElement(*bits));
  TESSERA_TRY(const std::string name, c.word(k));
  return c.at(k, tmaElement(name));
}

// tma_box(TYPE, extents, stride bytes of dimension 1 ..., box, MODE): legal, or the first violated rule.
Result<Value> tmaBoxCall(const Call& c) {
  TmaBox box;
  TESSERA_TRY(box.element, tmaElementAt(c, 0));
  TESSERA_TRY(box.globalExtents, c.integers(1));
  if (const auto* t = std::get_if<cute::IntTuple>(&c[2]); t == nullptr || t->leafCount() > 0) {
    TESSERA_TRY(box.globalStrideBytes, c.integers(2));
  }
  TESSERA_TRY(box.box, c.integers(3));
  TESSERA_TRY(const std::string mode, c.word(4));
  TESSERA_TRY(TmaSwizzleMode swizzle, c.at(4, tmaSwizzleMode(std::string_view(mode))));
  box.swizzle = swizzle;
  // The arguments are in field order; addresses are not arguments and always valid.
  if (const auto fault = tmaFault(box))
    return c.at(std::min<std::size_t>(static_cast<std::size_t>(fault->field), 4), fault->diag);
  return Value(Text{
      fmt::format("{{bytes: {}, swizzle: {}, line: {}}}", boxBytes(box), box.swizzle.name, box.swizzle.lineBytes)});
}

// tmem_layout(TYPE, M, N): an accumulator of one CTA in tensor memory, in elements.
Result<cute::Layout> tmem(int elementBits, i64 m, i64 n) {
  TmemFragment f;
  f.elementBits = elementBits;
  f.m = m;
  f.n = n;
  return tmemLayout(f);
}

// smem_descriptor("128B", 16, 1024): the fields, and the 64-bit words of both generations with start address 0.
Result<std::string> smemDescriptor(const std::string& mode, i64 leading, i64 stride) {
  TESSERA_TRY(const TmaSwizzleMode swizzle, tmaSwizzleMode(std::string_view(mode)));
  constexpr i64 kUnit = 16, kMost = 0x3fff * kUnit;
  for (const i64 offset : {leading, stride})
    if (offset < 0 || offset > kMost || offset % kUnit != 0)
      return Diag{fmt::format("an offset of {} bytes does not fit a matrix descriptor", offset),
                  "a multiple of 16 up to 262128"};
  if (swizzle.name.find("ATOM") != std::string::npos)
    return Diag{"a matrix descriptor has no such swizzle here", "NONE, 32B, 64B or 128B"};
  const int width = swizzle.name == "NONE" ? 0 : static_cast<int>(swizzle.lineBytes);
  const MatrixDescriptor d{width, leading / kUnit, stride / kUnit};
  return fmt::format("{{swizzle: {}, leading: {} bytes, stride: {} bytes, sm_90: 0x{:016x}, sm_100: 0x{:016x}}}",
                     swizzle.name, leading, stride, encodeSm90(d, 0), encodeSm100(d, 0));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"atlas", "atlas(NAME) or atlas(NAME, OPERAND)",
     "an instruction; its operand's layout (thread, value) -> index in the tile", 1, 2, atlasCall, false, 0b11},
    {"make_tiled_mma", "make_tiled_mma(NAME, atoms) or make_tiled_mma(NAME, atoms, permutation)",
     "an mma repeated over warps: A, B and C of the whole tile", 1, 3, typed<kWholeCall, tiledMma>, false, 0b1},
    {"smem_atom", "smem_atom(NAME, TYPE)",
     "wgmma's and tcgen05's canonical shared-memory layout: K_SW128, MN_INTER ...", 2, 2, typed<kWholeCall, smemAtom>,
     false, 0b11},
    {"wavefronts", "wavefronts([byte, ...], width) or wavefronts(L, ACCESS, TYPE)",
     "shared-memory wavefronts needed, the ideal, the excess", 2, 3, wavefrontsCall, false, 0b110, 0b1},
    {"sectors", "sectors([byte, ...], width) or sectors(L, ACCESS, TYPE)",
     "the 32-byte sectors and 128-byte lines of global memory that are touched", 2, 3, sectorsCall, false, 0b110, 0b1},
    {"vector_bytes", "vector_bytes(L, TYPE)",
     "the widest access, in bytes, that every aligned group of elements permits", 1, 2, vectorBytesCall, false, 0b10},
    {"to_banks", "to_banks(L, TYPE) or to_banks(L, TYPE, ACCESS)",
     "coordinate, or lane of the access, -> (bank, row of 128 bytes), as a map", 1, 3, toBanksCall, false, 0b110},
    {"lanes", "lanes(L, ACCESS, TYPE)", "lane, phase and position of an access -> the element it begins at, as a map",
     2, 3, lanesCall, false, 0b110},
    {"accesses", "accesses(S, TYPE) or accesses(S, TYPE, COUNT) or accesses(C)",
     "the threads of index code: lanes, bytes, wavefronts and sectors of each access, and how wide it could be", 1, 3,
     accessesCall, false, 0b10},
    {"tma_box", "tma_box(TYPE, extents, stride_bytes, box, MODE)",
     "whether a TMA box is legal (innermost dimension first), and the bytes it moves", 5, 5, tmaBoxCall, false,
     0b10001},
    {"smem_descriptor", "smem_descriptor(MODE, leading, stride)",
     "a matrix descriptor of wgmma and tcgen05 from its swizzle mode and its offsets in bytes", 3, 3,
     typed<kWholeCall, smemDescriptor>, false, 0b1},
    {"tmem_layout", "tmem_layout(TYPE, M, N)",
     "the place of a CTA's accumulator in tensor memory, (row << 16) + column", 3, 3, typed<kWholeCall, tmem>, false,
     0b1},
    {"chain", "chain(G, COPY, S, LOAD, MMA, OPERAND)", "global -> shared -> registers -> mma, each edge checked", 6, 6,
     chainCall, false, 0b111010},
    {"tma_mode", "tma_mode(SWIZZLE) or tma_mode(SWIZZLE, TYPE)",
     "the TMA swizzle mode of a swizzle on bytes, or on elements of a type", 1, 2, typed<0, tmaMode>, false, 0b10},
});

}  // namespace

std::span<const Function> hardwareFunctions() { return kFunctions; }

}  // namespace tessera
