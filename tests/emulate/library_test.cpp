// The library: every program of assets/graphene and of the C and W sets is read and printed back, consists of
// instructions only, and (all but W) runs without a finding and matches a plain reference in double.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "core/graphene/atoms/atom.h"
#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

using Values = std::vector<double>;
const std::filesystem::path kAssets = std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene";
const std::filesystem::path kCases = std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/cases/graphene";

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string library(const std::string& name) { return contents(kAssets / (name + ".graphene")); }

std::string with(std::string text, const std::string& what, const std::string& by) {
  REQUIRE(text.find(what) != std::string::npos);
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

Run run(const std::string& text, const TensorValues& inputs, const EmulateOptions& options = {}) {
  const auto program = readProgram(text);
  INFO((program ? "" : program.error().message));
  REQUIRE(program.ok());
  auto out = emulate(*program, inputs, options);
  INFO((out ? "" : out.error().message + " at " + text.substr(out.error().span.begin, 60)));
  REQUIRE(out.ok());
  std::string findings = out->stopped;
  for (const Finding& f : out->findings) findings += "\n" + std::string(label(f.obligation)) + " " + print(f);
  INFO(findings);
  REQUIRE(out->findings.empty());
  REQUIRE(out->stopped.empty());
  return *std::move(out);
}

// Multiples of 1/8 in [-1, 1]: halves hold them, and products of them.
Values some(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  Values out(n);
  for (double& v : out) v = (static_cast<double>(random() % 17) - 8) / 8;
  return out;
}

void checkClose(const Values& got, const Values& expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - expected[i]) <= tolerance * (1 + std::abs(expected[i]))) continue;
    INFO("element " << i << ": " << got[i] << ", expected " << expected[i]);
    REQUIRE(false);
  }
}

// c + a * b; a is m x k, b is k x n, all as logical row-major lists.
Values product(const Values& a, const Values& b, Values c, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t x = 0; x < k; ++x) c[i * n + j] += a[i * k + x] * b[x * n + j];
  return c;
}

void checkProduct(const std::string& text, std::size_t m, std::size_t n, std::size_t k, double tolerance) {
  const Values a = some(m * k, 1), b = some(k * n, 2), c = some(m * n, 3);
  checkClose(run(text, {{"A", a}, {"B", b}, {"C", c}}).tensors.at("C"), product(a, b, c, m, n, k), tolerance);
}

void eachLeaf(const Body& body, const std::function<void(const Spec&, Span)>& visit) {
  for (const Statement& s : body) {
    if (const auto* spec = std::get_if<Spec>(&s.what))
      spec->decomposed ? eachLeaf(spec->body, visit) : visit(*spec, s.span);
    if (const auto* loop = std::get_if<Loop>(&s.what)) eachLeaf(loop->body, visit);
    if (const auto* branch = std::get_if<Branch>(&s.what)) {
      eachLeaf(branch->then, visit);
      eachLeaf(branch->otherwise, visit);
    }
  }
}

}  // namespace

TEST_CASE("every program of the library is read, printed back, and made of instructions") {
  int files = 0;
  for (const auto& folder : {kAssets, kCases})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".graphene") continue;
      ++files;
      INFO(entry.path().string());
      const std::string text = contents(entry.path());
      CHECK(text.starts_with("// "));
      const auto program = readProgram(text);
      INFO((program ? "" : program.error().message + " at " + text.substr(program.error().span.begin, 60)));
      REQUIRE(program.ok());
      const auto again = readProgram(print(*program));
      REQUIRE(again.ok());
      CHECK(print(*again) == print(*program));
      int leaves = 0;
      eachLeaf(program->specs, [&](const Spec& leaf, Span span) {
        ++leaves;
        const auto atom = matchAtom(leaf);
        INFO(text.substr(span.begin, span.end - span.begin) << (atom ? "" : ": " + atom.error().message));
        CHECK(atom.ok());
      });
      CHECK(leaves > 0);
    }
  CHECK(files >= 38);
}

TEST_CASE("C programs of the cases run without a finding") {
  for (const std::string name : {"c1_reshaped", "c1_strided", "c2_accumulator", "c7_columns", "c10"}) {
    INFO(name);
    run(contents(kCases / (name + ".graphene")), {});
  }
}

