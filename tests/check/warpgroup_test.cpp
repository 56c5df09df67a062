// Hopper's products: the programs of assets/graphene/hopper are proved, and refuted with one thing changed.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "programs.h"
#include "solver/graphene/check.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;
using tessera::verdicts::changed;
using tessera::verdicts::told;
using tessera::verdicts::why;

namespace {

std::string contents(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/hopper" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

CheckResult checked(const std::string& text, const std::string& architecture = "sm_90a") {
  return verdicts::checked(text, {.architecture = architecture, .budgetSeconds = 5000});
}

// 128 x 128 x 64 in one block: the pipelined one with two tiles of k.
std::string pipelined() {
  std::string text = contents("gemm_wgmma_pipelined");
  text = changed(text, "%A:[1024,1024:1024,1]", "%A:[128,128:128,1]");
  text = changed(text, "%B:[1024,1024:1,1024]", "%B:[128,128:1,128]");
  text = changed(text, "%C:[1024,1024:1024,1]", "%C:[128,128:128,1]");
  text = changed(changed(text, "[8,8:8,1].block", "[1,1:1,1].block"), "kt < 32", "kt < 4");
  return changed(text, "kt + 2 < 32", "kt + 2 < 4");
}

// 128 x 256 x 384 in one block, one product always in flight.
std::string deep() {
  std::string text = contents("gemm_wgmma_deep");
  text = changed(text, "%A:[1024,1024:1024,1]", "%A:[128,384:384,1]");
  text = changed(text, "%B:[1024,1024:1,1024]", "%B:[384,256:1,384]");
  text = changed(text, "%C:[1024,1024:1024,1]", "%C:[128,256:256,1]");
  text = changed(changed(text, "[8,4:4,1].block", "[1,1:1,1].block"), "kt < 16", "kt < 6");
  return changed(text, "kt + 2 < 16", "kt + 2 < 6");
}

}  // namespace

TEST_CASE("products of a warpgroup are proved, on sm_90a only") {
  for (const std::string& text : {contents("gemm_wgmma_64"), contents("gemm_wgmma_registers"), pipelined(), deep()}) {
    const CheckResult r = checked(text);
    INFO(told(r));
    CHECK(r.holds());
    const CheckResult older = checked(text, "sm_80");
    CHECK_FALSE(older.holds());
    CHECK(why(older, Obligation::Static).find("needs sm_90a, but the target is sm_80") != std::string::npos);
  }
}

TEST_CASE("a product with one thing changed is refuted for it") {
  struct Wrong {
    const char *from, *to;
    Obligation obligation;
    const char* says;
  };
  const Wrong all[] = {
      {"  wgmma.wait 0\n", "", Obligation::Definedness, "reads a sum before the wgmma.wait for its product"},
      {"wgmma.wait 0", "wgmma.wait 1", Obligation::Definedness, "reads a sum before the wgmma.wait for its product"},
      {"  wgmma.commit\n", "", Obligation::Definedness, "reads a sum before the wgmma.wait for its product"},
      {"  wgmma.fence\n", "", Obligation::Definedness, "accessed since the last wgmma.fence"},
      {"  fence.async\n", "", Obligation::Races, "without a fence.async"},
      {"  fence.async\n  sync\n", "  fence.async\n", Obligation::Races, "another thread writes"},
      {"%sB:Sw<3,3,3>", "%sB:Sw<2,3,3>", Obligation::Static, "reads %b, K-major with Sw<2,3,3>, by a descriptor"},
      {"%sA:Sw<3,3,3> o ", "%sA:", Obligation::Static, "reads %a, K-major with no swizzle, by a descriptor"},
      {"%sA:Sw<3,3,3>", "%sA:Sw<3,3,4>", Obligation::Static, "xors 16-byte units"},
      {"%sA.tile(_,[16:1])", "%sA.tile(_,[8:1])", Obligation::Static, "wants [64,16] of %a"},
      {"%acc:[1,8:0,4].[2,1:2,0]", "%acc:[1,8:0,4].[2,1:1,0]", Obligation::Static, "contiguous"},
      {"    %acc <- MatMul<<<#grid,#wg>>>(%a,%b)\n", "    if (@w < 3) { %acc <- MatMul<<<#grid,#wg>>>(%a,%b) }\n",
       Obligation::Static, "under divergent control flow"},
      {"%At[0,k]", "%At[0,@w]", Obligation::Static, "to be one matrix for 128 threads"},
      {"  wgmma.fence\n", "  wgmma.fence\n  if (@w < 3) { wgmma.fence }\n", Obligation::Static, "divergent"},
  };
  const std::string right = contents("gemm_wgmma_64");
  for (const Wrong& w : all) {
    const CheckResult r = checked(changed(right, w.from, w.to));
    INFO(w.from << " -> " << w.to << "\n" << told(r));
    CHECK_FALSE(r.holds());
    CHECK(why(r, w.obligation).find(w.says) != std::string::npos);
  }
}

TEST_CASE("a stage that a product may still read is not overwritten") {
  const std::string right = pipelined();
  // The products are waited for after the barrier that permits copies to the places that they read.
  std::string late = changed(right, "    wgmma.wait 0\n", "");
  late = changed(late, "    wgmma.fence\n", "    wgmma.wait 1\n    wgmma.fence\n");
  const CheckResult r = checked(changed(late, "(kt + 2)%3", "(kt + 1)%2"));
  INFO(told(r));
  CHECK_FALSE(r.holds());
  // Waited for, without a barrier after it: the other warpgroup may still access it.
  std::string open = changed(right, "    sync\n", "");
  const CheckResult second = checked(open);
  CHECK(why(second, Obligation::Races) != "");
  // Two groups in flight: the wait leaves the newest one, whose stage the copies of the next round overwrite.
  const CheckResult third = checked(changed(right, "    wgmma.wait 0\n", "    wgmma.wait 1\n"));
  INFO(told(third));
  CHECK(why(third, Obligation::Races).find("writes what a product of a warpgroup may still read") != std::string::npos);
}

TEST_CASE("with one product in flight the copies go where the one before the last was read") {
  const std::string right = deep();
  for (const auto& [from, to] : {std::pair{"wgmma.wait 1", "wgmma.wait 2"}, std::pair{"(kt + 2)%4", "(kt + 3)%4"}}) {
    const CheckResult r = checked(changed(right, from, to));
    INFO(from << " -> " << to << "\n" << told(r));
    CHECK(why(r, Obligation::Races).find("writes what a product of a warpgroup may still read") != std::string::npos);
  }
}

TEST_CASE("the fence.async may be the reader's, behind the barrier") {
  const std::string right = contents("gemm_wgmma_64");
  const CheckResult r = checked(changed(right, "  fence.async\n  sync\n", "  sync\n  fence.async\n"));
  INFO(told(r));
  CHECK(r.holds());
}

TEST_CASE("A in registers: fenced before, and not touched before the wait") {
  const std::string right = contents("gemm_wgmma_registers");
  const std::string fragments =
      "  for (k = 0; k < 4; k += 1) {\n    %ak = %a[k]  %tile = %At[@w,k]\n"
      "    %ak <- load_a<<<#grid,#w>>>(%tile)\n  }\n";
  const CheckResult late = checked(changed(right, fragments + "  wgmma.fence\n", "  wgmma.fence\n" + fragments));
  CHECK(why(late, Obligation::Definedness).find("multiplies registers that were accessed since the last wgmma.fence") !=
        std::string::npos);
  const CheckResult early = checked(changed(right, "  wgmma.commit\n", "  wgmma.commit\n" + fragments));
  CHECK(why(early, Obligation::Races).find("writes registers that a product may still read") != std::string::npos);
  const CheckResult read = checked(changed(right, "  wgmma.commit\n",
                                           "  wgmma.commit\n  %copy:[4:8].[2,2:4,2].[1,2:0,1].fp16.RF\n"
                                           "  %copy <- Move(%a)\n"));
  CHECK(why(read, Obligation::Definedness).find("reads the inputs of a product") != std::string::npos);
  // After the wait all of it is allowed.
  const CheckResult after = checked(changed(right, "  wgmma.wait 0\n", "  wgmma.wait 0\n" + fragments));
  INFO(told(after));
  CHECK(after.holds());
  // Another row of fragments is another product.
  const CheckResult other = checked(changed(right, "%tile = %At[@w,k]", "%tile = %At[@w,(k + 1)%4]"));
  CHECK(why(other, Obligation::Value) != "");
}
