// The comment that names a baseline, and the shipped baselines.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/graphene/reader/sized.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

std::string textOf(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the comment that names a baseline stands on a line of its own, in a file and in a block") {
  const auto found = baselineOf("%x\n\t // baseline:  a.graphene (L = 4, M=2)\r\n// baseline: b.graphene\n");
  REQUIRE(found);
  CHECK(found->file == "a.graphene");
  CHECK(nameOf(*found) == "a");
  CHECK(found->sizes == Sizes{{"L", 4}, {"M", 2}});
  CHECK(nameOf(Baseline{"plain", {}}) == "plain");
  CHECK_FALSE(baselineOf("%x // baseline: a.graphene\n"));
  CHECK_FALSE(baselineOf("// // baseline: a.graphene\n"));
  CHECK_FALSE(baselineOf("  // baseline:  \n"));
}

TEST_CASE("every baseline that a shipped program names is shipped, and has the program's outputs") {
  const std::filesystem::path folder = std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene";
  int named = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".graphene") continue;
    INFO(entry.path());
    const std::string text = textOf(entry.path());
    const auto baseline = baselineOf(text);
    if (!baseline) continue;
    ++named;
    const auto shipped = shippedBaseline(nameOf(*baseline));
    REQUIRE(shipped);
    CHECK(*shipped == textOf(folder / baseline->file));
    const auto fused = readProgram(text), unfused = readProgram(*shipped);
    REQUIRE(fused.ok());
    REQUIRE(unfused.ok());
    for (const Statement& s : fused->specs)
      if (const auto* spec = std::get_if<Spec>(&s.what))
        for (const Tensor& out : spec->outputs)
          CHECK(std::any_of(unfused->operands.begin(), unfused->operands.end(),
                            [&](const Tensor& t) { return t.name == out.name; }));
  }
  CHECK(named == 4);
  CHECK_FALSE(shippedBaseline("mlp"));
}
