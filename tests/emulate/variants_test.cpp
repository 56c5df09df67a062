// Variants compute the same as their program: the emulator gives the same bits, and the proofs of the moves hold.
#include "core/graphene/variants.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

std::string asset(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  REQUIRE(text.find(what) != std::string::npos);
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

TensorValues inputsOf(const graphene::Program& program) {
  std::mt19937 random(3);
  TensorValues out;
  for (const Tensor& t : program.operands) {
    if (t.threads || t.memory == Memory::Register) continue;
    std::size_t size = 1;
    for (const Expr& e : t.extents) size *= static_cast<std::size_t>(e.value());
    std::vector<double>& values = out[t.name];
    for (std::size_t k = 0; k < size; ++k) values.push_back((static_cast<double>(random() % 17) - 8) / 8);
  }
  return out;
}

Run runOf(const Listing& listing) {
  auto out = emulate(*listing.program, inputsOf(*listing.program));
  REQUIRE(out.ok());
  INFO((out->findings.empty() ? "" : print(out->findings.front())));
  REQUIRE(out->findings.empty());
  REQUIRE(out->stopped.empty());
  return *std::move(out);
}

}  // namespace

TEST_CASE("every variant gives the bits of its program") {
  std::string pipelined =
      replaced(replaced(asset("gemm_pipelined"), "1024", "128"), "[8,8:8,1].block", "[1,1:1,1].block");
  pipelined = replaced(replaced(pipelined, "kt < 32", "kt < 4"), "kt + 2 < 32", "kt + 2 < 4");
  struct Row {
    std::string name, text;
    std::vector<std::string> variants;
  };
  const Row rows[] = {
      {"gemm_warps_64", asset("gemm_warps_64"), {"without swizzle", "without ldmatrix"}},
      {"gemm_pipelined", pipelined, {"without swizzle", "without ldmatrix"}},
      {"attention", asset("attention"), {"without swizzle", "without ldmatrix"}},
      {"mlp_layer", asset("mlp_layer"), {"without swizzle", "without ldmatrix"}},
      {"transpose_swizzled", asset("transpose_swizzled"), {"without swizzle"}},
      {"warp_tile_moves", asset("warp_tile_moves"), {"by=plain", "without swizzle", "without ldmatrix"}},
      {"ldmatrix_move", asset("ldmatrix_move"), {}},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const auto listing = readListing(row.name, row.text);
    REQUIRE(listing.ok());
    const Run base = runOf(*listing);
    const auto variants = variantsOf(*listing);
    std::vector<std::string> names;
    for (const Variant& v : variants) names.push_back(v.name);
    REQUIRE(names == row.variants);
    for (const Variant& v : variants) {
      INFO(v.name << " " << v.why << " " << v.note);
      REQUIRE(v.listing.has_value());
      CHECK(v.note.empty());
      const Run run = runOf(*v.listing);
      CHECK((run.tensors == base.tensors));
      // The transpose is without conflicts either way.
      if (v.name == "without swizzle" && row.name != "transpose_swizzled")
        CHECK(run.total.wavefronts > base.total.wavefronts);
      // A plain load moves 4 bytes a lane, ldmatrix.x4 16: more instructions for the same registers.
      if (v.name == "without ldmatrix") CHECK(run.total.executions > base.total.executions);
    }
  }
}
