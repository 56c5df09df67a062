// Golden facts of the listings, counted by hand or by grep, and the path through a loop against a walk over all paths.
#include "core/sass/report.h"

#include <catch2/catch.hpp>
#include <random>

#include "listings.h"

using namespace tessera;
using namespace tessera::sass;

TEST_CASE("the loops of nested: 12 iterations inside, an unknown number outside") {
  for (const char* name : {"dot.sm_80", "dot.sm_90a"}) {
    const KernelReport r = reportOf(kernelOf(name, "nested"));
    INFO(name);
    REQUIRE(r.loops.size() == 2);
    CHECK(r.loops[0].depth == 1);
    CHECK(r.loops[1].depth == 2);
    CHECK(r.loops[1].parent == 0);
    CHECK(r.loops[1].trips == 12);
    CHECK_FALSE(r.loops[0].trips.has_value());
    CHECK(r.dependencies.findings.empty());
  }
}

TEST_CASE("the loop of dot: ten instructions, their classes and issue cycles") {
  const KernelReport r = reportOf(kernelOf("dot.sm_80", "dot"));
  CHECK(r.registers == 10);
  CHECK(r.declared);
  REQUIRE(r.loops.size() == 1);
  const LoopReport& loop = r.loops[0];
  CHECK(loop.first == 0xa0);
  CHECK(loop.last == 0x120);
  CHECK(loop.instructions == 9);
  CHECK(loop.body == 9);
  // IMAD.MOV 4, IMAD.WIDE 4 and 2, LDG 4 and 1, IADD3 4, ISETP 1, FFMA 12, BRA 5
  CHECK(loop.cycles == 37);
  CHECK(loop.most == 37);
  CHECK(loop.units ==
        std::map<std::string, int>{{"BRA", 1}, {"FFMA", 1}, {"IADD3", 1}, {"IMAD", 3}, {"ISETP", 1}, {"LDG", 2}});
  CHECK(loop.kinds[static_cast<std::size_t>(Kind::GlobalLoad)] == 2);
  CHECK(loop.kinds[static_cast<std::size_t>(Kind::Integer)] == 5);
  CHECK(loop.kinds[static_cast<std::size_t>(Kind::Float)] == 1);
  CHECK(loop.products == 0);
}

TEST_CASE("spills are counted") {
  const KernelReport r = reportOf(kernelOf("spill.sm_80", "spill"));
  CHECK(r.localStores == 44);
  CHECK(r.localLoads > 40);
  CHECK(r.registers == 24);
  CHECK(r.loops.empty());
  CHECK(reportOf(kernelOf("dot.sm_80", "dot")).localStores == 0);
}

TEST_CASE("the main loop of gemm_pipelined has the products of docs/machine_code.md") {
  const KernelReport r = reportOf(kernelOf("gemm_pipelined.sm_80", "matmul_C"));
  REQUIRE(r.loops.size() == 1);
  const LoopReport& loop = r.loops[0];
  CHECK(r.registers == 94);
  CHECK(loop.products == 96);
  CHECK(loop.units.at("HMMA") == 96);
  CHECK(loop.instructionsPerProduct() == Approx(1.92).margin(0.02));
  CHECK(loop.cyclesPerProduct() > loop.instructionsPerProduct());
}

TEST_CASE("without .sectioninfo the registers are those that are used") {
  Kernel kernel = kernelOf("gemm_pipelined.sm_80", "matmul_C");
  kernel.registers = 0;
  const KernelReport r = reportOf(kernel);
  CHECK_FALSE(r.declared);
  CHECK(r.registers <= 94);
  CHECK(r.registers >= 90);
}

namespace {

struct Walked {
  int products = 0, cycles = 0, most = 0;
  std::vector<int> blocks;
};

// All paths of a loop from its header to a latch that never go back in the order of addresses. The best has the most
// products and, block by block, falls through; to end is worse than to go on.
void walkAll(const Kernel& kernel, const Flow& flow, const Loop& loop, int b, Walked so, Walked& best) {
  const Block& block = flow.blocks[static_cast<std::size_t>(b)];
  for (int k = block.begin; k < block.end; ++k) {
    const Instruction& i = kernel.code[static_cast<std::size_t>(k)];
    so.cycles += std::max(1, i.control().stall);
    so.products += kindOf(i) == Kind::Product ? 1 : 0;
  }
  so.blocks.push_back(b);
  if (std::find(loop.latches.begin(), loop.latches.end(), b) != loop.latches.end()) {
    const int most = std::max(best.most, so.cycles);
    const auto ended = [](const Walked& w) {
      std::vector<int> out = w.blocks;
      out.push_back(1 << 30);
      return out;
    };
    if (best.blocks.empty() || so.products > best.products || (so.products == best.products && ended(so) < ended(best)))
      best = so;
    best.most = most;
  }
  for (const int to : block.next)
    if (to > b && std::binary_search(loop.blocks.begin(), loop.blocks.end(), to))
      walkAll(kernel, flow, loop, to, so, best);
}

}  // namespace

