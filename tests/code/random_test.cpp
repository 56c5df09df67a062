// Random index functions: our map, an obvious interpreter, g++ and Python agree at every point.
#include <dlfcn.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/code/index_code.h"
#include "tests/code/random_code.h"
#include "tests/support/volume.h"

namespace tessera {
namespace {

using code::Given;
using code::Language;
using test::RandomCode;

const std::string kHelpers =
    "int lower(int p, int q) { return q < p ? q : p; }\nint upper(int p, int q) { return q > p ? q : p; }\n";

std::string folder() {
  const auto path = std::filesystem::temp_directory_path() / ("tessera_code_" + std::to_string(::getpid()));
  std::filesystem::create_directories(path);
  return path.string();
}

Given overOf(const RandomCode& code) {
  Given given;
  given.over = {{"a", code.extents[0]}, {"b", code.extents[1]}};
  return given;
}

// What the interpreter says at each point, a outermost; nullopt where a signed operation overflows.
std::vector<std::optional<i64>> expected(const RandomCode& code) {
  std::vector<std::optional<i64>> values;
  for (i64 a = 0; a < code.extents[0]; ++a)
    for (i64 b = 0; b < code.extents[1]; ++b) values.push_back(code.at(a, b));
  return values;
}

// Compares our map with the interpreter; whether there is a map.
bool agrees(const RandomCode& code, Language language, const std::vector<std::optional<i64>>& values) {
  INFO(code.text << "over (" << code.extents[0] << ", " << code.extents[1] << ")");
  const bool overflows = std::ranges::any_of(values, [](const auto& v) { return !v; });
  const auto ours = code::indexCode(language == Language::Python ? "python" : "cuda",
                                    (language == Language::Python ? "" : kHelpers) + code.text, overOf(code));
  if (!ours) {
    INFO(ours.error().message);
    // A value of 64 bits is refused, too.
    const bool refused = ours.error().message.find("overflow") != std::string::npos ||
                         ours.error().message.find("64 bits") != std::string::npos ||
                         ours.error().message.find("64-bit") != std::string::npos;
    CHECK(refused);
    if (ours.error().message.find("overflow") != std::string::npos) CHECK(overflows);
    return false;
  }
  CHECK(!overflows);
  const auto map = code::toMap(*ours);
  REQUIRE(map.ok());
  std::size_t k = 0;
  for (i64 a = 0; a < code.extents[0]; ++a)
    for (i64 b = 0; b < code.extents[1]; ++b, ++k) {
      if (!values[k]) continue;
      const i64 mine = map->at(std::vector<i64>{a, b})[0];
      if (mine == *values[k]) continue;
      INFO("at (" << a << ", " << b << "): ours " << mine << ", expected " << *values[k]);
      CHECK(false);
      return true;
    }
  return true;
}

}  // namespace

TEST_CASE("random index functions agree with g++") {
  const auto count = test::volume(/*quick=*/150, /*full=*/2000);
  std::vector<std::unique_ptr<RandomCode>> codes;
  std::string source = "#include <cstdint>\nextern \"C\" {\n" + kHelpers;
  for (std::int64_t k = 0; k < count; ++k) {
    codes.push_back(std::make_unique<RandomCode>(static_cast<std::uint64_t>(k) + 1, Language::Cpp));
    source += codes.back()->text;
  }
  source += "}\n";
  const std::string dir = folder(), file = dir + "/functions.cpp", object = dir + "/functions.so";
  std::ofstream(file) << source;
  const std::string command = "c++ -std=c++20 -O0 -w -fwrapv -shared -fPIC -o " + object + " " + file + " 2>/dev/null";
  void* library = std::system(command.c_str()) == 0 ? dlopen(object.c_str(), RTLD_NOW) : nullptr;
  if (library == nullptr) WARN("no C++ compiler here: only the interpreter is compared");
  std::int64_t maps = 0;
  for (const auto& code : codes) {
    const auto values = expected(*code);
    if (library != nullptr) {
      auto* compiled = reinterpret_cast<long long (*)(int, int)>(dlsym(library, code->name().c_str()));
      REQUIRE(compiled != nullptr);
      std::size_t k = 0;
      for (i64 a = 0; a < code->extents[0]; ++a)
        for (i64 b = 0; b < code->extents[1]; ++b, ++k) {
          if (!values[k]) continue;
          INFO(code->text << "at (" << a << ", " << b << ")");
          REQUIRE(compiled(static_cast<int>(a), static_cast<int>(b)) == *values[k]);
        }
    }
    maps += agrees(*code, Language::Cpp, values) ? 1 : 0;
  }
  CHECK(maps > count / 2);
  if (library != nullptr) dlclose(library);
  std::filesystem::remove_all(dir);
}

TEST_CASE("random index functions agree with Python") {
  const auto count = test::volume(/*quick=*/150, /*full=*/2000);
  std::vector<std::unique_ptr<RandomCode>> codes;
  std::string source;
  for (std::int64_t k = 0; k < count; ++k) {
    codes.push_back(std::make_unique<RandomCode>(static_cast<std::uint64_t>(k) + 1, Language::Python));
    const RandomCode& code = *codes.back();
    source += code.text + "for a in range(" + std::to_string(code.extents[0]) + "):\n  for b in range(" +
              std::to_string(code.extents[1]) + "): print(" + code.name() + "(a, b))\n";
  }
  const std::string dir = folder(), file = dir + "/functions.py", printed = dir + "/values.txt";
  std::ofstream(file) << source;
  const bool ran = std::system(("python3 " + file + " > " + printed + " 2>/dev/null").c_str()) == 0;
  if (!ran) WARN("no Python here: only the interpreter is compared");
  std::ifstream values(printed);
  std::int64_t maps = 0;
  for (const auto& code : codes) {
    const auto wanted = expected(*code);
    for (const auto& v : wanted) {
      std::string line;
      if (!ran) break;
      REQUIRE(std::getline(values, line));
      INFO(code->text);
      if (line.size() < 18) REQUIRE(line == std::to_string(*v));
    }
    maps += agrees(*code, Language::Python, wanted) ? 1 : 0;
  }
  CHECK(maps > count / 2);
  std::filesystem::remove_all(dir);
}

}  // namespace tessera
