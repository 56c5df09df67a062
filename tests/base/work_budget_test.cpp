// WorkBudget without a clock: step budgets and flags.
#include "core/base/work_budget.h"

#include <catch2/catch.hpp>
#include <limits>
#include <thread>

using namespace tessera;

namespace {

// How many steps go by before the exception; `most` when none comes.
std::int64_t stepsTaken(std::int64_t most, std::int64_t each = 1) {
  std::int64_t taken = 0;
  try {
    for (; taken < most; ++taken) spend(each);
  } catch (const OutOfBudget&) {
  }
  return taken;
}

}  // namespace

TEST_CASE("without a budget nothing ends") { CHECK(stepsTaken(100'000) == 100'000); }

TEST_CASE("exactly so many steps as were given are taken") {
  for (const std::int64_t steps : {0, 1, 2, 4095, 4096, 4097, 10'000}) {
    const WorkBudget limit({.steps = steps});
    CHECK(stepsTaken(1'000'000) == steps);
    CHECK(stepsTaken(1'000'000) == 0);  // it stays at its end
    CHECK(limit.used() >= steps);
  }
  CHECK(stepsTaken(1000) == 1000);
}

TEST_CASE("a step may count for several") {
  const WorkBudget limit({.steps = 1000});
  CHECK(stepsTaken(1'000'000, 10) == 100);
}

TEST_CASE("a flag that is set, or no time, ends the work within one look") {
  std::atomic<bool> cancel = false;
  const WorkBudget limit({.cancel = &cancel});
  CHECK(stepsTaken(20'000) == 20'000);
  cancel = true;
  CHECK(stepsTaken(1'000'000) <= WorkBudget::kStepsPerLook);
  for (const double seconds :
       {0.0, -1.0, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    cancel = false;
    const WorkBudget none({.seconds = seconds});
    CHECK(stepsTaken(1'000'000) <= WorkBudget::kStepsPerLook);
  }
}

TEST_CASE("the reason says which limit it was") {
  const std::atomic<bool> cancel = true;
  const auto reasonOf = [](const WorkLimits& limits) {
    const WorkBudget limit(limits);
    try {
      for (;;) spend();
    } catch (const OutOfBudget& end) {
      return std::pair{std::string(end.what()), end.cancelled()};
    }
  };
  CHECK(reasonOf({.cancel = &cancel}) == std::pair{std::string("cancelled"), true});
  CHECK(reasonOf({.steps = 5}) == std::pair{std::string("out of budget (5 steps)"), false});
  CHECK(reasonOf({.seconds = 0}) == std::pair{std::string("out of budget (0 s of work)"), false});
}

TEST_CASE("a budget of seconds is a number of steps, and the clock is only a safety stop") {
  for (const double seconds : {0.01, 0.1, 0.25}) {
    const WorkBudget limit({.seconds = seconds});
    CHECK(stepsTaken(workOf(1)) == workOf(seconds));
  }
  CHECK(workOf(10) == 10 * kWorkPerSecond);
  CHECK(workOf(1e9) == kNoLimit);
  CHECK(workOf(-1) == 0);
  CHECK(safetyClock(workOf(0.1)) == kSlowdown * 60);
  CHECK(safetyClock(workOf(100)) == kSlowdown * 2000);
  CHECK(outOfBudget(workOf(2.5)) == "out of budget (2.5 s of work)");
  const WorkBudget limit({.seconds = 10, .clock = 0});
  try {
    (void)stepsTaken(0);
    for (int k = 0; k < 10'000; ++k) spend();
    CHECK(false);
  } catch (const OutOfBudget& end) {
    CHECK(std::string(end.what()) == "stopped by the clock after 0 s");
    CHECK_FALSE(end.cancelled());
  }
}

TEST_CASE("what a thread has spent is counted with and without a budget") {
  const Work begin = workSpent();
  CHECK(WorkBudget::left() == kNoLimit);
  spend(7);
  CHECK(workSpent() - begin == 7);
  {
    const WorkBudget limit({.steps = 10'000});
    spend(5'000);
    CHECK(WorkBudget::left() == 5'000);
    {
      const WorkBudget inner({.steps = 100});
      spend(1);
      CHECK(WorkBudget::left() == 99);
    }
    CHECK(WorkBudget::left() == 4'999);
    CHECK(limit.used() == 5'001);
  }
  CHECK(workSpent() - begin == 5'008);
}

TEST_CASE("of nested ones none outlasts those around it, and the outer one goes on when the inner ended") {
  for (const std::int64_t outer : {10, 5000, 20'000}) {
    for (const std::int64_t inner : {1, 100, 4096, 9000, 30'000}) {
      const WorkBudget around({.steps = outer});
      std::int64_t inside = 0;
      {
        const WorkBudget within({.steps = inner});
        inside = stepsTaken(1'000'000);
        CHECK(inside == std::min(outer, inner));
      }
      // The step that was one too many is charged, too.
      CHECK(stepsTaken(1'000'000) == std::max<std::int64_t>(0, outer - inside - 1));
    }
  }
}

TEST_CASE("a budget is its thread's alone") {
  const WorkBudget limit({.steps = 3});
  std::int64_t other = 0;
  std::thread([&] { other = stepsTaken(50'000); }).join();
  CHECK(other == 50'000);
  CHECK(stepsTaken(100) == 3);
}
