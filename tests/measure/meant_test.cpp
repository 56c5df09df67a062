// A program's own equations as its reference: they give the emulator's results, element by element, and are quick for a
// few elements of a large tensor.
#include <catch2/catch.hpp>
#include <cmath>

#include "measure/fakes.h"
#include "measure/library_inputs.h"
#include "solver/measure/reference/reference.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

// Attention of M heads at 384 positions; the decomposition does not matter here.
const char* const kHeads = R"(
%Q:[M,384,64].fp16.GL  %K:[M,384,64].fp16.GL  %V:[M,384,64].fp16.GL  %O:[M,384,64].fp16.GL
#b:[M].block  #t:[32].thread
%O <- Spec<attention><<<#b,#t>>>(%Q,%K,%V) means {
  s[h,i,j] = (sum(d < 64) %Q[h,i,d] * %K[h,j,d]) / 8
  m[h,i] = max(j < 384) s[h,i,j]
  p[h,i,j] = exp(s[h,i,j] - m[h,i])
  %O[h,i,d] = (sum(j < 384) p[h,i,j] * %V[h,j,d]) / (sum(j < 384) p[h,i,j])
} { @l = #t.indices() }
)";

}  // namespace

TEST_CASE("a program's equations are what its emulation computes") {
  struct Row {
    const char* name;
    i64 blocks, threads;
  };
  const Row row = GENERATE(Row{"online_softmax", 2, 128}, Row{"layernorm", 8, 128}, Row{"lstm_cell", 1, 128},
                           Row{"mlp_layer", 1, 128}, Row{"attention", 1, 128});
  const auto program = library(row.name);
  const Inputs in = inputsOf(*program, {}, row.blocks, row.threads);
  const auto meant = equationReference(program, {});
  REQUIRE(meant.has_value());
  const auto emulated = emulatedReference(program, {});
  for (const Operand& o : in.operands()) {
    if (!o.output) continue;
    std::vector<i64> elements;
    for (i64 e = 0; e < o.elements; e += 7) elements.push_back(e);
    const auto a = (*meant)(in, o.name, elements), b = emulated(in, o.name, elements);
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    double worst = 0;
    for (std::size_t k = 0; k < elements.size(); ++k) worst = std::max(worst, std::fabs((*a)[k] - (*b)[k]));
    INFO(row.name << " " << o.name);
    CHECK(worst < 1e-9);
  }
  const auto chosen = referenceOf(program, {});
  CHECK((*meant)(in, in.operands().back().name, {0, 1}).ok() == chosen(in, in.operands().back().name, {0, 1}).ok());
}

TEST_CASE("some elements of a large output are plain loops") {
  const auto program = std::make_shared<const graphene::Program>(programOf(kHeads));
  const std::map<std::string, i64> sizes = {{"M", 6}};
  const Inputs in = inputsOf(*program, sizes, 6, 32);
  const auto meant = equationReference(program, {.sizes = sizes});
  REQUIRE(meant.has_value());
  const std::vector<i64> elements = {0, 70, 24576 + 5, 3 * 24576 + 383 * 64 + 63, 6 * 24576 - 1};
  const auto got = (*meant)(in, "O", elements);
  REQUIRE(got.ok());
  for (std::size_t n = 0; n < elements.size(); ++n) {
    const i64 head = elements[n] / 24576 * 24576, i = elements[n] / 64 % 384, d = elements[n] % 64;
    double total = 0, sum = 0;
    for (i64 j = 0; j < 384; ++j) {
      double score = 0;
      for (i64 x = 0; x < 64; ++x) score += in.at(0, head + i * 64 + x) * in.at(1, head + j * 64 + x) / 8;
      total += std::exp(score);
      sum += std::exp(score) * in.at(2, head + j * 64 + d);
    }
    CHECK(std::fabs((*got)[n] - sum / total) < 1e-12);
  }
  // A missing size is a message.
  const auto none = equationReference(program, {});
  REQUIRE(none.has_value());
  CHECK_FALSE((*none)(in, "O", {0}).ok());
  CHECK_FALSE((*meant)(in, "Q", {0}).ok());
}

TEST_CASE("only whole tensors in global memory are asked by their equations") {
  CHECK_FALSE(equationReference(library("epilogue"), {}).has_value());  // accumulators in registers
  CHECK_FALSE(equationReference(library("gemm_simple"), {}).has_value());
}
