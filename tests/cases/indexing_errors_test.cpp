// The messages of the functions on indexing maps for wrong arguments: the text, what was expected, and the place.
#include <catch2/catch.hpp>

#include "tests/support/ask.h"

using namespace tessera;

namespace {

struct Refusal {
  const char* statement;
  const char* message;
  const char* expected;
  const char* at;  // what is underlined
};

const char* const kMap = "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]";
const char* const kHuge = "(d0, d1) -> (d0), domain: d0 in [0, 9999999], d1 in [0, 9999999], d0 * d1 mod 7 in [0, 3]";

// MAP and HUGE stand for those.
std::string spelled(std::string text) {
  for (const auto& [word, map] : {std::pair("MAP", kMap), std::pair("HUGE", kHuge)})
    if (const std::size_t at = text.find(word); at != std::string::npos)
      text.replace(at, std::string_view(word).size(), map);
  return text;
}

const Refusal kRefusals[] = {
    {"rescale()", "rescale takes 1 argument, not 0", "rescale(M)", "rescale()"},
    {"rescale(MAP, 3)", "rescale takes 1 argument, not 2", "rescale(M)", "rescale(MAP, 3)"},
    {"remove_unused(MAP, symbols)", "argument 2 of remove_unused is a text",
     "dims: remove_unused(M, dims) also removes unused dimensions", "symbols"},
    {"remove_unused(MAP, 1)", "argument 2 of remove_unused is an integer",
     "dims: remove_unused(M, dims) also removes unused dimensions", "1"},
    {"ranges_to_dims(MAP, (1))", "there is no range variable 1", "one of the range variables 0 to 0", "(1)"},
    {"ranges_to_dims(MAP, (-1))", "there is no range variable -1", "one of the range variables 0 to 0", "(-1)"},
    {"ranges_to_dims(MAP, (0,0))", "range variable 0 appears twice", "each of them once", "(0,0)"},
    {"symbols_to_dims()", "symbols_to_dims takes 1 argument, not 0", "symbols_to_dims(M)", "symbols_to_dims()"},
    {"domain_size(UNDEFINED)", "this map is undefined", "a map with a formula", "UNDEFINED"},
    {"domain_size(HUGE)", "the constraints on d0 leave 100000000000000 points to enumerate", "at most 4194304", "HUGE"},
    {"domain(UNDEFINED)", "this map is undefined", "a map with a formula", "UNDEFINED"},
    {"domain(HUGE)", "the constraints on d0 leave 100000000000000 points to enumerate", "at most 4194304", "HUGE"},
    {"domain((d0) -> (d0), domain: d0 in [0, 9999])", "the domain has 10000 points", "at most 4096 to list",
     "(d0) -> (d0), domain: d0 in [0, 9999]"},
    {"evaluate(MAP)", "evaluate takes 2 to 3 arguments, not 1", "evaluate(M, (1,2), (3))", "evaluate(MAP)"},
    {"evaluate(UNDEFINED, (1))", "this map is undefined", "a map with a formula", "UNDEFINED"},
    {"evaluate(MAP, (1))", "this point has 1 + 0 numbers (dimensions + symbols), but the map takes 1 + 1",
     "evaluate(M, (dimensions), (range variables, then run-time variables))", "(1)"},
    {"evaluate(MAP, (1,2), (3))", "this point has 2 + 1 numbers (dimensions + symbols), but the map takes 1 + 1",
     "evaluate(M, (dimensions), (range variables, then run-time variables))", "(1,2)"},
    {"evaluate((d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 1], (7))", "the value does not fit 64 bits there",
     "smaller coordinates", "(7)"},
};

}  // namespace

TEST_CASE("functions on indexing maps refuse with what was expected, under the argument that it is about") {
  for (const Refusal& r : kRefusals) {
    const std::string text = spelled(r.statement);
    INFO(text);
    Statement whole;
    whole.kind = StatementKind::Expression;
    whole.text = text;
    whole.span = {0, text.size()};
    Scope scope;
    const Outcome outcome = runStatement(whole, scope);
    REQUIRE(outcome.diag);
    CHECK(outcome.diag->message == r.message);
    CHECK(outcome.diag->expected == r.expected);
    CHECK(text.substr(outcome.diag->span.begin, outcome.diag->span.end - outcome.diag->span.begin) == spelled(r.at));
  }
}

TEST_CASE("an undefined map stays it, and an empty one has no points") {
  for (const char* function : {"rescale", "remove_unused", "ranges_to_dims", "symbols_to_dims"})
    CHECK(ask(std::string(function) + "(UNDEFINED)").text == "UNDEFINED");
  CHECK(ask("domain_size(KNOWN EMPTY)").text == "0");
  CHECK(ask("domain(KNOWN EMPTY)").text == "()");
}
