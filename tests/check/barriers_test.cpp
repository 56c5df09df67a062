// mbarrier and TMA: correct programs hold in every order of warps and copies, and are refuted with one thing changed.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/graphene/reader/parameters.h"
#include "programs.h"
#include "solver/graphene/check.h"
#include "support/barrier_ring.h"
#include "support/emulate.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;
using tessera::verdicts::changed;
using tessera::verdicts::told;
using tessera::verdicts::why;

namespace {

// Twelve rows through three stages: warp 0 takes what one thread of warp 1 copies.
const std::string kRing = "// arch: sm_90a\n" + testing::barrierRing(12, 32);

CheckResult checked(const std::string& text, CheckMethod method = CheckMethod::Any) {
  return verdicts::checked(text, {.architecture = "sm_90a", .budgetSeconds = 5000, .method = method});
}

// 128 x 256 x 384 in one block: six tiles through four stages.
std::string product() {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/hopper/gemm_wgmma_tma.graphene");
  std::stringstream contents;
  contents << in.rdbuf();
  return *withSettings(contents.str(), {{"rows", "1"}, {"columns", "1"}, {"depth", "6"}});
}

}  // namespace

TEST_CASE("a ring of stages between two warps is proved") {
  const CheckResult r = checked(kRing);
  INFO(told(r));
  CHECK(r.holds());
  // By variables it is not decided, and that is said.
  const CheckResult symbolic = checked(kRing, CheckMethod::Z3);
  CHECK_FALSE(symbolic.holds());
  for (const ObligationVerdict& v : symbolic.specs.at(0).obligations) CHECK(v.standing != Standing::Refuted);
}

TEST_CASE("a ring with one thing changed is refuted for it") {
  struct Wrong {
    const char *from, *to;
    Obligation obligation;
    const char* says;
  };
  const Wrong all[] = {
      // The phase that is waited for.
      {"wait %f, (k/3)", "wait %f, (k/3 + 1)", Obligation::Static, "possibly before phase 0 has ended"},
      {"wait %f, (k/3)", "wait %f, (k/3 - 1)", Obligation::Definedness, "reads a value that was never written"},
      {"wait %f, (k/3)", "wait %f, 0", Obligation::Static, "possibly before phase 0 has ended"},
      {"wait %e, (k/3 - 1)", "wait %e, (k/3)", Obligation::Static,
       "waits for phase 0 of %empty[0] forever: 32 of 32 arrivals are missing"},
      {"wait %e, (k/3 - 1)", "wait %e, (k/3 - 3)", Obligation::Static, "waits for phase -3"},
      // What is not waited for.
      {"        mbarrier.wait %e, (k/3 - 1)\n", "", Obligation::Races, "copies to where another copy is in flight"},
      {"      mbarrier.wait %f, (k/3)\n", "", Obligation::Definedness, "reads a value that was never written"},
      {"      %r <- Move<<<#grid,#one>>>(%from)\n      mbarrier.arrive %e\n",
       "      mbarrier.arrive %e\n      %r <- Move<<<#grid,#one>>>(%from)\n", Obligation::Races, "another thread"},
      {"k < 12; k += 1) {\n      %f", "k < 11; k += 1) {\n      %f", Obligation::Static,
       "no thread waits for phase 3 of %full[2]"},
      // Counts.
      {"init %e, 32", "init %e, 33", Obligation::Static, "forever: 1 of 33 arrivals are missing"},
      {"init %e, 32", "init %e, 31", Obligation::Static, "possibly before phase 0 has ended"},
      {"init %f, 1", "init %f, 2", Obligation::Static, "forever: 1 of 2 arrivals are missing"},
      {"expect %f, %box", "expect %f, %half", Obligation::Static, "64 bytes arrived that no thread expected"},
      {"expect %f, %box", "expect %f, %box, %box", Obligation::Static, "0 of 1 arrivals and 128 bytes are missing"},
      {"        mbarrier.expect %f, %box\n", "        mbarrier.arrive %f\n", Obligation::Static, ""},
      {"      mbarrier.init %e, 32\n", "", Obligation::Static, "before it is initialised"},
      {"      mbarrier.init %e, 32\n", "      mbarrier.init %e, 32\n      mbarrier.init %e, 32\n", Obligation::Static,
       "which thread 0 has already initialised"},
      // Who knows of the barriers.
      {"  sync\n", "", Obligation::Static, "its mbarrier.init by thread 0 is not ordered before that"},
      {"    fence.async\n", "", Obligation::Static, "no fence.async follows its mbarrier.init"},
      {"%full[k%3]  %e = %empty[k%3]\n        mbarrier.wait", "%full[k%4]  %e = %empty[k%3]\n        mbarrier.wait",
       Obligation::Static, "names barrier 3 of %full, which has 3"},
      // Who copies.
      {"@t == 32", "@t >= 32", Obligation::Races, "copies to"},
      {"#grid:[1].block  #cta:[64].thread", "#grid:[1].block  #cta:[32].thread", Obligation::Static, ""},
  };
  const std::string right =
      changed(kRing, "%box = %s.tile([1:1],[64:1])[k%3,0]\n",
              "%box = %s.tile([1:1],[64:1])[k%3,0]\n        %half = %s.tile([1:1],[32:1])[k%3,0]\n");
  CHECK(checked(right).holds());
  for (const Wrong& w : all) {
    const CheckResult r = checked(changed(right, w.from, w.to));
    INFO(w.from << " -> " << w.to << "\n" << told(r));
    CHECK_FALSE(r.holds());
    CHECK(why(r, w.obligation) != "");
    CHECK(why(r, w.obligation).find(w.says) != std::string::npos);
  }
}

