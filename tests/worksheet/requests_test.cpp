// Requests: every statement becomes a value, a request or an error; and the trace of the names that an evaluation read.
#include <catch2/catch.hpp>
#include <random>

#include "tests/worksheet/run.h"

using namespace tessera;

namespace {

std::string leaving(const Evaluated& e) {
  if (e.diag) return "diag";
  if (std::holds_alternative<ShowRequest>(e.request)) return "show";
  if (std::holds_alternative<ProveRequest>(e.request)) return "prove";
  if (std::holds_alternative<FindRequest>(e.request)) return "find";
  return e.value ? "value" : "nothing";
}

// How the last statement leaves the language alone, for any answer.
Evaluated lastAlone(std::string_view document) {
  Scope scope;
  Evaluated last;
  for (const Statement& s : splitStatements(document)) last = evaluate(s, scope);
  return last;
}

Scope::Trace traceOf(const std::string& text, Scope& scope) {
  Scope::Trace trace;
  scope.keepTrace(&trace);
  for (const Statement& s : splitStatements(text)) (void)evaluate(s, scope);
  scope.keepTrace(nullptr);
  return trace;
}

}  // namespace

TEST_CASE("each kind of statement leaves in one way") {
  for (const auto& [text, way] :
       {std::pair<std::string, std::string>{"A = 8:1", "value"},
        {"size(8:1)", "value"},
        {"assert size(8:1) == 8", "value"},
        {"assert size(8:1) == 9", "diag"},
        {"show 8:1", "show"},
        {"show injective(8:1)", "prove"},
        {"prove injective(8:1)", "prove"},
        {"assert injective(8:1)", "prove"},
        {"injective(8:1)", "prove"},
        {"V = not injective(8:1)", "prove"},
        {"find swizzle for (8,64):(64,1) where conflict_free(ldmatrix.x1, fp16)", "find"},
        {"find swizzle for (8,64):(64,1) where conflict_free(ldmatrix.x1, fp16) by z3", "find"},
        {"find swizzle for (8,8):(8,1)", "diag"},
        {"prove 8", "diag"}}) {
    INFO(text);
    const Evaluated e = lastAlone(text);
    CHECK(leaving(e) == way);
    CHECK(e.value.has_value() == (way == "value"));  // a value and a request never come together
  }
}

TEST_CASE("a find holds what was asked") {
  const Evaluated e = lastAlone(
      "A = (128,64):(64,1)\nfind swizzle for A where conflict_free(ldmatrix.x4, fp16) and conflict_free(cp.async16, "
      "fp16)");
  const auto& request = std::get<FindRequest>(e.request);
  CHECK(request.text == "A");
  CHECK(print(request.layout) == "(128,64):(64,1)");
  CHECK(request.elementBits == 16);
  CHECK(request.specs.size() == 2);
  CHECK(request.method == Method::Auto);
}

TEST_CASE("a trace names what was read and what was bound") {
  Scope scope;
  CHECK(traceOf("8:1", scope).reads.empty());
  const Scope::Trace bound = traceOf("A = (4,8):(8,1)", scope);
  CHECK(bound.reads.empty());
  CHECK(bound.writes.count("A") == 1);
  const Scope::Trace used = traceOf("B = coalesce(A)", scope);
  REQUIRE(used.reads.count("A") == 1);
  CHECK(used.reads.at("A") == bound.writes.at("A"));
  CHECK(used.writes.size() == 1);
  const Scope::Trace missing = traceOf("size(Nope)", scope);
  REQUIRE(missing.reads.count("Nope") == 1);
  CHECK(missing.reads.at("Nope") == nullptr);
  CHECK(missing.listed.has_value());  // "did you mean" looked at every name
}

TEST_CASE("a trace reads the same until a name that it read is bound anew") {
  Scope scope;
  (void)traceOf("A = 8:1\nB = 4:1", scope);
  const Scope::Trace ofA = traceOf("size(A)", scope), ofNope = traceOf("size(Nope)", scope);
  CHECK(scope.readsTheSame(ofA));
  CHECK(scope.readsTheSame(ofNope));
  (void)traceOf("B = 2:1", scope);
  CHECK(scope.readsTheSame(ofA));
  CHECK(scope.readsTheSame(ofNope));
  (void)traceOf("C = 2:1", scope);
  CHECK(scope.readsTheSame(ofA));
  CHECK_FALSE(scope.readsTheSame(ofNope));  // there is one more name to suggest
  (void)traceOf("A = 8:1", scope);
  CHECK_FALSE(scope.readsTheSame(ofA));
}

TEST_CASE("an awaited name is seen by the trace and by nobody else") {
  Scope scope;
  scope.await("V");
  CHECK(scope.find("V") == nullptr);
  const Scope::Trace trace = traceOf("show V", scope);
  CHECK(trace.awaits);
  CHECK_FALSE(scope.readsTheSame(trace));
  CHECK_FALSE(traceOf("size(8:1)", scope).awaits);
}

// The law that lets an answer be kept: what a trace does not read does not matter.
TEST_CASE("names that a trace does not read change nothing") {
  std::mt19937 random(7);
  const std::vector<std::string> values = {"8:1", "(4,8):(8,1)", "(2,2):(1,2)", "Sw<1,0,3>", "5", "_", "nope"};
  const std::vector<std::string> uses = {
      "size(A)",        "coalesce(B)", "composition(A, B)",   "A + C", "prove equal(A, B)", "show B as grid",
      "refuses(A o C)", "C o A",       "explain(coalesce(A))"};
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  const auto said = [](const Evaluated& e) {
    std::string text = leaving(e);
    if (e.value) text += print(*e.value);
    if (const auto* asked = std::get_if<ProveRequest>(&e.request)) text += asked->claim.text;
    if (const auto* asked = std::get_if<ShowRequest>(&e.request)) text += print(*asked->value);
    return text + (e.diag ? e.diag->message + e.diag->hint : "");
  };
  int kept = 0;
  for (int turn = 0; turn < 2000; ++turn) {
    Scope scope;
    std::string document;
    for (int k = 0; k < 4; ++k) document += std::string(1, "ABC"[random() % 3]) + " = " + pick(values) + "\n";
    (void)traceOf(document, scope);
    const Statement use = splitStatements(pick(uses)).front();
    Scope::Trace trace;
    scope.keepTrace(&trace);
    const std::string before = said(evaluate(use, scope));
    scope.keepTrace(nullptr);
    const std::string edit = std::string(1, "ABC"[random() % 3]) + " = " + pick(values);
    (void)traceOf(edit, scope);
    if (!scope.readsTheSame(trace)) continue;
    ++kept;
    INFO(document << edit << "\n" << use.text);
    CHECK(said(evaluate(use, scope)) == before);
  }
  CHECK(kept > 300);
}
