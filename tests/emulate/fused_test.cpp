// The kernels of the paper's evaluation at small sizes: fused and unfused compute the same as plain loops in double,
// with no finding.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "core/graphene/reader/sized.h"
#include "fused_references.h"
#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

using fused::Values;

std::string library(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

Run run(const std::string& name, const TensorValues& inputs, const Sizes& sizes) {
  const auto program = readProgram(library(name));
  INFO((program ? "" : program.error().message));
  REQUIRE(program.ok());
  EmulateOptions options;
  options.sizes = sizes;
  auto out = emulate(*program, inputs, options);
  INFO((out ? "" : out.error().message));
  REQUIRE(out.ok());
  INFO(name << " " << out->stopped << (out->findings.empty() ? "" : print(out->findings[0])));
  REQUIRE(out->findings.empty());
  REQUIRE(out->stopped.empty());
  return *std::move(out);
}

// Multiples of `step` in [-8 * step, 8 * step]: halves hold them.
Values some(std::size_t n, unsigned seed, double step = 0.125) {
  std::mt19937 random(seed);
  Values out(n);
  for (double& v : out) v = (static_cast<double>(random() % 17) - 8) * step;
  return out;
}

void checkClose(const Values& got, const Values& expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  double most = 0;
  for (const double v : expected) most = std::max(most, std::abs(v));
  CHECK(most > 0.05);  // not all zeros
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - expected[i]) <= tolerance * (1 + std::abs(expected[i]))) continue;
    INFO("element " << i << ": " << got[i] << ", expected " << expected[i]);
    REQUIRE(false);
  }
}

std::size_t count(i64 n) { return static_cast<std::size_t>(n); }

}  // namespace

TEST_CASE("a perceptron: fused for several numbers of layers, and as eight kernels") {
  const Values x = some(256 * 128, 1);
  for (const i64 layers : {1, 2, 4, 5}) {
    INFO(layers << " layers");
    const Values w = some(count(layers) * 128 * 128, 2, 0.03125), bias = some(count(layers) * 128, 3);
    const Values expected = fused::mlp(x, w, bias, count(layers));
    const TensorValues inputs = {{"X", x}, {"W", w}, {"bias", bias}};
    checkClose(run("mlp", inputs, {{"M", 2}, {"L", layers}}).tensors.at("Y"), expected, 1e-2);
    if (layers == 4) checkClose(run("mlp_unfused", inputs, {{"M", 2}}).tensors.at("Y"), expected, 1e-2);
  }
}

TEST_CASE("an LSTM cell: fused, and as three kernels; fewer inputs than stages, and more") {
  struct Shape {
    i64 x, u;
  };
  for (const Shape& s : {Shape{1, 4}, Shape{4, 4}, Shape{3, 8}}) {
    INFO("X " << s.x << ", U " << s.u);
    const std::size_t inputs = 32 * count(s.x), units = 32 * count(s.u);
    const Values x = some(128 * inputs, 4), h0 = some(128 * units, 5),
                 w = some((inputs + units) * 4 * units, 6, 0.03125), bias = some(4 * units, 7),
                 c0 = some(128 * units, 8);
    const fused::Cell expected = fused::lstm(x, h0, w, bias, c0, inputs, units);
    const TensorValues given = {{"x", x}, {"h0", h0}, {"W", w}, {"bias", bias}, {"c0", c0}};
    const Sizes sizes = {{"M", 1}, {"X", s.x}, {"U", s.u}};
    const TensorValues cell = run("lstm", given, sizes).tensors;
    checkClose(cell.at("c1"), expected.c, 1e-5);
    checkClose(cell.at("h1"), expected.h, 1e-3);
    if (s.x != 4) continue;
    const auto part = w.begin() + static_cast<long>(inputs * 4 * units);
    const TensorValues two = {{"x", x},       {"h0", h0}, {"Wx", {w.begin(), part}}, {"Wh", {part, w.end()}},
                              {"bias", bias}, {"c0", c0}};
    const TensorValues apart = run("lstm_unfused", two, sizes).tensors;  // the gates are rounded to halves
    checkClose(apart.at("c1"), expected.c, 3e-3);
    checkClose(apart.at("h1"), expected.h, 3e-3);
  }
}

TEST_CASE("layer normalisation of rows from 256 to 4096, and of one that is no multiple of the block") {
  for (const i64 chunks : {32, 127, 150, 512}) {
    INFO(chunks << " chunks of 8");
    const Values x = some(2 * 8 * count(chunks), 9), gamma = some(8 * count(chunks), 10),
                 beta = some(8 * count(chunks), 11);
    const Values expected = fused::layernorm(x, gamma, beta);
    const TensorValues given = {{"x", x}, {"gamma", gamma}, {"beta", beta}};
    const Sizes sizes = {{"R", 2}, {"C", chunks}};
    checkClose(run("layernorm_rows", given, sizes).tensors.at("y"), expected, 1e-3);
    checkClose(run("layernorm_unfused", given, sizes).tensors.at("y"), expected, 1e-3);
  }
}

TEST_CASE("attention of several heads: one kernel with online softmax, and three") {
  struct Shape {
    i64 b, t, h;
  };
  for (const Shape& s : {Shape{1, 1, 1}, Shape{1, 2, 2}, Shape{2, 1, 1}}) {
    INFO("B " << s.b << ", T " << s.t << ", H " << s.h);
    const std::size_t n = count(s.b * s.t * s.h) * 128 * 64;
    // Large queries: the maximum moves between tiles, and far from 0.
    const Values q = some(n, 12, 0.5), k = some(n, 13, 0.25), v = some(n, 14);
    const Values expected = fused::attention(q, k, v, count(s.b), 128 * count(s.t), count(s.h));
    const TensorValues given = {{"Q", q}, {"K", k}, {"V", v}};
    const Sizes sizes = {{"B", s.b}, {"T", s.t}, {"H", s.h}};
    checkClose(run("attention_heads", given, sizes).tensors.at("O"), expected, 2e-3);
    checkClose(run("attention_unfused", given, sizes).tensors.at("O"), expected, 1e-2);
  }
}

TEST_CASE("the fused kernels touch shared memory without conflicts") {
  for (const char* name : {"mlp", "lstm", "attention_heads"}) {
    INFO(name);
    const Run r = run(name, {}, smallSizes(library(name)));
    CHECK(r.total.wavefronts > 0);
    CHECK(r.total.wavefronts == r.total.idealWavefronts);
  }
}
