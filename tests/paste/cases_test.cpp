// Clipboard texts of others, read from TESSERA_CASES/paste.jsonl (the repository does not contain them), through the
// library's calls. Prints how many passed of each kind; without the file, 0.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "app/engine/paste/pasted.h"
#include "core/map/tabulate.h"
#include "core/worksheet/programs/programs.h"
#include "core/worksheet/value.h"

using namespace tessera;
using nlohmann::json;

namespace {

const bool kWithPrograms = (addPrograms(), true);

std::vector<json> cases() {
  std::vector<json> out;
  const char* root = std::getenv("TESSERA_CASES");
  if (root == nullptr) return out;
  std::ifstream in(std::string(root) + "/paste.jsonl");
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out.push_back(json::parse(line));
  return out;
}

// Without blanks and the underscore of static integers.
std::string plain(std::string text) {
  text = std::regex_replace(text, std::regex("\\s"), "");
  return std::regex_replace(text, std::regex("(^|[^A-Za-z0-9])_(?=[0-9])"), "$1");
}

std::string letText(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string out;
  for (const json& one : value) out += (out.empty() ? "(" : ",") + letText(one);
  return out + (value.size() == 1 ? ",)" : ")");
}

paste::Given givenIn(const json& row) {
  paste::Given given;
  for (const auto& [name, value] : row["lets"].items()) given.lets.emplace_back(name, letText(value));
  if (row["over"].is_array())
    for (const json& pair : row["over"]) given.over.emplace_back(pair[0].get<std::string>(), pair[1].get<i64>());
  return given;
}

// The text of the last value of an expression; nullopt if it has none.
std::optional<std::string> valueText(const std::string& expression, Scope scope) {
  std::optional<std::string> out;
  EngineOptions engine;
  engine.figures = EngineOptions::Figures::None;
  for (const Statement& s : splitArgument(expression)) {
    const Outcome outcome = runStatement(s, scope, engine);
    if (outcome.diag) return std::nullopt;
    out = textOf(outcome);
  }
  return out;
}

// Both texts as layouts of (thread, value), at every coordinate.
bool sameFunction(const std::string& a, const std::string& b) {
  const auto table = [](const std::string& text) -> std::optional<std::vector<std::vector<i64>>> {
    Scope scope;
    const std::vector<Statement> statements = splitStatements(text);
    if (statements.size() != 1) return std::nullopt;
    const Evaluated e = evaluate(statements[0], scope);
    if (e.diag || !e.value) return std::nullopt;
    const auto arrow = arrowOf(*e.value);
    if (!arrow || arrow->map.axes().size() != 1) return std::nullopt;
    const auto points = arrow->map.pointCount();
    if (!points || *points > (1 << 20)) return std::nullopt;
    std::vector<i64> values(static_cast<std::size_t>(*points));
    if (!tabulate(arrow->map, 0, LinearOrder::Colex, values)) return std::nullopt;
    return std::vector{extentsOf(arrow->from), values};
  };
  const auto one = table(a), other = table(b);
  return one && other && *one == *other;
}

bool hasMaps(const std::string& printed, const json& maps) {
  for (const auto& [key, layout] : maps.items()) {
    bool found = false;
    std::stringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t colon = line.find(": ");
      std::string text = line;
      if (!key.empty()) {
        if (!line.starts_with(key + ":")) continue;
        text = line.substr(key.size() + 1);
      } else if (colon != std::string::npos) {
        text = line.substr(colon + 2);
      }
      found = found || sameFunction(text, layout.get<std::string>());
    }
    if (!found) return false;
  }
  return true;
}

bool answers(const std::string& expression, const json& expected, const json& row, const Scope& scope) {
  const auto got = valueText(expression, scope);
  if (!got) return false;
  if (expected.is_object()) return hasMaps(*got, expected["maps"]);
  if (plain(*got) == plain(expected.get<std::string>())) return true;
  const json& other = row["alternatives"];
  return other.contains(expression) && std::ranges::any_of(other[expression], [&](const json& text) {
           return plain(*got) == plain(text.get<std::string>());
         });
}

bool passes(const json& row) {
  const std::string text = row["text"];
  const Result<Pasted> pasted = evaluatePaste(text, givenIn(row));
  const bool refused = !pasted || !pasted->complete();
  if (row.contains("refuse") || row.contains("asks")) {
    if (!refused || !row.contains("asks")) return refused;
    std::string said = pasted ? "" : pasted.error().message + pasted.error().expected + pasted.error().hint;
    if (pasted)
      for (const auto& q : pasted->reading.questions) said += q.name + " " + q.asks + " " + q.suggests + " ";
    return std::regex_search(said, std::regex("\\b(unit|type|element|byte|bit)s?\\b"));
  }
  if (refused) return false;
  if (row["evals"].empty()) return valueText("X", pasted->scope).has_value();
  return std::ranges::all_of(row["evals"], [&](const json& eval) {
    if (!eval[0].is_array()) return answers(eval[0], eval[1], row, pasted->scope);
    return std::ranges::any_of(eval[0], [&](const json& e) { return answers(e, eval[1], row, pasted->scope); });
  });
}

}  // namespace

TEST_CASE("clipboard texts of others open as they are") {
  constexpr double kFloor = 0.9;
  struct Count {
    int passed = 0, all = 0;
  };
  std::map<std::string, Count> kinds;
  Count whole;
  std::string failed;
  for (const json& row : cases()) {
    const bool passed = passes(row);
    Count& kind = kinds[row["kind"]];
    for (Count* count : {&kind, &whole}) {
      ++count->all;
      if (passed) ++count->passed;
    }
    if (!passed) failed += " " + row["id"].get<std::string>();
  }
  std::cout << "corpus paste: " << whole.passed << " of " << whole.all << " texts open";
  for (const auto& [name, kind] : kinds) std::cout << ", " << name << " " << kind.passed << "/" << kind.all;
  std::cout << (failed.empty() ? "" : "; not:" + failed) << "\n";
  CHECK(whole.passed >= kFloor * whole.all);
}

// Every refusal of a text that is cut off names its dialect or what is wrong, and none ends the process.
TEST_CASE("cut clipboard texts of others are read or refused with a message") {
  int cut = 0, bare = 0;
  for (const json& row : cases()) {
    const std::string text = row["text"];
    for (std::size_t part = 1; part < 6; ++part) {
      const std::string piece = text.substr(0, text.size() * part / 6);
      const Result<Pasted> pasted = evaluatePaste(piece, givenIn(row));
      ++cut;
      if (pasted) continue;
      CHECK_FALSE(pasted.error().message.empty());
      CHECK(pasted.error().span.end <= piece.size());
      if (pasted.error().hint.empty() && pasted.error().expected.empty()) ++bare;
    }
  }
  std::cout << "corpus paste: " << cut << " cut texts, " << bare << " refused without an edit\n";
  CHECK(bare == 0);
}
