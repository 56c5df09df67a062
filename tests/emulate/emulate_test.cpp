// The emulator: the paper's figures, right programs against a plain reference, and wrong ones refused for the right reason.
#include "solver/emulate/emulate.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "emulate/programs.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

graphene::Program program(const std::string& text) {
  auto read = readProgram(text);
  INFO((read ? "" : read.error().message + " at " + text.substr(read.error().span.begin, 40)));
  REQUIRE(read.ok());
  return *std::move(read);
}

Run run(const std::string& text, const TensorValues& inputs = {}, const EmulateOptions& options = {}) {
  const graphene::Program p = program(text);
  auto out = emulate(p, inputs, options);
  INFO((out ? ""
            : out.error().message + " | " + out.error().expected + " at " + text.substr(out.error().span.begin, 60)));
  REQUIRE(out.ok());
  return *std::move(out);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

std::vector<double> counting(std::size_t n) {
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(i);
  return out;
}

// Small integers, so that every product and sum is exact.
std::vector<double> small(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> out(n);
  for (double& v : out) v = static_cast<double>(random() % 17) - 8;
  return out;
}

const Finding* find(const Run& r, Obligation o) {
  for (const Finding& f : r.findings)
    if (f.obligation == o) return &f;
  return nullptr;
}

std::string all(const Run& r) {
  std::string out = r.stopped;
  for (const Finding& f : r.findings) out += "\n" + std::string(label(f.obligation)) + " " + print(f);
  return out;
}

}  // namespace

TEST_CASE("figure 1d hands every lane the fragment of the facts") {
  const Run r = run(kLdmatrixMove, {{"1", counting(256)}});
  INFO(all(r));
  CHECK(r.findings.empty());
  const std::vector<double>& f = r.tensors.at("2");
  REQUIRE(f.size() == 32 * 8);
  // S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]: row 8a + b, column 8c + 2d + e.
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t col = 0; col < 16; ++col) {
      const std::size_t reg = row / 8 * 4 + col / 8 * 2 + col % 2, lane = row % 8 * 4 + col % 8 / 2;
      CHECK(f[lane * 8 + reg] == static_cast<double>(row * 16 + col));
    }
  }
  CHECK(r.total.wavefronts == 8);  // rows of 32 bytes: 4 phases, each 2-way
  CHECK(r.total.idealWavefronts == 4);
}

TEST_CASE("a tensor-core tile is the product") {
  const std::vector<double> a = small(64 * 64, 1), b = small(64 * 64, 2), c = small(64 * 64, 3);
  std::vector<double> expected = c;
  for (std::size_t m = 0; m < 64; ++m)
    for (std::size_t n = 0; n < 64; ++n)
      for (std::size_t k = 0; k < 64; ++k) expected[m * 64 + n] += a[m * 64 + k] * b[k * 64 + n];
  for (const u64 seed : {u64{0}, u64{7}, u64{8}}) {
    EmulateOptions options;
    options.seed = seed;
    const Run r = run(kTensorCoreTile, {{"A", a}, {"B", b}, {"C", c}}, options);
    INFO(all(r));
    CHECK(r.findings.empty());
    CHECK(r.tensors.at("C") == expected);
    CHECK(r.total.wavefronts == r.total.idealWavefronts);  // the swizzle does what it is for
    CHECK(r.total.sectors == r.total.idealSectors);
  }
}

TEST_CASE("figure 8 in small is the product, rounded to fp16 at every step") {
  const std::vector<double> a = small(64 * 32, 4), b = small(32 * 64, 5);
  const Run r = run(kSimpleGemm, {{"A", a}, {"B", b}});
  INFO(all(r));
  CHECK(r.findings.empty());
  const NumberFormat half = *numberFormat("fp16");
  for (std::size_t m = 0; m < 64; ++m) {
    for (std::size_t n = 0; n < 64; ++n) {
      double sum = 0;
      for (std::size_t k = 0; k < 32; ++k) sum = rounded(sum + a[m * 32 + k] * b[k * 64 + n], half);
      REQUIRE(r.tensors.at("C")[m * 64 + n] == sum);
    }
  }
}

TEST_CASE("a transpose through shared memory needs its barrier") {
  const std::string good = replaced(kTranspose, "SYNC", "sync"), bad = replaced(kTranspose, "SYNC", "");
  const Run r = run(good, {{"in", counting(1024)}});
  INFO(all(r));
  CHECK(r.findings.empty());
  for (std::size_t y = 0; y < 32; ++y)
    for (std::size_t x = 0; x < 32; ++x) REQUIRE(r.tensors.at("out")[y * 32 + x] == static_cast<double>(y * 32 + x));
  CHECK(r.total.wavefronts == 64);                   // 33 words a row: no conflicts
  for (const u64 seed : {u64{0}, u64{1}, u64{2}}) {  // whatever the order of the warps
    EmulateOptions options;
    options.seed = seed;
    const Run w4 = run(bad, {{"in", counting(1024)}}, options);
    INFO(all(w4));
    const Finding* race = find(w4, Obligation::Races);
    REQUIRE(race != nullptr);
    CHECK(race->tensor == "%s");
    REQUIRE(race->instances.size() == 2);
    CHECK(race->instances[0].thread != race->instances[1].thread);
  }
}