TEST_CASE("what ordinary instructions wrote is copied over behind a fence.async only") {
  const std::string before =
      "  @zero = #cta.indices()\n  if (@zero < 32) {\n    %z = %s.tile([1:1],[2:1])[0,@zero]\n"
      "    %z <- Init<0><<<#grid,#one>>>()\n    fence.async\n  }\n  sync\n  if (@t < 32) {\n    for (k";
  const std::string right = changed(kRing, "  sync\n  if (@t < 32) {\n    for (k", before);
  const CheckResult r = checked(right);
  INFO(told(r));
  CHECK(r.holds());
  const CheckResult bare = checked(changed(right, "()\n    fence.async\n", "()\n"));
  INFO(told(bare));
  CHECK(why(bare, Obligation::Races).find("no fence.async in between") != std::string::npos);
  // The fence may be that of the thread that copies, after the barrier.
  const CheckResult late = checked(changed(changed(right, "()\n    fence.async\n", "()\n"), "if (@t == 32) {\n",
                                           "if (@t == 32) {\n      fence.async\n"));
  INFO(told(late));
  CHECK(late.holds());
}

TEST_CASE("copies from what the kernel writes are not followed, and that is said") {
  std::string text = changed(kRing, "%y <- Move<<<#grid,#cta>>>(%x)", "%x <- Spec<<<#grid,#cta>>>(%x)");
  const CheckResult r = checked(changed(text, "%to = %y.", "%to = %x."));
  INFO(told(r));
  CHECK_FALSE(r.holds());
  CHECK(told(r).find("unknown TMA copies from a tensor that this kernel writes") != std::string::npos);
  CHECK(why(r, Obligation::Races) == "");
}

TEST_CASE("results do not depend on the order of warps and of copies") {
  const auto program = readProgram(kRing);
  REQUIRE(program.ok());
  TensorValues inputs;
  for (int i = 0; i < 12 * 64; ++i) inputs["x"].push_back(i % 251);
  for (u64 seed = 0; seed < 20; ++seed) {
    EmulateOptions options;
    options.architecture = "sm_90a";
    options.seed = seed;
    const auto run = emulate(*program, inputs, options);
    REQUIRE(run.ok());
    CHECK(run->findings.empty());
    CHECK(run->tensors.at("y") == inputs["x"]);
  }
}

TEST_CASE("a product by TMA and wgmma is proved, and refuted where a stage is given back too early") {
  const std::string right = product();
  const CheckResult r = checked(right);
  INFO(told(r));
  CHECK(r.holds());
  struct Wrong {
    const char *from, *to;
    Obligation obligation;
    const char* says;
  };
  const Wrong all[] = {
      {"%empty[(kt + 3)%4]", "%empty[kt%4]", Obligation::Races, "a product of a warpgroup may still read"},
      {"      syncwarp\n", "", Obligation::Static, "nothing that phase"},
      {"init %e, 8", "init %e, 4", Obligation::Static, ""},
  };
  for (const Wrong& w : all) {
    const CheckResult wrong = checked(changed(changed(right, "if (kt > 0) {", "if (kt >= 0) {"), w.from, w.to));
    INFO(w.from << " -> " << w.to << "\n" << told(wrong));
    CHECK(why(wrong, w.obligation) != "");
    CHECK(why(wrong, w.obligation).find(w.says) != std::string::npos);
  }
}
