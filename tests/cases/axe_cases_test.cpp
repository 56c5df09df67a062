// Every row of axe.jsonl, and the textual rows of triton.jsonl, as worksheet statements of scripts. Layouts are
// compared as canonical text and, if the text differs, as functions (equal). Rows of mode tvm follow TVM's convention.
// Where that contradicts the definition, kOwnConvention names the kind with the reason.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <map>
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

namespace {

std::string placeOf(const Json& place) {
  std::string out;
  for (const auto& [axis, value] : place.items()) out += (out.empty() ? "{" : ", ") + axis + ": " + value.dump();
  return (out.empty() ? "{" : out) + "}";
}
std::string textOf(const Json& row, const char* key) { return row.at(key).get<std::string>(); }

bool refused(const Json& row) {
  return row.contains("expect_error") || (row.contains("expect") && row.at("expect").is_null());
}

// "" when the answer is the expected layout, else why not.
std::string compareLayout(const Json& row, const Answer& answer) {
  if (refused(row)) return answer.ok ? "accepted as " + answer.text : "";
  if (!answer.ok) return "refused: " + answer.text;
  const std::string expected = textOf(row, "expect");
  if (answer.text == expected) return "";
  const Answer same = ask(fmt::format("equal({}, {})", answer.text, expected));
  const bool sameText = row.at("op") == "canonicalize" || row.at("op") == "group" || row.at("op") == "parse";
  if (same.truth == Truth::Proved && !sameText) return "";
  return fmt::format("got {}, expected {} ({})", answer.text, expected, same.text);
}

std::string compareText(const Json& row, const Answer& answer, const std::string& expected) {
  if (refused(row)) return answer.ok ? "accepted as " + answer.text : "";
  if (!answer.ok) return "refused: " + answer.text;
  return answer.text == expected ? "" : fmt::format("got {}, expected {}", answer.text, expected);
}

std::string compareTruth(const Answer& answer, bool expected) {
  if (!answer.truth) return "no verdict: " + answer.text;
  return *answer.truth == (expected ? Truth::Proved : Truth::Refuted) ? "" : answer.text;
}

std::string binary(const char* function, const Json& row, const char* a, const char* b) {
  const std::string shapeA = std::string(a) + "_shape", shapeB = std::string(b) + "_shape";
  return fmt::format("{}({}, {}, {}, {})", function, textOf(row, a), tupleText(row.at(shapeA)), textOf(row, b),
                     tupleText(row.at(shapeB)));
}

std::string swizzleText(const Json& row) {
  return fmt::format("Swizzle({}, {}, {}{})", row.at("per_element").dump(), row.at("swizzle_len").dump(),
                     row.at("atom_len").dump(), row.value("swizzle_inner", true) ? "" : ", outer");
}

std::string forwardPlaces(const Json& row) {
  std::vector<std::string> places;
  for (const Json& place : row.at("expect")) places.push_back(placeOf(place));
  std::sort(places.begin(), places.end());
  return fmt::format("{}", fmt::join(places, ", "));
}
std::string sortedPlaces(const std::string& text) {  // "[{..}, {..}]"
  std::vector<std::string> places;
  for (std::size_t i = text.find('{'); i != std::string::npos; i = text.find('{', i + 1)) {
    places.push_back(text.substr(i, text.find('}', i) + 1 - i));
  }
  std::sort(places.begin(), places.end());
  return fmt::format("{}", fmt::join(places, ", "));
}

std::string checkForward(const Json& row) {
  const Answer answer = ask(fmt::format("forward({}, {}, {})", textOf(row, "layout"), tupleText(row.at("shape")),
                                        tupleText(row.at("coord"))));
  if (refused(row)) return answer.ok ? "accepted as " + answer.text : "";
  if (!answer.ok) return "refused: " + answer.text;
  // An axis that is 0 may be left out or written: both are the place.
  const std::string got = sortedPlaces(answer.text);
  return got == forwardPlaces(row) ? "" : fmt::format("got {}, expected {}", got, forwardPlaces(row));
}

std::string checkForwardSet(const Json& row) {
  const Answer answer = ask(fmt::format("forward({}, {}, {})", textOf(row, "layout"), tupleText(row.at("shape")),
                                        tupleText(row.at("coord"))));
  std::string want;
  for (const Json& n : row.at("expect_set")) want += fmt::format("{}{{m: {}}}", want.empty() ? "" : ", ", n.get<i64>());
  return compareText(row, answer, "[" + want + "]");
}

std::string checkBackward(const Json& row) {
  std::string want;
  for (const Json& c : row.at("expect")) want += (want.empty() ? "" : ", ") + tupleText(c);
  return compareText(row,
                     ask(fmt::format("backward({}, {}, {})", textOf(row, "layout"), tupleText(row.at("shape")),
                                     placeOf(row.at("physical")))),
                     "[" + want + "]");
}

std::string checkSizeSpan(const Json& row) {
  const std::string call = fmt::format("({}, {})", textOf(row, "layout"), textOf(row, "axis"));
  const std::string size = compareText(row, ask("size" + call), row.at("expect_size").dump());
  return size.empty() ? compareText(row, ask("span" + call), row.at("expect_span").dump()) : size;
}

std::string checkSharding(const Json& row) {
  std::string mesh = "mesh " + tupleText(row.at("mesh"));
  if (row.contains("mesh_strides") && !row.at("mesh_strides").is_null())
    mesh += ":" + tupleText(row.at("mesh_strides"));
  std::string call = fmt::format("shard({}, {}", tupleText(row.at("shape")), mesh);
  for (const Json& p : row.at("placements")) call += ", " + p.get<std::string>();
  if (row.value("local", "compact") != "compact") call += ", global";
  const Answer answer = ask(call + ")");
  if (refused(row) || !answer.ok) return compareLayout(row, answer);
  return compareText(row, answer, textOf(row, "expect"));
}

std::string checkScope(const Json& row) {
  const std::string want =
      refused(row) && !row.contains("expect_error") ? "none"
      : row.contains("expect_error")
          ? ""
          : fmt::format("({}, {})", row.at("expect")[0].get<std::string>(), row.at("expect")[1].get<std::string>());
  const Answer answer = ask(fmt::format("scope({})", textOf(row, "layout")));
  if (row.contains("expect_error")) return answer.ok ? "accepted as " + answer.text : "";
  return answer.ok && answer.text == want ? "" : fmt::format("got {}, expected {}", answer.text, want);
}

using Check = std::function<std::string(const Json&)>;
Check layoutCall(std::string format) {
  return [format = std::move(format)](const Json& row) {
    return compareLayout(row, ask(fmt::format(fmt::runtime(format), textOf(row, "layout"))));
  };
}

const std::map<std::string, Check>& checks() {
  static const std::map<std::string, Check> kChecks = {
      {"parse", [](const Json& row) { return compareLayout(row, ask(textOf(row, "text"))); }},
      {"forward", checkForward},
      {"forward_set", checkForwardSet},
      {"backward", checkBackward},
      {"injective",
       [](const Json& row) {
         return compareTruth(ask(fmt::format("injective({})", textOf(row, "layout"))), row.at("expect").get<bool>());
       }},
      {"equal",
       [](const Json& row) {
         return compareTruth(ask(fmt::format("equal({}, {})", textOf(row, "a"), textOf(row, "b"))),
                             row.at("expect").get<bool>());
       }},
      {"canonicalize", layoutCall("canonicalize({})")},
      {"canonicalize_cuda", layoutCall("fuse_threads({})")},
      {"storage", layoutCall("storage({})")},
      {"to_psum", layoutCall("to_psum({})")},
      {"gap_condition",
       [](const Json& row) {
         return compareText(row, ask(fmt::format("gap_condition({})", textOf(row, "layout"))), row.at("expect").dump());
       }},
      {"get_scope", checkScope},
      {"group",
       [](const Json& row) {
         return compareLayout(row, ask(fmt::format("group({}, {}, {})", textOf(row, "layout"),
                                                   tupleText(row.at("shape")), row.value("canonicalize_first", true))));
       }},
      {"tile", [](const Json& row) { return compareLayout(row, ask(binary("tile", row, "outer", "inner"))); }},
      {"direct_sum",
       [](const Json& row) { return compareLayout(row, ask(binary("direct_sum", row, "left", "right"))); }},
      {"is_tile_inner",
       [](const Json& row) { return compareLayout(row, ask(binary("tile_outer_of", row, "tiled", "inner"))); }},
      {"is_tile_outer",
       [](const Json& row) { return compareLayout(row, ask(binary("tile_inner_of", row, "tiled", "outer"))); }},
      {"slice",
       [](const Json& row) {
         return compareLayout(row, ask(fmt::format("slice({}, {}, {})", textOf(row, "layout"),
                                                   tupleText(row.at("shape")), tupleText(row.at("region")))));
       }},
      {"size_span", checkSizeSpan},
      {"sharding", checkSharding},
      {"trainium",
       [](const Json& row) {
         return compareLayout(
             row, ask(fmt::format("trainium({}, {})", textOf(row, "annotation"), tupleText(row.at("shape")))));
       }},
      {"swizzle",
       [](const Json& row) {
         return compareText(row, ask(fmt::format("{}({})", swizzleText(row), row.at("m").dump())),
                            row.contains("expect") ? row.at("expect").dump() : "");
       }},
      {"swizzle_bank",
       [](const Json& row) {
         return compareText(row,
                            ask(fmt::format("forward({} o {}, {}, {})", swizzleText(row), textOf(row, "layout"),
                                            tupleText(row.at("shape")), tupleText(row.at("coord")))),
                            fmt::format("[{{m: {}}}]", row.at("expect_addr").get<i64>()));
       }},
      {"pack",
       [](const Json& row) {
         return compareLayout(row, ask(fmt::format("pack({}, {})", textOf(row, "layout"), row.at("num").dump())));
       }},
      {"unpack",
       [](const Json& row) {
         return compareLayout(row, ask(fmt::format("unpack({}, {})", textOf(row, "layout"), row.at("num").dump())));
       }},
  };
  return kChecks;
}

// Not asked of the worksheet, with the reason. They are compared in tests/axe and tests/triton.
const std::map<std::string, std::string> kOwnConvention = {
    {"group_many", "one layout and several lists of separators: no single value"},
};

// register = [[0, 1]], lane = [] -> dim0 16, as the worksheet prints the expected bases.
std::string basesText(const Json& want) {
  std::string out;
  for (const Json& in : want.at("bases")) {
    std::string bases;
    for (const Json& basis : in[1]) {
      std::string coords;
      for (const Json& n : basis) coords += (coords.empty() ? "" : ", ") + n.dump();
      bases += (bases.empty() ? "" : ", ") + ("[" + coords + "]");
    }
    out += fmt::format("{}{} = [{}]", out.empty() ? "" : ", ", in[0].get<std::string>(), bases);
  }
  std::string outs;
  for (const Json& dim : want.at("out")) {
    outs += fmt::format("{}{} {}", outs.empty() ? "" : ", ", dim[0].get<std::string>(), dim[1].get<i64>());
  }
  return out + " -> " + outs;
}

std::string checkLinear(const Json& want, const Answer& answer) {
  if (want.is_object() && want.contains("error")) return answer.ok ? "accepted as " + answer.text : "";
  if (!answer.ok) return "refused: " + answer.text;
  const std::string expected = basesText(want);
  return answer.text == expected ? "" : fmt::format("got {}, expected {}", answer.text, expected);
}

// The attribute with its shape, in brackets; with aliases also as a file whose last line names the last alias.
std::string checkAttribute(const Json& row, const std::string& text, const Json& want) {
  const std::string shape = tupleText(row.at("inputs").at("shape"));
  std::string wrong = checkLinear(want, ask(fmt::format("to_linear({} over {})", text, shape)));
  const std::size_t last = text.rfind("\n#") == std::string::npos ? 0 : text.rfind("\n#") + 1;
  const bool named = text.find(" = #", last) == text.find(' ', last);  // #name = #ttg...
  if (!wrong.empty() || !named) return wrong;
  const std::string alias = text.substr(last, text.find(' ', last) - last);
  return checkLinear(want, askAll(fmt::format("{}\nto_linear({} over {})", text, alias, shape)));
}

}  // namespace