TEST_CASE("the path of a loop is the best of all its paths") {
  std::mt19937 random(23);
  int loops = 0;
  for (int n = 0; n < 300; ++n) {
    // Forward branches inside one backward branch, in the order of addresses.
    const auto blocks = 2 + random() % 8;
    std::string text = "\t.section\t.text.f\n";
    for (std::size_t b = 0; b < blocks; ++b) {
      text += ".L" + std::to_string(b) + ":\n";
      for (auto k = random() % 4; k > 0; --k)
        text += "/*0000*/ " + std::string(random() % 3 == 0 ? "HMMA.16816.F32 R0, R4, R2, R0" : "NOP") + " ;\n";
      const auto to = random() % 4 == 0 ? 0 : b + 1 + random() % (blocks - b);
      text += "/*0000*/ @P0 BRA `(.L" + std::to_string(to) + ") ;\n";
    }
    text += ".L" + std::to_string(blocks) + ":\n/*0000*/ @P1 BRA `(.L0) ;\n/*0000*/ EXIT ;\n";
    auto listing = read(text);
    REQUIRE(listing.ok());
    Kernel& kernel = listing->kernels[0];
    for (Instruction& i : kernel.code)
      i.high = encoded({static_cast<int>(random() % 16), false, kNoBarrier, kNoBarrier, 0, 0}, 1);
    kernel.encoded = true;
    const Flow flow = flowOf(kernel);
    const KernelReport report = reportOf(kernel);
    REQUIRE(report.loops.size() == flow.loops.size());
    INFO(text);
    for (std::size_t k = 0; k < flow.loops.size(); ++k) {
      Walked best;
      walkAll(kernel, flow, flow.loops[k], flow.loops[k].header, {}, best);
      REQUIRE(report.loops[k].products == best.products);
      REQUIRE(report.loops[k].cycles == best.cycles);
      REQUIRE(report.loops[k].most == best.most);
      ++loops;
    }
  }
  CHECK(loops >= 300);
}

TEST_CASE("iterations are counted only where the count is a constant") {
  const auto trips = [](const std::string& body) {
    const auto listing = read("\t.section\t.text.f\n/*0000*/ MOV R2, 0x3 ;\n.La:\n" + body + "/*0000*/ EXIT ;\n");
    REQUIRE(listing.ok());
    const Flow flow = flowOf(listing->kernels[0]);
    REQUIRE(flow.loops.size() == 1);
    return tripsOf(listing->kernels[0], flow, flow.loops[0]);
  };
  const std::string step = "/*0000*/ IADD3 R2, R2, 0x2, RZ ;\n", back = "/*0000*/ @!P0 BRA `(.La) ;\n";
  // 3, 5, 7, 9: after each step, until it is at least 10: 5, 7, 9, 11
  CHECK(trips(step + "/*0000*/ ISETP.GE.AND P0, PT, R2, 0xa, PT ;\n" + back) == 4);
  // Compared before the step: 3, 5, 7, 9, 11
  CHECK(trips("/*0000*/ ISETP.GE.AND P0, PT, R2, 0xa, PT ;\n" + step + back) == 5);
  CHECK(trips(step + "/*0000*/ ISETP.NE.AND P0, PT, R2, 0x9, PT ;\n/*0000*/ @P0 BRA `(.La) ;\n") == 3);
  CHECK_FALSE(trips(step + "/*0000*/ ISETP.GE.AND P0, PT, R2, c[0x0][0x160], PT ;\n" + back).has_value());
  CHECK_FALSE(trips(step + step + "/*0000*/ ISETP.GE.AND P0, PT, R2, 0xa, PT ;\n" + back).has_value());
  CHECK_FALSE(
      trips("/*0000*/ @P1 IADD3 R2, R2, 0x2, RZ ;\n/*0000*/ ISETP.GE.AND P0, PT, R2, 0xa, PT ;\n" + back).has_value());
  CHECK_FALSE(trips("/*0000*/ @P1 EXIT ;\n/*0000*/ @P1 BRA `(.Lb) ;\n" + step +
                    "/*0000*/ ISETP.GE.AND P0, PT, R2, 0xa, PT ;\n" + back + ".Lb:\n")
                  .has_value());
}
