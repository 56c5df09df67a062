// The W programs are detected, each for its reason and with its place; two programs of the library run on numbers.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

std::string textOf(const std::string& path) {
  std::ifstream in(TESSERA_SOURCE_DIR "/" + path);
  REQUIRE(in.good());
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

Run run(const std::string& text, const TensorValues& inputs = {}, EmulateOptions options = {}) {
  const auto p = readProgram(text);
  INFO((p ? "" : p.error().message + " at " + text.substr(p.error().span.begin, 60)));
  REQUIRE(p.ok());
  for (const Variable& v : p->variables)
    if (v.kind == Variable::Kind::Size && !options.sizes.contains(v.name)) options.sizes[v.name] = 2;
  auto out = emulate(*p, inputs, options);
  INFO((out ? "" : out.error().message + " at " + text.substr(out.error().span.begin, 60)));
  REQUIRE(out.ok());
  return *std::move(out);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
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

std::vector<double> numbers(std::size_t n, unsigned seed, double scale) {
  std::mt19937 random(seed);
  std::vector<double> out(n);
  for (double& v : out) v = scale * (static_cast<double>(random() % 2001) / 1000 - 1);
  return out;
}

}  // namespace

TEST_CASE("a wrong program is found out, for the right reason") {
  struct Row {
    const char* name;
    Obligation obligation;
    const char* tensor;
  };
  for (const Row& row : {Row{"w2", Obligation::Coverage, "%C"}, Row{"w3", Obligation::Races, "%C"},
                         Row{"w3", Obligation::Uniqueness, "%C"}, Row{"w4", Obligation::Races, "%s"},
                         Row{"w5", Obligation::Definedness, "%s"}, Row{"w6", Obligation::Bounds, "%in"},
                         Row{"w6_columns", Obligation::Bounds, ""}, Row{"w10", Obligation::Static, ""},
                         Row{"w11", Obligation::Races, "%x"}}) {
    INFO(row.name);
    std::string text = textOf(std::string("tests/cases/graphene/") + row.name + ".graphene");
    text = replaced(replaced(text, "k < 1024", "k < 1"), "n < 8", "n < 1");
    if (std::string(row.name) == "w2") text = replaced(text, "n < 1;", "n < 8;");
    const Run r = run(text);
    INFO(all(r));
    const Finding* f = find(r, row.obligation);
    REQUIRE(f != nullptr);
    if (*row.tensor != '\0') CHECK(f->tensor == row.tensor);
  }
}

TEST_CASE("findings name threads, loops, coordinates and addresses") {
  const Run bounds = run(textOf("tests/cases/graphene/w6.graphene"));
  const Finding* f = find(bounds, Obligation::Bounds);
  REQUIRE(f != nullptr);
  CHECK(f->coordinate == std::vector<i64>{1023});
  REQUIRE(f->instances.size() == 1);
  CHECK(f->instances[0].block == 7);
  CHECK(f->instances[0].thread == 127);
  CHECK(f->instances[0].variables == std::vector<std::pair<std::string, i64>>{{"@o", 7}, {"@i", 127}});

  const Run coverage = run(replaced(textOf("tests/cases/graphene/w2.graphene"), "k < 1024", "k < 1"));
  f = find(coverage, Obligation::Coverage);
  REQUIRE(f != nullptr);
  CHECK(f->coordinate == std::vector<i64>{512, 0});  // the first of the rows from 512 on

  const Run barrier = run(textOf("tests/cases/graphene/w10.graphene"));
  f = find(barrier, Obligation::Static);
  REQUIRE(f != nullptr);
  CHECK(f->instances[0].thread == 16);

  const Run padding = run(textOf("tests/cases/graphene/w5.graphene"));
  f = find(padding, Obligation::Definedness);
  REQUIRE(f != nullptr);
  CHECK(f->address % 33 == 32);  // a column that is never written

  const Run shift = run(textOf("tests/cases/graphene/w11.graphene"));
  f = find(shift, Obligation::Races);
  REQUIRE(f != nullptr);
  REQUIRE(f->instances.size() == 2);
  CHECK(std::abs(f->instances[0].thread - f->instances[1].thread) == 1);
}

TEST_CASE("layer normalisation and softmax agree with their formulas") {
  const std::vector<double> x = numbers(32 * 256, 1, 3), gamma = numbers(256, 2, 1), beta = numbers(256, 3, 1);
  const Run norm = run(textOf("assets/graphene/layernorm.graphene"), {{"x", x}, {"gamma", gamma}, {"beta", beta}});
  for (std::size_t row = 0; row < 32; ++row) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < 256; ++i) mean += x[row * 256 + i] / 256;
    for (std::size_t i = 0; i < 256; ++i) variance += std::pow(x[row * 256 + i] - mean, 2) / 256;
    for (std::size_t i = 0; i < 256; ++i) {
      const double y = (x[row * 256 + i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i];
      REQUIRE(norm.tensors.at("y")[row * 256 + i] == Approx(y).margin(1e-4));
    }
  }
  const std::vector<double> s = numbers(8 * 512, 4, 5);
  const Run softmax = run(textOf("assets/graphene/online_softmax.graphene"), {{"x", s}});
  for (std::size_t row = 0; row < 8; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 512; ++i) sum += std::exp(s[row * 512 + i]);
    for (std::size_t i = 0; i < 512; ++i)
      REQUIRE(softmax.tensors.at("y")[row * 512 + i] == Approx(std::exp(s[row * 512 + i]) / sum).margin(1e-6));
  }
}
