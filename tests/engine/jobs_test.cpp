// Jobs: each is answered as if it were the only one.
#include "app/engine/jobs.h"

#include <catch2/catch.hpp>

#include "core/worksheet/value.h"
#include "tests/engine/gate.h"

using namespace tessera;

namespace {

Started started(const std::string& text) {
  Scope scope;
  return startStatement(splitStatements(text).front(), scope);
}

std::string said(const Job& job) {
  const auto outcome = job.outcome();
  if (!outcome) return "nothing yet";
  if (outcome->diag) return outcome->diag->message;
  if (outcome->verdict) return std::string(name(outcome->verdict->truth)) + ": " + outcome->verdict->detail;
  return outcome->figure ? "a picture" : outcome->value ? "a value" : "nothing";
}

struct Runner {
  Gate gate;
  JobRunner jobs{{}, [this] { gate.notify(); }, gate.function()};
  bool wait(const std::shared_ptr<Job>& job) {
    return gate.wait([&] { return job->outcome() != nullptr; });
  }
  std::shared_ptr<Job> submit(const std::string& text) { return jobs.submit(started(text)); }
  std::shared_ptr<Job> held(const std::string& claim) {
    gate.hold(claim);
    return submit("prove " + claim);
  }
};

const std::string kSlow = "injective((4,8):(8,1))", kSlower = "injective((4,8):(1,4))", kSlowest = "injective(7:1)";

}  // namespace

TEST_CASE("one that is slow keeps neither a proof nor a picture waiting") {
  Runner r;
  const auto slow = r.held(kSlow);
  const auto quick = r.submit("prove injective(8:1)");
  const auto show = r.submit("show (4,8):(8,1) as grid");
  REQUIRE(r.wait(quick));
  REQUIRE(r.wait(show));
  CHECK(said(*quick).substr(0, 6) == "proved");
  CHECK(said(*show) == "a picture");
  CHECK(slow->outcome() == nullptr);
  r.gate.open(kSlow);
  REQUIRE(r.wait(slow));
  CHECK(said(*slow).substr(0, 6) == "proved");
}

TEST_CASE("no number of proofs keeps a picture waiting") {
  Runner r;
  std::vector<std::shared_ptr<Job>> slow;
  for (int k = 0; k < 20; ++k) slow.push_back(r.held(k % 2 == 0 ? kSlow : kSlower));
  const auto show = r.submit("show (4,8):(8,1) as grid");
  REQUIRE(r.wait(show));
  for (const auto& job : slow) CHECK(job->outcome() == nullptr);
  r.gate.open(kSlow);
  r.gate.open(kSlower);
  for (const auto& job : slow) {
    REQUIRE(r.wait(job));
    CHECK(said(*job).substr(0, 6) == "proved");
  }
}

TEST_CASE("a cancelled one is unknown: cancelled, and the others stand") {
  Runner r;
  const auto one = r.held(kSlow), two = r.held(kSlower), three = r.held(kSlowest);
  REQUIRE(r.gate.wait([&] { return one->progress().running && two->progress().running; }));
  CHECK(three->progressText() == "waiting");  // both workers for proofs are taken

  r.jobs.cancel(three);
  CHECK(said(*three) == "unknown: cancelled");  // at once: it had not been started

  r.jobs.cancel(one);
  REQUIRE(r.wait(one));
  CHECK(said(*one) == "unknown: cancelled");
  CHECK(one->outcome()->claim.has_value());
  CHECK(two->outcome() == nullptr);
  CHECK_FALSE(two->cancelled());
  r.gate.open(kSlower);
  REQUIRE(r.wait(two));
  CHECK(said(*two).substr(0, 6) == "proved");
}

TEST_CASE("what is answered stays, whoever cancels it afterwards") {
  Runner r;
  const auto job = r.submit("prove injective(8:1)");
  REQUIRE(r.wait(job));
  const auto before = job->outcome();
  r.jobs.cancel(job);
  r.jobs.cancel(job);
  CHECK(job->outcome() == before);
}

