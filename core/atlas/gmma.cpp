#include "core/atlas/gmma.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "core/atlas/atlas.h"

namespace tessera {
namespace {

struct AtomRow {
  std::string_view name;
  int bits;  // Sw<bits, base, shift> on bytes
  int base;
  int shift;
  i64 units;  // 16-byte units along the major dimension
  i64 lines;  // along the other
  Major major;
};
constexpr AtomRow kAtoms[] = {
    {"K_INTER", 0, 4, 3, 1, 8, Major::K},       {"K_SW32", 1, 4, 3, 2, 8, Major::K},
    {"K_SW64", 2, 4, 3, 4, 8, Major::K},        {"K_SW128", 3, 4, 3, 8, 8, Major::K},
    {"MN_INTER", 0, 4, 3, 1, 8, Major::MN},     {"MN_SW32", 1, 4, 3, 2, 8, Major::MN},
    {"MN_SW64", 2, 4, 3, 4, 8, Major::MN},      {"MN_SW128", 3, 4, 3, 8, 8, Major::MN},
    {"MN_SW128_32B", 2, 5, 2, 8, 4, Major::MN},
};

u64 field(i64 value, int bits, int at) { return (static_cast<u64>(value) & ((u64{1} << bits) - 1)) << at; }

}  // namespace

Result<cute::ComposedLayout> smemAtom(std::string_view name, std::string_view type) {
  TESSERA_TRY(int bits, elementBits(type));
  std::string wanted(name.substr(0, 64));
  if (wanted.starts_with("Layout_")) wanted.erase(0, 7);
  if (wanted.ends_with("_Atom")) wanted.resize(wanted.size() - 5);
  std::vector<std::string_view> names;
  for (const AtomRow& atom : kAtoms) {
    names.push_back(atom.name);
    if (atom.name != wanted) continue;
    if (bits > 64 || bits < 4 || bits == 6)
      return Diag{fmt::format("{} has no form for {} of {} bits", name, type, bits), "4, 8, 16, 32 or 64 bits"};
    const i64 major = 128 / bits * atom.units;
    const std::string inner = atom.major == Major::K ? fmt::format("(_{0},_{1}):(_{1},_1)", atom.lines, major)
                                                     : fmt::format("(_{1},_{0}):(_1,_{1})", atom.lines, major);
    return cute::parseComposedLayout(
        fmt::format("Sw<{},{},{}> o smem_ptr[{}b](unset) o {}", atom.bits, atom.base, atom.shift, bits, inner));
  }
  return Diag{fmt::format("'{}' is not a shared-memory atom", name), fmt::format("{}", fmt::join(names, ", "))};
}

Result<cute::ComposedLayout> smemTile(const cute::ComposedLayout& atom, std::span<const i64> shape) {
  const cute::Layout& inner = atom.inner();
  TESSERA_CHECKED(requirePlain(inner, "smemTile"));
  if (shape.size() < static_cast<std::size_t>(inner.rank()) || shape.size() > 3)
    return Diag{fmt::format("a shape of {} modes for an atom of {}", shape.size(), inner.rank()),
                "2 modes, or 3 with stages"};
  std::vector<cute::IntTuple> shapes, strides;
  i64 next = inner.size();  // where the next copy of the atom begins
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool own = i < static_cast<std::size_t>(inner.rank());
    const i64 block = own ? inner.mode(static_cast<int>(i)).size() : 1;
    if (shape[i] < 1 || shape[i] % block != 0)
      return Diag{fmt::format("extent {} of mode {} is not a multiple of the atom's {}", shape[i], i, block),
                  fmt::format("a multiple of {}", block)};
    const i64 copies = shape[i] / block;
    auto leaf = [](i64 x) { return cute::IntTuple::staticLeaf(x); };
    shapes.push_back(cute::IntTuple::tuple({leaf(block), leaf(copies)}));
    const cute::IntTuple blockStride = own ? inner.mode(static_cast<int>(i)).stride() : leaf(0);
    strides.push_back(cute::IntTuple::tuple({blockStride, leaf(copies == 1 ? 0 : next)}));
    next *= copies;
  }
  TESSERA_TRY(cute::Layout tiled, cute::Layout::make(cute::IntTuple::tuple(shapes), cute::IntTuple::tuple(strides)));
  return cute::ComposedLayout::make(atom.outer(), atom.offset(), tiled, atom.engine());
}