TEST_CASE("W programs are wrong: what running sees of each") {
  struct Wrong {
    std::string name;
    Obligation obligation;
  };
  for (const Wrong& w :
       {Wrong{"w4", Obligation::Races}, Wrong{"w5", Obligation::Definedness}, Wrong{"w6", Obligation::Bounds},
        Wrong{"w6_columns", Obligation::Bounds}, Wrong{"w10", Obligation::Static}, Wrong{"w11", Obligation::Races}}) {
    INFO(w.name);
    const auto program = readProgram(contents(kCases / (w.name + ".graphene")));
    REQUIRE(program.ok());
    const auto out = emulate(*program);
    REQUIRE(out.ok());
    CHECK(std::any_of(out->findings.begin(), out->findings.end(),
                      [&](const Finding& f) { return f.obligation == w.obligation; }));
  }
  // No finding: the values are wrong.
  const auto differs = [](const std::string& wrong, const std::string& right, const TensorValues& inputs,
                          const std::string& output) {
    const auto a = readProgram(wrong), b = readProgram(right);
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    const auto x = emulate(*a, inputs), y = emulate(*b, inputs);
    REQUIRE(x.ok());
    REQUIRE(y.ok());
    CHECK(x->tensors.at(output) != y->tensors.at(output));
  };
  const auto text = [](const std::string& name) { return contents(kCases / (name + ".graphene")); };
  differs(text("w1"), library("ldmatrix_move"), {{"src", some(256, 1)}}, "dst");
  differs(text("w1b"), text("c1_reshaped"), {{"src", some(256, 1)}}, "dst");
  differs(text("w8"), library("warp_sum"), {{"in", some(32, 1)}}, "out");
  const TensorValues ab = {{"A", some(16384, 1)}, {"B", some(16384, 2)}};
  differs(text("w9"), text("c2_accumulator"), ab, "C");
  const auto small = [](const std::string& program) {
    return with(with(program, "1024", "64"), "[8,8:1,8].block", "[1,1:1,1].block");
  };
  const TensorValues squares = {{"A", some(4096, 1)}, {"B", some(4096, 2)}};
  differs(small(with(text("w7"), "128:1", "64:1")), small(with(text("c2_tiled"), "128:1", "64:1")), squares, "C");
}

TEST_CASE("moves: figure 1d, vectors, interleaved, transposes, predicates") {
  Values counting(4096);
  for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<double>(i % 2048);
  const auto first = [&](std::size_t n) { return Values(counting.begin(), counting.begin() + static_cast<long>(n)); };
  const Values dst = run(library("ldmatrix_move"), {{"src", first(256)}}).tensors.at("dst");
  REQUIRE(dst.size() == 256);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t r = 0; r < 8; ++r) {
      const std::size_t row = 8 * (r / 4) + lane / 4, column = 8 * (r / 2 % 2) + 2 * (lane % 4) + r % 2;
      CHECK(dst[lane * 8 + r] == static_cast<double>(16 * row + column));
    }
  const Values wide = run(library("vector_load"), {{"in", first(1024)}}).tensors.at("r");
  const Values apart = run(library("interleaved_load"), {{"in", first(1024)}}).tensors.at("r");
  for (std::size_t t = 0; t < 128; ++t)
    for (std::size_t r = 0; r < 8; ++r) {
      CHECK(wide[t * 8 + r] == counting[8 * t + r]);
      CHECK(apart[t * 8 + r] == counting[t + 128 * r]);
    }
  CHECK(run(library("transpose_padded"), {{"in", first(1024)}}).tensors.at("out") == first(1024));
  CHECK(run(library("transpose_swizzled"), {{"in", first(4096)}}).tensors.at("out") == first(4096));
  CHECK(run(library("predicated_copy"), {{"in", first(1023)}}).tensors.at("out") == first(1023));
}

TEST_CASE("shared memory is read and written without conflicts where a swizzle or padding says so") {
  for (const std::string name : {"transpose_padded", "transpose_swizzled", "warp_tile_moves", "gemm_warps_64",
                                 "mlp_layer", "attention", "gemm_bias_relu"}) {
    INFO(name);
    const Run r = run(library(name), {});
    CHECK(r.total.wavefronts > 0);
    CHECK(r.total.wavefronts == r.total.idealWavefronts);
  }
  const Run plain = run(library("ldmatrix_move"), {});  // rows of 32 bytes: two of eight meet
  CHECK(plain.total.wavefronts == 2 * plain.total.idealWavefronts);
}

