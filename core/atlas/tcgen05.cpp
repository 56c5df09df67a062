// tcgen05 rows: datacenter Blackwell. One thread issues the product; A and B come from shared memory (A also from
// tensor memory, ".ts"), the accumulator is in tensor memory: 128 datapath rows x 512 columns of 32 bits. cta_group::2
// splits M and N over two CTAs. tcgen05.ld and .st move datapath rows to a warp's registers and back.
#include <fmt/format.h>

#include "core/atlas/rows.h"

namespace tessera::atlas_rows {
namespace {

std::vector<i64> steps(i64 first, i64 step, i64 last = 256) {
  std::vector<i64> out;
  for (i64 n = first; n <= last; n += step) out.push_back(n);
  return out;
}

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
  if (ctas == 2) return steps(32, 32);
  std::vector<i64> n = {8, 16, 24, 32};
  for (i64 x : steps(48, 16)) n.push_back(x);
  return n;
}

AtlasRow mmaRow(const Kind& kind, i64 m, int ctas, bool tensorA) {
  AtlasRow row;
  const char* where = tensorA ? "ts" : "ss";
  row.name = fmt::format("tcgen05.mma.cta_group::{}.kind::{}.m{}n{{N}}k{}.{}", ctas, kind.name, m, kind.k, where);
  row.family = AtlasFamily::Tcgen05Mma;
  row.architecture = "sm_100a sm_101a sm_103a sm_110a";
  row.ptx = fmt::format("tcgen05.mma.cta_group::{}.kind::{}", ctas, kind.name);
  row.shape = fmt::format("{}x{{N}}x{}", m, kind.k);
  row.threadId = fmt::format("{}:{}", ctas, ctas == 1 ? 0 : 1);
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
    AtlasRow row;
    const char* verb = load ? "ld" : "st";
    row.name = fmt::format("tcgen05.{}.{}.x{}", verb, copy.shape, repeated ? "{N}" : "1");
    row.family = AtlasFamily::Tcgen05Copy;
    row.architecture = "sm_100a sm_101a sm_103a sm_110a";
    row.ptx = fmt::format("tcgen05.{}.sync.aligned.{}.x{}.b32", verb, copy.shape, repeated ? "{N}" : "1");
    row.shape = fmt::format("{} rows x {} bits", copy.dp,
                            repeated ? fmt::format("{{{}N}}", copy.bits) : std::to_string(copy.bits));
    row.threadId = "32:1";
    if (repeated)
      for (i64 n = 2; n <= copy.last; n *= 2) row.parameter.push_back(n);
    const std::string width = repeated ? fmt::format("{{{}N}}", copy.bits) : std::to_string(copy.bits);
    const std::string dp = std::to_string(copy.dp);
    const std::string all = repeated ? fmt::format("(32,{{{}N}}):(0,1)", copy.bits * copy.dp)
                                     : fmt::format("(32,{}):(0,1)", copy.bits * copy.dp);
    AtlasOperand tensor{load ? "src" : "dst", "b1", width, dp, all, OperandSpace::Tensor, Coverage::Broadcast};
    AtlasOperand registers{load ? "dst" : "src", "b1", width, dp, repeated ? copy.times : copy.once};
    AtlasOperand reference = tensor;
    reference.name = "ref";
    row.operands = {load ? tensor : registers, load ? registers : tensor, reference};
    const char* cuteVerb = load ? "LOAD" : "STORE";
    const char* n = repeated ? "{N}" : "1";
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
