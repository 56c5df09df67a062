// Products of a warpgroup, printed and run: the header's own canonical layouts (PTX's formulas) read
// core/atlas/gmma.h's descriptors and give the emulator's results, without a finding. Covers both majors, every
// swizzle, several widths and types.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "beside.h"
#include "mistakes.h"

using namespace tessera;
using namespace tessera::host_check;
using testing::replaced;

namespace {

// A matrix of mn x 64 in shared memory as a canonical layout of wgmma has it: "k128" K-major in lines of 128 bytes (the
// swizzle that goes with them), "mn16" MN-major without one.
std::string matrix(const std::string& form, i64 mn, const std::string& name, const std::string& type, bool left) {
  const auto put = [&](const std::string& swizzle, const std::string& rows, const std::string& columns,
                       const std::string& rs, const std::string& cs) {
    return fmt::format("%{}:{}[{},{}:{},{}].{}.SH", name, swizzle, left ? rows : columns, left ? columns : rows,
                       left ? rs : cs, left ? cs : rs, type);
  };
  if (form == "k128") return put("Sw<3,3,3> o ", fmt::format("{}", mn), "64", "64", "1");
  if (form == "k64") return put("Sw<2,3,3> o ", fmt::format("{}", mn), "(32,2)", "32", fmt::format("(1,{})", 32 * mn));
  if (form == "k32") return put("Sw<1,3,3> o ", fmt::format("{}", mn), "(16,4)", "16", fmt::format("(1,{})", 16 * mn));
  if (form == "k16") return put("", fmt::format("{}", mn), "(8,8)", "8", fmt::format("(1,{})", 8 * mn));
  if (form == "mn128") return put("Sw<3,3,3> o ", fmt::format("(64,{})", mn / 64), "64", "(1,4096)", "64");
  if (form == "mn64") return put("Sw<2,3,3> o ", fmt::format("(32,{})", mn / 32), "64", "(1,2048)", "32");
  if (form == "mn32") return put("Sw<1,3,3> o ", fmt::format("(16,{})", mn / 16), "64", "(1,1024)", "16");
  return put("", fmt::format("(8,{})", mn / 8), "64", "(1,512)", "8");  // mn16
}

// 64 x N x 64 by one warpgroup, its matrices in the forms, put there element by element.
Case product(const std::string& a, const std::string& b, i64 n, const std::string& type, const std::string& sum) {
  const std::string text =
      fmt::format(R"(
%A:[64,64:64,1].{0}.GL  %B:[64,{1}:{1},1].{0}.GL  %C:[64,{1}:{1},1].{2}.GL
#grid:[1].block  #wg:[128:1].thread
%C <- MatMul<<<#grid,#wg>>>(%A,%B) {{
  {3}  {4}
  #l = #wg.reshape(0,[16,8])
  (@r,@c) = #l.indices()
  for (i = 0; i < 4; i += 1) {{
    for (j = 0; j < 8; j += 1) {{
      %x = %A[16*i + @r, 8*j + @c]  %y = %sA[16*i + @r, 8*j + @c]  %y <- Move(%x)
    }}
    for (n = 0; n < {5}; n += 1) {{
      %u = %B[16*i + @r, 8*n + @c]  %v = %sB[16*i + @r, 8*n + @c]  %v <- Move(%u)
    }}
  }}
  fence.async
  sync
  #lanes = #wg.reshape(0,[4,8,4])
  (@w,@g,@q) = #lanes.indices()
  %acc:[1,{5}:0,4].[2,1:2,0].[1,2:0,1].{2}.RF
  %Ct = %C.tile([16:1],[8:1])
  for (n = 0; n < {5}; n += 1) {{ for (h = 0; h < 2; h += 1) {{
    %p = %Ct[@w,n].tile([1:1],[2:1])[8*h + @g,@q]  %s = %acc[0,n][h,0]  %s <- Move(%p)
  }} }}
  %At = %sA.tile(_,[16:1])  %Bt = %sB.tile([16:1],_)
  wgmma.fence
  for (k = 0; k < 4; k += 1) {{
    %a = %At[0,k]  %b = %Bt[k,0]
    %acc <- MatMul<<<#grid,#wg>>>(%a,%b)
  }}
  wgmma.commit
  wgmma.wait 0
  for (n = 0; n < {5}; n += 1) {{ for (h = 0; h < 2; h += 1) {{
    %p = %Ct[@w,n].tile([1:1],[2:1])[8*h + @g,@q]  %s = %acc[0,n][h,0]  %p <- Move(%s)
  }} }}
}})",
                  type, n, sum, matrix(a, 64, "sA", type, true), matrix(b, n, "sB", type, false), n / 8);
  return {fmt::format("{}_{}_{}_{}_{}", a, b, n, type, sum), text, {}, "sm_90a"};
}

// The same with A from registers.
Case fromRegisters(const std::string& b, i64 n, const std::string& type, const std::string& sum) {
  Case out = product("k128", b, n, type, sum);
  const auto put = [&](const std::string& what, const std::string& by) {
    const std::size_t at = out.text.find(what);
    REQUIRE(at != std::string::npos);
    out.text.replace(at, what.size(), by);
  };
  put("%At = %sA.tile(_,[16:1])", "%At = %sA.tile([16:1],[16:1])");
  put("  wgmma.fence\n", fmt::format("  %f:[4:8].[2,2:4,2].[1,2:0,1].{}.RF  #warps = #wg.tile([32:1]).reshape(0,[4])\n"
                                     "  #warp = #warps[@w]\n  for (k = 0; k < 4; k += 1) {{\n"
                                     "    %fk = %f[k]  %tile = %At[@w,k]\n"
                                     "    %fk <- load_a<<<#grid,#warp>>>(%tile)\n  }}\n  wgmma.fence\n",
                                     type));
  put("%a = %At[0,k]", "%a = %f[k]");
  out.name = "registers_" + out.name;
  return out;
}