TEST_CASE("every Axe case, asked of the worksheet") {
  int asked = 0;
  for (const Json& row : rowsOf("axe.jsonl")) {
    const std::string op = textOf(row, "op");
    if (kOwnConvention.count(op) != 0) continue;
    INFO(row);
    REQUIRE(checks().count(op) == 1);
    CHECK(checks().at(op)(row) == "");
    ++asked;
  }
  CHECK(asked >= 150);
}

TEST_CASE("every Triton attribute, asked of the worksheet") {
  std::map<std::string, int> asked;
  for (const Json& row : rowsOf("triton.jsonl")) {
    const std::string kind = textOf(row, "kind");
    INFO(row.dump().substr(0, 700));
    if (kind == "linear_layout") {
      CHECK(checkAttribute(row, textOf(row.at("inputs"), "encoding_text"), row.at("expected")) == "");
    } else if (kind == "mlir_attr") {
      CHECK(checkAttribute(row, textOf(row.at("inputs"), "text"), row.at("expected").at("linear_layout")) == "");
    } else if (kind == "mlir_attr_print") {
      CHECK(ask(textOf(row.at("inputs"), "text")).text == textOf(row, "expected"));
    } else if (kind == "mlir_attr_error") {
      CHECK_FALSE(ask(fmt::format("to_linear({})", textOf(row.at("inputs"), "text"))).ok);
      CHECK_FALSE(askAll(textOf(row.at("inputs"), "text")).ok);
    }
    ++asked[kind];
  }
  CHECK(asked["linear_layout"] >= 178);
  CHECK(asked["mlir_attr"] >= 35);
  CHECK(asked["mlir_attr_error"] >= 20);
}

// triton_library.jsonl: what Triton 3.9.0's own to_linear_layout says of random attributes. For blocked layouts it
// leaves out the registers that hold a copy;
// the unit tests of the version that the other cases come from keep them, and so do we.
TEST_CASE("linear layouts are those of the Triton library") {
  using Bases = std::vector<std::vector<i64>>;
  for (const Json& row : rowsOf("triton_library.jsonl")) {
    INFO(row);
    const std::string statement = textOf(row, "statement");
    const bool dropsCopies =
        statement.rfind("to_linear(#ttg.blocked", 0) == 0 || statement.rfind("to_linear(#ttg.slice", 0) == 0;
    const Answer answer = ask(statement);
    REQUIRE(answer.ok);
    for (const auto& [name, bases] : row["bases"].items()) {
      Bases ours;
      for (const linear::In& in : as<linear::Layout>(*answer.value)->ins())
        if (in.name == name) ours = in.bases;
      if (dropsCopies && name == "register")
        std::erase_if(ours,
                      [](const auto& b) { return std::all_of(b.begin(), b.end(), [](i64 v) { return v == 0; }); });
      CHECK(ours == bases.get<Bases>());
    }
  }
}
