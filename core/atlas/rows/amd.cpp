// AMD rows: CDNA's MFMA (64 lanes, several adjacent blocks) and RDNA's WMMA (32 lanes).
//
// MFMA M x N x K, b blocks: with p = M*K*b/64 values per lane,
//     A: row = lane % M, block = lane / M % b, k = p * (lane / (M*b)) + value;  B likewise with N
//     C: column = lane % N; rows come in groups of 4: value % 4, then lanes, then values
// The tile of a multi-block row stacks the blocks: A is (M*b) x K, B (N*b) x K, C (M*b) x N.
#include <fmt/format.h>

#include "core/atlas/rows/rows.h"

namespace tessera::atlas_rows {
namespace {

struct Mfma {
  i64 m, n, k, blocks;
  const char* in;
  const char* out;
  const char* arch;
  const char* mnemonic;
};

constexpr Mfma kMfma[] = {
    {32, 32, 1, 2, "f32", "f32", "gfx908", "v_mfma_f32_32x32x1_2b_f32"},
    {16, 16, 1, 4, "f32", "f32", "gfx908", "v_mfma_f32_16x16x1_4b_f32"},
    {4, 4, 1, 16, "f32", "f32", "gfx908", "v_mfma_f32_4x4x1_16b_f32"},
    {32, 32, 2, 1, "f32", "f32", "gfx908", "v_mfma_f32_32x32x2_f32"},
    {16, 16, 4, 1, "f32", "f32", "gfx908", "v_mfma_f32_16x16x4_f32"},
    {32, 32, 4, 2, "f16", "f32", "gfx908", "v_mfma_f32_32x32x4_2b_f16"},
    {16, 16, 4, 4, "f16", "f32", "gfx908", "v_mfma_f32_16x16x4_4b_f16"},
    {4, 4, 4, 16, "f16", "f32", "gfx908", "v_mfma_f32_4x4x4_16b_f16"},
    {32, 32, 8, 1, "f16", "f32", "gfx908", "v_mfma_f32_32x32x8_f16"},
    {16, 16, 16, 1, "f16", "f32", "gfx908", "v_mfma_f32_16x16x16_f16"},
    {32, 32, 4, 2, "bf16", "f32", "gfx90a", "v_mfma_f32_32x32x4_2b_bf16"},
    {16, 16, 4, 4, "bf16", "f32", "gfx90a", "v_mfma_f32_16x16x4_4b_bf16"},
    {4, 4, 4, 16, "bf16", "f32", "gfx90a", "v_mfma_f32_4x4x4_16b_bf16"},
    {32, 32, 8, 1, "bf16", "f32", "gfx90a", "v_mfma_f32_32x32x8_bf16"},
    {16, 16, 16, 1, "bf16", "f32", "gfx90a", "v_mfma_f32_16x16x16_bf16"},
    {32, 32, 4, 2, "s8", "s32", "gfx908", "v_mfma_i32_32x32x4_2b_i8"},
    {16, 16, 4, 4, "s8", "s32", "gfx908", "v_mfma_i32_16x16x4_4b_i8"},
    {4, 4, 4, 16, "s8", "s32", "gfx908", "v_mfma_i32_4x4x4_16b_i8"},
    {32, 32, 8, 1, "s8", "s32", "gfx908", "v_mfma_i32_32x32x8i8"},
    {16, 16, 16, 1, "s8", "s32", "gfx908", "v_mfma_i32_16x16x16i8"},
    {32, 32, 16, 1, "s8", "s32", "gfx942", "v_mfma_i32_32x32x16_i8"},
    {16, 16, 32, 1, "s8", "s32", "gfx942", "v_mfma_i32_16x16x32_i8"},
    {32, 32, 4, 1, "tf32", "f32", "gfx942", "v_mfma_f32_32x32x4_xf32"},
    {16, 16, 8, 1, "tf32", "f32", "gfx942", "v_mfma_f32_16x16x8_xf32"},
    {32, 32, 16, 1, "e4m3", "f32", "gfx942", "v_mfma_f32_32x32x16_fp8_fp8"},
    {16, 16, 32, 1, "e4m3", "f32", "gfx942", "v_mfma_f32_16x16x32_fp8_fp8"},
    {32, 32, 16, 1, "e5m2", "f32", "gfx942", "v_mfma_f32_32x32x16_bf8_bf8"},
    {16, 16, 32, 1, "e5m2", "f32", "gfx942", "v_mfma_f32_16x16x32_bf8_bf8"},
    {32, 32, 16, 1, "f16", "f32", "gfx950", "v_mfma_f32_32x32x16_f16"},
    {16, 16, 32, 1, "f16", "f32", "gfx950", "v_mfma_f32_16x16x32_f16"},
    {32, 32, 16, 1, "bf16", "f32", "gfx950", "v_mfma_f32_32x32x16_bf16"},
    {16, 16, 32, 1, "bf16", "f32", "gfx950", "v_mfma_f32_16x16x32_bf16"},
};

std::string mfmaInput(i64 m, i64 k, i64 blocks) {
  const i64 groups = 64 / (m * blocks);  // lanes along k
  const i64 p = k / groups;
  const i64 rows = m * blocks;
  std::string values = p == 1 ? "1" : std::to_string(p);
  std::string step = p == 1 ? "0" : std::to_string(rows);
  if (groups == 1) return fmt::format("(64,{}):(1,{})", values, step);
  return fmt::format("(({},{}),{}):((1,{}),{})", rows, groups, values, rows * p, step);
}

std::string mfmaOutput(i64 m, i64 n, i64 blocks) {
  const i64 rows = m * blocks;
  if (m == 32 && blocks == 1) return "((32,2),(4,4)):((32,4),(1,8))";
  if (m == 32) return fmt::format("((32,2),(4,4,2)):(({},4),(1,8,32))", rows);
  if (m == 16 && blocks == 1) return "((16,4),4):((16,4),1)";
  if (m == 16) return fmt::format("((16,4),(4,4)):(({},4),(1,16))", rows);
  return fmt::format("(({},16),4):(({},4),1)", n, rows);  // 4x4, 16 blocks
}

AtlasRow mfmaRow(const Mfma& s) {
  AtlasRow row = rowOf(fmt::format("mfma.{}x{}x{}{}.{}.{}", s.m, s.n, s.k,
                                   s.blocks > 1 ? fmt::format(".{}b", s.blocks) : "", s.out, s.in),
                       AtlasFamily::Mfma, s.arch, s.mnemonic, fmt::format("{}x{}x{}", s.m, s.n, s.k), "64:1");
  auto text = [](i64 x) { return std::to_string(x); };
  row.operands = {{"A", s.in, text(s.m * s.blocks), text(s.k), mfmaInput(s.m, s.k, s.blocks)},
                  {"B", s.in, text(s.n * s.blocks), text(s.k), mfmaInput(s.n, s.k, s.blocks)},
                  {"C", s.out, text(s.m * s.blocks), text(s.n), mfmaOutput(s.m, s.n, s.blocks)}};
  row.source = "AMD CDNA ISA, Matrix instructions; AMD matrix instruction calculator";
  if (s.blocks > 1) row.note = fmt::format("{} independent products; the tiles stack the blocks.", s.blocks);
  return row;
}

struct Wmma {
  const char *in, *out, *mnemonic;
  bool rdna4Only = false;
};
constexpr Wmma kWmma[] = {{"f16", "f32", "v_wmma_f32_16x16x16_f16"},
                          {"bf16", "f32", "v_wmma_f32_16x16x16_bf16"},
                          {"f16", "f16", "v_wmma_f16_16x16x16_f16"},
                          {"bf16", "bf16", "v_wmma_bf16_16x16x16_bf16"},
                          {"u8", "s32", "v_wmma_i32_16x16x16_iu8"},
                          {"u4", "s32", "v_wmma_i32_16x16x16_iu4"},
                          {"e4m3", "f32", "v_wmma_f32_16x16x16_fp8_fp8", true},
                          {"e5m2", "f32", "v_wmma_f32_16x16x16_bf8_bf8", true}};

// RDNA3: A and B are duplicated (lanes 16-31 repeat 0-15), C's rows alternate between the halves of the wave.
AtlasRow wmmaRow(bool rdna4, const Wmma& s) {
  AtlasRow row = rowOf(fmt::format("wmma.{}.16x16x16.{}.{}", rdna4 ? "gfx12" : "gfx11", s.out, s.in), AtlasFamily::Wmma,
                       rdna4 ? "gfx1200" : "gfx1100", s.mnemonic, "16x16x16", "32:1");
  const char* ab = rdna4 ? "((16,2),8):((1,128),16)" : "((16,2),16):((1,0),16)";
  const char* c = rdna4 ? "((16,2),8):((16,8),1)" : "((16,2),8):((16,1),2)";
  const Coverage coverage = rdna4 ? Coverage::Once : Coverage::Broadcast;
  row.operands = {{"A", s.in, "16", "16", ab, OperandSpace::Register, coverage},
                  {"B", s.in, "16", "16", ab, OperandSpace::Register, coverage},
                  {"C", s.out, "16", "16", c}};
  row.source =
      rdna4 ? "AMD RDNA4 ISA, WMMA; Triton's amd_wmma version 2" : "AMD RDNA3 ISA, WMMA; Triton's amd_wmma version 1";
  if (!rdna4)
    row.note = "Wave32. Lanes 16-31 repeat the A and B of lanes 0-15; 16-bit results use one half of each register.";
  return row;
}

}  // namespace

void appendAmd(std::vector<AtlasRow>& rows) {
  for (const Mfma& s : kMfma) rows.push_back(mfmaRow(s));
  AtlasRow f64 =
      rowOf("mfma.16x16x4.f64.f64", AtlasFamily::Mfma, "gfx90a", "v_mfma_f64_16x16x4_f64", "16x16x4", "64:1");
  f64.operands = {{"A", "f64", "16", "4", "(64,1):(1,0)"},
                  {"B", "f64", "16", "4", "(64,1):(1,0)"},
                  {"C", "f64", "16", "16", "((16,4),4):((16,1),4)"}};
  f64.source = "AMD CDNA2 ISA, Matrix instructions; AMD matrix instruction calculator";
  rows.push_back(f64);
  f64.name = "mfma.4x4x4.4b.f64.f64";
  f64.ptx = "v_mfma_f64_4x4x4_4b_f64";
  f64.shape = "4x4x4";
  f64.operands[2] = {"C", "f64", "16", "4", "((4,4,4),1):((16,4,1),0)"};
  f64.note = "4 independent products; the tiles stack the blocks.";
  rows.push_back(f64);
  for (bool rdna4 : {false, true})
    for (const Wmma& s : kWmma)
      if (rdna4 || !s.rdna4Only) rows.push_back(wmmaRow(rdna4, s));
}

}  // namespace tessera::atlas_rows
