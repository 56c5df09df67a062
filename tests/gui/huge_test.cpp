// Input above the limits is refused with the reason, input below them works, memory is bounded, and quitting does not
// wait.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "core/base/work_budget.h"
#include "tests/engine/gate.h"
#include "tests/gui/app.h"
#include "tests/gui/state_folder.h"

using namespace tessera;

TEST_CASE("a paste of 100 MB is refused with the reason, and the sheet is as it was") {
  App app;
  app.type("size(8:1)");
  for (const std::size_t bytes : {Document::kMaxBytes, std::size_t{100'000'000}}) {
    clipboard() = std::string(bytes, 'x');
    app.key('V', /*ctrl=*/true);
    CHECK(app.session.document().text() == "size(8:1)");
    CHECK(app.session.messageIsError);
    CHECK(app.session.message ==
          "a worksheet holds at most 4 MiB; " + std::to_string(bytes) + " more bytes do not fit");
  }
  clipboard() = " + 1";
  app.key('V', true);
  CHECK(app.session.document().text() == "size(8:1) + 1");
}

TEST_CASE("a file that is too large is refused before it is read, and one at the limit opens") {
  const StateFolder state;
  Session s;
  putFile(state / "large", "");
  std::filesystem::resize_file(state / "large", 100'000'000'000);  // a hole
  CHECK_FALSE(s.open(state / "large"));
  CHECK(s.message.find("has 100000000000 bytes; a worksheet has at most 4194304") != std::string::npos);
  CHECK(s.document().text().empty());
  putFile(state / "fits", std::string(Document::kMaxBytes, '\n'));
  CHECK(s.open(state / "fits"));
  CHECK_FALSE(s.document().replace(0, 0, "x"));
  CHECK(s.document().replace(0, 1, "x"));
  REQUIRE(s.waitUntilEvaluated(600));
}

TEST_CASE("statements beyond the limit are not run, and the last one says so") {
  Session s;
  std::string text;
  for (std::size_t k = 0; k < Evaluation::kMostStatements + 5; ++k) text += "4\n";
  s.document().replace(0, 0, text);
  REQUIRE(s.waitUntilEvaluated(600));
  const auto now = s.evaluation().snapshot();
  REQUIRE(now->outcomes.size() == Evaluation::kMostStatements);
  REQUIRE(now->outcomes.back()->diag);
  CHECK(now->outcomes.back()->diag->message ==
        "the window runs at most 19999 statements: this one and the 5 after it are not run");
  CHECK(now->count().problems == 1);
}

TEST_CASE("the history has a bound, and its newest steps stay") {
  Document d;
  const std::string large(Document::kMaxBytes / 2, 'x');
  const auto historyBytes = [&] {
    std::size_t bytes = 0;
    const Document::State state = d.state();
    for (const Edit& e : state.undo) bytes += e.removed.size() + e.inserted.size();
    return bytes;
  };
  for (int k = 0; k < 100; ++k) {
    REQUIRE(d.replace(0, d.text().size(), large + std::to_string(k)));
    if (k % 20 == 19) REQUIRE(historyBytes() <= Document::kHistoryBytes);
  }
  int steps = 0;
  while (d.undo()) REQUIRE(d.text() == large + std::to_string(98 - steps++));
  CHECK(steps > 10);
  while (d.redo()) {
  }
  CHECK(d.text() == large + "99");
}

TEST_CASE("leaving ends the evaluation of a statement, too: its budget has a flag that is set then") {
  // An answer that ends with that flag alone, in place of a statement that evaluates for minutes.
  std::atomic<bool> begun{false}, ended{false};
  {
    Session s({}, [&](Started started, const EngineOptions& options, const JobContext&) {
      if (options.prove.cancel == nullptr) return cancelledOutcome(std::move(started));
      begun = true;
      while (!options.prove.cancel->load()) std::this_thread::yield();
      ended = true;
      return cancelledOutcome(std::move(started));
    });
    s.document().replace(0, 0, "prove injective(8:1)");
    s.touch();
    Gate gate;
    REQUIRE(gate.wait([&] { return begun || !s.evaluation().running(); }));
    CHECK_FALSE(ended);
  }
  CHECK(begun);
  CHECK(ended);
}

TEST_CASE("an evaluation whose flag is set ends within a look, whatever the statement") {
  std::atomic<bool> leave{true};
  EngineOptions options;
  options.prove.cancel = &leave;
  Scope scope;
  const WorkBudget outer({.steps = 1'000'000});
  const std::string claim = "complement(((2,4),(8,16)):((1,2),(8,64)), 1048576)";
  const Started started = startStatement(splitStatements(claim).front(), scope, options);
  CHECK(outer.used() <= 2 * WorkBudget::kStepsPerLook);
  CHECK((started.outcome.value || started.outcome.diag));
}
