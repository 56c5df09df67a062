// The traffic that kernels request beyond their need.
#include "core/hlo/cost/waste.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "core/hlo/cost/read_counts.h"

using namespace tessera;

namespace {

hlo::Module dump(const std::string& name) {
  std::ifstream in(TESSERA_SOURCE_DIR "/tests/cases/hlo/" + name);
  std::ostringstream text;
  text << in.rdbuf();
  REQUIRE_FALSE(text.str().empty());
  return hlo::readModule(text.str());
}

std::string nameOf(const hlo::Module& m, const hlo::KernelWaste& k) {
  return std::string(m.computations[static_cast<std::size_t>(k.where.computation)]
                         .instructions[static_cast<std::size_t>(k.where.instruction)]
                         .name);
}

}  // namespace

TEST_CASE("a fusion that adds an array to its transpose reads it twice, in tiles") {
  const hlo::Module m = dump("transpose_fusion.after.hlo");
  const auto all = hlo::rankingOf(m).kernels;
  REQUIRE(all.size() == 1);
  const hlo::KernelWaste& k = all.front();
  CHECK(nameOf(m, k) == "broadcast_multiply_fusion");
  CHECK(k.plan == "a transposition by tiles of 32x32");
  REQUIRE(k.operands.size() == 1);
  CHECK(k.needed() == 4'000'000);
  // Straight: 4,000,000 bytes, coalesced. Through the tiles, in rows of 32: 4,000,000 bytes, also coalesced.
  CHECK(k.asked() == 8'000'000);
}

TEST_CASE("kernels come with the most wasted first, and ask for no less than they need") {
  int kernels = 0;
  for (const char* name :
       {"attention.after.hlo", "softmax.after.hlo", "layernorm.after.hlo", "mlp.before.hlo", "while_.after.hlo",
        "grad.after.hlo", "embed.after.hlo", "dyn.before.hlo", "sort.after.hlo"}) {
    const hlo::Module m = dump(name);
    i64 last = INT64_MAX;
    for (const hlo::KernelWaste& k : hlo::rankingOf(m).kernels) {
      INFO(name << " " << nameOf(m, k) << ": " << hlo::textOf(k));
      ++kernels;
      CHECK(k.wasted() <= last);
      last = k.wasted();
      for (const hlo::OperandWaste& w : k.operands)
        if (w.needed && w.asked && w.soundness == hlo::Soundness::Exact && w.usage.distinct)
          CHECK(*w.asked >= *w.needed);
    }
  }
  CHECK(kernels > 60);
  const hlo::Module softmax = dump("softmax.after.hlo");
  CHECK(nameOf(softmax, hlo::rankingOf(softmax).kernels.front()) == "ynn_fusion.1");
}

TEST_CASE("bytes as people say them") {
  CHECK(hlo::bytesText(0) == "0 B");
  CHECK(hlo::bytesText(999) == "999 B");
  CHECK(hlo::bytesText(1000) == "1 KB");
  CHECK(hlo::bytesText(4'194'304) == "4.19 MB");
  CHECK(hlo::bytesText(999'700) == "1 MB");
}

TEST_CASE("what packed elements need is counted in their bits") {
  const hlo::Module m = hlo::readModule(
      "ENTRY e {\n  a = s4[64,64]{1,0:E(4)} parameter(0)\n  ROOT b = s4[64,64]{1,0:E(4)} negate(a)\n}\n");
  const auto all = hlo::rankingOf(m).kernels;
  REQUIRE(all.size() == 1);
  CHECK(all.front().needed() == 2048);
}
