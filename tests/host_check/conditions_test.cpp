// Comparisons in loops through stages, which are printed in reversed form (core/codegen/address/rounds.cpp). As text
// they hold exactly where the emulator says so, for every way to write them, for iteration counts around the number of
// stages, and for sums of sizes.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "beside.h"
#include "ready.h"

using namespace tessera;
using namespace tessera::host_check;

namespace {

const std::vector<std::string> kConditions = {
    "kt + 2 < T",
    "kt + 1 <= T - 1",
    "T > kt + 2",
    "T - 1 >= kt + 3",
    "kt + 2 >= T",
    "kt > T - 3",
    "T - 2 <= kt",
    "A < kt",
    "kt < A",
    "kt + 3 < A + B",                // wide on the right
    "kt + 1 <= A + B - 4",           // below nothing for small sizes
    "A + B <= kt",                   //
    "A + B < kt + 5",                //
    "kt + A < B",                    //
    "2*kt < T",                      // not turned
    "32*i + @t < 8*A + B",           // wide, and a loop that is unrolled
    "32*i + @t >= 8*A",              //
    "8*A + 8*B > 32*i + @t + 1",     //
    "8*A - 32*i <= @t",              //
    "kt + i < T",                    // both
    "kt + 1 < T && 32*i + @t < 8*A"  //
};

// Iteration kt, part i, condition c: 32 values of x where it holds, 7 where it does not.
std::string program(int stages) {
  const std::size_t n = kConditions.size();
  std::string out = fmt::format(
      "%x:[128*T].fp32.GL  %u:[A].fp32.GL  %v:[B].fp32.GL  %y:[{}*T].fp32.GL\n#b:[1].block  #t:[32].thread\n"
      "%y <- Spec<choose><<<#b,#t>>>(%x,%u,%v) {{\n  @t = #t.indices()\n  %s:[{},32].fp32.SH\n"
      "  %xt = %x.tile([32:1])  %yt = %y.tile([32:1])\n  for (kt = 0; kt < T; kt += 1) {{\n"
      "    for (i = 0; i < 4; i += 1) {{\n      %x1 = %xt[4*kt + i]  %f = %x1[@t]  %to = %s[kt%{},@t]\n"
      "      %to <- Move(%f)\n",
      128 * n, stages, stages);
  for (std::size_t c = 0; c < n; ++c)
    out += fmt::format(
        "      %y{0} = %yt[{1}*kt + {2}*i + {0}]  %g{0} = %y{0}[@t]\n"
        "      if ({3}) {{ %g{0} <- Move(%to) }} else {{ %g{0} <- Init<7>() }}\n",
        c, 4 * n, n, kConditions[c]);
  return out + "    }\n  }\n}\n";
}

}  // namespace

TEST_CASE("comparisons of stages with sizes, printed turned round, hold where the emulator's do") {
  if (!hasCompiler()) return;
  std::vector<Case> cases;
  const i64 sizes[][3] = {{1, 1, 1}, {2, 5, 3}, {3, 2, 2}, {4, 1, 9}, {5, 3, 1}, {7, 12, 4}, {9, 4, 6}};  // T, A, B
  for (const int stages : {2, 3, 4})
    for (const auto& [t, a, b] : sizes)
      cases.push_back(
          {fmt::format("{} stages, T {} A {} B {}", stages, t, a, b), program(stages), {{"T", t}, {"A", a}, {"B", b}}});
  const Beside all(cases);
  REQUIRE(all.wrong() == "");
  CHECK(all.messages() == "");
  const std::string& text = all.source(cases[7].name).text;  // three stages
  CHECK(text.find("if (stage < T - 2 - round * 3)") != std::string::npos);
  CHECK(text.find("if (round < (int)(((long long)A + B - stage + 2) / 3) - 1)") != std::string::npos);
  for (const Case& one : all.cases()) {
    INFO(one.name);
    const Both both = all.run(one.name, randomInputs(one, 9));
    REQUIRE(both.wrong == "");
    CHECK(both.findings.empty());
    CHECK(difference(both.host, both.emulated) == "");
  }
}
