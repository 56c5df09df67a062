// mma.sync rows: Volta's quad pairs (m8n8k4), Turing, Ampere, Ada, Hopper (f64) and consumer Blackwell; mma.sp.
#include <fmt/format.h>

#include "core/atlas/rows/rows.h"
#include "core/base/words.h"

namespace tessera::atlas_rows {
namespace {

struct MmaShape {
  i64 m, n, k;
  std::string a, b;
  const char* c;            // accumulator; d has the same type
  const char* arch;         // PTX's minimum
  const char* cutePrefix;   // "SM80" and further prefixes after a blank; CuTe has one struct per generation
  const char* suffix = "";  // after the types in PTX: ".xor.popc"
};

struct MmaShapes {
  i64 m, n, k;
  const char* ab;  // A and B are each of these types
  const char *c, *arch, *cutePrefix, *suffix = "";
};

// The shapes of "PTX ISA, Warp-level matrix instructions: mma.sync". One line per shape and accumulator.
constexpr MmaShapes kShapes[] = {
    {16, 8, 8, "f16", "f32", "sm_75", "SM75 SM80"},
    {16, 8, 8, "f16", "f16", "sm_75", "SM75 SM80"},
    {16, 8, 16, "f16", "f32", "sm_80", "SM80"},
    {16, 8, 16, "f16", "f16", "sm_80", "SM80"},
    {16, 8, 8, "bf16", "f32", "sm_80", "SM80"},
    {16, 8, 16, "bf16", "f32", "sm_80", "SM80"},
    {16, 8, 4, "tf32", "f32", "sm_80", "SM80"},
    {16, 8, 8, "tf32", "f32", "sm_80", "SM80"},
    {8, 8, 4, "f64", "f64", "sm_80", "SM80"},
    {16, 8, 4, "f64", "f64", "sm_90", "SM90"},
    {16, 8, 8, "f64", "f64", "sm_90", "SM90"},
    {16, 8, 16, "f64", "f64", "sm_90", "SM90"},
    {8, 8, 16, "s8 u8", "s32", "sm_75", "SM75 SM80"},
    {16, 8, 16, "s8 u8", "s32", "sm_80", "SM80"},
    {16, 8, 32, "s8 u8", "s32", "sm_80", "SM80"},
    {8, 8, 32, "s4 u4", "s32", "sm_75", "SM75 SM80"},
    {16, 8, 32, "s4 u4", "s32", "sm_80", "SM80"},
    {16, 8, 64, "s4 u4", "s32", "sm_80", "SM80"},
    {8, 8, 128, "b1", "s32", "sm_75", "SM75 SM80", ".xor.popc"},
    {8, 8, 128, "b1", "s32", "sm_80", "SM80", ".and.popc"},
    {16, 8, 128, "b1", "s32", "sm_80", "SM80", ".xor.popc"},
    {16, 8, 128, "b1", "s32", "sm_80", "SM80", ".and.popc"},
    {16, 8, 256, "b1", "s32", "sm_80", "SM80", ".xor.popc"},
    {16, 8, 256, "b1", "s32", "sm_80", "SM80", ".and.popc"},
    {16, 8, 16, "e4m3 e5m2", "f32", "sm_89", "SM89"},
    {16, 8, 16, "e4m3 e5m2", "f16", "sm_89", "SM89"},
    {16, 8, 32, "e4m3 e5m2", "f32", "sm_89", "SM89"},
    {16, 8, 32, "e4m3 e5m2", "f16", "sm_89", "SM89"},
};

const char* fragmentTitle(const MmaShape& s) {
  if (s.a == "f64") return "f64 floating-point type";
  if (s.a == "b1") return ".b1 type";
  if (s.a == "f16" || s.a == "bf16" || s.a == "tf32") return "floating-point type";
  return "integer or .e4m3/.e5m2 type";
}

// The register fragments of mma.sync, as in PTX's figures: a 32-bit register holds w = 32/bits consecutive k of one
// row; four lanes are adjacent along k, eight rows follow each other; then row + 8, then k + 4w. m is 8 or 16; B, which
// is N x K with n = 8, has the fragment of an 8-row A.
std::string fragmentA(i64 m, i64 k, int bits) {
  const i64 w = bits >= 32 ? 1 : 32 / bits;
  const i64 repeats = k / (4 * w);
  std::vector<std::pair<i64, i64>> modes;  // (extent, stride)
  if (w > 1) modes.emplace_back(w, m);
  if (m == 16) modes.emplace_back(2, 8);
  if (repeats > 1) modes.emplace_back(repeats, m * 4 * w);
  if (modes.empty()) modes.emplace_back(1, 0);
  std::string shape, stride;
  for (auto [extent, d] : modes) {
    shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    stride += (stride.empty() ? "" : ",") + std::to_string(d);
  }
  // CuTe writes a single 4-bit value mode as a 1-tuple.
  const bool tuple = modes.size() > 1 || bits == 4;
  if (tuple) {
    shape = "(" + shape + ")";
    stride = "(" + stride + ")";
  }
  return fmt::format("((4,8),{}):(({},1),{})", shape, m * w, stride);
}

std::string fragmentC(i64 m) { return m == 16 ? "((4,8),(2,2)):((32,1),(16,8))" : "((4,8),2):((16,1),8)"; }

std::vector<AtlasOperand> operandsOf(const MmaShape& s, int bits, i64 storedK) {
  auto text = [](i64 x) { return std::to_string(x); };
  return {{"A", s.a, text(s.m), text(storedK), fragmentA(s.m, storedK, bits)},
          {"B", s.b, text(s.n), text(s.k), fragmentA(s.n, s.k, bits)},
          {"C", s.c, text(s.m), text(s.n), fragmentC(s.m)}};
}

AtlasRow denseRow(const MmaShape& s) {
  const std::string shape = fmt::format("m{}n{}k{}", s.m, s.n, s.k);
  const std::string types = fmt::format("{}.{}.{}.{}", s.c, s.a, s.b, s.c);
  AtlasRow row = rowOf(fmt::format("mma.{}.{}{}", shape, types, s.suffix), AtlasFamily::MmaSync, s.arch,
                       fmt::format("mma.sync.aligned.{}.row.col.{}{}", shape, types, s.suffix),
                       fmt::format("{}x{}x{}", s.m, s.n, s.k), "32:1");
  row.operands = operandsOf(s, *elementBits(s.a), s.k);
  row.source = fmt::format("PTX ISA, Matrix Fragments for mma.{} with {}", shape, fragmentTitle(s));
  const bool widest = std::string_view(s.c) != "f16" && std::string_view(s.suffix) != ".xor.popc";
  if (widest && s.a == s.b) row.aliases.push_back(fmt::format("mma.{}.{}", shape, s.a));
  for (const std::string_view prefix : wordsIn(s.cutePrefix)) {
    std::string atom =
        fmt::format("{}_{}_{}{}{}{}_TN", prefix, row.shape, cuteType(s.c), cuteType(s.a), cuteType(s.b), cuteType(s.c));
    std::string_view suffix = s.suffix;
    if (suffix == ".xor.popc") atom += "_XORPOPC";
    if (suffix == ".and.popc") atom += "_ANDPOPC";
    row.aliases.push_back(atom);
    if (atom.starts_with("SM90_")) row.aliases.push_back("MMA_" + atom.substr(5));  // in namespace SM90
    if (std::string_view(s.c) == "s32" && suffix.empty()) row.aliases.push_back(atom + "_SATURATE");
  }
  if (s.a == "f64") {  // CuTe's complex atoms are several of these products over the same fragments
    for (const char* complex : {"C64C64C64C64", "GC64C64C64GC64"})
      for (const char* prefix : {s.cutePrefix, "MMA"})
        if (std::string_view(prefix) != "MMA" || std::string_view(s.arch) == "sm_90")
          row.aliases.push_back(fmt::format("{}_{}_{}_TN", prefix, row.shape, complex));
    row.note = "CuTe's complex atoms (C64, GC64) have these maps, with a complex number in each value.";
  }
  if (s.k == 128 && s.m == 16)
    row.note =
        "CuTe prints A's stride as ((512,1),((16,8))), which is not congruent with its shape; this is the intended "
        "stride.";
  return row;
}

// Volta: four independent 8x8x4 products, one per quad pair: lanes 4q..4q+3 and 16+4q..16+4q+3.
void appendVolta(std::vector<AtlasRow>& rows) {
  struct Major {
    const char* ptx;
    const char* cute;
    bool aRow, bCol;
  };
  const std::string along = "(8,4):(1,8)", across = "((4,2),4):((8,4),1)";
  for (const char* acc : {"f32", "f16"}) {
    for (const Major& major : {Major{"row.col", "TN", true, true}, Major{"col.row", "NT", false, false},
                               Major{"col.col", "NN", false, true}, Major{"row.row", "TT", true, false}}) {
      AtlasRow row =
          rowOf(fmt::format("mma.m8n8k4.{}.{}.f16.f16.{}", major.ptx, acc, acc), AtlasFamily::MmaSync, "sm_70",
                fmt::format("mma.sync.aligned.m8n8k4.{}.{}.f16.f16.{}", major.ptx, acc, acc), "8x8x4", "(4,2):(1,16)");
      row.operands = {{"A", "f16", "8", "4", major.aRow ? along : across},
                      {"B", "f16", "8", "4", major.bCol ? along : across},
                      {"C", acc, "8", "8",
                       std::string_view(acc) == "f32" ? "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))" : "(8,8):(1,8)"}};
      row.aliases = {fmt::format("SM70_8x8x4_{0}F16F16{0}_{1}", cuteType(acc), major.cute)};
      if (major.aRow && major.bCol) {
        row.aliases.push_back(fmt::format("mma.m8n8k4.{}.f16.f16.{}", acc, acc));
        if (std::string_view(acc) == "f32") row.aliases.push_back("mma.m8n8k4.f16");
      }
      row.source = "PTX ISA, Matrix Fragments for mma.m8n8k4 with .f16 floating-point type";
      row.note = "Four products at once: quad pair q is lanes 4q..4q+3 and 16+4q..16+4q+3. Fast on sm_70 only.";
      rows.push_back(std::move(row));
    }
  }
}

// Consumer Blackwell: kind::f8f6f4 holds 4-, 6- and 8-bit floats in bytes; the mx kinds scale blocks along k.
void appendBlackwellConsumer(std::vector<AtlasRow>& rows) {
  const char* types[] = {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"};
  for (const char* acc : {"f32", "f16"})
    for (const char* a : types)
      for (const char* b : types) {
        MmaShape s{16, 8, 32, a, b, acc, "sm_120a sm_121a", "SM120"};
        AtlasRow row = denseRow(s);
        row.name = fmt::format("mma.m16n8k32.kind::f8f6f4.{}.{}.{}.{}", acc, a, b, acc);
        row.ptx = fmt::format("mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.{}.{}.{}.{}", acc, a, b, acc);
        row.operands = operandsOf(s, 8, 32);
        row.aliases = {fmt::format("SM120_16x8x32_TN<{},{},{}>", a, b, acc)};
        row.note = "Each element sits in a byte, 4- and 6-bit types with padding.";
        rows.push_back(std::move(row));
      }
  auto scaled = [&](const char* kind, const char* a, const char* b, const char* scale, i64 k, int block, int bits) {
    MmaShape s{16, 8, k, a, b, "f32", "sm_120a sm_121a", "SM120"};
    AtlasRow row = denseRow(s);
    row.name = fmt::format("mma.m16n8k{}.kind::{}.block_scale.scale_vec::{}X.f32.{}.{}.f32.{}", k, kind, k / block, a,
                           b, scale);
    row.ptx = fmt::format("mma.sync.aligned.kind::{}.block_scale.scale_vec::{}X.m16n8k{}.row.col.f32.{}.{}.f32.{}",
                          kind, k / block, k, a, b, scale);
    row.operands = operandsOf(s, bits, k);
    const std::string kText = std::to_string(k);
    row.operands.push_back({"SFA", scale, "16", kText, fmt::format("((2,2,8),{}):((8,0,1),16)", k),
                            OperandSpace::Register, Coverage::Broadcast});
    row.operands.push_back({"SFB", scale, "8", kText, fmt::format("((4,8),{}):((0,1),8)", k), OperandSpace::Register,
                            Coverage::Broadcast});
    row.aliases = {};
    // CUTLASS compiles its 16x8x64 atom with a scale for 32 elements to kind::mxf4nvf4.
    if (std::string_view(kind) != "mxf4")
      row.aliases.push_back(fmt::format("SM120_16x8x{}_TN_VS<{},{},f32,{},{}>", k, a, b, scale, block));
    row.note =
        fmt::format("One scale for {} consecutive k; SFA and SFB list the scale's place for every element.", block);
    rows.push_back(std::move(row));
  };
  for (const char* a : types)
    for (const char* b : types) scaled("mxf8f6f4", a, b, "ue8m0", 32, 32, 8);
  scaled("mxf4", "e2m1", "e2m1", "ue8m0", 64, 32, 4);
  scaled("mxf4nvf4", "e2m1", "e2m1", "ue8m0", 64, 32, 4);
  scaled("mxf4nvf4", "e2m1", "e2m1", "ue4m3", 64, 16, 4);
}

}  // namespace

std::string cuteType(const std::string& type) {
  if (type == "b1") return "U1";
  std::string up = type;
  for (char& c : up) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return up;
}

void appendMmaSync(std::vector<AtlasRow>& rows) {
  auto scalar = [&](const char* name, const char* arch, const char* ptx, const char* shape, const char* type,
                    const char* acc, const char* k, const char* ab, std::vector<std::string> aliases) {
    AtlasRow row = rowOf(name, AtlasFamily::Scalar, arch, ptx, shape, "1:0");
    row.operands = {{"A", type, "1", k, ab}, {"B", type, "1", k, ab}, {"C", acc, "1", "1", "(1,1):(0,0)"}};
    row.aliases = std::move(aliases);
    row.source = "PTX ISA, fma, dp4a, dp2a";
    rows.push_back(std::move(row));
  };
  scalar("fma.f32", "sm_20", "fma.rn.f32", "1x1x1", "f32", "f32", "1", "(1,1):(0,0)",
         {"UniversalFMA", "UniversalFMA<float>"});
  scalar("fma.f64", "sm_20", "fma.rn.f64", "1x1x1", "f64", "f64", "1", "(1,1):(0,0)", {"UniversalFMA<double>"});
  scalar("fma.f16", "sm_53", "fma.rn.f16", "1x1x1", "f16", "f16", "1", "(1,1):(0,0)", {"UniversalFMA<half_t>"});
  scalar("dp4a.s32", "sm_61", "dp4a.s32.s32", "1x1x4", "s8", "s32", "4", "(1,4):(0,1)", {"SM61_DP4A", "dp4a"});
  // Two of 16 bits by two bytes: PTX ISA, dp2a: the lower or the upper half of B's register.
  for (const bool high : {false, true}) {
    scalar(high ? "dp2a.hi.s32" : "dp2a.lo.s32", "sm_61", high ? "dp2a.hi.s32.s32" : "dp2a.lo.s32.s32", "1x1x2", "s16",
           "s32", "2", "(1,2):(0,1)", {});
    rows.back().operands[1].element = "s8";
    rows.back().note = high ? "B: bytes 2 and 3 of its register" : "B: bytes 0 and 1 of its register";
    if (!high) rows.back().aliases = {"SM61_DP2A", "dp2a", "dp2a.s32"};
  }
  appendVolta(rows);
  for (const MmaShapes& s : kShapes)
    for (const auto& [ta, tb] : typePairs(s.ab))
      rows.push_back(denseRow({s.m, s.n, s.k, ta, tb, s.c, s.arch, s.cutePrefix, s.suffix}));
  appendBlackwellConsumer(rows);
}

void appendMmaSparse(std::vector<AtlasRow>& rows) {
  // 2:4 sparse A (tf32: 1:2; 4-bit: pairs): the stored A is M x K/2 with the dense fragment of that size; B and C are
  // the dense ones of the full K. The metadata operand is one 32-bit register per thread and has no tile.
  constexpr MmaShapes shapes[] = {{16, 8, 16, "f16", "f32", "sm_80", ""},      {16, 8, 16, "f16", "f16", "sm_80", ""},
                                  {16, 8, 32, "f16", "f32", "sm_80", ""},      {16, 8, 32, "f16", "f16", "sm_80", ""},
                                  {16, 8, 16, "bf16", "f32", "sm_80", ""},     {16, 8, 32, "bf16", "f32", "sm_80", ""},
                                  {16, 8, 8, "tf32", "f32", "sm_80", ""},      {16, 8, 16, "tf32", "f32", "sm_80", ""},
                                  {16, 8, 32, "s8", "s32", "sm_80", ""},       {16, 8, 32, "u8", "s32", "sm_80", ""},
                                  {16, 8, 64, "s8", "s32", "sm_80", ""},       {16, 8, 64, "u8", "s32", "sm_80", ""},
                                  {16, 8, 64, "s4", "s32", "sm_80", ""},       {16, 8, 64, "u4", "s32", "sm_80", ""},
                                  {16, 8, 128, "s4", "s32", "sm_80", ""},      {16, 8, 128, "u4", "s32", "sm_80", ""},
                                  {16, 8, 64, "e4m3 e5m2", "f32", "sm_89", ""}};
  std::vector<MmaShape> all;
  for (const MmaShapes& s : shapes)
    for (const auto& [ta, tb] : typePairs(s.ab)) all.push_back({s.m, s.n, s.k, ta, tb, s.c, s.arch, s.cutePrefix});
  for (const MmaShape& s : all) {
    AtlasRow row = denseRow(s);
    row.name.insert(3, ".sp");
    row.ptx.insert(3, ".sp::ordered_metadata");
    row.family = AtlasFamily::MmaSparse;
    row.operands = operandsOf(s, *elementBits(s.a), s.k / 2);
    row.aliases = {};
    if (std::string_view(s.c) != "f16" && s.a == s.b)
      row.aliases.push_back(fmt::format("mma.sp.m16n8k{}.{}", s.k, s.a));
    row.source = fmt::format("PTX ISA, Matrix fragments for sparse mma.m16n8k{}", s.k);
    row.note = "A is stored compressed: its tile is M x K/2, and the metadata gives the K of each column.";
    rows.push_back(std::move(row));
  }
}

}  // namespace tessera::atlas_rows
