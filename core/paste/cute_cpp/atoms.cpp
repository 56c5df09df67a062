// Instructions, tiled instructions and the canonical layouts of shared memory.
#include <algorithm>
#include <array>

#include "core/paste/cute_cpp/reader.h"

namespace tessera::paste::cute_cpp {

namespace {

using Kind = Meaning::Kind;

const std::vector<Meaning>& given(const Use& use) { return use.arguments.empty() ? use.template_ : use.arguments; }

// SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>
Result<Meaning> operation(const Use& use) {
  std::string text(use.name);
  if (text.starts_with("MMA_")) text = "SM90_" + text.substr(4);
  if (text.ends_with("_NOELECT")) {
    text.resize(text.size() - std::string_view("_NOELECT").size());
    use.reader.note(std::string(use.name) + " is read as " + text);
  }
  for (std::size_t i = 0; i < use.template_.size(); ++i)
    text += (i == 0 ? "<" : ", ") + written(use.template_[i], false);
  if (!use.template_.empty()) text += ">";
  return textual(Kind::Operation, std::move(text));
}

// MMA_Atom<SM80_...>, MMA_Traits<SM100_..., half_t, ...>: the operation; further arguments are its own.
Result<Meaning> mmaAtom(const Use& use) {
  const std::vector<Meaning>& from = given(use);
  if (from.empty()) return use.wrong("an instruction");
  if (!from[0].is(Kind::Operation)) return use.wrong("an instruction");
  if (from.size() == 1 || from[0].text.ends_with(">")) return from[0];
  return operation(Use{use.reader, from[0].text, {from.begin() + 1, from.end()}, {}, use.span});
}

Result<Meaning> copyAtom(const Use& use) {
  const std::vector<Meaning>& from = given(use);
  if (from.empty() || (!from[0].is(Kind::Operation) && !from[0].is(Kind::CopyAtom)))
    return use.wrong("a copy instruction and an element type");
  Meaning out = from[0];
  out.kind = Kind::CopyAtom;
  if (from.size() > 1 && from.back().is(Kind::Type)) out.element = from.back().text;
  return out;
}

// The instruction as the atlas calls it.
std::string copyName(const Meaning& atom) {
  const std::string element = atom.element.empty() ? "half_t" : atom.element;
  if (atom.text == "DefaultCopy" || atom.text.starts_with("AutoVectorizingCopy") || atom.text == "UniversalCopy")
    return "UniversalCopy<" + element + ">";
  return atom.text;
}

std::string elementOf(const Use& use, const Meaning& atom) {
  if (!atom.element.empty()) return atom.element;
  use.reader.note("the elements of " + atom.text + " are assumed to be half_t");
  return "half_t";
}

bool isCopy(const Meaning& m) { return m.is(Kind::CopyAtom) || m.is(Kind::Operation); }

std::string layoutText(const Meaning& m) {
  if (m.is(Kind::Tuple) || m.is(Kind::Number)) return "make_layout(" + written(m) + ")";
  return written(m);
}

// Before CUTLASS 3.4 the third argument was a layout of values: how often an atom is repeated in M, N and K.
Result<Meaning> tileOfValues(const Use& use, const std::vector<Meaning>& from) {
  TESSERA_TRY(const Meaning atom, use.reader.evaluated("AtomShape_MNK(make_tiled_mma(" + from[0].text + "))"));
  TESSERA_TRY(const Meaning threads, use.reader.evaluated("shape(" + layoutText(from[1]) + ")"));
  TESSERA_TRY(const Meaning values, use.reader.evaluated("shape(" + from[2].text + ")"));
  std::vector<Meaning> tile;
  for (std::size_t k = 0; k < 3; ++k) {
    Meaning extent = number(1, true);
    for (const Meaning* of : {&atom, &threads, &values}) {
      if (!of->is(Kind::Tuple)) return use.wrong("layouts of M, N and K");
      if (k >= of->parts.size()) continue;
      if (!of->parts[k].is(Kind::Number)) return use.wrong("layouts of M, N and K");
      TESSERA_TRY(extent, integerOperation("*", extent, of->parts[k]));
    }
    tile.push_back(number(extent.number, true));
  }
  Meaning out = tuple(std::move(tile));
  use.reader.note("the third argument of a tiled mma is a layout of values, as before CUTLASS 3.4: its tile is " +
                  written(out));
  return out;
}

Result<Meaning> tiledMma(const Use& use) {
  const std::vector<Meaning>& from = given(use);
  if (from.size() == 1 && from[0].is(Kind::Tiled)) return from[0];  // TiledMMA a(b)
  if (from.empty() || from.size() > 3 || !from[0].is(Kind::Operation))
    return use.wrong("an mma instruction, a layout of atoms and a tile");
  std::string text = "make_tiled_mma(" + from[0].text + ", ";
  text += from.size() > 1 ? layoutText(from[1]) : "(1,1,1)";
  if (from.size() > 2) {
    if (from[2].is(Kind::Layout)) {
      TESSERA_TRY(const Meaning tile, tileOfValues(use, from));
      return textual(Kind::Tiled, text + ", " + written(tile) + ")");
    }
    if (!from[2].is(Kind::Tuple)) return use.wrong("a tile, Tile<_64,_16,_16>");
    text += ", " + written(from[2]);
  }
  return textual(Kind::Tiled, text + ")");
}

Result<Meaning> tiledCopy(const Use& use) {
  const std::vector<Meaning>& from = given(use);
  if (from.size() == 1 && from[0].is(Kind::Tiled)) return from[0];  // TiledCopy a(b)
  if (from.size() < 2 || from.size() > 3 || !isCopy(from[0]))
    return use.wrong("a copy atom, a layout of threads and a layout of values");
  const std::string element = elementOf(use, from[0]);
  const std::string head = copyName(from[0]) + ", " + element + ", ";
  // TiledCopy<Atom, Layout_TV, Tile>
  if (use.arguments.empty() && from.size() == 3)
    return textual(Kind::Tiled, "make_tiled_copy_impl(" + head + written(from[1]) + ", " + written(from[2]) + ")");
  const std::string values = from.size() == 3 ? layoutText(from[2]) : "make_layout((_1,_1))";
  return textual(Kind::Tiled, "make_tiled_copy(" + head + layoutText(from[1]) + ", " + values + ")");
}

// make_cotiled_copy(atom, (thread, value) -> address, coordinate -> address)
Result<Meaning> cotiledCopy(const Use& use) {
  const std::vector<Meaning>& from = use.arguments;
  if (from.size() != 3 || !isCopy(from[0]))
    return use.wrong("a copy atom, a layout of threads and values, and the layout of the data");
  return textual(Kind::Tiled, "make_cotiled_copy(" + copyName(from[0]) + ", " + elementOf(use, from[0]) + ", " +
                                  layoutText(from[1]) + ", " + layoutText(from[2]) + ")");
}

// make_tiled_copy_A(atom, mma)
Result<Meaning> copyOfMma(const Use& use) {
  if (use.arguments.size() != 2 || !isCopy(use.arguments[0]) || !use.arguments[1].is(Kind::Tiled))
    return use.wrong("a copy atom and a tiled mma");
  const std::string element = elementOf(use, use.arguments[0]);
  return textual(Kind::Tiled, std::string(use.name) + "(" + copyName(use.arguments[0]) + ", " + element + ", " +
                                  use.arguments[1].text + ")");
}

// Layout_K_SW128_Atom<T>, Layout_SW128_Atom<T, Major>
Result<Meaning> smemAtom(const Use& use) {
  std::string form(use.name);
  form = form.substr(7, form.rfind("_Atom") - 7);
  if (use.template_.empty() || !bitsOf(use.template_[0])) return use.wrong("an element type");
  if (use.template_.size() > 1) form = (use.template_[1].text.ends_with("MN") ? "MN_" : "K_") + form;
  return textual(Kind::Layout, "smem_atom(" + form + ", " + use.template_[0].text + ")");
}

// ss_smem_selector<Major, T, BLK_MN, BLK_K>(): the widest swizzle that divides the contiguous extent.
Result<Meaning> smemSelector(const Use& use) {
  if (use.template_.size() < 4 || !use.template_[0].is(Kind::Word) || !bitsOf(use.template_[1]))
    return use.wrong("a major, an element type and two extents");
  const bool mn = use.template_[0].text.ends_with("MN");
  TESSERA_TRY(const Meaning extent,
              functionNamed("size")(Use{use.reader, "size", {number(0, true)}, {use.template_[mn ? 2 : 3]}, use.span}));
  const int bits = *bitsOf(use.template_[1]);
  for (const auto& [form, bytes] : {std::pair("SW128", 128), std::pair("SW64", 64), std::pair("SW32", 32)})
    if (extent.number % (bytes * 8 / bits) == 0)
      return textual(Kind::Layout,
                     "smem_atom(" + std::string(mn ? "MN_" : "K_") + form + ", " + use.template_[1].text + ")");
  return textual(Kind::Layout, "smem_atom(" + std::string(mn ? "MN_" : "K_") + "INTER, " + use.template_[1].text + ")");
}

struct GmmaTypes {
  std::string_view a, b, c, name;
  int k;
  bool majors;  // the operands in shared memory may be MN-major
};
constexpr auto kGmma = std::to_array<GmmaTypes>({
    {"half_t", "half_t", "float", "F32F16F16", 16, true},
    {"half_t", "half_t", "half_t", "F16F16F16", 16, true},
    {"bfloat16_t", "bfloat16_t", "float", "F32BF16BF16", 16, true},
    {"tfloat32_t", "tfloat32_t", "float", "F32TF32TF32", 8, false},
    {"float", "float", "float", "F32TF32TF32", 8, false},
    {"float_e4m3_t", "float_e4m3_t", "float", "F32E4M3E4M3", 32, false},
    {"float_e4m3_t", "float_e5m2_t", "float", "F32E4M3E5M2", 32, false},
    {"float_e5m2_t", "float_e4m3_t", "float", "F32E5M2E4M3", 32, false},
    {"float_e5m2_t", "float_e5m2_t", "float", "F32E5M2E5M2", 32, false},
    {"int8_t", "int8_t", "int32_t", "S32S8S8", 32, false},
    {"uint8_t", "uint8_t", "int32_t", "S32U8U8", 32, false},
});

// GMMA::ss_op_selector<A, B, C, TileShape_MNK, MajorA, MajorB>(): the widest wgmma whose N divides the tile's.
Result<Meaning> gmmaSelector(const Use& use) {
  if (use.template_.size() < 4 || !use.template_[3].is(Kind::Tuple) || use.template_[3].parts.size() != 3)
    return use.wrong("three element types and a tile (M,N,K)");
  const auto row = std::find_if(kGmma.begin(), kGmma.end(), [&](const GmmaTypes& types) {
    const std::string& c = use.template_[2].text;
    return types.a == use.template_[0].text && types.b == use.template_[1].text &&
           (types.c == c || (types.c == "int32_t" && c == "int"));
  });
  if (row == kGmma.end()) return use.wrong("types that wgmma multiplies");
  TESSERA_TRY(const Meaning n,
              functionNamed("size")(Use{use.reader, "size", {}, {use.template_[3].parts[1]}, use.span}));
  i64 width = 256;
  while (width > 8 && n.number % width != 0) width -= 8;
  if (n.number % width != 0) return use.wrong("an N that 8 divides");
  std::string text = "SM90_64x" + std::to_string(width) + "x" + std::to_string(row->k) + "_" + std::string(row->name) +
                     (use.name.starts_with("rs") ? "_RS" : "_SS");
  const auto major = [&](std::size_t i) { return use.template_.size() > i ? use.template_[i].text : "GMMA::Major::K"; };
  text += row->majors ? "<" + major(4) + ", " + major(5) + ">" : "_TN";
  return textual(Kind::Operation, std::move(text));
}

constexpr auto kAtoms = std::to_array<Row>({
    {"MMA_Atom", mmaAtom},
    {"MMA_Traits", mmaAtom},
    {"Copy_Atom", copyAtom},
    {"Copy_Traits", mmaAtom},
    {"TiledMMA", tiledMma},
    {"make_tiled_mma", tiledMma},
    {"TiledCopy", tiledCopy},
    {"make_tiled_copy", tiledCopy},
    {"make_cotiled_copy", cotiledCopy},
    {"make_tiled_copy_A", copyOfMma},
    {"make_tiled_copy_B", copyOfMma},
    {"make_tiled_copy_C", copyOfMma},
    {"ss_smem_selector", smemSelector},
    {"rs_smem_selector", smemSelector},
    {"sm100_smem_selector", smemSelector},
    {"ss_op_selector", gmmaSelector},
    {"rs_op_selector", gmmaSelector},
});

}  // namespace

Handler atomNamed(std::string_view name) {
  const auto row = std::find_if(kAtoms.begin(), kAtoms.end(), [&](const Row& r) { return r.name == name; });
  if (row != kAtoms.end()) return row->handler;
  if (name.starts_with("Layout_") && name.ends_with("_Atom")) return smemAtom;
  const auto known = builtin(name);
  return known && known->is(Kind::Operation) ? operation : nullptr;
}

}  // namespace tessera::paste::cute_cpp
