// Descriptors: the canonical form of a tile of shared memory, and the numbers of each instruction's descriptor.
//
// A physical byte p corresponds to the byte u that the descriptor's strides refer to: u = Sw(p), an involution. With L
// the line (16, 32, 64 or 128 bytes) and T the elements in 16 bytes, a canonical operand has
//
//     K-major, no swizzle   u = start + mn%8 * 16 + mn/8 * SBO + k/T * LBO + k%T      (a core matrix is 8 x 16 bytes)
//     K-major, swizzled     u = start + mn%8 * L  + mn/8 * SBO + k
//     MN-major, no swizzle  u = start + k%8 * 16  + k/8 * LBO  + mn/T * SBO + mn%T
//     MN-major, swizzled    u = start + k%8 * L   + k/8 * SBO  + mn/W * LBO + mn%W        W elements of L bytes
#include <fmt/format.h>

#include "core/analysis/access/engine_over.h"
#include "core/analysis/memory/banks.h"

namespace tessera {
namespace {

struct Form {
  Major major = Major::K;
  int bits = 0;  // of the swizzle: lines of 16 << bits bytes
  [[nodiscard]] i64 line() const { return i64{16} << bits; }
  [[nodiscard]] i64 undone(i64 byte) const { return bits == 0 ? byte : byte ^ ((byte >> 7 & ((1 << bits) - 1)) << 4); }
};

struct Extent {
  i64 mn = 0, k = 0;
};

std::string formName(const Form& f) {
  return fmt::format("{}, {}", f.major == Major::K ? "K-major" : "MN-major",
                     f.bits == 0 ? "no swizzle" : fmt::format("{}-byte swizzle", f.line()));
}

// The operand as (mn, k) -> byte, from one corner of the tile.
using Corner = TileLines;

struct Numbers {
  i64 start = 0, leading = 0, stride = 0;  // bytes
  bool operator==(const Numbers&) const = default;
};

// The place of (mn, k) in the form with these numbers, before the swizzle.
i64 canonical(const Form& f, const Numbers& n, i64 mn, i64 k, i64 bytes) {
  const i64 unit = 16 / bytes, wide = f.line() / bytes;
  if (f.major == Major::K) {
    const i64 rows = n.start + mn % 8 * f.line() + mn / 8 * n.stride;
    return f.bits == 0 ? rows + k / unit * n.leading + k % unit * bytes : rows + k * bytes;
  }
  const i64 columns = n.start + k % 8 * f.line();
  return f.bits == 0 ? columns + k / 8 * n.leading + mn / unit * n.stride + mn % unit * bytes
                     : columns + k / 8 * n.stride + mn / wide * n.leading + mn % wide * bytes;
}

// The numbers, read at the elements that determine them.
Numbers readOff(const Form& f, const Corner& c, const Extent& e, i64 bytes) {
  const auto at = [&](i64 mn, i64 k) { return mn < e.mn && k < e.k ? f.undone(c.byte(mn, k)) : i64{-1}; };
  const i64 unit = 16 / bytes, wide = f.line() / bytes, start = at(0, 0);
  const auto step = [&](i64 to) { return to < 0 ? 0 : to - start; };
  if (f.major == Major::K) return {start, f.bits == 0 ? step(at(0, unit)) : 0, step(at(8, 0))};
  return f.bits == 0 ? Numbers{start, step(at(0, 8)), step(at(unit, 0))}
                     : Numbers{start, step(at(wide, 0)), step(at(0, 8))};
}

// The first element that is not where the form puts it.
struct Miss {
  TileCoord at;
  i64 is = 0, wanted = 0;
};
std::optional<Miss> missOf(const Form& f, const Corner& c, const Extent& e, const Numbers& n, i64 bytes) {
  for (i64 k = 0; k < e.k; ++k)
    for (i64 mn = 0; mn < e.mn; ++mn) {
      const i64 wanted = canonical(f, n, mn, k, bytes), is = c.byte(mn, k);
      if (f.undone(is) != wanted) return Miss{c.of(mn, k), is, f.undone(wanted)};
    }
  return std::nullopt;
}

bool fitsWords(const Form& f, const Numbers& n) {
  const i64 pattern = f.bits == 0 ? 16 : i64{128} << f.bits;  // period of the pattern of eight lines
  const bool start = n.start % 16 == 0 && n.start % pattern < (f.bits == 0 ? 16 : f.line());
  const auto offset = [](i64 x) { return x >= 0 && x % 16 == 0 && x < (1 << 18); };
  return start && n.start < (1 << 18) && offset(n.leading) && offset(n.stride);
}

// A form's blocks must be whole: eight lines, and the swizzle's line along the major dimension.
bool fitsExtent(const Form& f, const Extent& e, i64 bytes) {
  if (f.major == Major::K) return e.mn % 8 == 0 && (f.bits == 0 || e.k * bytes <= f.line());
  return e.k % 8 == 0 && e.mn * bytes % f.line() == 0;
}

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const Major major : {Major::K, Major::MN})
    for (int bits = 0; bits <= 3; ++bits) all.push_back({major, bits});
  return all;
}

