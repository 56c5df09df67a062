// Loop bounds: one that gets a name, and stages that divide the number of iterations.
#include <catch2/catch.hpp>
#include <regex>

#include "programs.h"

namespace tessera::codegen {
namespace {

std::string kernelOf(const std::string& text) {
  const auto source = emitText(text);
  INFO((source ? "" : source.error().message));
  REQUIRE(source.ok());
  return source->text.substr(source->text.find("extern \"C\""));
}

// Tiles of 32 through two stages of shared memory; TRIPS of them.
std::string staged(const std::string& trips, const std::string& places) {
  return "%x:[" + places + "].fp32.GL  %y:[" + places + "].fp32.GL\n#b:[1].block  #t:[32].thread\n" +
         "%y <- Move<<<#b,#t>>>(%x) {\n  @t = #t.indices()\n  %s:[2,32].fp32.SH\n" +
         "  %xt = %x.tile([32:1])  %yt = %y.tile([32:1])\n  for (k = 0; k < " + trips + "; k += 1) {\n" +
         "    %x1 = %xt[k]  %f = %x1[@t]  %to = %s[k%2,@t]  %y1 = %yt[k]  %g = %y1[@t]\n" +
         "    %to <- Move(%f)\n    %g <- Move(%to)\n  }\n}\n";
}

}  // namespace

TEST_CASE("a bound that gets a name has it before the loop") {
  // More than eight iterations: there is no pragma, and what the bound needs must not vanish with it.
  const std::string text = kernelOf(
      "%x:[8*C].fp32.GL  %y:[8*C].fp32.GL\n#b:[1].block  #t:[32].thread\n"
      "%y <- Move<<<#b,#t>>>(%x) {\n  @t = #t.indices()\n  for (j = 0; j < (8*C + 31)/32; j += 1) {\n"
      "    if (32*j + @t < 8*C) {\n      %f = %x[32*j + @t]  %g = %y[32*j + @t]\n      %g <- Move(%f)\n    }\n  "
      "}\n}\n");
  std::smatch bound;
  INFO(text);
  REQUIRE(std::regex_search(text, bound, std::regex("for \\(int j = 0; j < ([a-z_0-9]+); \\+\\+j\\)")));
  const std::size_t defined = text.find("const int " + bound[1].str() + " = ");
  CHECK(defined != std::string::npos);
  CHECK(defined < static_cast<std::size_t>(bound.position(0)));
}

TEST_CASE("stages that divide a symbolic number of iterations need no way out of a round") {
  CHECK(kernelOf(staged("2*T", "64*T")).find("break") == std::string::npos);
  CHECK(kernelOf(staged("2*T", "64*T")).find("continue") == std::string::npos);
  CHECK(kernelOf(staged("T", "32*T")).find("break") != std::string::npos);
  CHECK(kernelOf(staged("8", "256")).find("break") == std::string::npos);
}

TEST_CASE("a size that one of several kernels does not speak of is marked there, and is a parameter nevertheless") {
  const std::string text =
      "%x:[32*T].fp32.GL  %y:[32*T].fp32.GL  %z:[32].fp32.GL\n#b:[T].block  #one:[1].block  #t:[32].thread\n"
      "%y <- Move<<<#b,#t>>>(%x) {\n  @b = #b.indices()  @t = #t.indices()\n"
      "  %f = %x[32*@b + @t]  %g = %y[32*@b + @t]\n  %g <- Move(%f)\n}\n"
      "%z <- Init<0><<<#one,#t>>>() {\n  @t = #t.indices()\n  %g = %z[@t]\n  %g <- Init<0>()\n}\n";
  const std::string kernels = kernelOf(text);
  CHECK(kernels.find("float* z, [[maybe_unused]] int T)") != std::string::npos);
  CHECK(kernels.find(" float* y, int T)") != std::string::npos);
}

TEST_CASE("a few rounds of stages stay a loop; more are one anyway") {
  CHECK(kernelOf(staged("8", "256")).find("#pragma unroll 1\n  for (int round = 0; round < 4") != std::string::npos);
  CHECK(kernelOf(staged("2*T", "64*T")).find("#pragma unroll 1\n") == std::string::npos);
  CHECK(kernelOf(staged("32", "1024")).find("#pragma unroll 1\n") == std::string::npos);
}

}  // namespace tessera::codegen
