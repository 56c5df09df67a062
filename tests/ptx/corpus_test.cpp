// Law: every PTX text of the corpus (TESSERA_CASES) reads, and reading its printed form gives the
// same module.
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/ptx/read.h"

namespace fs = std::filesystem;
using namespace tessera;

namespace {

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("every PTX text of the corpus reads and prints") {
  const char* cases = std::getenv("TESSERA_CASES");
  if (cases == nullptr || !fs::exists(fs::path(cases) / "kernels")) return;
  std::size_t files = 0, bytes = 0, instructions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(cases) / "kernels")) {
    if (entry.path().extension() != ".ptx") continue;
    const std::string text = contents(entry.path());
    INFO(entry.path().string());
    const auto module = ptx::read(text);
    INFO((module ? ""
                 : module.error().message + " at " + std::to_string(module.error().span.begin) + ": " +
                       text.substr(module.error().span.begin, 80)));
    REQUIRE(module.ok());
    const std::string printed = ptx::print(*module);
    const auto again = ptx::read(printed);
    INFO((again ? "" : again.error().message + ": " + printed.substr(again.error().span.begin, 80)));
    REQUIRE(again.ok());
    CHECK((*again == *module));
    CHECK(ptx::print(*again) == printed);
    ++files;
    bytes += text.size();
    for (const ptx::Function& f : module->functions) instructions += f.instructions.size();
  }
  WARN(files << " texts, " << bytes << " bytes, " << instructions << " instructions");
}
