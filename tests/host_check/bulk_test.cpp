// mbarrier and TMA, printed and run: the header's copies follow PTX's rules of boxes and swizzles. In any order of
// threads and of copies they give the emulator's results, without a finding. Covers every swizzle, both orders, one to
// three dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "beside.h"
#include "core/graphene/reader/parameters.h"
#include "mistakes.h"

using namespace tessera;
using namespace tessera::host_check;
using testing::changed;

namespace {

// Seven boxes of %x through three stages, by one thread of warp 1; each thread of warp 0 takes `pieces` of 16 bytes of
// each to %y.
struct Ring {
  std::string name, x, y, shared;
  std::string tile;      // of %x, number k
  std::string stage;     // of %s, where it goes
  std::string from, to;  // piece c of thread @t
  int pieces = 1;
};

Case caseOf(const Ring& r) {
  return {r.name,
          fmt::format(R"(%x:{}  %y:{}
#grid:[1].block  #cta:[64].thread
%y <- Move<<<#grid,#cta>>>(%x) {{
  %s:{}
  %full:[3].mbarrier.SH  %empty:[3].mbarrier.SH
  @t = #cta.indices()
  #one = #cta.scalar()
  if (@t == 0) {{
    for (st = 0; st < 3; st += 1) {{
      %f = %full[st]  %e = %empty[st]
      mbarrier.init %f, 1
      mbarrier.init %e, 32
    }}
    fence.async
  }}
  sync
  if (@t < 32) {{
    for (k = 0; k < 7; k += 1) {{
      %f = %full[k%3]  %e = %empty[k%3]
      mbarrier.wait %f, (k/3)
      for (c = 0; c < {}; c += 1) {{
        %from = {}
        %to = {}
        %to <- Move<<<#grid,#one>>>(%from)
      }}
      mbarrier.arrive %e
    }}
  }} else {{
    if (@t == 32) {{
      for (k = 0; k < 7; k += 1) {{
        %f = %full[k%3]  %e = %empty[k%3]
        mbarrier.wait %e, (k/3 - 1)
        %g = {}  %box = {}
        mbarrier.expect %f, %box
        %box <- Move<bulk %f><<<#grid,#one>>>(%g)
      }}
    }}
  }}
}}
)",
                      r.x, r.y, r.shared, r.pieces, r.from, r.to, r.tile, r.stage),
          {},
          "sm_90a"};
}

// 32 lines a box, of 16 << bits bytes: the swizzle that goes with them, or none.
Ring lines(const std::string& type, int unit, int bits, bool swizzled, bool columns) {
  const int line = unit << bits, base = unit == 4 ? 2 : unit == 8 ? 3 : 4;
  const std::string swizzle = swizzled ? fmt::format("Sw<{},{},3> o ", bits, base) : "";
  const auto place = [&](const std::string& a, const std::string& b) { return columns ? b + "," + a : a + "," + b; };
  const auto matrix = [&](int rows, int width, int pitch) {
    return fmt::format("[{}:{}].{}.GL", place(fmt::format("{}", rows), fmt::format("{}", width)),
                       place(fmt::format("{}", pitch), "1"), type);
  };
  Ring r;
  r.name = fmt::format("{}_{}_{}_{}", columns ? "columns" : "rows", type, line, swizzled ? "swizzled" : "plain");
  r.x = matrix(7 * 32, 2 * line, 2 * line);
  r.y = matrix(7 * 32, line, line);
  r.shared = fmt::format("{}[3,{}:{},{}].{}.SH", swizzle, place("32", fmt::format("{}", line)), 32 * line,
                         place(fmt::format("{}", line), "1"), type);
  const std::string whole = place("[32:1]", fmt::format("[{}:1]", line)),
                    piece = place("[1:1]", fmt::format("[{}:1]", unit));
  r.tile = fmt::format("%x.tile({})[{}]", whole, place("k", "1"));
  r.stage = fmt::format("%s.tile([1:1],{})[k%3,0,0].reshape(0,[{}])", whole, place("32", fmt::format("{}", line)));
  r.from = fmt::format("%s.tile([1:1],{})[k%3,{}]", piece, place("@t", "c"));
  r.to = fmt::format("%y.tile({})[{}]", piece, place("32*k + @t", "c"));
  r.pieces = line / unit;
  return r;
}

std::string contentsOf(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/hopper" / (name + ".graphene"));
  std::stringstream contents;
  contents << in.rdbuf();
  return contents.str();
}
std::string product() {
  return *graphene::withSettings(contentsOf("gemm_wgmma_tma"),
                                 {{"rows", "2"}, {"columns", "1"}, {"depth", "6"}, {"group", "2"}});
}

