// The emitted text of every program, run: the text computes the emulator's result to the last bit, in any order of
// threads, and that matches a plain reference. Wrong programs give the same wrong numbers.
#include <catch2/catch.hpp>
#include <functional>

#include "beside.h"
#include "ready.h"
#include "references.h"
#include "tests/support/small_programs.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace tessera::host_check;

namespace {

std::vector<Case> everything() {
  std::vector<Case> out;
  for (const testing::SmallProgram& one : testing::smallPrograms({"assets/graphene", "tests/cases/graphene"}))
    out.push_back({one.name, one.text, one.sizes});
  return out;
}

const Beside& all() {
  static const Beside one(everything());
  return one;
}

bool ready() { return hasCompiler() && host_check::ready(all()); }

const Case& caseOf(const std::string& name) {
  for (const Case& one : all().cases())
    if (one.name == name) return one;
  FAIL("no program " << name);
  return all().cases()[0];
}

Both run(const std::string& name, unsigned order = 0) { return all().run(name, randomInputs(caseOf(name), 7), order); }

// Where a step of the printed arithmetic rounds and the emulator's operation does not: sigmoid is three instructions.
double toleranceOf(const std::string& name) {
  if (name == "lstm" || name == "lstm_unfused") return 5e-4;  // and then a half may be its neighbour
  return name == "lstm_cell" ? 1e-6 : 0;
}

}  // namespace

TEST_CASE("the text of every program compiles as C++ without a warning") {
  if (!ready()) return;
  CHECK(all().cases().size() >= 38);
  CHECK(all().messages() == "");
}

TEST_CASE("every right program: the printed text computes what the emulator does, in any order of threads") {
  if (!ready()) return;
  for (const Case& one : all().cases()) {
    if (testing::isWrong(one.name)) continue;
    for (unsigned order = 0; order < 3; ++order) {
      INFO(one.name << ", order " << order << "\n" << all().source(one.name).text);
      const Both both = run(one.name, order);
      CHECK(both.wrong == "");
      CHECK(difference(both.host, both.emulated, toleranceOf(one.name)) == "");
      CHECK(difference(both.host, both.inputs) != "");
    }
  }
}

TEST_CASE("wrong programs show the same wrong numbers") {
  if (!ready()) return;
  for (const std::string name : {"w1", "w1b", "w2", "w5", "w7", "w8", "w9"}) {
    INFO(name << "\n" << all().source(name).text);
    const Both both = run(name);
    CHECK(both.wrong == "");
    CHECK(difference(both.host, both.emulated) == "");
  }
  // And they are wrong: the same inputs through the right program.
  const auto differs = [](const std::string& wrong, const std::string& right, const std::string& output) {
    INFO(wrong);
    const TensorValues inputs = randomInputs(caseOf(right), 9);
    CHECK(all().run(wrong, inputs).host.at(output) != all().run(right, inputs).host.at(output));
  };
  differs("w1", "ldmatrix_move", "dst");
  differs("w1b", "c1_reshaped", "dst");
  differs("w2", "c2_tiled", "C");
  differs("w5", "transpose_padded", "out");
  differs("w7", "c2_tiled", "C");
  differs("w8", "warp_sum", "out");
  differs("w9", "c2_accumulator", "C");
}

TEST_CASE("what only a run of threads shows: races, writes beyond, barriers that are never left") {
  if (!ready()) return;
  CHECK(run("w6").wrong.starts_with("writes beyond parameter"));
  CHECK(run("w10").wrong == "block 0, thread 0 waits at __syncthreads(), and thread 16 is at its end: they never meet");
  CHECK(difference(run("w4", 0).host, run("w4", 1).host) != "");
  CHECK(difference(run("w11", 0).host, run("w11", 1).host) != "");
}

TEST_CASE("the printed text beside plain references in double") {
  if (!ready()) return;
  struct Row {
    const char *name, *output;
    double tolerance;
    std::function<Values(const TensorValues&)> reference;
  };
  const auto square = [](std::size_t m, std::size_t n, std::size_t k) {
    return [=](const TensorValues& in) { return product(in.at("A"), in.at("B"), in.at("C"), m, n, k); };
  };
  const auto same = [](const TensorValues& in) { return in.at("in"); };
  const std::vector<Row> rows = {
      {"gemm_simple", "C", 0.1, square(128, 128, 128)},
      {"c2_tiled", "C", 0.1, square(128, 128, 128)},
      {"c2_accumulator", "C", 1e-4, square(16, 16, 1024)},
      {"gemm_symbolic", "C", 0.01, square(256, 128, 3)},
      {"gemm_warps_64", "C", 1e-5, square(64, 64, 64)},
      {"gemm_pipelined", "C", 1e-5, square(256, 256, 256)},
      {"quad_pairs", "C", 1e-6, square(16, 16, 4)},
      {"mlp_layer", "Y", 1e-3, [](const TensorValues& in) { return layer(in.at("A"), in.at("B"), in.at("bias")); }},
      {"transpose_padded", "out", 0, same},
      {"transpose_swizzled", "out", 0, same},
      {"predicated_copy", "out", 0, same},
      {"c7_columns", "out", 0, same},
      {"c10", "out", 0, same},
      {"warp_sum", "out", 1e-5, [](const TensorValues& in) { return rowSums(in.at("in"), 32); }},
      {"row_reduction", "out", 1e-5, [](const TensorValues& in) { return rowSums(in.at("in"), 256); }},
      {"layernorm", "y", 1e-4,
       [](const TensorValues& in) { return layernorm(in.at("x"), in.at("gamma"), in.at("beta")); }},
      {"online_softmax", "y", 1e-5, [](const TensorValues& in) { return softmax(in.at("x"), 512); }},
      {"attention", "O", 1e-2, [](const TensorValues& in) { return attention(in.at("Q"), in.at("K"), in.at("V")); }},
      {"lstm_cell", "c1", 1e-5,
       [](const TensorValues& in) { return lstm(in.at("xh"), in.at("W"), in.at("bias"), in.at("c0")).c; }},
      {"lstm_cell", "h1", 1e-3,
       [](const TensorValues& in) { return lstm(in.at("xh"), in.at("W"), in.at("bias"), in.at("c0")).h; }},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const Both both = run(row.name);
    REQUIRE(both.wrong == "");
    CHECK(difference({{"", row.reference(both.inputs)}}, {{"", both.host.at(row.output)}}, row.tolerance) == "");
  }
}
