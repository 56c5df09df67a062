// Two types with the same name in one namespace give a program that links and crashes. The compiler does not detect
// this; this test does.
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

// The types that a file defines at namespace level, "tessera::graphene::Slots"; those of unnamed namespaces are its
// own.
std::vector<std::string> typesOf(const fs::path& file) {
  static const std::regex kOpen(R"(^(?:inline )?namespace ?([\w:]*) ?\{\s*$)");
  static const std::regex kType(
      R"(^(?:template <.*> )?(?:struct|class|enum class) (\w+)(?!::)(?: [^;<(]*)?(?:\{.*)?$)");
  std::vector<std::string> namespaces, found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::smatch m;
    if (std::regex_match(line, m, kOpen)) {
      namespaces.push_back(m[1].str());
    } else if (line.rfind("}  // namespace", 0) == 0) {
      if (!namespaces.empty()) namespaces.pop_back();
    } else if (std::regex_match(line, m, kType)) {
      std::string name;
      bool own = false;
      for (const std::string& n : namespaces) {
        own = own || n.empty();
        name += n + "::";
      }
      if (!own) found.push_back(name + m[1].str());
    }
  }
  return found;
}

std::map<std::string, std::set<std::string>> definitions() {
  std::map<std::string, std::set<std::string>> out;
  const fs::path root = TESSERA_SOURCE_DIR;
  for (const char* layer : {"core", "solver", "render", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
      const std::string ext = entry.path().extension().string();
      if (ext != ".h" && ext != ".cpp") continue;
      for (const std::string& type : typesOf(entry.path()))
        out[type].insert(fs::relative(entry.path(), root).generic_string());
    }
  return out;
}

}  // namespace

TEST_CASE("a type of a namespace is defined once") {
  const auto all = definitions();
  CHECK(all.count("tessera::graphene::Program") == 1);  // it does read them
  CHECK(all.size() > 300);
  for (const auto& [type, files] : all) {
    std::string where;
    for (const std::string& f : files) where += " " + f;
    INFO(type << " in" << where);
    CHECK(files.size() == 1);
  }
}
