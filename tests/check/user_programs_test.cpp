// Programs written by users, attempts to make the prover claim something false, and mutants. Line 1 of each states the
// right verdict.
//
//     // expected: proved. ...                        everything is proved
//     // expected: refuted O6: ...                    something is refuted or unknown, or the program is invalid
//     // expected: not proved without a caveat: ...   the verdict of O8 names its number types, or it is no proof
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/graphene/reader/sized.h"
#include "solver/graphene/check.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

const std::filesystem::path kPrograms = std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/cases/graphene_programs";

enum class Expected { Proved, NotProved, Caveat, Text };

Expected expectedOf(const std::string& line) {
  const auto has = [&](const char* word) { return line.find(word) != std::string::npos; };
  if (has("emitted text must not")) return Expected::Text;  // of codegen, not of check
  if (has("caveat") || has("note wanted")) return Expected::Caveat;
  if (has("equivalent") || has("proved (control)") || has("-> proved. (control)")) return Expected::Proved;
  if (has(": proved") || has("accepted and proved")) return Expected::Proved;
  return Expected::NotProved;
}

bool hasCaveat(const CheckResult& r) {
  return std::any_of(r.specs.begin(), r.specs.end(), [](const SpecVerdict& s) {
    return std::any_of(s.obligations.begin(), s.obligations.end(), [](const ObligationVerdict& v) {
      return v.obligation == Obligation::Value && v.reason.find("not for all inputs") != std::string::npos;
    });
  });
}

// "": as expected.
std::string wrongly(const std::string& text, Expected expected) {
  const auto program = readSized(text, smallSizes(text));
  if (!program) return expected == Expected::Proved ? program.error().message : "";
  const CheckResult r = checkProgram(*program, {.architecture = architectureOf(text)});
  switch (expected) {
    case Expected::Proved:
      return r.holds() ? "" : verdicts::told(r);
    case Expected::NotProved:
      return r.holds() ? "proved" : "";
    case Expected::Caveat:
      return !r.holds() || hasCaveat(r) ? "" : "proved without a caveat";
    case Expected::Text:
      return "";
  }
  return "";
}

}  // namespace

TEST_CASE("programs of users, attempts and mutants have the verdict of their first line") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kPrograms))
    if (entry.path().extension() == ".graphene") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  CHECK(files.size() == 100);
  for (const auto& path : files) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    const std::string name = path.stem().string(),
                      why = wrongly(text.str(), expectedOf(text.str().substr(0, text.str().find('\n'))));
    INFO(name << ": " << why);
    CHECK(why == "");
  }
}
