// Reads the text of nvdisasm; damaged text gives a listing or a Diag.
#include <catch2/catch.hpp>
#include <random>

#include "core/base/work_budget.h"
#include "core/sass/cubin.h"
#include "core/sass/report.h"
#include "listings.h"

using namespace tessera;
using namespace tessera::sass;

TEST_CASE("a listing has the kernels, guards, operands, labels and places of the text") {
  const auto kernels = kernelsOf("dot.sm_80");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name == "nested");
  CHECK(kernels[1].name == "dot");
  const Kernel& dot = kernels[1];
  CHECK(dot.architecture == "sm_80");
  CHECK(dot.registers == 10);
  CHECK(dot.encoded);
  const Instruction& branch = dot.code[7];
  CHECK(branch.text() == "@P1 BRA `(.L_x_4)");
  CHECK(branch.address == 0x70);
  CHECK(branch.guard == Guard{1, false, false});
  CHECK(branch.source == "dot.cu:4");
  CHECK(dot.code[5].operands == std::vector<std::string>{"P1", "PT", "R0.reuse", "c[0x0][0x178]", "PT"});
  CHECK(dot.code[5].unit() == "ISETP");
  CHECK(dot.code[5].has("GE"));
  CHECK_FALSE(dot.code[5].has("ISETP"));
  CHECK(dot.code[13].text() == "LDG.E R2, [R2.64]");
  CHECK(dot.code[13].low == 0x0000000402027981);
  CHECK(dot.labels.at(".L_x_5") == 10);
}

TEST_CASE("cuobjdump's listing reads as nvdisasm's: branches name addresses") {
  const auto listing = read(
      "\t\tcode for sm_80\n\t\tFunction : f\n"
      "        /*0000*/                   IADD3 R0, R0, 0x1, RZ ;  /* 0x0000000100007810 */\n"
      "                                                             /* 0x000fca0007ffe0ff */\n"
      "        /*0010*/                   BRA 0x0;                 /* 0xffffffe000007947 */\n"
      "                                                             /* 0x000fea000383ffff */\n");
  REQUIRE(listing.ok());
  const Kernel& f = listing->kernels.at(0);
  CHECK(f.architecture == "sm_80");
  CHECK(f.code.at(1).operands == std::vector<std::string>{"0x0"});
  const Flow flow = flowOf(f);
  REQUIRE(flow.loops.size() == 1);
  CHECK(reportOf(f).loops[0].cycles == 5 + 5);
}

TEST_CASE("a text without instructions is refused with the command that makes one") {
  for (const char* text : {"", "int main() {}", ".section .text.f\n", ".text.f:\n"}) {
    const auto listing = read(text);
    REQUIRE_FALSE(listing.ok());
    CHECK(listing.error().hint == "nvdisasm -c -hex FILE.cubin");
  }
  const auto bad = read("\t.section\t.text.f,\"ax\"\n/*0000*/ @Q1 MOV R1, R2 ;\n");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().message == "line 2 has a guard that is no predicate");
  CHECK(bad.error().span.begin == 23);
  CHECK(bad.error().span.end == 48);
}

TEST_CASE("mutated listings end with a report or a Diag, within the budget") {
  const std::string text = dataText("dot.sm_80.sass") + dataText("spill.sm_90a.sass").substr(0, 6000);
  std::mt19937 random(7);
  const std::string letters = "0123456789abcdefRPUZT.,;:[]{}()`@!/* \n\t-+\"_L";
  int reports = 0, refusals = 0;
  const WorkBudget limit({.seconds = 30});
  for (int n = 0; n < 300; ++n) {
    std::string damaged = text;
    for (auto edits = 1 + random() % 30; edits > 0; --edits) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0:
          damaged[at] = letters[random() % letters.size()];
          break;
        case 1:
          damaged.erase(at, random() % 200);
          break;
        case 2:
          damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 300));
          break;
        default:
          damaged[at] = static_cast<char>(random() % 256);
          break;
      }
    }
    const auto listing = read(damaged);
    if (!listing) {
      ++refusals;
      CHECK_FALSE(listing.error().message.empty());
      continue;
    }
    for (const Kernel& kernel : listing->kernels) {
      const KernelReport report = reportOf(kernel);
      REQUIRE(report.instructions == static_cast<int>(kernel.code.size()));
      ++reports;
    }
  }
  CHECK(reports > 100);
  CHECK(refusals > 10);
}

TEST_CASE("a listing of many blocks ends by its budget") {
  std::string text = "\t.section\t.text.f,\"ax\"\n";
  for (int k = 0; k < 20000; ++k)
    text += "/*" + std::to_string(k) + "*/ @P0 BRA `(.L" + std::to_string((k * 7919) % 20000) + ") ;\n.L" +
            std::to_string(k) + ":\n";
  const WorkBudget limit({.steps = 3'000'000});
  bool ended = false;
  try {
    const auto listing = read(text);
    REQUIRE(listing.ok());
    const Flow flow = flowOf(listing->kernels[0]);
    ended = flow.irreducible + static_cast<int>(flow.loops.size()) > 0;
  } catch (const OutOfBudget&) {
    ended = true;
  }
  CHECK(ended);
}

TEST_CASE("a cubin's own facts: registers, shared and local bytes; damage ends well") {
  const std::string bytes = dataText("dot.sm_80.cubin");
  REQUIRE(isCubin(bytes));
  CHECK(cubinOf(bytes) == std::vector<CubinKernel>{{"dot", 10, 512, 0}, {"nested", 8, 0, 0}});
  CHECK(cubinsIn("prefix" + bytes + "suffix").size() == 1);
  CHECK(cubinsIn("prefix" + bytes + "suffix")[0] == bytes);
  std::mt19937 random(3);
  for (int n = 0; n < 3000; ++n) {
    std::string damaged = bytes;
    for (auto edits = 1 + random() % 8; edits > 0; --edits)
      damaged[random() % (n % 2 == 0 ? 64 : damaged.size())] = static_cast<char>(random() % 256);
    if (n % 3 == 0) damaged.resize(random() % damaged.size());
    REQUIRE(cubinOf(damaged).size() <= 1000);
    REQUIRE(cubinsIn(damaged).size() <= 1);
  }
}