int MatrixDescriptor::sm90LayoutType() const {
  return swizzleBytes == 128 ? 1 : swizzleBytes == 64 ? 2 : swizzleBytes == 32 ? 3 : 0;
}
int MatrixDescriptor::sm100LayoutType() const {
  return swizzleBytes == 128 ? 2 : swizzleBytes == 64 ? 4 : swizzleBytes == 32 ? 6 : 0;
}

Result<MatrixDescriptor> matrixDescriptor(const cute::Swizzle& onBytes, Major major, int elementBits,
                                          const cute::Layout& tile) {
  TESSERA_CHECKED(requirePlain(tile, "a matrix descriptor"));
  if (!(onBytes.bits() <= 3 && (onBytes.bits() == 0 || (onBytes.base() == 4 && onBytes.shift() == 3))))
    return Diag{fmt::format("{} is not a swizzle of a matrix descriptor", print(onBytes)), "Sw<0..3,4,3> on bytes"};
  if (tile.rank() != 2 || elementBits < 4 || elementBits > 64 || 128 % elementBits != 0)
    return Diag{fmt::format("{} is not a (MN,K) tile of {}-bit elements", print(tile), elementBits),
                "two modes, 4 to 64 bits"};
  const i64 unit = 128 / elementBits;                                   // elements in 16 bytes
  const i64 wide = onBytes.bits() == 0 ? 1 : i64{1} << onBytes.bits();  // units per swizzled line
  const i64 rows = tile.mode(0).size(), columns = tile.mode(1).size();
  // Along `fast` elements are contiguous up to `run`; `slow` has lines of 8.
  const bool k = major == Major::K;
  const i64 fast = k ? columns : rows, slow = k ? rows : columns;
  const i64 run = k ? unit : unit * wide, line = unit * wide;
  auto at = [&](i64 f, i64 s) { return tile(k ? s + rows * f : f + rows * s); };
  if (slow % 8 != 0 || fast % run != 0)
    return Diag{fmt::format("a {}x{} tile is not made of 8 lines x {} elements", rows, columns, run),
                "multiples of the canonical atom"};
  if (k && fast != 2 * unit)
    return Diag{fmt::format("K = {} elements, one instruction takes {}", fast, 2 * unit), "32 bytes along K",
                "slice the tile along K first"};
  const i64 base = at(0, 0);
  const i64 fastStep = fast > run ? at(run, 0) - base : 0, slowStep = slow > 8 ? at(0, 8) - base : 0;
  for (i64 s = 0; s < slow; ++s)
    for (i64 f = 0; f < fast; ++f) {
      const i64 expected = base + f % run + f / run * fastStep + s % 8 * line + s / 8 * slowStep;
      if (at(f, s) == expected) continue;
      return Diag{fmt::format("{} is not canonical: ({},{}) is at {}, the descriptor would read {}", print(tile),
                              k ? s : f, k ? f : s, at(f, s), expected),
                  fmt::format("8 lines of {} elements, then constant steps", line)};
    }
  if (fastStep % unit != 0 || slowStep % unit != 0)
    return Diag{fmt::format("steps of {} and {} elements are not whole 16-byte units", fastStep, slowStep),
                fmt::format("multiples of {}", unit)};
  MatrixDescriptor d;
  d.swizzleBytes = onBytes.bits() == 0 ? 0 : 16 << onBytes.bits();
  if (k) {
    if (wide > 1 && fastStep != unit)
      return Diag{fmt::format("K's second 16 bytes are {} elements away", fastStep),
                  "adjacent bytes in a swizzled line"};
    d.leading = fastStep / unit;
    d.stride = slowStep / unit;
  } else {
    d.leading = (wide == 1 ? slowStep : fastStep) / unit;
    d.stride = (wide == 1 ? fastStep : slowStep) / unit;
  }
  return d;
}

