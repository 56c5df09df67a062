// No clock changes a verdict. A stopped clock simulates an infinitely fast machine, a hurried one a slow machine. If
// the hurried clock passes a safety stop, the verdict is unknown and says so.
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "core/base/work_budget.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

// Right over the reals; that fp16 stops at 2048 is found by running alone.
const char* const kStagnates = R"(
%x:[4096,32:32,1].fp16.GL  %y:[32:1].fp16.GL
#b:[1].block  #t:[32:1].thread
%y <- Reduction<+,0><<<#b,#t>>>(%x) {
  @t = #t.indices()
  %s:[].fp16.RF  %o = %y[@t]
  %s <- Init<0>()
  for (k = 0; k < 4096; k += 1) { %e = %x[k,@t]  %s <- BinaryPointwise<+>(%s,%e) }
  %o <- Move(%s)
})";

SafetyTime stopped() { return {}; }
// So many seconds later each time that somebody looks.
template <int seconds>
SafetyTime hurried() {
  static std::atomic<int> looks{0};
  return SafetyTime() + std::chrono::seconds(seconds) * ++looks;
}

class OtherClock {
 public:
  explicit OtherClock(SafetyTime (*clock)()) { setSafetyClock(clock); }
  ~OtherClock() { setSafetyClock(nullptr); }
  OtherClock(const OtherClock&) = delete;
  OtherClock& operator=(const OtherClock&) = delete;
};

std::string library(const std::string& name) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR "/assets/graphene/") + name + ".graphene");
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

CheckResult checkedUnder(SafetyTime (*clock)(), const std::string& text) {
  const OtherClock other(clock);
  return verdicts::checked(text, {.budgetSeconds = 100});
}

}  // namespace

TEST_CASE("no clock changes a verdict of check") {
  std::vector<std::string> texts;
  for (const char* name : {"warp_sum", "vector_load", "transpose_swizzled", "predicated_copy", "gemm_warps_64",
                           "lstm_cell", "gemm_symbolic"})
    texts.push_back(library(name));
  texts.push_back(verdicts::changed(library("transpose_swizzled"), "sync", ""));
  texts.push_back(kStagnates);
  int same = 0, cut = 0;
  for (const std::string& text : texts) {
    INFO(text);
    const CheckResult should = verdicts::checked(text, {.budgetSeconds = 100});
    for (SafetyTime (*const clock)() : {stopped, hurried<1>, hurried<40>, hurried<3600>}) {
      const CheckResult is = checkedUnder(clock, text);
      bool all = true;  // what was stopped before the specifications were listed has one for all
      for (std::size_t s = 0; s < is.specs.size(); ++s)
        for (std::size_t k = 0; k < is.specs[s].obligations.size(); ++k) {
          const ObligationVerdict& b = is.specs[s].obligations[k];
          if (b.standing == Standing::Unknown && b.reason.find("stopped by the clock") != std::string::npos) {
            ++cut;
            all = false;
            continue;
          }
          REQUIRE(s < should.specs.size());
          REQUIRE(k < should.specs[s].obligations.size());
          const ObligationVerdict& a = should.specs[s].obligations[k];
          INFO(label(a.obligation) << " " << a.reason << " | " << b.reason);
          CHECK(b.standing == a.standing);
          if (b.obligation == Obligation::Value) CHECK(b.reason == a.reason);
          ++same;
        }
      CHECK((!all || is.specs.size() == should.specs.size()));
      if (clock == stopped) CHECK(verdicts::told(is) == verdicts::told(should));
      if (clock == stopped) CHECK(all);
    }
  }
  INFO(same << " the same, " << cut << " stopped");
  CHECK(same > 300);
  CHECK(cut > 20);  // the clock was asked
}
