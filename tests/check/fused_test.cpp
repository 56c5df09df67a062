// The fused kernels with one thing changed are refuted.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/graphene/reader/sized.h"
#include "programs.h"
#include "solver/graphene/check.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

std::string library(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// Without the equations of attention as a whole, which take longest: tests/check/library_test proves them.
std::string withoutEquations(std::string text) {
  const std::size_t kernel = text.rfind("<<<#grid,#cta>>>(%Q,%K,%V) means {");
  if (kernel == std::string::npos) return text;
  const std::size_t begin = text.find(" means {", kernel), end = text.find("} {\n", begin);
  return text.erase(begin, end + 1 - begin);
}

// The small one with `from`, which occurs in it once, replaced.
CheckResult changed(const std::string& name, const std::string& from, const std::string& to) {
  const std::string text = library(name);
  INFO(name << ": " << from);
  REQUIRE(text.find(from) != std::string::npos);
  REQUIRE(text.find(from) == text.rfind(from));
  Sizes sizes = smallSizes(text);
  if (name == "lstm") sizes["U"] = 1;
  const auto program = readSized(withoutEquations(programs::replaced(text, from, to)), sizes);
  INFO((program ? "" : program.error().message));
  REQUIRE(program.ok());
  return checkProgram(*program, {.budgetSeconds = 5000});
}

Standing standing(const CheckResult& r, Obligation o) {
  for (const ObligationVerdict& v : r.specs.at(0).obligations)
    if (v.obligation == o) return v.standing;
  return Standing::Unknown;
}

}  // namespace

TEST_CASE("a perceptron whose barrier before the rows are overwritten is missing") {
  CHECK(standing(changed("mlp", "    sync\n    %Xw", "    %Xw"), Obligation::Races) == Standing::Refuted);
  // The tile that is multiplied has not arrived.
  const CheckResult early = changed("mlp", "      wait 0\n", "      wait 1\n");
  CHECK(standing(early, Obligation::Definedness) == Standing::Refuted);
  // The copies continue after the last layer.
  CHECK(standing(changed("mlp", "if (layer + (kt + 1)/4 < L) {", "if (layer < L) {"), Obligation::Bounds) ==
        Standing::Refuted);
  // Both stages are one.
  CHECK(standing(changed("mlp", "%sWt[(kt + 1)%2,0,0]", "%sWt[kt%2,0,0]"), Obligation::Races) == Standing::Refuted);
}

TEST_CASE("an LSTM cell that reads past its inputs, or leaves units out") {
  CHECK(standing(changed("lstm", "if (kt + 2 < X) {", "if (kt + 2 < X + 1) {"), Obligation::Bounds) ==
        Standing::Refuted);
  for (const auto& [from, to] : {std::pair{"    wait 1\n", "    wait 2\n"}, std::pair{"  wait 0\n", "  wait 1\n"}})
    CHECK(standing(changed("lstm", from, to), Obligation::Definedness) == Standing::Refuted);
  CHECK(standing(changed("lstm", "%new = %cn[16*m + 8*i + @g, @q]", "%new = %cn[16*m + @g, @q]"),
                 Obligation::Coverage) == Standing::Refuted);
}

TEST_CASE("layer normalisation without the guard at the row's end") {
  const std::string last = "if (128*j + @t < C) {\n    %g:";
  CHECK(standing(changed("layernorm_rows", last, "if (j < 4) {\n    %g:"), Obligation::Bounds) == Standing::Refuted);
  CHECK(standing(changed("layernorm_rows", last, "if (128*j + @t + 1 < C) {\n    %g:"), Obligation::Coverage) ==
        Standing::Refuted);
}

TEST_CASE("fused kernels that compute something else") {
  const auto value = [](const std::string& name, const std::string& from, const std::string& to) {
    return standing(changed(name, from, to), Obligation::Value);
  };
  CHECK(value("lstm", "%in = %z[0]  %forget = %z[1]", "%in = %z[1]  %forget = %z[0]") == Standing::Refuted);
  CHECK(value("lstm", "%hj <- BinaryPointwise<*>(%out,%hj)", "%hj <- BinaryPointwise<*>(%in,%hj)") ==
        Standing::Refuted);
  CHECK(value("layernorm_rows", "%d <- BinaryPointwise<+>(%d,%eps)", "%d <- BinaryPointwise<+>(%d,%d)") ==
        Standing::Refuted);
  CHECK(value("layernorm_rows", "%eight <- Init<8>()", "%eight <- Init<4>()") == Standing::Refuted);
  CHECK(value("mlp", "[layer,@wn].reshape", "[0,@wn].reshape") == Standing::Refuted);
}

TEST_CASE("attention whose stages meet, or whose last tile is never fetched") {
  // The queries are still read from the second stage when the second tile arrives there.
  CHECK(standing(changed("attention_heads", "    wait 0\n    sync\n    if", "    wait 0\n    if"), Obligation::Races) ==
        Standing::Refuted);
  CHECK(standing(changed("attention_heads", "%keys = %sKVt[kt%2,0", "%keys = %sKVt[(kt + 1)%2,0"), Obligation::Races) ==
        Standing::Refuted);
  CHECK(standing(changed("attention_heads", "[@warp,0]\n  %Ow <-", "[0,0]\n  %Ow <-"), Obligation::Coverage) ==
        Standing::Refuted);
}
