// The rows of xla.jsonl about shapes, asked of the worksheet as scripts ask it: the text itself, address, index, slots,
// bytes.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/engine/engine.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

struct Answer {
  bool ok = false;
  std::string text;  // or the message
};

Answer ask(const std::string& statement) {
  Scope scope;
  const auto statements = splitStatements(statement);
  if (statements.size() != 1) return {false, "not one statement"};
  const Outcome outcome = runStatement(statements.front(), scope);
  if (outcome.diag) return {false, outcome.diag->message};
  if (outcome.verdict) return {outcome.verdict->truth == Truth::Proved, print(Value(*outcome.verdict))};
  if (!outcome.value) return {false, "no value"};
  return {true, print(*outcome.value)};
}

std::string tupleOf(const Json& list) {
  std::string out;
  for (const Json& n : list) out += (out.empty() ? "(" : ",") + n.dump();
  return out.empty() ? "()" : out + ")";
}

}  // namespace

TEST_CASE("XLA shapes through the worksheet") {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/xla.jsonl");
  REQUIRE(in.good());
  int asked = 0;
  for (std::string line; std::getline(in, line);) {
    const Json row = Json::parse(line);
    const std::string kind = row.at("kind");
    const std::string text = row.value("text", std::string());
    INFO(line);
    if (kind == "shape") {
      CHECK(ask(fmt::format("slots({})", text)).text == row.at("physical_elements").dump());
      if (row.contains("physical_bytes"))
        CHECK(ask(fmt::format("bytes({})", text)).text == row.at("physical_bytes").dump());
      for (const Json& point : row.value("points", Json::array())) {
        const std::string index = tupleOf(point.at("index"));
        CHECK(ask(fmt::format("address({}, {})", text, index)).text == point.at("linear").dump());
        CHECK(ask(fmt::format("index({}, {})", text, point.at("linear").dump())).text == index);
      }
      if (row.at("elements") != 0) CHECK(ask(fmt::format("injective({})", text)).ok);
    } else if (kind == "delinearize") {
      for (const Json& point : row.at("points")) {
        const Answer answer = ask(fmt::format("index({}, {})", text, point.at("linear").dump()));
        CHECK(answer.ok != point.at("index").is_null());
        if (answer.ok) CHECK(answer.text == tupleOf(point.at("index")));
      }
    } else if (kind == "shape_parse") {
      const Answer answer = ask(text);
      CHECK(answer.ok == row.at("accept").get<bool>());
      if (answer.ok) CHECK(answer.text == row.at("canonical"));
    } else if (kind == "shape_validate") {
      CHECK(ask(text).ok == row.at("valid").get<bool>());
    } else {
      continue;
    }
    ++asked;
  }
  CHECK(asked >= 77);
}