std::string contents(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/hopper" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<Case> everything() {
  std::vector<Case> out;
  const char* forms[] = {"k128", "k64", "k32", "k16", "mn128", "mn64", "mn32", "mn16"};
  for (const char* form : forms) {
    out.push_back(product(form, "k128", 64, "fp16", "fp32"));
    out.push_back(product("k128", form, 64, "fp16", "fp32"));
  }
  out.erase(out.begin());  // k128 twice
  out.push_back(product("mn64", "mn16", 96, "bf16", "fp32"));
  out.push_back(product("k32", "mn128", 256, "fp16", "fp32"));
  out.push_back(product("k128", "k16", 8, "bf16", "fp32"));
  out.push_back(product("mn128", "k64", 136, "fp16", "fp16"));
  out.push_back(fromRegisters("k128", 64, "fp16", "fp32"));
  out.push_back(fromRegisters("mn64", 96, "bf16", "fp32"));
  out.push_back(fromRegisters("k16", 8, "fp16", "fp16"));
  out.push_back(fromRegisters("mn128", 256, "fp16", "fp32"));
  out.push_back({"gemm_wgmma_64", contents("gemm_wgmma_64"), {}, "sm_90a"});
  out.push_back({"gemm_wgmma_registers", contents("gemm_wgmma_registers"), {}, "sm_90a"});
  const std::string small =
      replaced(replaced(contents("gemm_wgmma_pipelined"), "1024", "256"), "[8,8:8,1].block", "[2,2:2,1].block");
  out.push_back({"gemm_wgmma_pipelined",
                 replaced(replaced(small, "kt < 32", "kt < 8"), "kt + 2 < 32", "kt + 2 < 8"),
                 {},
                 "sm_90a"});
  const std::string deep =
      replaced(replaced(contents("gemm_wgmma_deep"), "1024", "256"), "[8,4:4,1].block", "[2,1:1,1].block");
  out.push_back(
      {"gemm_wgmma_deep", replaced(replaced(deep, "kt < 16", "kt < 4"), "kt + 2 < 16", "kt + 2 < 4"), {}, "sm_90a"});
  return out;
}

const Beside& all() {
  static const Beside one(everything());
  return one;
}

bool ready() { return hasCompiler() && host_check::ready(all()); }

// C + A * B in doubles.
std::vector<double> reference(const graphene::TensorValues& in, i64 m, i64 n, i64 k) {
  std::vector<double> out = in.at("C");
  for (i64 i = 0; i < m; ++i)
    for (i64 j = 0; j < n; ++j)
      for (i64 x = 0; x < k; ++x)
        out[static_cast<std::size_t>(i * n + j)] +=
            in.at("A")[static_cast<std::size_t>(i * k + x)] * in.at("B")[static_cast<std::size_t>(x * n + j)];
  return out;
}

}  // namespace

TEST_CASE("every canonical layout: the printed wgmma computes what the emulator does, in any order of threads") {
  if (!ready()) return;
  CHECK(all().messages() == "");
  for (const Case& one : all().cases()) {
    for (unsigned order = 0; order < 3; ++order) {
      INFO(one.name << ", order " << order << one.text << "\n" << all().source(one.name).text.substr(0, 6000));
      const Both both = all().run(one.name, randomInputs(one, 7), order);
      REQUIRE(both.wrong == "");
      CHECK(both.findings.empty());
      CHECK(difference(both.host, both.emulated) == "");
      CHECK(difference(both.host, both.inputs) != "");
    }
  }
}

TEST_CASE("and that is the product") {
  if (!ready()) return;
  for (const char* name : {"k128_k32_64_fp16_fp32", "mn64_mn16_96_bf16_fp32", "gemm_wgmma_64", "gemm_wgmma_pipelined",
                           "gemm_wgmma_deep", "gemm_wgmma_registers", "registers_k128_mn64_96_bf16_fp32"}) {
    INFO(name);
    const Case* one = nullptr;
    for (const Case& c : all().cases())
      if (c.name == name) one = &c;
    REQUIRE(one != nullptr);
    const Both both = all().run(name, randomInputs(*one, 3));
    const i64 m = one->name == "gemm_wgmma_pipelined" || one->name == "gemm_wgmma_deep" ? 256 : 64;
    const i64 n = static_cast<i64>(both.inputs.at("C").size()) / m,
              k = static_cast<i64>(both.inputs.at("A").size()) / m;
    graphene::TensorValues expected = both.host;
    expected["C"] = reference(both.inputs, m, n, k);
    CHECK(difference(both.host, expected, 1e-4) == "");
  }
}

TEST_CASE("texts with a mistake about products compute something else") {
  if (!hasCompiler()) return;
  const Case right{"right", contents("gemm_wgmma_64"), {}, "sm_90a"};
  std::vector<Mistaken> all;
  for (const Mistake& m :
       {Mistake{"tessera::wgmma_wait<0>();", ""}, Mistake{"tessera::wgmma_wait<0>();", "tessera::wgmma_wait<1>();"},
        Mistake{"tessera::wgmma_commit();", ""}, Mistake{"matrix_descriptor<1, 1, 64>", "matrix_descriptor<2, 1, 64>"},
        Mistake{"matrix_descriptor<1, 1, 64>", "matrix_descriptor<1, 1, 32>"}, Mistake{"<0, 0>(acc", "<0, 1>(acc"},
        Mistake{"sA[k * 16]", "sA[k * 32]"}, Mistake{"__syncthreads();", ""}})
    all.push_back({right, m});
  noticesAll(all, 5, 3);
}
