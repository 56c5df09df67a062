// Dumps of HLO modules as blocks of a worksheet.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/hlo/notation.h"
#include "core/paste/blocks.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

using namespace tessera;

TEST_CASE("every dump as a block reads as the module that it is") {
  int seen = 0;
  for (const auto& file : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/tests/cases/hlo")) {
    INFO(file.path());
    std::ostringstream all;
    all << std::ifstream(file.path()).rdbuf();
    const std::string text = all.str();
    CHECK(isModuleText(text));
    const auto statements = splitStatements(asModuleBlock(blockNameOf(file.path().string()), text));
    REQUIRE(statements.size() == 2);
    REQUIRE(statements[0].kind == StatementKind::Block);
    Scope scope;
    const Evaluated block = evaluate(statements[0], scope);
    REQUIRE(block.value);
    CHECK(block.notes.empty());
    const auto* listing = as<hlo::Listing>(*block.value);
    REQUIRE(listing != nullptr);
    CHECK(print(*listing->module) == print(hlo::readModule(text)));
    CHECK_FALSE(evaluate(statements[1], scope).diag);
    ++seen;
  }
  CHECK(seen > 40);
}

TEST_CASE("what is a module's text, and what is not") {
  CHECK(isModuleText("\n // a dump\nHloModule m\n"));
  CHECK(isModuleText("\xEF\xBB\xBFHloModule m\r\n"));
  CHECK_FALSE(isModuleText("%add.1 = f32[4] add(%a, %b)"));
  CHECK_FALSE(isModuleText("A = (4,8):(8,1)"));
  CHECK(isModuleFile("a.hlo", "anything"));
  CHECK(isModuleFile("a.txt", "HloModule m"));
  CHECK_FALSE(isModuleFile("a.txt", "A = (4,8):(8,1)"));
  CHECK_FALSE(isModuleFile("a.tess", "HloModule m"));
}

TEST_CASE("a dump that was cut off stands as far as it goes") {
  const std::string text = "HloModule m\r\nENTRY %e (a: f32[4]) -> f32[4] {\r\n  %a = f32[4] parameter(0)\r\n  ROOT %n";
  const auto statements = splitStatements(asModuleBlock("cut", text));
  REQUIRE(statements.size() == 2);
  Scope scope;
  const Evaluated block = evaluate(statements[0], scope);
  REQUIRE(block.value);
  CHECK_FALSE(block.notes.empty());
  CHECK(as<hlo::Listing>(*block.value)->module->computations.at(0).instructions.at(0).name == "a");
}
