// Verdicts depend on counted work: the same claim takes the same work each time, including Z3's, and ends at the same
// point when its budget runs out.
#include <catch2/catch.hpp>
#include <thread>

#include "core/base/work_budget.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/notation.h"
#include "solver/prove/prove.h"

using namespace tessera;

namespace {

struct Ran {
  Verdict verdict;
  Work work;
};

Ran ran(const std::string& layout, Method method, double seconds) {
  const Claim claim{claims::Injective{*cute::toMap(*cute::parseLayout(layout))}, method};
  ProveOptions options;
  options.budgetSeconds = seconds;
  const Work begin = workSpent();
  Verdict verdict = prove(claim, options);
  return {std::move(verdict), workSpent() - begin};
}

// Subset sums of coprime strides: no structural rung decides them, and Z3 thinks until its budget is spent.
const std::string kHard = "(65536,65536,65536,1024):(7919023757,136117223861,122446330495,194939225901)";
const std::string kLayouts[] = {kHard, "(96,40,56,72):(1,96,3840,215040)", "(12,25,49,121):(1,12,300,14699)",
                                "(3,5,7):(1,3,14)", "(128,64):(72,1)"};

}  // namespace

TEST_CASE("a claim takes the same work each time and gets the same verdict") {
  for (const std::string& layout : kLayouts)
    for (const Method method : {Method::Auto, Method::Z3}) {
      if (method == Method::Z3 && !haveZ3()) continue;
      for (const double seconds : {0.01, 0.3}) {
        const Ran first = ran(layout, method, seconds), second = ran(layout, method, seconds);
        Ran elsewhere{};  // another stack, other addresses
        std::thread([&] { elsewhere = ran(layout, method, seconds); }).join();
        INFO(layout << ": " << first.verdict.detail);
        for (const Ran* other : {static_cast<const Ran*>(&second), static_cast<const Ran*>(&elsewhere)}) {
          CHECK(other->work == first.work);
          CHECK(other->verdict.truth == first.verdict.truth);
          CHECK(other->verdict.detail == first.verdict.detail);
        }
        CHECK(first.work <= workOf(seconds) + 2'000'000);  // one step may be a large one
      }
    }
}

TEST_CASE("Z3 without budget says so, and not that the clock stopped it") {
  if (!haveZ3()) return;
  const Ran r = ran(kHard, Method::Z3, 0.2);
  CHECK(r.verdict.truth == Truth::Unknown);
  INFO(r.verdict.detail);
  CHECK(r.verdict.detail.find("out of budget") != std::string::npos);
  CHECK(r.verdict.detail.find("clock") == std::string::npos);
  CHECK(r.work >= workOf(0.1));
}

TEST_CASE("more budget keeps what less has decided") {
  for (const std::string& layout : kLayouts) {
    Truth before = Truth::Unknown;
    for (const double seconds : {0.001, 0.01, 0.1, 0.5}) {
      const Truth now = ran(layout, Method::Auto, seconds).verdict.truth;
      if (before != Truth::Unknown) CHECK(now == before);
      before = now;
    }
  }
}
