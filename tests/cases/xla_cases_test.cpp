// The rows of xla.jsonl about shapes, as worksheet statements of scripts: the text itself, address, index, slots,
// bytes.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "app/engine/engine.h"
#include "core/layout/layout.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/notation.h"
#include "core/notation/indexing/notation.h"
#include "core/notation/linear/notation.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/notation.h"
#include "tests/support/ask.h"
#include "tests/support/cases.h"

using namespace tessera;
using Json = nlohmann::json;

TEST_CASE("XLA shapes through the worksheet") {
  int asked = 0;
  for (const Json& row : rowsOf("xla.jsonl")) {
    const std::string kind = row.at("kind");
    const std::string text = row.value("text", std::string());
    INFO(row);
    if (kind == "shape") {
      CHECK(ask(fmt::format("slots({})", text)).text == row.at("physical_elements").dump());
      if (row.contains("physical_bytes"))
        CHECK(ask(fmt::format("bytes({})", text)).text == row.at("physical_bytes").dump());
      for (const Json& point : row.value("points", Json::array())) {
        const std::string index = tupleText(point.at("index"));
        CHECK(ask(fmt::format("address({}, {})", text, index)).text == point.at("linear").dump());
        CHECK(ask(fmt::format("index({}, {})", text, point.at("linear").dump())).text == index);
      }
      if (row.at("elements") != 0) CHECK(ask(fmt::format("injective({})", text)).truth == Truth::Proved);
    } else if (kind == "delinearize") {
      for (const Json& point : row.at("points")) {
        const Answer answer = ask(fmt::format("index({}, {})", text, point.at("linear").dump()));
        CHECK(answer.ok != point.at("index").is_null());
        if (answer.ok) CHECK(answer.text == tupleText(point.at("index")));
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

// xla_parser.jsonl: what XLA's own parser (of jaxlib 0.10.2) says of random texts: the canonical print, or null.
TEST_CASE("shapes are read and printed as XLA's own parser does") {
  for (const Json& row : rowsOf("xla_parser.jsonl")) {
    INFO(row);
    const auto shape = xla::parseShape(row["text"].get<std::string>());
    CHECK(shape.ok() == !row["canonical"].is_null());
    if (!shape.ok()) continue;
    CHECK(print(*shape) == row["canonical"].get<std::string>());
    CHECK(ask(row["text"].get<std::string>()).text == row["canonical"].get<std::string>());
  }
}

// hlo_lines.txt: instructions that jax 0.10.2 dumped for a CPU, before and after optimisation, one of each opcode.
TEST_CASE("the lines of a dump can be pasted") {
  for (const std::string& line : linesOf("hlo_lines.txt")) {
    INFO(line);
    const Answer answer = ask(line);
    REQUIRE(answer.ok);
    CHECK(answer.text == line);
    CHECK(is<xla::Instruction>(*answer.value));
  }
}
