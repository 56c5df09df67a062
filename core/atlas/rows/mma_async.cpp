// wgmma rows: Hopper's warpgroup products, 128 threads, M = 64, every N. B, and for ".ss" also A, comes from shared
// memory through a descriptor (core/atlas/gmma.h): every thread sees the whole tile.
#include <fmt/format.h>

#include "core/atlas/rows/rows.h"

namespace tessera::atlas_rows {
namespace {

constexpr const char* kBlackwell = "sm_100a sm_101a sm_103a sm_110a";

struct WgmmaTypes {
  const char* d;
  const char* ab;  // A and B are each of these types
  const char* suffix = "";
};

// "PTX ISA, Asynchronous Warpgroup Level Matrix Shape": float kinds allow every multiple of 8, integers fewer.
constexpr WgmmaTypes kTypes[] = {
    {"f16", "f16"},       {"f32", "f16"},       {"f32", "bf16"},  {"f32", "tf32"},
    {"f32", "e4m3 e5m2"}, {"f16", "e4m3 e5m2"}, {"s32", "s8 u8"}, {"s32", "b1", ".and.popc"}};

std::vector<i64> steps(i64 first, i64 step) {
  std::vector<i64> out;
  for (i64 n = first; n <= 256; n += step) out.push_back(n);
  return out;
}

std::vector<i64> integerN() {
  std::vector<i64> out = {8, 16, 24, 32};
  for (i64 n : steps(48, 16)) out.push_back(n);
  return out;
}

// A in registers: mma.sync's 16-row fragment, with warp w owning rows 16w..16w+15.
std::string registersA(int bits) {
  const i64 w = bits >= 32 ? 1 : 32 / bits;
  if (w == 1) return "((4,8,4),(2,2)):((64,1,16),(8,256))";
  return fmt::format("((4,8,4),({},2,2)):(({},1,16),(64,8,{}))", w, 64 * w, 256 * w);
}

AtlasRow wgmmaRow(const WgmmaTypes& t, const std::string& typeA, const std::string& typeB, bool registers,
                  bool sparse) {
  const int bits = *elementBits(typeA);
  const i64 storedK = 256 / bits;
  const i64 k = sparse ? 2 * storedK : storedK;
  const bool integer = std::string_view(t.d) == "s32";
  const char* where = registers ? "rs" : "ss";
  const std::string types = fmt::format("{}.{}.{}{}", t.d, typeA, typeB, t.suffix);
  AtlasRow row =
      rowOf(fmt::format("wgmma{}.m64n{{N}}k{}.{}.{}", sparse ? ".sp" : "", k, types, where), AtlasFamily::Wgmma,
            "sm_90a", fmt::format("wgmma.mma_async{}.sync.aligned.m64n{{N}}k{}.{}", sparse ? ".sp" : "", k, types),
            fmt::format("64x{{N}}x{}", k), "128:1");
  row.parameter = integer ? integerN() : steps(8, 8);
  const std::string kText = std::to_string(k), storedText = std::to_string(storedK);
  const std::string tile = fmt::format("(128,(64,{})):(0,(1,64))", storedK);
  AtlasOperand a{"A", typeA, "64", storedText, registersA(bits)};
  if (!registers) a = {"A", typeA, "64", storedText, tile, OperandSpace::Shared, Coverage::Broadcast};
  row.operands = {a,
                  {"B", typeB, "{N}", kText, fmt::format("(128,({{N}},{})):(0,(1,{{N}}))", k), OperandSpace::Shared,
                   Coverage::Broadcast},
                  {"C", t.d, "64", "{N}", "((4,8,4),(2,2,{N/8})):((128,1,16),(64,8,512))"}};
  if (bits != 1) {
    const std::string cute = fmt::format("64x{{N}}x{}_{}{}{}", k, cuteType(t.d), cuteType(typeA), cuteType(typeB));
    const std::string tail = fmt::format("_{}{}", registers ? "RS" : "SS", bits == 16 ? "" : "_TN");
    const std::vector<const char*> prefixes =
        sparse ? std::vector{"GMMA_", "SM90_SPARSE_", "MMA_SPARSE_"} : std::vector{"MMA_", "SM90_"};
    for (const char* prefix : prefixes) {
      row.aliases.push_back(fmt::format("{}{}{}", prefix, cute, tail));
      if (integer) row.aliases.push_back(row.aliases.back() + "_SATURATE");
    }
  }
  if (!registers && std::string_view(t.d) != "f16" && typeA == typeB)
    row.aliases.push_back(fmt::format("wgmma{}.m64n{{N}}k{}.{}", sparse ? ".sp" : "", k, typeA));
  row.source = fmt::format("PTX ISA, Register Fragments and Shared Memory Matrix Layouts for wgmma .m64nNk{}", k);
  if (sparse) row.note = "A is stored compressed: its tile is 64 x K/2.";
  return row;
}

// tcgen05 rows: datacenter Blackwell. One thread issues the product; A and B come from shared memory (A also from
// tensor memory, ".ts"), the accumulator is in tensor memory: 128 datapath rows x 512 columns of 32 bits. cta_group::2
// splits M and N over two CTAs. tcgen05.ld and .st move datapath rows to a warp's registers and back.

struct Kind {
  const char* name;            // PTX's .kind::
  const char* element;         // widest element, for the tile picture
  i64 k;                       // 256 bits of the storage type
  const char* cute;            // CuTe's infix: SM100_MMA_<cute>_SS
  std::vector<const char*> a;  // A and B types
  std::vector<const char*> d;  // accumulators
  bool integer = false;
};

// PTX ISA, "tcgen05: Matrix Shape", the same for both M of a group: multiples of 8, for two CTAs of 16; integers step
// by 16 above 32, for two CTAs by 32. CuTe's asserts are narrower for A in tensor memory, M = 128: steps of 16.
std::vector<i64> nValues(int ctas, bool integer) {
  if (!integer) return ctas == 1 ? steps(8, 8) : steps(16, 16);
  return ctas == 2 ? steps(32, 32) : integerN();
}

AtlasRow mmaRow(const Kind& kind, i64 m, int ctas, bool tensorA) {
  const char* where = tensorA ? "ts" : "ss";
  AtlasRow row =
      rowOf(fmt::format("tcgen05.mma.cta_group::{}.kind::{}.m{}n{{N}}k{}.{}", ctas, kind.name, m, kind.k, where),
            AtlasFamily::Tcgen05Mma, kBlackwell, fmt::format("tcgen05.mma.cta_group::{}.kind::{}", ctas, kind.name),
            fmt::format("{}x{{N}}x{}", m, kind.k), fmt::format("{}:{}", ctas, ctas == 1 ? 0 : 1));
  row.parameter = nValues(ctas, kind.integer);
  const std::string mText = std::to_string(m), kText = std::to_string(kind.k);
  const OperandSpace aSpace = tensorA ? OperandSpace::Tensor : OperandSpace::Shared;
  std::string a, b, c;
  if (ctas == 1) {
    a = fmt::format("(1,({0},{1})):(0,(1,{0}))", m, kind.k);
    b = fmt::format("(1,({{N}},{})):(0,(1,{{N}}))", kind.k);
    c = fmt::format("(1,({0},{{N}})):(0,(1,{0}))", m);
  } else {
    a = fmt::format("(2,({0},{1})):({0},(1,{2}))", m / 2, kind.k, m);
    b = fmt::format("(2,({{N/2}},{})):({{N/2}},(1,{{N}}))", kind.k);
    c = fmt::format("(2,({0},{{N}})):({0},(1,{1}))", m / 2, m);
  }
  row.operands = {{"A", kind.element, mText, kText, a, aSpace},
                  {"B", kind.element, "{N}", kText, b, OperandSpace::Shared},
                  {"C", kind.d.front(), mText, "{N}", c, OperandSpace::Tensor}};
  const char* cluster = ctas == 2 ? "_2x1SM" : "";
  for (const char* d : kind.d)
    for (const char* ta : kind.a)
      for (const char* tb : kind.a)
        if (std::string_view(d) != "f16" || (std::string_view(ta) != "bf16" && std::string_view(tb) != "bf16"))
          row.aliases.push_back(fmt::format("SM100_MMA_{}{}_{}<{},{},{},{},{{N}}>", kind.cute, cluster,
                                            tensorA ? "TS" : "SS", ta, tb, d, m));
  row.source = "PTX ISA, tcgen05.mma; mma_traits_sm100 for the thread-value form";
  row.note = "The element types are in the instruction descriptor, not in the mnemonic.";
  return row;
}

// tcgen05.ld / st of `lanes` datapath rows x `bits`, repeated n times along the columns.
struct TensorCopy {
  const char* shape;  // PTX's .shape
  const char* cute;   // CuTe's infix
  i64 dp;             // datapath rows
  i64 bits;           // columns of one repetition, in bits
  i64 last;           // largest .xN
  const char* once;   // register side for x1
  const char* times;  // register side for x2 and more
};
constexpr TensorCopy kCopies[] = {
    {"16x256b", "16dp256b", 16, 256, 32, "((4,8),(64,2)):((64,256),(1,2048))",
     "((4,8),(64,2,{N})):((64,{256N}),(1,{2048N},256))"},
    {"16x128b", "16dp128b", 16, 128, 64, "((4,8),(32,2)):((32,128),(1,1024))",
     "((4,8),(32,2,{N})):((32,{128N}),(1,{1024N},128))"},
    {"16x64b", "16dp64b", 16, 64, 128, "((2,2,8),32):((512,32,64),1)", "((2,2,8),(32,{N})):(({512N},32,{64N}),(1,64))"},
    {"16x32bx2", "16dp32b", 16, 64, 128, "((16,2),32):((64,32),1)", "((16,2),{32N}):(({64N},{32N}),1)"},
    {"32x32b", "32dp32b", 32, 32, 128, "(32,32):(32,1)", "(32,{32N}):({32N},1)"},
};

void appendTensorCopy(std::vector<AtlasRow>& rows, const TensorCopy& copy, bool load) {
  for (bool repeated : {false, true}) {
    const char *verb = load ? "ld" : "st", *n = repeated ? "{N}" : "1";
    const auto times = [&](i64 x) { return repeated ? fmt::format("{{{}N}}", x) : std::to_string(x); };
    const std::string width = times(copy.bits);
    AtlasRow row = rowOf(fmt::format("tcgen05.{}.{}.x{}", verb, copy.shape, n), AtlasFamily::Tcgen05Copy, kBlackwell,
                         fmt::format("tcgen05.{}.sync.aligned.{}.x{}.b32", verb, copy.shape, n),
                         fmt::format("{} rows x {} bits", copy.dp, width), "32:1");
    for (i64 k = 2; repeated && k <= copy.last; k *= 2) row.parameter.push_back(k);
    const std::string dp = std::to_string(copy.dp), all = fmt::format("(32,{}):(0,1)", times(copy.bits * copy.dp));
    AtlasOperand tensor{load ? "src" : "dst", "b1", width, dp, all, OperandSpace::Tensor, Coverage::Broadcast};
    AtlasOperand registers{load ? "dst" : "src", "b1", width, dp, repeated ? copy.times : copy.once};
    row.operands = {load ? tensor : registers, load ? registers : tensor, referenceOf(tensor)};
    const char* cuteVerb = load ? "LOAD" : "STORE";
    row.aliases = {fmt::format("SM100_TMEM_{}_{}{}x", cuteVerb, copy.cute, n),
                   fmt::format("SM100_TMEM_{}_{}{}x_16b", cuteVerb, copy.cute, n)};
    row.source = "PTX ISA, Tensor Memory: data movement shapes; copy_traits_sm100 for the thread-value form";
    row.note = fmt::format(
        "The tile is {} datapath rows of bits; in tensor memory a row is 2^21 bits apart. CuTe's _16b form has the "
        "same registers and takes 16 bits of each 32-bit column.",
        copy.dp);
    rows.push_back(std::move(row));
  }
}

}  // namespace

void appendWgmma(std::vector<AtlasRow>& rows) {
  for (bool sparse : {false, true})
    for (const WgmmaTypes& t : kTypes)
      for (const auto& [ta, tb] : typePairs(t.ab))
        for (bool registers : {false, true})
          if (!sparse || ta != "b1") rows.push_back(wgmmaRow(t, ta, tb, registers, sparse));
}

void appendTcgen05(std::vector<AtlasRow>& rows) {
  const std::vector<const char*> small = {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"};
  const Kind kinds[] = {{"f16", "f16", 16, "F16BF16", {"f16", "bf16"}, {"f32", "f16"}},
                        {"tf32", "tf32", 8, "TF32", {"tf32"}, {"f32"}},
                        {"f8f6f4", "e4m3", 32, "F8F6F4", small, {"f32", "f16"}},
                        {"i8", "s8", 32, "S8", {"s8", "u8"}, {"s32"}, true}};
  for (const Kind& kind : kinds)
    for (int ctas : {1, 2})
      for (i64 m : {64 * ctas, 128 * ctas})
        for (bool tensorA : {false, true}) rows.push_back(mmaRow(kind, m, ctas, tensorA));
  for (const TensorCopy& copy : kCopies)
    for (bool load : {true, false}) appendTensorCopy(rows, copy, load);
}

}  // namespace tessera::atlas_rows