u64 encodeSm90(const MatrixDescriptor& d, i64 startByte, int baseOffset) {
  return field(startByte >> 4, 14, 0) | field(d.leading, 14, 16) | field(d.stride, 14, 32) | field(baseOffset, 3, 49) |
         field(d.sm90LayoutType(), 2, 62);
}

u64 encodeSm100(const MatrixDescriptor& d, i64 startByte, int baseOffset) {
  return field(startByte >> 4, 14, 0) | field(d.leading, 14, 16) | field(d.stride, 14, 32) | field(1, 2, 46) |
         field(baseOffset, 3, 49) | field(d.sm100LayoutType(), 3, 61);
}

Result<cute::Layout> tmemLayout(const TmemFragment& f) {
  if (f.elementBits != 8 && f.elementBits != 16 && f.elementBits != 32)
    return Diag{fmt::format("tensor memory holds no elements of {} bits", f.elementBits), "8, 16 or 32 bits"};
  if (f.containerBits != 0 &&
      (f.containerBits < f.elementBits || f.containerBits > 32 || f.containerBits % f.elementBits != 0))
    return Diag{fmt::format("an element of {} bits in {}", f.elementBits, f.containerBits),
                "a container of up to 32 bits"};
  const bool knownM = f.ctas == 1 ? f.m == 64 || f.m == 128 : f.ctas == 2 && (f.m == 32 || f.m == 64 || f.m == 128);
  if (!knownM)
    return Diag{fmt::format("no fragment of {} rows per CTA over {} CTAs", f.m, f.ctas),
                "64 or 128 rows for 1 CTA; 32, 64 or 128 for 2"};
  const i64 fold = f.ctas == 2 && f.m < 128 ? 128 / f.m : 1;  // parts of N in different rows
  if (f.n < 1 || f.n % fold != 0 || f.tilesM < 1 || f.tilesN < 1)
    return Diag{fmt::format("N = {} does not split into {} parts", f.n, fold), fmt::format("a multiple of {}", fold)};
  const i64 row = i64{65536} * 32 / f.elementBits, step = f.containerBits == 0 ? 1 : f.containerBits / f.elementBits;
  const i64 width = f.n / fold * step;  // elements of one tile along the columns
  const bool half = f.ctas == 1 && f.m == 64;
  const i64 adjacentM = half && f.interleaved ? (f.tilesM + 1) / 2 : f.tilesM;
  if (half && f.interleaved && f.tilesM > 2) return Diag{fmt::format("{} interleaved M tiles", f.tilesM), "1 or 2"};
  if (width > kTmemColumns * 32 / f.elementBits || width * adjacentM * f.tilesN * f.elementBits > kTmemColumns * 32)
    return Diag{fmt::format("{} columns are needed, tensor memory has {}",
                            (width * adjacentM * f.tilesN * f.elementBits + 31) / 32, kTmemColumns),
                "at most 512 columns of 32 bits"};
  std::string m = std::to_string(f.m), mStride = std::to_string(row), n = std::to_string(f.n),
              nStride = std::to_string(step);
  if (half) {
    m = "(16,4)";
    mStride = fmt::format("({},{})", row, 32 * row);
  }
  if (fold > 1) {
    n = fmt::format("({},{})", f.n / fold, fold);
    nStride = fmt::format("({},{})", step, f.m * row);
  }
  const i64 tileM = f.tilesM == 1 ? 0 : half && f.interleaved ? 16 * row : width;
  const i64 tileN = f.tilesN == 1 ? 0 : width * adjacentM;
  return cute::parseLayout(
      fmt::format("(({},{}),{},{}):(({},{}),{},{})", m, n, f.tilesM, f.tilesN, mStride, nStride, tileM, tileN));
}

}  // namespace tessera
