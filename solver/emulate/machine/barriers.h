// Barriers that count arrivals (mbarrier): which warps may proceed, and the order this establishes.
//
//     mbarrier.init %full, 1                   count 1; must be ordered before every use
//     mbarrier.expect %full, %s                thread 0: 1 of 1 arrivals, 8192 bytes missing
//     %s <- Move<bulk %full><<<, #one>>>(%g)   when it lands 0 bytes are missing, and phase 0 ends
//     mbarrier.wait %full, 0                   blocks until then; then the thread knows the copy and the arrivals
//
// The phase of an arrival or a wait must not depend on timing. So a thread that arrives in phase n, issues a copy for
// it or waits for it must know that phase n - 1 has ended. And phase n + 1 must end after every wait for phase n,
// because the hardware waits for a parity, which phase n + 2 would match again. Under these rules the synchronization
// is the same in every schedule, and a race in one is a race in all: a single run decides.
//
// Source: PTX ISA, mbarrier (phases, tx-count), memory consistency model.
#pragma once

#include <optional>

#include "solver/emulate/counts.h"
#include "solver/emulate/machine/findings.h"

namespace tessera::graphene {

class Barriers {
 public:
  // `observer`: may be null.
  Barriers(const Plan& plan, Findings& findings, Timeline& now, Observer* observer)
      : plan_(plan), findings_(findings), now_(now), observer_(observer) {}
  void begin(std::size_t threads);  // a block

  // Returns false if the warp must wait: it is Blocked, at the same step.
  bool execute(Warp& w, const PlanStep& step);
  // Whether a lane of the warp waits for a phase that has not ended.
  [[nodiscard]] bool mustWait(Warp& w, const PlanStep& step);

  // The arrival of a copy, when it is issued.
  struct Arrival {
    std::size_t barrier = 0, thread = 0;
    i64 phases = 0, bytes = 0;  // phases of the barrier that its thread knew to have ended
    i64 iteration = 0;          // for Observer
  };
  // nullopt, after a report, if there is no barrier for it to arrive at.
  [[nodiscard]] std::optional<Arrival> announce(Warp& w, int leaf, int lane);
  // The copy arrives. Returns the phase.
  i64 land(const Arrival& arrival, int leaf);

  // Called when no warp can proceed and no copy is in flight.
  void reportStuck(std::vector<Warp>& warps);
  // Copies that were never waited for and so may land after the block has ended.
  void reportLeftOver();

 private:
  struct Visit {  // a wait for the phase that ended last
    std::size_t thread = 0;
    std::uint32_t clock = 0;
    Span span;
  };
  struct Barrier {
    i64 count = 0;                // 0: not initialised
    i64 arrivals = 0, bytes = 0;  // still missing in the current phase
    i64 phase = 0;
    i64 landed = 0, seen = 0;  // phases that copies have arrived in, and that a thread has waited for
    std::size_t maker = 0;     // the initialising thread, and its clock
    std::uint32_t made = 0;
    Clocks::Knowledge open, over;  // of arrivals so far; at the end of the last phase
    std::vector<Visit> visits;
  };

  std::optional<std::size_t> numberOf(Warp& w, const PlanBarrier& b, int lane, Span span);
  bool ready(std::size_t number, std::size_t thread, Span span, const char* does);
  // Whether `thread` knows that all phases before `phase` have ended.
  [[nodiscard]] bool knowsPhase(std::size_t number, std::size_t thread, i64 phase) const {
    return now_.clocks.knows(thread, now_.clocks.agentOf(number), static_cast<std::uint32_t>(phase - 1));
  }
  void tell(Signal::Kind kind, Warp& w, int lane, const PlanStep& step, std::size_t number, i64 phase);
  void initialise(std::size_t number, std::size_t thread, i64 count, Span span);
  void arrive(std::size_t number, std::size_t thread, i64 bytes, Span span);
  void complete(std::size_t number);
  bool wait(Warp& w, const PlanStep& step, const PlanBarrier& b);
  void checkWait(std::size_t number, std::size_t thread, i64 phase, Span span);
  [[nodiscard]] std::string waitText(std::size_t number) const;
  [[nodiscard]] std::string nameOf(std::size_t number) const;
  // `kind`: one finding is kept for each at a statement.
  void report(Span span, std::size_t thread, int kind, std::string message);

  const Plan& plan_;
  Findings& findings_;
  Timeline& now_;
  Observer* observer_;
  std::vector<Barrier> barriers_;
};

}  // namespace tessera::graphene
