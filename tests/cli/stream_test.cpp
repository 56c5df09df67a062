// `eval -` answers a stream on all cores. The slow opinion runs one statement at a time.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "app/engine/json.h"
#include "cli/process.h"
#include "core/worksheet/language/place.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

// Lines that bind, read what others bound, claim, fail and say nothing, in any order.
std::vector<std::string> linesOf(unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<std::string> lines;
  for (int k = 0; k < count; ++k) {
    const std::string name = "N" + std::to_string(pick(6)), n = std::to_string(2 << pick(4));
    switch (pick(40)) {
      case 0:
        lines.push_back(name + " = (" + n + ",8):(8,1)");
        break;
      case 1:
        lines.push_back(name + " = coalesce(" + name + ")");
        break;
      case 2:
        lines.push_back("injective(" + name + ")");
        break;
      case 3:
        lines.emplace_back();
        break;
      case 4:
        lines.push_back("(" + n + ",");
        break;
      case 5:
        lines.push_back("f" + name + "(i) = i * " + n + " over (16)");
        break;
      case 6:
        lines.push_back("size(" + name + ") == 64; " + name + "(1)");
        break;
      case 7:
        lines.push_back("prove injective(" + n + ":3)");
        break;
      default:
        lines.push_back(pick(2) == 0 ? "logical_divide(" + name + ", " + n + ":1)" : "composition(128:1, " + n + ":2)");
    }
  }
  return lines;
}

Json withoutTime(Json answer) {
  answer.erase("ms");
  return answer;
}

std::vector<Json> oneByOne(const std::vector<std::string>& lines) {
  std::vector<Json> out;
  Scope scope;
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const LineIndex index(lines[n]);
    const auto statements = splitStatements(lines[n]);
    for (const Statement& s : statements)
      out.push_back(withoutTime(Json::parse(jsonOf(runStatement(s, scope, options), index, {"", n}))));
    if (statements.empty()) out.emplace_back(nullptr);
  }
  return out;
}

}  // namespace

TEST_CASE("a stream says what its lines say one after another") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const std::vector<std::string> lines = linesOf(seed, 4000);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    const Finished ran = run({"eval", "--json", "-"}, text);
    CHECK(ran.err.empty());
    std::istringstream answers(ran.out);
    std::size_t at = 0;
    const std::vector<Json> wanted = oneByOne(lines);
    for (std::string line; std::getline(answers, line); ++at) {
      REQUIRE(at < wanted.size());
      const Json said = withoutTime(Json::parse(line));
      INFO(line);
      if (wanted[at].is_null()) {
        REQUIRE(said["error"]["message"] == "there is nothing to evaluate");
      } else {
        REQUIRE(said == wanted[at]);
      }
    }
    CHECK(at == wanted.size());
  }
}

TEST_CASE("answers and complaints of a stream keep their order") {
  std::string text, wanted;
  for (int k = 0; k < 3000; ++k) {
    const bool bad = k % 7 == 3;
    text += bad ? "nosuch\n" : std::to_string(k) + " + 1\n";
    wanted += bad ? "error: line " + std::to_string(k + 1) + "," : std::to_string(k + 1) + "\n";
  }
  const std::string file = scratchFolder() + "/lines";
  writeText(file, text);
  const Finished both = runWith("<'" + file + "' 2>&1", {"eval", "-"});
  std::string said;
  std::istringstream lines(both.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.substr(0, 6) == "error:") said += line.substr(0, line.find(',') + 1);
    if (line.find_first_not_of("0123456789") == std::string::npos) said += line + "\n";
  }
  CHECK(said == wanted);
}
