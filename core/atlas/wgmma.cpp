// wgmma rows: Hopper's warpgroup products, 128 threads, M = 64, every N. B, and for ".ss" also A, comes from shared
// memory through a descriptor (core/atlas/gmma.h): every thread sees the whole tile.
#include <fmt/format.h>

#include "core/atlas/rows.h"

namespace tessera::atlas_rows {
namespace {

struct WgmmaType {
  const char* d;
  const char* a;
  const char* b;
  const char* suffix = "";
};

// "PTX ISA, Asynchronous Warpgroup Level Matrix Shape": float kinds allow every multiple of 8, integers fewer.
constexpr WgmmaType kTypes[] = {
    {"f16", "f16", "f16"},
    {"f32", "f16", "f16"},
    {"f32", "bf16", "bf16"},
    {"f32", "tf32", "tf32"},
    {"f32", "e4m3", "e4m3"},
    {"f32", "e4m3", "e5m2"},
    {"f32", "e5m2", "e4m3"},
    {"f32", "e5m2", "e5m2"},
    {"f16", "e4m3", "e4m3"},
    {"f16", "e4m3", "e5m2"},
    {"f16", "e5m2", "e4m3"},
    {"f16", "e5m2", "e5m2"},
    {"s32", "s8", "s8"},
    {"s32", "s8", "u8"},
    {"s32", "u8", "s8"},
    {"s32", "u8", "u8"},
    {"s32", "b1", "b1", ".and.popc"},
};

std::vector<i64> multiples(i64 first, i64 last, i64 step) {
  std::vector<i64> out;
  for (i64 n = first; n <= last; n += step) out.push_back(n);
  return out;
}

std::vector<i64> integerN() {
  std::vector<i64> out = {8, 16, 24, 32};
  for (i64 n : multiples(48, 256, 16)) out.push_back(n);
  return out;
}

// A in registers: mma.sync's 16-row fragment, with warp w owning rows 16w..16w+15.
std::string registersA(int bits) {
  const i64 w = bits >= 32 ? 1 : 32 / bits;
  if (w == 1) return "((4,8,4),(2,2)):((64,1,16),(8,256))";
  return fmt::format("((4,8,4),({},2,2)):(({},1,16),(64,8,{}))", w, 64 * w, 256 * w);
}

AtlasRow wgmmaRow(const WgmmaType& t, bool registers, bool sparse) {
  const int bits = *elementBits(t.a);
  const i64 storedK = 256 / bits;
  const i64 k = sparse ? 2 * storedK : storedK;
  const bool integer = std::string_view(t.d) == "s32";
  AtlasRow row;
  const char* where = registers ? "rs" : "ss";
  const std::string types = fmt::format("{}.{}.{}{}", t.d, t.a, t.b, t.suffix);
  row.name = fmt::format("wgmma{}.m64n{{N}}k{}.{}.{}", sparse ? ".sp" : "", k, types, where);
  row.family = AtlasFamily::Wgmma;
  row.architecture = "sm_90a";
  row.ptx = fmt::format("wgmma.mma_async{}.sync.aligned.m64n{{N}}k{}.{}", sparse ? ".sp" : "", k, types);
  row.shape = fmt::format("64x{{N}}x{}", k);
  row.threadId = "128:1";
  row.parameter = integer ? integerN() : multiples(8, 256, 8);
  const std::string kText = std::to_string(k), storedText = std::to_string(storedK);
  AtlasOperand a{"A", t.a, "64", storedText, registersA(bits)};
  if (!registers)
    a = {"A",
         t.a,
         "64",
         storedText,
         fmt::format("(128,(64,{})):(0,(1,64))", storedK),
         OperandSpace::Shared,
         Coverage::Broadcast};
  row.operands = {a,
                  {"B", t.b, "{N}", kText, fmt::format("(128,({{N}},{})):(0,(1,{{N}}))", k), OperandSpace::Shared,
                   Coverage::Broadcast},
                  {"C", t.d, "64", "{N}", "((4,8,4),(2,2,{N/8})):((128,1,16),(64,8,512))"}};
  if (bits != 1) {
    const std::string cute = fmt::format("64x{{N}}x{}_{}{}{}", k, cuteType(t.d), cuteType(t.a), cuteType(t.b));
    const std::string tail = fmt::format("_{}{}", registers ? "RS" : "SS", bits == 16 ? "" : "_TN");
    const std::vector<const char*> prefixes =
        sparse ? std::vector{"GMMA_", "SM90_SPARSE_", "MMA_SPARSE_"} : std::vector{"MMA_", "SM90_"};
    for (const char* prefix : prefixes) {
      row.aliases.push_back(fmt::format("{}{}{}", prefix, cute, tail));
      if (integer) row.aliases.push_back(row.aliases.back() + "_SATURATE");
    }
  }
  if (!registers && std::string_view(t.d) != "f16" && std::string_view(t.a) == t.b)
    row.aliases.push_back(fmt::format("wgmma{}.m64n{{N}}k{}.{}", sparse ? ".sp" : "", k, t.a));
  row.source = fmt::format("PTX ISA, Register Fragments and Shared Memory Matrix Layouts for wgmma .m64nNk{}", k);
  if (sparse) row.note = "A is stored compressed: its tile is 64 x K/2.";
  return row;
}

}  // namespace

void appendWgmma(std::vector<AtlasRow>& rows) {
  for (bool sparse : {false, true})
    for (const WgmmaType& t : kTypes) {
      if (sparse && std::string_view(t.a) == "b1") continue;
      for (bool registers : {false, true}) rows.push_back(wgmmaRow(t, registers, sparse));
    }
}

}  // namespace tessera::atlas_rows
