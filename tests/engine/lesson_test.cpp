// Tasks are judged by the prover, and every lesson of the gallery accepts its answers and rejects the wrong ones.
#include "app/engine/lesson.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/worksheet/statements/task.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

const char* const kBlank = R"(A = (64,64):(64,1)
S = ?
show S as grid
task "conflict free": conflict_free(S, ldmatrix.x4, fp16) and bijective(S)
prove injective(S)
)";

std::string with(const std::string& line) {
  std::string text = kBlank;
  return text.replace(text.find("S = ?"), 5, line);
}

const Outcome& taskOf(const std::vector<Outcome>& outcomes) {
  return *std::ranges::find_if(outcomes, [](const Outcome& o) { return o.learner.task.has_value(); });
}

}  // namespace

TEST_CASE("a task with a blank is not solved yet, without an error") {
  const std::vector<Outcome> all = runDocument(kBlank);
  for (const Outcome& o : all) CHECK_FALSE(o.diag);
  CHECK(all[1].learner.blank == "S");
  CHECK(textOf(all[1]) == "S: not filled in yet");
  CHECK(all[2].learner.blank == "S");
  CHECK_FALSE(all[2].figure);
  CHECK_FALSE(all[3].solved());
  CHECK(textOf(all[3]) == "not yet  conflict free\n         S is not filled in yet");
  REQUIRE(all[4].verdict);
  CHECK(all[4].verdict->truth == Truth::Unknown);
  CHECK_FALSE(all[4].holds());
}

TEST_CASE("a task is solved by whatever the prover accepts, and says why not otherwise") {
  CHECK(taskOf(runDocument(with("S = Sw<3,3,3> o A"))).solved());
  CHECK(taskOf(runDocument(with("S(i, j) = i * 64 + (j ^ ((i & 7) << 3)) over (64, 64)"))).solved());
  const std::vector<Outcome> wrong = runDocument(with("S = A"));
  CHECK_FALSE(taskOf(wrong).solved());
  REQUIRE(taskOf(wrong).verdict->counterexample);
  CHECK(taskOf(wrong).figure);
  CHECK(taskOf(wrong).learner.corrections.empty());
  // Free of conflicts, but two elements share a place: the second claim decides.
  const std::vector<Outcome> half = runDocument(with("S = Sw<3,3,3> o (64,64):(0,1)"));
  CHECK_FALSE(taskOf(half).solved());
  // A line with an error is the error; the task only waits.
  const std::vector<Outcome> broken = runDocument(with("S = Sw<3,3 o A"));
  CHECK(broken[1].diag);
  CHECK_FALSE(taskOf(broken).diag);
  CHECK_FALSE(taskOf(broken).solved());
}

TEST_CASE("a task takes conditions, refutations and methods") {
  const auto solved = [](const std::string& claim) {
    return taskOf(runDocument("A = (4,8):(8,1)\ntask \"t\": " + claim)).solved();
  };
  CHECK(solved("A(2,3) == 19"));
  CHECK_FALSE(solved("A(2,3) == 18"));
  CHECK(solved("A(2,3) == 19 and size(A) == 32 and injective(A)"));
  CHECK_FALSE(solved("injective(A) and A(2,3) == 18"));
  CHECK_FALSE(solved("A(2,3) == 19 and not injective(A)"));
  CHECK(solved("not equal(A, (4,8):(1,4))"));
  CHECK(solved("injective(A) by z3 and bijective(A) by f2"));
  CHECK(solved("A(2,3) == 18 or A(2,3) == 19 and size(A) == 32"));
  CHECK_FALSE(solved("A"));
  CHECK(taskOf(runDocument("task \"t\": 2 == 3")).verdict->detail == "this does not hold: 2 == 3");
}

TEST_CASE("an answer that is not accepted and a wrong one that is are found") {
  const std::string good = "S = ?\ntask \"t\": bijective(S) {\n answer S = (4,8):(8,1)\n wrong S = (4,8):(9,1)\n}\n";
  const auto tried = [](const std::string& text) { return triedTasks(text, {}).at(0); };
  CHECK(tried(good).asExpected());
  CHECK(tried(good).trials.size() == 3);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return tried(text.replace(text.find(from), from.size(), to)).asExpected();
  };
  CHECK_FALSE(changed("answer S = (4,8):(8,1)", "answer S = (4,8):(9,1)"));
  CHECK_FALSE(changed("wrong S = (4,8):(9,1)", "wrong S = (4,8):(1,4)"));
  CHECK_FALSE(changed("S = ?", "S = 8:1"));  // solved as it is shipped
  CHECK_FALSE(changed(" wrong S = (4,8):(9,1)\n", ""));
  CHECK_FALSE(changed("answer S = (4,8):(8,1)", "answer \"none\" -> \"(4,8):(8,1)\""));
  std::string marked = good;
  marked.replace(0, 5, "S = 8:1");
  marked.insert(marked.find(" answer"), " solved\n");
  CHECK(tried(marked).asExpected());
}

TEST_CASE("a later task has the answers of those above it") {
  const std::string two =
      "A = ?\ntask \"a\": A == (4,8):(8,1) {\n answer A = (4,8):(8,1)\n wrong A = 4:1\n}\n"
      "B = ?\ntask \"b\": B == A(1,1) {\n answer B = 9\n wrong B = 8\n}\n";
  for (const TriedTask& t : triedTasks(two, {})) CHECK(t.asExpected());
  const auto all = withAllAnswers(two);
  REQUIRE(all);
  for (const Outcome& o : runDocument(*all)) CHECK(o.holds());
}
