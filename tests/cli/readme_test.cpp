// The README's tour, run line by line as a reader would. Its comments are the output of the commands.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct TourLine {
  std::string command;  // "tessera eval '...'"
  std::string says;     // the comment after it; "": anything
};

std::vector<TourLine> tour() {
  std::ifstream in(fs::path(TESSERA_SOURCE_DIR) / "README.md");
  REQUIRE(in.good());
  std::vector<TourLine> lines;
  bool fenced = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("```", 0) == 0) fenced = !fenced;
    if (!fenced || line.rfind("tessera ", 0) != 0) continue;
    const std::size_t comment = line.rfind(" # ");
    lines.push_back({line.substr(0, comment), comment == std::string::npos ? "" : line.substr(comment + 3)});
  }
  return lines;
}

}  // namespace

TEST_CASE("the README's tour runs, and says what the README says") {
  const fs::path folder = fs::path(TESSERA_BINARY).parent_path() / "readme_tour";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::create_directory_symlink(fs::path(TESSERA_SOURCE_DIR) / "assets", folder / "assets");
  const std::vector<TourLine> lines = tour();
  CHECK(lines.size() > 8);
  for (const TourLine& line : lines) {
    // The executable may have any path, but its name is the README's.
    const std::string script =
        "cd '" + folder.string() + "' && tessera() { '" TESSERA_BINARY "' \"$@\"; }; " + line.command + " > said 2>&1";
    const int status = std::system(script.c_str());
    std::ifstream in(folder / "said");
    const std::string said{std::istreambuf_iterator<char>(in), {}};
    INFO(line.command << "\n" << said);
    REQUIRE(WIFEXITED(status));
    const bool refuted = line.says.rfind("refuted", 0) == 0, found = line.says.rfind("race:", 0) == 0;
    CHECK(WEXITSTATUS(status) == (refuted || found ? 1 : 0));
    CHECK(said.find(refuted ? "refuted" : line.says) != std::string::npos);
  }
  fs::remove_all(folder);
}
