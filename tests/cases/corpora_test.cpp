// Third-party texts that the repository does not contain, read from the folder TESSERA_CASES, which .ci/run sets. Each
// test prints how many cases it ran; without the folder, 0.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "core/hlo/cost/coverage.h"
#include "core/hlo/text/module.h"

using namespace tessera;

namespace {

std::string textOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The files below TESSERA_CASES/FOLDER with this ending, sorted; none without the folder.
std::vector<std::filesystem::path> corpus(const std::string& folder, const std::string& ending) {
  std::vector<std::filesystem::path> out;
  const char* root = std::getenv("TESSERA_CASES");
  if (root == nullptr || !std::filesystem::is_directory(std::filesystem::path(root) / folder)) return out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(root) / folder))
    if (entry.path().extension() == ending) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("real modules are read whole, print as they read, and no instruction contradicts itself") {
  int modules = 0, instructions = 0, exact = 0, nothing = 0, over = 0, unknown = 0;
  for (const std::filesystem::path& path : corpus("hlo_real", ".hlo")) {
    INFO(path.string());
    const std::string text = textOf(path);
    const hlo::Module module = hlo::readModule(text);
    for (const hlo::Problem& problem : module.problems) FAIL_CHECK(hlo::textOf(problem));
    const std::string printed = print(module);
    CHECK(print(hlo::readModule(printed)) == printed);
    if (text.size() < 100'000) {  // the reads of a whole model take minutes
      const hlo::Coverage found = hlo::coverageOf(module);
      CHECK(found.wrong == 0);
      exact += found.exact;
      nothing += found.nothing;
      over += found.over;
      unknown += found.unknown;
    }
    for (const hlo::Computation& one : module.computations) instructions += static_cast<int>(one.instructions.size());
    ++modules;
  }
  std::cout << "corpus hlo_real: " << modules << " modules with " << instructions
            << " instructions; of those in small modules " << exact << " exact, " << nothing << " read nothing, "
            << over << " over-approximate, " << unknown << " unknown\n";
  if (modules > 0) CHECK(exact + nothing > 10 * (over + unknown));
}

// A cut-off or damaged dump is a refusal with a place, or a module with problems; it never ends the process.
TEST_CASE("damaged real modules are read with problems") {
  int damaged = 0;
  for (const std::filesystem::path& path : corpus("hlo_real", ".hlo")) {
    const std::string text = textOf(path);
    if (text.size() > 20'000) continue;
    for (int part = 1; part < 8; ++part) {
      const auto at = text.size() * static_cast<std::size_t>(part) / 8;
      for (const std::string& broken : {text.substr(0, at), text.substr(0, at) + text.substr(at + 1)}) {
        const hlo::Module module = hlo::readModule(broken);
        for (const hlo::Problem& problem : module.problems) CHECK(!hlo::textOf(problem).empty());
        ++damaged;
      }
    }
  }
  std::cout << "corpus hlo_real: " << damaged << " damaged texts\n";
}