TEST_CASE("fragments of warp tile moves are what mma multiplies") {
  const Values a = some(256, 1), b = some(256, 2), n = some(256, 3);
  const TensorValues out = run(library("warp_tile_moves"), {{"At", a}, {"Bt", b}, {"Bn", n}}).tensors;
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t r = 0; r < 8; ++r) {
      const std::size_t g = lane / 4, q = lane % 4, v = r % 2;
      CHECK(out.at("a")[lane * 8 + r] == a[16 * (g + 8 * (r / 2 % 2)) + 2 * q + v + 8 * (r / 4)]);
      const std::size_t k = 2 * q + v + 8 * (r / 2 % 2), column = g + 8 * (r / 4);
      CHECK(out.at("b")[lane * 8 + r] == b[16 * k + column]);
      CHECK(out.at("bt")[lane * 8 + r] == n[16 * k + column]);
    }
}

TEST_CASE("products: figure 8, quad pairs, warps, the pipelined one") {
  checkProduct(with(with(library("gemm_simple"), "1024", "128"), "[8,8:1,8].block", "[1,1:1,1].block"), 128, 128, 128,
               0.05);
  const Values a = some(std::size_t{256} * 3, 1), b = some(std::size_t{3} * 128, 2),
               c = some(std::size_t{256} * 128, 3);
  const Run symbolic =
      run(library("gemm_symbolic"), {{"A", a}, {"B", b}, {"C", c}}, {.sizes = {{"M", 2}, {"N", 1}, {"K", 3}}});
  checkClose(symbolic.tensors.at("C"), product(a, b, c, 256, 128, 3), 0.01);
  checkProduct(library("quad_pairs"), 16, 16, 4, 1e-6);
  checkProduct(library("gemm_warps_64"), 64, 64, 64, 1e-5);
  std::string pipelined = with(with(library("gemm_pipelined"), "1024", "256"), "[8,8:8,1].block", "[2,2:2,1].block");
  pipelined = with(with(pipelined, "kt < 32", "kt < 8"), "kt + 2 < 32", "kt + 2 < 8");
  checkProduct(pipelined, 256, 256, 256, 1e-5);
  const Run r = run(with(pipelined, "kt < 8", "kt < 1"), {});
  CHECK(r.total.wavefronts == r.total.idealWavefronts);
}

