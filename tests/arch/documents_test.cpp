// Every relative link and every path of this repository that a document names exists.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = TESSERA_SOURCE_DIR;

// README.md, CONTRIBUTING.md, CHANGELOG.md and docs/, from the root.
std::vector<fs::path> documents() {
  std::vector<fs::path> found{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md") found.push_back(fs::relative(entry.path(), kRoot));
  return found;
}

std::vector<std::string> linesOf(const fs::path& document) {
  std::ifstream in(kRoot / document);
  INFO(document.generic_string());
  REQUIRE(in.good());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The targets of [text](target), without those of other sites and of this page; code is no link.
std::vector<std::string> linksOf(const std::string& line) {
  static const std::regex kCode("`[^`]*`"), kLink(R"(\]\(([^)\s]+)\))");
  const std::string text = std::regex_replace(line, kCode, "");
  std::vector<std::string> found;
  for (std::sregex_iterator m(text.begin(), text.end(), kLink), end; m != end; ++m) {
    const std::string target = (*m)[1].str().substr(0, (*m)[1].str().find('#'));
    if (!target.empty() && target.find(':') == std::string::npos) found.push_back(target);
  }
  return found;
}

// core/base/cursor.h, tests/agree/, core/hlo (of core/hlo/op_*.cpp: a pattern names its folder). What follows
// another path, build/dev/tests, is none.
std::vector<std::string> pathsOf(const std::string& line) {
  static const std::regex kPath(
      R"((^|[^\w./-])((app|assets|cmake|core|docs|render|solver|tests|tools)/[\w./-]*)([*<{]?))");
  std::vector<std::string> found;
  for (std::sregex_iterator m(line.begin(), line.end(), kPath), end; m != end; ++m) {
    std::string path = (*m)[2].str();
    if ((*m)[4].length() > 0)
      path.erase(path.rfind('/') + 1);
    else
      while (path.back() == '.' || path.back() == '-') path.pop_back();
    found.push_back(path);
  }
  return found;
}

}  // namespace

TEST_CASE("links and paths are found in a line") {
  CHECK(linksOf("[a](docs/cli.md), [b](../x.md#y), `[c](d)`, [e](https://f.g), [h](#i)") ==
        std::vector<std::string>{"docs/cli.md", "../x.md"});
  CHECK(pathsOf("`core/hlo/op_*.cpp`, build/dev/tests/test_atlas, tests/agree/, core/notation/<name>/x.h, app/cli.") ==
        std::vector<std::string>{"core/hlo/", "tests/agree/", "core/notation/", "app/cli"});
}

TEST_CASE("every relative link of a document leads to a file") {
  int links = 0;
  for (const fs::path& document : documents()) {
    bool fenced = false;
    for (const std::string& line : linesOf(document)) {
      if (line.rfind("```", 0) == 0) fenced = !fenced;
      if (fenced) continue;
      for (const std::string& link : linksOf(line)) {
        ++links;
        INFO(document.generic_string() << " links to " << link);
        CHECK(fs::exists(kRoot / document.parent_path() / link));
      }
    }
  }
  CHECK(links > 20);
}

TEST_CASE("every path of this repository that a document names exists") {
  int paths = 0;
  for (const fs::path& document : documents())
    for (const std::string& line : linesOf(document))
      for (const std::string& path : pathsOf(line)) {
        ++paths;
        INFO(document.generic_string() << " names " << path);
        CHECK(fs::exists(kRoot / path));
      }
  CHECK(paths > 200);
}

TEST_CASE("a document's lines have at most 120 columns, and the README fits a page") {
  for (const fs::path& document : documents()) {
    const std::vector<std::string> lines = linesOf(document);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto columns = std::count_if(lines[i].begin(), lines[i].end(),
                                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
      INFO(document.generic_string() << ":" << i + 1);
      CHECK(columns <= 120);
    }
  }
  CHECK(linesOf("README.md").size() <= 90);
}

TEST_CASE("a line of the product has at most 120 columns") {
  for (const char* layer : {"app", "core", "solver", "render", "include", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / layer)) {
      const std::string file = fs::relative(entry.path(), kRoot).generic_string();
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      const std::vector<std::string> lines = linesOf(file);
      for (std::size_t k = 0; k < lines.size(); ++k) {
        // A character of UTF-8 is one column.
        const auto columns = std::count_if(lines[k].begin(), lines[k].end(),
                                           [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; });
        if (columns > 120) FAIL_CHECK(file << ":" << k + 1 << " has " << columns << " columns");
      }
    }
  }
}