// A layout of this shape in canonical form: the widest swizzle whose line divides the tile.
std::string canonicalHint(const EngineOver& over, Major major, bool transposed) {
  const bool alongColumns = (major == Major::K) != transposed;
  const i64 bytes = (alongColumns ? over.tile.columns() : over.tile.rows()) * over.tile.elementBits() / 8;
  const char* swizzle = bytes % 128 == 0 ? "SW128" : bytes % 64 == 0 ? "SW64" : bytes % 32 == 0 ? "SW32" : "INTER";
  // For a K x MN tile the atom's modes are swapped.
  return fmt::format("for example tile_to_shape(smem_atom({}_{}, {}), ({},{}))", alongColumns ? "K" : "MN", swizzle,
                     over.type, over.tile.rows(), over.tile.columns());
}

// The form that the pitch of the lines suggests, and where the tile deviates from it.
Diag refusal(const EngineOver& over, const Corner& c, const Extent& e, i64 bytes, const DescriptorOperand& operand) {
  const bool alongK = e.k > 1 && c.byte(0, 1) - c.byte(0, 0) == bytes;
  const Major major = alongK ? Major::K : Major::MN;
  const char* atom = alongK ? "K" : "MN";
  const std::string hint = canonicalHint(over, operand.anyMajor ? major : Major::K, c.turned);
  const std::string expected = fmt::format(
      "{}-major: lines of 16, 32, 64 or 128 bytes, eight a block, {}", atom,
      alongK
          ? "blocks along M or N at a constant stride byte offset"
          : "blocks along K at a constant stride byte offset, blocks along M or N at a constant leading byte offset");
  const i64 pitch = (alongK ? c.byte(1, 0) : c.byte(0, 1)) - c.byte(0, 0);
  for (const Form& f : forms()) {
    // The next line of a swizzled block starts one or two chunks after its line.
    const i64 next = f.undone(alongK ? c.byte(1, 0) : c.byte(0, 1)) - f.undone(c.byte(0, 0));
    if (f.major != major || !fitsExtent(f, e, bytes) || (next != f.line() && pitch != f.line())) continue;
    const Numbers n = readOff(f, c, e, bytes);
    const auto miss = missOf(f, c, e, n, bytes);
    if (!miss) continue;
    return Diag{fmt::format("{} is not canonical: ({},{}) is at byte {}, {} requires it at {}", over.tile.text(),
                            miss->at.row, miss->at.column, miss->is, formName(f), miss->wanted),
                expected, hint};
  }
  return Diag{fmt::format("no descriptor of {} describes {}: its lines are {} bytes apart", operand.what,
                          over.tile.text(), pitch < 0 ? -pitch : pitch),
              expected, hint};
}