TEST_CASE("a real proof stops when it is cancelled, and a find and a show say so") {
  EngineOptions options;
  options.prove.budgetSeconds = 1e6;
  JobRunner jobs(options);
  Gate gate;
  // 2^30 points, one by one: too many to wait for.
  const auto proof = jobs.submit(started("prove in_bounds((1024,1024,1024):(1,1024,1048576)) by exhaustive"));
  REQUIRE(gate.wait([&] { return proof->progress().what == "exhaustive"; }));
  CHECK(proof->progressText() == "running: exhaustive");
  jobs.cancel(proof);
  CHECK(proof->progressText() == "cancelling");
  REQUIRE(gate.wait([&] { return proof->outcome() != nullptr; }));
  CHECK(said(*proof) == "unknown: cancelled");
  for (const char* text : {"find swizzle for (8,64):(64,1) where conflict_free(ldmatrix.x1, fp16)",
                           "find swizzle for (8,64):(64,1) where conflict_free(ldmatrix.x1, fp16) by z3", "show 8:1"}) {
    INFO(text);
    std::atomic<bool> cancel{true};
    const Outcome outcome = answered(started(text), {}, JobContext{&cancel});
    REQUIRE(outcome.diag);
    CHECK(outcome.diag->message == "unknown: cancelled");
    CHECK_FALSE(outcome.diag->hint.empty());
  }
}

TEST_CASE("cancelled between the verdict and its picture: the verdict stands, and a note says what is missing") {
  const std::string text = "prove injective((64,64):(1,1))";
  const Outcome whole = answered(started(text), {}, {});
  REQUIRE(whole.figure);
  CHECK(whole.notes.empty());
  std::atomic<bool> cancel{false};
  const JobContext context{&cancel, [&](double, const std::string& what) { cancel = what == "strided"; }};
  const Outcome outcome = answered(started(text), {}, context);
  REQUIRE(cancel);
  REQUIRE(outcome.verdict);
  CHECK(outcome.verdict->truth == Truth::Refuted);
  CHECK_FALSE(outcome.figure);
  CHECK_FALSE(outcome.diag);
  REQUIRE(outcome.notes.size() == 1);
  CHECK(outcome.notes[0].message == "no picture: cancelled");
  CHECK(outcome.notes[0].span == outcome.statement.span);
}

TEST_CASE("an answer tells how far it is") {
  Runner r;
  const auto slow = r.held(kSlow);
  REQUIRE(r.gate.wait([&] { return slow->progress().fraction > 0; }));
  CHECK(slow->progressText() == "running: held, 50%");
  std::vector<std::string> told;
  const JobContext context{nullptr, [&](double fraction, std::string what) {
                             CHECK(fraction <= 1);
                             told.push_back(std::move(what));
                           }};
  (void)answered(started("find swizzle for (8,64):(64,1) where conflict_free(ldmatrix.x1, fp16)"), {}, context);
  REQUIRE(told.size() > 2);
  CHECK(told[1].substr(0, 5) == "1 of ");
  told.clear();
  (void)answered(started("prove injective((4,8):(8,1)) by z3"), {}, context);
  CHECK(told == std::vector<std::string>{"z3"});
}

TEST_CASE("the runner leaves although proofs are held") {
  Gate gate;
  std::vector<std::shared_ptr<Job>> jobs;
  {
    JobRunner runner({}, {}, gate.function());
    gate.hold(kSlow);
    for (int k = 0; k < 5; ++k) jobs.push_back(runner.submit(started("prove " + kSlow)));
    REQUIRE(gate.wait([&] { return jobs[0]->progress().running && jobs[1]->progress().running; }));
  }
  CHECK(said(*jobs[0]) == "unknown: cancelled");
  CHECK(jobs[4]->outcome() == nullptr);
}

TEST_CASE("start, answer and bind are run") {
  for (const char* text :
       {"V = injective((4,8):(8,1))", "V = not injective((4,2):(1,2))", "V = 8:1", "V = size(nope)"}) {
    INFO(text);
    const Statement statement = splitStatements(text).front();
    Scope whole, halves;
    const Outcome at_once = runStatement(statement, whole);
    Started begun = startStatement(statement, halves);
    const bool awaited = awaitedName(begun) == "V";
    CHECK(awaited == at_once.verdict.has_value());
    CHECK((halves.find("V") != nullptr) == (at_once.value.has_value() && !awaited));
    const Outcome later = answered(std::move(begun), {}, {});
    if (awaited) bindAnswer(later, halves);
    CHECK(whole.names() == halves.names());
    CHECK(at_once.value.has_value() == later.value.has_value());
    if (later.verdict) CHECK(later.verdict->truth == at_once.verdict->truth);
    if (const Value* value = halves.find("V")) CHECK(kindOf(*value) == kindOf(*whole.find("V")));
  }
}

TEST_CASE("a misspelt view is marked alone, and the nearest one is suggested") {
  Scope scope;
  const Outcome outcome = runStatement(splitStatements("show (4,8):(8,1) as gird").front(), scope);
  REQUIRE(outcome.diag);
  CHECK(outcome.diag->span == Span{20, 24});
  CHECK(outcome.diag->hint == "write \"as grid\"");
}