std::vector<Case> everything() {
  std::vector<Case> out;
  for (const bool columns : {false, true})
    for (const bool swizzled : {false, true})
      for (int bits = swizzled ? 1 : 0; bits <= 3; ++bits)
        out.push_back(caseOf(lines("fp16", 8, bits, swizzled, columns)));
  out.push_back(caseOf(lines("fp32", 4, 3, true, false)));
  out.push_back(caseOf(lines("e4m3", 16, 3, true, true)));
  out.push_back(caseOf({"three_dimensions", "[14,16,128:2048,128,1].fp16.GL", "[14,16,64:1024,64,1].fp16.GL",
                        "Sw<3,3,3> o [3,2,16,64:2048,1024,64,1].fp16.SH", "%x.tile([2:1],[16:1],[64:1])[k,0,1]",
                        "%s.tile([1:1],[2:1],[16:1],[64:1])[k%3,0,0,0].reshape(0,[2,16,64])",
                        "%s.tile([1:1],[1:1],[1:1],[8:1])[k%3,@t/16,@t%16,c]",
                        "%y.tile([1:1],[1:1],[8:1])[2*k + @t/16,@t%16,c]", 8}));
  // A box of one row: the other dimension of the map has one element.
  out.push_back(caseOf({"one_row", "[7,256:256,1].fp16.GL", "[7,256:256,1].fp16.GL", "[3,256:256,1].fp16.SH",
                        "%x.tile([1:1],[256:1])[k,0]", "%s.tile([1:1],[256:1])[k%3,0]", "%s.tile([1:1],[8:1])[k%3,@t]",
                        "%y.tile([1:1],[8:1])[k,@t]", 1}));
  out.push_back({"product", product(), {}, "sm_90a"});
  // Tensor maps that depend on sizes.
  out.push_back({"product_sizes", contentsOf("gemm_wgmma_sizes"), {{"M", 1}, {"K", 3}, {"N", 2}}, "sm_90a"});
  return out;
}

const Beside& all() {
  static const Beside one(everything());
  return one;
}

bool ready() { return hasCompiler() && host_check::ready(all()); }

}  // namespace

TEST_CASE("boxes of every swizzle and order: the printed TMA moves what the emulator does, in any order") {
  if (!ready()) return;
  CHECK(all().messages() == "");
  for (const Case& one : all().cases()) {
    for (unsigned order = 0; order < (one.name.starts_with("product") ? 2u : 4u); ++order) {
      INFO(one.name << ", order " << order << one.text << "\n" << all().source(one.name).text.substr(0, 6000));
      const Both both = all().run(one.name, randomInputs(one, 7), order);
      REQUIRE(both.wrong == "");
      for (const graphene::Finding& f : both.findings) UNSCOPED_INFO(f.message);
      REQUIRE(both.findings.empty());
      CHECK(difference(both.host, both.emulated) == "");
      CHECK(difference(both.host, both.inputs) != "");
    }
  }
}

TEST_CASE("the products by TMA are the products") {
  if (!ready()) return;
  struct Product {
    std::string name;
    std::size_t m, n, k;
  };
  for (const auto& [name, m, n, depth] : {Product{"product", 256, 256, 384}, Product{"product_sizes", 128, 256, 192}}) {
    const auto one = std::ranges::find(all().cases(), name, &Case::name);
    REQUIRE(one != all().cases().end());
    const Both both = all().run(name, randomInputs(*one, 3));
    REQUIRE(both.wrong == "");
    graphene::TensorValues expected = both.host;
    std::vector<double>& c = expected["C"];
    c = both.inputs.at("C");
    const std::vector<double>&a = both.inputs.at("A"), &b = both.inputs.at("B");
    REQUIRE(c.size() == m * n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < depth; ++k) c[i * n + j] += a[i * depth + k] * b[k * n + j];
    CHECK(difference(both.host, expected, 1e-4) == "");
  }
}

TEST_CASE("texts with a mistake about barriers or boxes are found") {
  if (!hasCompiler()) return;
  const Case right = caseOf(lines("fp16", 8, 3, true, false));
  std::vector<Mistaken> all;
  for (const Mistake& m :
       {Mistake{"% 3], 4096);", "% 3], 2048);"},
        Mistake{"mbarrier_init(&empty[st], 32)", "mbarrier_init(&empty[st], 33)"}, Mistake{"x_map, 64,", "x_map, 0,"},
        Mistake{"/ 3 + 1) % 2)", "/ 3) % 2)"}, Mistake{"mbarrier_init(&full[st], 1)", "mbarrier_init(&full[st], 2)"}})
    all.push_back({right, m});
  noticesAll(all, 5, 1);
}
