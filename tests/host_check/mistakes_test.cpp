// The check detects mistakes: texts with an error that an emitter could make do not pass it. Each is a correct text
// with one piece replaced.
#include "mistakes.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "random_programs.h"

using namespace tessera;
using namespace tessera::host_check;

namespace {

struct Known {
  const char* program;
  Mistake mistake;
};
// Every one of them is looked for in the text that is emitted today; one that is not there any more fails.
const Known kMistakes[] = {
    {"transpose_padded", {"__syncthreads();", ""}},
    {"transpose_swizzled", {"__syncthreads();", "__syncwarp();"}},
    {"gemm_warps_64", {"__syncthreads();", ""}},
    {"gemm_warps_64", {"ldmatrix_x4(", "ldmatrix_x4_trans("}},
    {"product", {"cp_async_wait<1>", "cp_async_wait<2>"}},
    {"product", {"tessera::cp_async_commit();", ""}},
    {"row_reduction", {"0xffffffffu, ", "0x0000ffffu, "}},
    {"row_reduction", {", 4)", ", 2)"}},
    {"predicated_copy", {"1023", "1024"}},
    {"layernorm", {"rsqrtf", "sqrtf"}},
    {"mlp_layer", {"fmaxf", "fminf"}},
    {"epilogue", {"__floats2half2_rn(x[0]", "__floats2half2_rn(x[1]"}},
};

std::string contents(const std::string& name) {
  std::ifstream in(fmt::format("{}/assets/graphene/{}.graphene", TESSERA_SOURCE_DIR, name));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// Of a random pipelined product, the first one whose text has the piece.
Case caseOf(const Known& m) {
  if (std::string(m.program) != "product") return {m.program, contents(m.program)};
  for (unsigned seed = 1;; ++seed) {
    Case one = randomProduct(seed);
    const auto program = graphene::readProgram(one.text);
    const auto source = codegen::emitCuda(*program);
    if (seed == 50 || (source && source->text.find(m.mistake.what) != std::string::npos)) return one;
  }
}

}  // namespace

TEST_CASE("a text with a mistake does not pass") {
  if (!hasCompiler()) return;
  std::vector<Mistaken> all;
  for (const Known& m : kMistakes) all.push_back({caseOf(m), m.mistake});
  noticesAll(all, 3, 3);
}

TEST_CASE(
    "the source of a cp.async that is overwritten before the wait: seen by the machine, and in the text's result") {
  if (!hasCompiler()) return;
  const auto text = [](const char* before, const char* after) {
    return fmt::format(
        "%x:[32:1].fp32.GL  %y:[32:1].fp32.GL\n#b:[1].block  #t:[32:1].thread\n"
        "%x,%y <- Spec<early><<<#b,#t>>>(%x) {{\n@t = #t.indices()\n%s:[32:1].fp32.SH  %z:[].fp32.RF  %v:[].fp32.RF\n"
        "%p = %s[@t]  %e = %x[@t]  %o = %y[@t]\n%z <- Init<7>()\n%p <- Move<async>(%e)\ncommit\n"
        "{}wait 0\n{}%v <- Move(%p)\n%o <- Move(%v)\n}}\n",
        before, after);
  };
  const std::string write = "%e <- Move(%z)\n";
  const Beside both({{"early", text(write.c_str(), "")}, {"late", text("", write.c_str())}});
  REQUIRE(both.wrong() == "");
  for (const std::string name : {"early", "late"}) {
    INFO(name << both.source(name).text);
    const graphene::TensorValues inputs = randomInputs({name, text(write.c_str(), "")}, 5);
    const Both first = both.run(name, inputs, 0), second = both.run(name, inputs, 1);
    CHECK(first.wrong == "");
    CHECK(first.findings.empty() == (name == "late"));
    CHECK((difference({{"y", first.host.at("y")}}, {{"y", second.host.at("y")}}) == "") == (name == "late"));
    CHECK(first.host.at("x") == std::vector<double>(32, 7));
  }
}
