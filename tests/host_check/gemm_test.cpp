// The family of products, printed and run: tiles, orders, stages, epilogues, every remainder of steps after whole
// rounds, and sizes that the tiles do not divide.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "beside.h"
#include "core/graphene/reader/parameters.h"
#include "ready.h"
#include "references.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace tessera::host_check;

namespace {

struct Product {
  Settings settings;
  std::map<std::string, i64> sizes;
};

std::string textOf(const std::string& file, const Settings& settings) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (file + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  const auto text = withSettings(out.str(), settings);
  INFO((text ? "" : text.error().message));
  REQUIRE(text.ok());
  return *text;
}

const std::map<std::string, Product>& family() {
  const Settings small = {{"BM", "64"}, {"BN", "64"}, {"WM", "32"}, {"WN", "32"}, {"group", "1"}};
  const auto with = [&](Settings more) {
    more.insert(small.begin(), small.end());
    return more;
  };
  static const std::map<std::string, Product> all = {
      {"one step", {with({}), {{"M", 1}, {"N", 1}, {"K", 1}}}},
      {"two steps", {with({{"right", "row"}}), {{"M", 1}, {"N", 2}, {"K", 2}}}},
      {"three steps", {with({{"left", "column"}}), {{"M", 2}, {"N", 1}, {"K", 3}}}},
      {"four steps", {with({{"left", "column"}, {"right", "row"}}), {{"M", 1}, {"N", 1}, {"K", 4}}}},
      {"seven steps", {with({{"right", "row"}, {"stages", "4"}}), {{"M", 1}, {"N", 1}, {"K", 7}}}},
      {"two stages", {with({{"stages", "2"}, {"BK", "64"}}), {{"M", 1}, {"N", 1}, {"K", 3}}}},
      {"relu", {with({{"epilogue", "relu"}}), {{"M", 1}, {"N", 1}, {"K", 2}}}},
      {"bias", {with({{"epilogue", "bias"}, {"right", "row"}}), {{"M", 1}, {"N", 2}, {"K", 5}}}},
      {"bias_relu", {with({{"epilogue", "bias_relu"}}), {{"M", 1}, {"N", 2}, {"K", 2}}}},
      {"wide", {{{"BN", "256"}, {"right", "row"}, {"epilogue", "id"}, {"group", "1"}}, {{"M", 1}, {"N", 1}, {"K", 5}}}},
      {"tall", {{{"BM", "256"}, {"left", "column"}, {"group", "1"}}, {{"M", 1}, {"N", 1}, {"K", 2}}}},
      {"groups",
       {{{"BM", "64"}, {"BN", "64"}, {"WM", "32"}, {"WN", "32"}, {"group", "2"}}, {{"M", 2}, {"N", 3}, {"K", 1}}}},
  };
  return all;
}

// c + a * b; of the others rounded to halves by who compares.
Values expected(const Both& both, const Product& p) {
  const auto number = [&](const char* name, i64 otherwise) {
    const auto at = p.settings.find(name);
    return at == p.settings.end() ? otherwise : std::stoll(at->second);
  };
  const auto m = static_cast<std::size_t>(number("BM", 128) * number("group", 2) * p.sizes.at("M"));
  const auto n = static_cast<std::size_t>(number("BN", 128) * p.sizes.at("N"));
  const auto k = static_cast<std::size_t>(number("BK", 32) * p.sizes.at("K"));
  const auto at = p.settings.find("epilogue");
  const std::string epilogue = at == p.settings.end() ? "add" : at->second;
  const TensorValues& in = both.inputs;
  Values out = product(in.at("A"), in.at("B"), epilogue == "add" ? in.at("C") : Values(m * n), m, n, k);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (epilogue.starts_with("bias")) out[i] += in.at("bias")[i % n];
    if (epilogue.ends_with("relu")) out[i] = std::max(0.0, out[i]);
  }
  return out;
}

}  // namespace

TEST_CASE("the family of products, printed: the emulator's numbers and the product's, in any order of threads") {
  if (!hasCompiler()) return;
  std::vector<Case> cases;
  for (const auto& [name, p] : family()) cases.push_back({name, textOf("gemm", p.settings), p.sizes, "sm_90a"});
  const Beside all(cases);
  REQUIRE(all.wrong() == "");
  CHECK(all.messages() == "");
  for (const Case& one : all.cases()) {
    const Product& p = family().at(one.name);
    for (unsigned order = 0; order < 3; ++order) {
      INFO(one.name << ", order " << order);
      const Both both = all.run(one.name, randomInputs(one, 5), order);
      REQUIRE(both.wrong == "");
      CHECK(both.findings.empty());
      CHECK(difference(both.host, both.emulated) == "");
      const bool sum = both.host.contains("C");
      CHECK(difference({{"", expected(both, p)}}, {{"", both.host.at(sum ? "C" : "Y")}}, sum ? 1e-4 : 1e-3) == "");
    }
  }
}

TEST_CASE("sizes that no tile divides, printed: the product, and nothing beyond it is touched") {
  if (!hasCompiler()) return;
  std::vector<Case> cases;
  const i64 sizes[][3] = {{1, 1, 1}, {140, 17, 9}, {128, 16, 4}, {129, 15, 5}, {127, 32, 13}, {3, 2, 30}};  // M, N, K
  for (const char* right : {"row", "column"})
    for (const auto& [m, n, k] : sizes)
      cases.push_back({fmt::format("{} {}x{}x{}", right, m, n, k),
                       textOf("gemm_partial", {{"right", right}}),
                       {{"M", m}, {"N", n}, {"K", k}}});
  const Beside all(cases);
  REQUIRE(all.wrong() == "");
  CHECK(all.messages() == "");
  for (const Case& one : all.cases()) {
    INFO(one.name);
    const Both both = all.run(one.name, randomInputs(one, 6));
    REQUIRE(both.wrong == "");  // canaries around every buffer
    CHECK(both.findings.empty());
    CHECK(difference(both.host, both.emulated) == "");
    const TensorValues& in = both.inputs;
    const auto size = [&](const char* name, std::size_t by) {
      return by * static_cast<std::size_t>(one.sizes.at(name));
    };
    CHECK(difference({{"", product(in.at("A"), in.at("B"), in.at("C"), size("M", 1), size("N", 8), size("K", 8))}},
                     {{"", both.host.at("C")}}, 1e-4) == "");
  }
}