TEST_CASE("reductions, layer normalisation and softmax of rows") {
  const Values v = some(32, 5);
  double sum = 0;
  for (const double x : v) sum += x;
  checkClose(run(library("warp_sum"), {{"in", v}}).tensors.at("out"), {sum}, 1e-6);
  const Values m = some(std::size_t{64} * 256, 6);
  Values sums(64);
  for (std::size_t i = 0; i < m.size(); ++i) sums[i / 256] += m[i];
  checkClose(run(library("row_reduction"), {{"in", m}}).tensors.at("out"), sums, 1e-5);

  const Values x = some(std::size_t{32} * 256, 7), gamma = some(256, 8), beta = some(256, 9);
  Values y(x.size());
  for (std::size_t r = 0; r < 32; ++r) {
    double mean = 0, var = 0;
    for (std::size_t c = 0; c < 256; ++c) mean += x[r * 256 + c] / 256;
    for (std::size_t c = 0; c < 256; ++c) var += (x[r * 256 + c] - mean) * (x[r * 256 + c] - mean) / 256;
    for (std::size_t c = 0; c < 256; ++c)
      y[r * 256 + c] = (x[r * 256 + c] - mean) / std::sqrt(var + 1e-5) * gamma[c] + beta[c];
  }
  checkClose(run(library("layernorm"), {{"x", x}, {"gamma", gamma}, {"beta", beta}}).tensors.at("y"), y, 1e-4);

  Values s = some(std::size_t{8} * 512, 10), p(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = 8 * s[i] + static_cast<double>(i / 512) * 20;  // far from 0
  for (std::size_t r = 0; r < 8; ++r) {
    double most = -1e9, total = 0;
    for (std::size_t c = 0; c < 512; ++c) most = std::max(most, s[r * 512 + c]);
    for (std::size_t c = 0; c < 512; ++c) total += std::exp(s[r * 512 + c] - most);
    for (std::size_t c = 0; c < 512; ++c) p[r * 512 + c] = std::exp(s[r * 512 + c] - most) / total;
  }
  checkClose(run(library("online_softmax"), {{"x", s}}).tensors.at("y"), p, 1e-4);
}

TEST_CASE("fused kernels: epilogue, a layer, an LSTM cell, attention") {
  const Values acc = some(128, 11), bias8 = some(8, 12);
  Values out(128);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t r = 0; r < 4; ++r) {
      const std::size_t row = lane / 4 + 8 * (r / 2), column = 2 * (lane % 4) + r % 2;
      out[row * 8 + column] = std::max(0.0, acc[lane * 4 + r] + bias8[column]);
    }
  checkClose(run(library("epilogue"), {{"acc", acc}, {"bias", bias8}}).tensors.at("out"), out, 1e-3);

  const Values a = some(4096, 13), b = some(4096, 14), bias = some(64, 15);
  Values layer = product(a, b, Values(4096), 64, 64, 64);
  for (std::size_t i = 0; i < layer.size(); ++i) layer[i] = std::max(0.0, layer[i] + bias[i % 64]);
  checkClose(run(library("mlp_layer"), {{"A", a}, {"B", b}, {"bias", bias}}).tensors.at("Y"), layer, 1e-3);

  std::string wide =
      with(with(library("gemm_bias_relu"), "[512,256:256,1]", "[256,128:128,1]"), "[256,512:512,1]", "[128,256:256,1]");
  wide = with(with(with(wide, "[512:1]", "[256:1]"), "[512,512:512,1]", "[256,256:256,1]"), "[4,4:4,1]", "[2,2:2,1]");
  wide = with(with(wide, "kt < 8", "kt < 4"), "kt + 2 < 8", "kt + 2 < 4");
  const Values a2 = some(std::size_t{256} * 128, 30), b2 = some(std::size_t{128} * 256, 31), bias2 = some(256, 32);
  Values layer2 = product(a2, b2, Values(std::size_t{256} * 256), 256, 256, 128);
  for (std::size_t i = 0; i < layer2.size(); ++i) layer2[i] = std::max(0.0, layer2[i] + bias2[i % 256]);
  checkClose(run(wide, {{"A", a2}, {"B", b2}, {"bias", bias2}}).tensors.at("Y"), layer2, 2e-3);

  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const Values xh = some(1024, 16), w = some(std::size_t{4} * 64 * 32, 17), b4 = some(128, 18), c0 = some(512, 19);
  Values c1(512), h1(512);
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t unit = 0; unit < 32; ++unit) {
      double z[4];
      for (std::size_t gate = 0; gate < 4; ++gate) {
        z[gate] = b4[gate * 32 + unit];
        for (std::size_t k = 0; k < 64; ++k) z[gate] += xh[row * 64 + k] * w[(gate * 64 + k) * 32 + unit];
      }
      const double c = sigmoid(z[1]) * c0[row * 32 + unit] + sigmoid(z[0]) * std::tanh(z[2]);
      c1[row * 32 + unit] = c;
      h1[row * 32 + unit] = sigmoid(z[3]) * std::tanh(c);
    }
  const TensorValues cell = run(library("lstm_cell"), {{"xh", xh}, {"W", w}, {"bias", b4}, {"c0", c0}}).tensors;
  checkClose(cell.at("c1"), c1, 1e-5);
  checkClose(cell.at("h1"), h1, 1e-3);

  const Values q = some(4096, 20), k = some(4096, 21), v = some(4096, 22);
  Values o(4096);
  for (std::size_t i = 0; i < 64; ++i) {
    Values score(64);
    double most = -1e9, total = 0;
    for (std::size_t j = 0; j < 64; ++j) {
      for (std::size_t d = 0; d < 64; ++d) score[j] += q[i * 64 + d] * k[j * 64 + d] / 8;
      most = std::max(most, score[j]);
    }
    for (double& x : score) total += x = std::exp(x - most);
    for (std::size_t j = 0; j < 64; ++j)
      for (std::size_t d = 0; d < 64; ++d) o[i * 64 + d] += score[j] / total * v[j * 64 + d];
  }
  checkClose(run(library("attention"), {{"Q", q}, {"K", k}, {"V", v}}).tensors.at("O"), o, 2e-3);
}
