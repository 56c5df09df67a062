// A scalar operation is one row (core/atlas/scalar_operation.h). The reader, the emulator, the algebra, the CUDA text,
// its compilation on the host and the indexing maps of HLO all find a new row.
#include <catch2/catch.hpp>
#include <cmath>

#include "core/atlas/scalar_operation.h"
#include "core/hlo/ops/op_maps.h"
#include "ready.h"
#include "solver/graphene/check.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace tessera::host_check;

namespace {

// %z[i] = EQUATION, computed by the leaf.
std::string program(const std::string& leaf, const std::string& equation) {
  return "%x:[64:1].fp32.GL  %z:[64:1].fp32.GL\n#b:[1].block  #t:[64:1].thread\n"
         "%z <- Spec<f><<<#b,#t>>>(%x) means { %z[i] = " +
         equation +
         " } {\n  @i = #t.indices()\n  %v:[].fp32.RF  %a = %x[@i]  %c = %z[@i]\n  %v <- Move(%a)\n"
         "  %v <- UnaryPointwise<" +
         leaf + ">(%v)\n  %c <- Move(%v)\n}\n";
}

// Whether every obligation is proved.
bool proved(const std::string& text) {
  const auto read = readProgram(text);
  INFO(text << (read ? "" : read.error().message));
  REQUIRE(read.ok());
  return checkProgram(*read).holds();
}

constexpr ScalarOperation kErf{"erf",
                               1,
                               [](double a, double) { return std::erf(a); },
                               {"herf", "", "erff", "erf", ""},
                               {"{<}(erff({>}({})))", "", "erff({})", "erf({})", ""},
                               "error-function"};

}  // namespace

TEST_CASE("an operation that no row names is unknown everywhere") {
  CHECK_FALSE(readProgram(program("erf", "erf(%x[i])")).ok());
  CHECK_FALSE(hlo::isElementwise("error-function"));
}

TEST_CASE("an operation is one row") {
  const ExtraScalarOperation extra(kErf);
  CHECK(scalarNames(1).ends_with(" id erf"));
  // The reader and the equations; the algebra: an operation equals itself and nothing else, and constants are computed.
  CHECK(proved(program("erf", "erf(%x[i])")));
  CHECK(proved(program("erf", "erf(%x[i]) + erf(0)")));
  CHECK_FALSE(proved(program("erf", "tanh(%x[i])")));
  CHECK_FALSE(proved(program("erf", "erf(%x[i]) + erf(1)")));
  CHECK(hlo::isElementwise("error-function"));
  // The emulator beside the CUDA text.
  if (!hasCompiler()) return;
  std::vector<Case> cases;
  for (const std::string type : {"fp16", "bf16", "fp32", "fp64"})
    cases.push_back({"erf " + type, "%x:[32:1]." + type + ".GL  %z:[32:1]." + type +
                                        ".GL\n#b:[1].block  #t:[32:1].thread\n%z <- Spec<<<#b,#t>>>(%x) {\n"
                                        "  @i = #t.indices()\n  %a = %x[@i]  %c = %z[@i]\n"
                                        "  %c <- UnaryPointwise<erf>(%a)\n}\n"});
  const Beside beside(cases);
  REQUIRE(ready(beside));
  for (const Case& one : cases) {
    INFO(one.name);
    const TensorValues inputs = randomInputs(one, 7);
    const Both both = beside.run(one.name, inputs);
    CHECK(both.wrong == "");
    CHECK(both.findings.empty());
    CHECK(difference(both.host, both.emulated, 1e-6) == "");
    const std::vector<double>&in = both.inputs.at("x"), &out = both.emulated.at("z");
    for (std::size_t k = 0; k < in.size(); ++k) CHECK(std::fabs(out[k] - std::erf(in[k])) < 0.01);
  }
}