EngineBlock blockOf(const EngineOver& over, const Form& f, const Corner& c, const Extent& e, const Numbers& n,
                    bool blackwell) {
  const i64 bytes = over.tile.elementBits() / 8, unit = 16 / bytes;
  EngineBlock block;
  block.corner = c.corner;
  const TileCoord last = c.of(e.mn - 1, e.k - 1);
  block.end = {last.row + 1, last.column + 1};
  const bool k = f.major == Major::K;
  const i64 down = k ? e.mn / 8 : e.mn / unit;  // core matrices along M or N
  for (i64 x = 0; x < e.k; ++x)
    for (i64 mn = 0; mn < e.mn; ++mn) {
      const i64 i = k ? mn / 8 : mn / unit, j = k ? x / unit : x / 8;
      block.places.push_back({c.of(mn, x), c.byte(mn, x), i + down * j, k ? mn % 8 : x % 8, 0});
    }
  const MatrixDescriptor d{f.bits == 0 ? 0 : static_cast<int>(f.line()), k && f.bits > 0 ? 1 : n.leading / 16,
                           n.stride / 16};
  const u64 word = blackwell ? encodeSm100(d, n.start) : encodeSm90(d, n.start);
  block.facts = {{"start byte", std::to_string(n.start)},
                 {"leading byte offset", k && f.bits > 0 ? std::string("16 (not used)") : std::to_string(n.leading)},
                 {"stride byte offset", std::to_string(n.stride)},
                 {"layout type", std::to_string(blackwell ? d.sm100LayoutType() : d.sm90LayoutType())},
                 {"descriptor", fmt::format("0x{:016x}", word)}};
  return block;
}

std::vector<Corner> cornersOf(const Tile& tile, const Extent& e, bool transposed) {
  std::vector<Corner> out;
  const i64 high = transposed ? e.k : e.mn, wide = transposed ? e.mn : e.k;
  for (i64 r = 0; r < tile.rows(); r += high)
    for (i64 c = 0; c < tile.columns(); c += wide) out.push_back({&tile, {r, c}, transposed});
  return out;
}

}  // namespace

Result<EngineOver> withDescriptors(EngineOver over, const DescriptorOperand& operand) {
  const i64 bits = over.tile.elementBits(), bytes = bits / 8;
  if (bits != 8 && bits != 16 && bits != 32) return Diag{fmt::format("elements of {} bits", bits), "8, 16 or 32 bits"};
  const Extent e{operand.rows, operand.columns};
  const auto divides = [&](i64 rows, i64 columns) {
    return over.tile.rows() % rows == 0 && over.tile.columns() % columns == 0;
  };
  const bool transposed = !divides(e.mn, e.k) && divides(e.k, e.mn);
  if (!transposed && !divides(e.mn, e.k))
    return Diag{fmt::format("{} is a block of {}x{}, which does not divide the {}x{} tile", operand.what, e.mn, e.k,
                            over.tile.rows(), over.tile.columns()),
                fmt::format("a multiple of {} rows and {} columns", e.mn, e.k)};
  TESSERA_CHECKED(fitsSharedMemory(over.tile));
  const std::vector<Corner> corners = cornersOf(over.tile, e, transposed);
  for (const Form& f : forms()) {
    if (!fitsExtent(f, e, bytes)) continue;
    bool all = true;
    for (const Corner& c : corners) {
      const Numbers n = readOff(f, c, e, bytes);
      all = all && fitsWords(f, n) && !missOf(f, c, e, n, bytes);
      if (!all) break;
    }
    if (!all) continue;
    if (f.major == Major::MN && !operand.anyMajor)
      return Diag{fmt::format("{} is MN-major, and {} takes elements of {} bits K-major only", over.tile.text(),
                              operand.what, bits),
                  "K-major, or elements of 16 bits", canonicalHint(over, Major::K, transposed)};
    over.form = formName(f) + (transposed ? ", the tile lies as K x MN" : "");
    for (const Corner& c : corners)
      over.blocks.push_back(blockOf(over, f, c, e, readOff(f, c, e, bytes), operand.blackwell));
    return over;
  }
  return refusal(over, corners.front(), e, bytes, operand);
}

}  // namespace tessera
