// Reads every #include of the product and holds the arrows of the house: app -> {solver, render} -> core, and each
// outside library behind the one folder that owns it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct Include {
  std::string file;    // "core/expr/expr.cpp"
  std::string target;  // "core/base/types.h" or "z3++.h"
  bool quoted = false;
};

std::vector<Include> includesBelow(const fs::path& root) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> found;
  for (const char* layer : {"core", "solver", "render", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
      const std::string ext = entry.path().extension().string();
      if (ext != ".h" && ext != ".cpp") continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        std::smatch m;
        if (std::regex_search(line, m, kInclude))
          found.push_back({fs::relative(entry.path(), root).generic_string(), m[2].str(), m[1].str() == "\""});
      }
    }
  }
  return found;
}

std::string firstFolder(const std::string& path) { return path.substr(0, path.find('/')); }
bool startsWith(const std::string& s, const std::string& prefix) { return s.rfind(prefix, 0) == 0; }

const std::vector<Include>& allIncludes() {
  static const std::vector<Include> kAll = includesBelow(TESSERA_SOURCE_DIR);
  return kAll;
}

}  // namespace

TEST_CASE("there are includes to read") { REQUIRE(allIncludes().size() > 50); }

TEST_CASE("arrows point down only") {
  const std::map<std::string, std::set<std::string>> mayUse = {
      {"core", {"core"}},
      {"solver", {"solver", "core"}},
      {"render", {"render", "core"}},
      {"app", {"app", "solver", "render", "core"}},
  };
  for (const Include& i : allIncludes()) {
    if (!i.quoted) continue;
    INFO(i.file << " includes " << i.target);
    CHECK(mayUse.at(firstFolder(i.file)).count(firstFolder(i.target)) == 1);
    CHECK(fs::exists(fs::path(TESSERA_SOURCE_DIR) / i.target));
  }
}

TEST_CASE("inside core, notations stand on maps, maps on expressions, expressions on base") {
  const std::vector<std::string> order = {"core/base/",     "core/expr/",  "core/map/",
                                          "core/notation/", "core/claim/", "core/worksheet/"};
  const auto floorOf = [&](const std::string& path) {
    for (std::size_t k = 0; k < order.size(); ++k)
      if (startsWith(path, order[k])) return static_cast<int>(k);
    return -1;
  };
  for (const Include& i : allIncludes()) {
    if (!i.quoted || !startsWith(i.file, "core/") || !startsWith(i.target, "core/")) continue;
    const int from = floorOf(i.file), to = floorOf(i.target);
    if (from < 0 || to < 0) continue;
    INFO(i.file << " includes " << i.target);
    CHECK(to <= from);
  }
}

TEST_CASE("each outside library stays behind the folder that owns it") {
  struct Owner {
    const char* library;
    std::vector<const char*> folders;
  };
  const std::vector<Owner> owners = {
      {"z3", {"solver/prove/"}},
      {"cairo", {"render/ink/"}},
      {"CLI/", {"app/cli/"}},
      {"GLFW/", {"app/gui/"}},
      {"epoxy/", {"render/gl/", "app/gui/"}},
      {"EGL/", {"render/gl/", "app/gui/"}},
      {"imgui", {"render/gl/", "app/gui/", "app/views/"}},
      {"nlohmann/", {"render/ink/", "app/"}},
  };
  for (const Include& i : allIncludes()) {
    if (i.quoted) continue;
    for (const Owner& o : owners) {
      if (!startsWith(i.target, o.library)) continue;
      bool allowed = false;
      for (const char* folder : o.folders) allowed = allowed || startsWith(i.file, folder);
      INFO(i.file << " includes <" << i.target << ">");
      CHECK(allowed);
    }
  }
}

TEST_CASE("the core does no I/O and opens no window") {
  const std::set<std::string> forbidden = {"iostream",     "fstream", "filesystem", "thread",
                                           "GLFW/glfw3.h", "imgui.h", "z3++.h",     "cairo.h"};
  for (const Include& i : allIncludes()) {
    if (firstFolder(i.file) != "core") continue;
    INFO(i.file << " includes <" << i.target << ">");
    CHECK(forbidden.count(i.target) == 0);
  }
}
