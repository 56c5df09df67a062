// decoded and encoded are inverse, and the bits are where nvdisasm shows their effect.
#include "core/sass/control.h"

#include <catch2/catch.hpp>
#include <random>

#include "listings.h"

using namespace tessera::sass;

TEST_CASE("encoding a control word and decoding it is the identity, and keeps the other bits") {
  std::mt19937_64 random(20260101);
  for (int n = 0; n < 20000; ++n) {
    Control c;
    const std::uint64_t bits = random(), high = random();
    c.stall = static_cast<int>(bits & 15);
    c.yields = (bits >> 4 & 1) != 0;
    c.writeBarrier = static_cast<int>(bits >> 5 & 7);
    c.readBarrier = static_cast<int>(bits >> 8 & 7);
    c.waits = static_cast<unsigned>(bits >> 11 & 63);
    c.reuse = static_cast<unsigned>(bits >> 17 & 15);
    const std::uint64_t coded = encoded(c, high);
    REQUIRE(decoded(coded) == c);
    REQUIRE(encoded(decoded(high), high) == high);
    REQUIRE(((coded ^ high) & ~(std::uint64_t{0x1fffff} << 41)) == 0);
  }
}

TEST_CASE("the control word of a load, as the essay has it") {
  const Control c = decoded(0x000ea8000c1e1900);
  CHECK(c == Control{4, false, 2, kNoBarrier, 0, 0});
  CHECK(c.cycles() == 4);
  CHECK(Control{}.cycles() == 1);
}

// nvdisasm prints .reuse after the operands whose bits are set: an independent reading of those four bits. It prints
// them for registers only, so a bit at another operand is no contradiction.
TEST_CASE("the reuse bits are the operands that nvdisasm marks") {
  int marked = 0;
  for (const char* name : kListings)
    for (const Kernel& kernel : kernelsOf(name))
      for (const Instruction& i : kernel.code) {
        int count = 0;
        for (const std::string& operand : i.operands) count += operand.find(".reuse") != std::string::npos ? 1 : 0;
        INFO(i.text());
        REQUIRE((i.control().reuse != 0) == (count > 0));
        REQUIRE(__builtin_popcount(i.control().reuse) >= count);
        marked += count;
      }
  CHECK(marked > 90);
}

TEST_CASE("barriers of real code are 0 to 5 or none, and a wait names one that some instruction sets") {
  for (const char* name : kListings)
    for (const Kernel& kernel : kernelsOf(name)) {
      unsigned set = 0, waited = 0;
      for (const Instruction& i : kernel.code) {
        const Control c = i.control();
        for (const int b : {c.writeBarrier, c.readBarrier}) {
          REQUIRE((b == kNoBarrier || b < kBarriers));
          if (b != kNoBarrier) set |= 1U << b;
        }
        waited |= c.waits;
      }
      INFO(name);
      CHECK((waited & ~set) == 0);
    }
}
