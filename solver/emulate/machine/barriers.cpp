#include "solver/emulate/machine/barriers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::graphene {
namespace {

std::size_t threadOf(const Warp& w, int lane) { return static_cast<std::size_t>(w.thread(lane)); }

}  // namespace

void Barriers::begin(std::size_t threads) {
  const auto count = static_cast<std::size_t>(plan_.barrierCount);
  if (count > 0) now_.clocks.begin(threads, count);
  barriers_.assign(count, {});
}

// ---- statements

std::optional<std::size_t> Barriers::numberOf(Warp& w, const PlanBarrier& b, int lane, Span span) {
  const Root& root = plan_.roots[b.root];
  const i64 place = w.columns(b.offset)[lane];
  if (place >= 0 && place < root.places) return static_cast<std::size_t>(root.barriers + place);
  report(span, threadOf(w, lane), 0,
         fmt::format("names barrier {} of %{}, which has {}", place, root.tensor.name, root.places));
  return std::nullopt;
}

// Checks that the thread is ordered after the initialisation.
bool Barriers::ready(std::size_t number, std::size_t thread, Span span, const char* does) {
  const Barrier& b = barriers_[number];
  if (b.count == 0) {
    report(span, thread, 1, fmt::format("{} {} before it is initialised", does, nameOf(number)));
    return false;
  }
  if (now_.clocks.knows(thread, b.maker, b.made)) return true;
  report(span, thread, 1,
         fmt::format("{} {}, but its mbarrier.init by thread {} is not ordered before that", does, nameOf(number),
                     b.maker));
  return true;
}

bool Barriers::execute(Warp& w, const PlanStep& step) {
  const PlanBarrier& b = plan_.barriers[step.index];
  if (b.op == Mbarrier::Op::Wait) return wait(w, step, b);
  for (const int lane : lanesIn(w.mask)) {
    const auto number = numberOf(w, b, lane, step.span);
    if (!number) continue;
    if (b.op == Mbarrier::Op::Init) {
      initialise(*number, threadOf(w, lane), w.columns(b.value)[lane], step.span);
      tell(Signal::Kind::Init, w, lane, step, *number, barriers_[*number].count);
    } else {
      tell(Signal::Kind::Arrive, w, lane, step, *number, barriers_[*number].phase);
      arrive(*number, threadOf(w, lane), b.bytes, step.span);
    }
  }
  return true;
}

void Barriers::tell(Signal::Kind kind, Warp& w, int lane, const PlanStep& step, std::size_t number, i64 phase) {
  if (observer_ == nullptr) return;
  const auto at = static_cast<std::size_t>(&step - plan_.steps.data());
  const int loop = observer_->loopOfStep(at);
  observer_->signal({.kind = kind,
                     .barrier = number,
                     .thread = w.thread(lane),
                     .phase = phase,
                     .step = at,
                     .iteration = loop < 0 ? 0 : w.columns.loop(loop)[lane]});
}

void Barriers::initialise(std::size_t number, std::size_t thread, i64 count, Span span) {
  Barrier& b = barriers_[number];
  if (b.count != 0)
    return report(span, thread, 2,
                  fmt::format("initialises {}, which thread {} has already initialised", nameOf(number), b.maker));
  b.count = b.arrivals = count;
  b.maker = thread;
  b.made = now_.clocks.now(thread);
  b.open = b.over = now_.clocks.nothing();
}

void Barriers::arrive(std::size_t number, std::size_t thread, i64 bytes, Span span) {
  Barrier& b = barriers_[number];
  if (!ready(number, thread, span, "arrives at")) return;
  if (b.phase > 0 && !knowsPhase(number, thread, b.phase))
    report(span, thread, 3,
           fmt::format("arrives at {} in phase {}, possibly before phase {} has ended: it has not waited for it",
                       nameOf(number), b.phase, b.phase - 1));
  if (b.arrivals == 0)
    return report(span, thread, 4,
                  fmt::format("arrives at {} in phase {}, which already has all of its {} arrivals", nameOf(number),
                              b.phase, b.count));
  b.bytes += bytes;
  now_.clocks.release(thread, b.open);
  --b.arrivals;
  complete(number);
}

// Ends the phase if nothing is missing.
void Barriers::complete(std::size_t number) {
  Barrier& b = barriers_[number];
  if (b.arrivals != 0 || b.bytes != 0) return;
  for (const Visit& v : b.visits) {
    if (v.clock < b.open.known[v.thread]) continue;
    report(v.span, v.thread, 5,
           fmt::format("waits for phase {} of {}, but phase {} may end before this wait: nothing that phase {} needs "
                       "is ordered after it",
                       b.phase - 1, nameOf(number), b.phase, b.phase));
    break;
  }
  const std::size_t agent = now_.clocks.agentOf(number);
  b.open.known[agent] = b.open.async[agent] = static_cast<std::uint32_t>(b.phase + 1);
  b.over = b.open;
  b.visits.clear();
  ++b.phase;
  b.arrivals = b.count;
}

// ---- waiting

bool Barriers::mustWait(Warp& w, const PlanStep& step) {
  const PlanBarrier& b = plan_.barriers[step.index];
  for (const int lane : lanesIn(w.mask)) {
    const auto number = numberOf(w, b, lane, step.span);
    if (number && barriers_[*number].count != 0 && w.columns(b.value)[lane] == barriers_[*number].phase) return true;
  }
  return false;
}

void Barriers::checkWait(std::size_t number, std::size_t thread, i64 phase, Span span) {
  const Barrier& b = barriers_[number];
  const std::string name = nameOf(number);
  if (phase < -1) return report(span, thread, 6, fmt::format("waits for phase {} of {}", phase, name));
  if (phase > 0 && !knowsPhase(number, thread, phase))
    return report(span, thread, 6,
                  fmt::format("waits for phase {} of {}, possibly before phase {} has ended: a wait tests a parity, "
                              "and phase {} has the same",
                              phase, name, phase - 1, phase - 2));
  if (phase + 1 < b.phase)
    report(span, thread, 6,
           fmt::format("waits for phase {} of {}, but phase {} has ended too: a wait tests a parity, so it would wait "
                       "for the phase after the next",
                       phase, name, b.phase - 1));
}

bool Barriers::wait(Warp& w, const PlanStep& step, const PlanBarrier& b) {
  const LaneValues& phases = w.columns(b.value);
  const auto each = [&](auto&& visit) {
    for (const int lane : lanesIn(w.mask)) {
      const auto number = numberOf(w, b, lane, step.span);
      if (number && ready(*number, threadOf(w, lane), step.span, "waits for")) visit(*number, lane, phases[lane]);
    }
  };
  each([&](std::size_t number, int lane, i64 phase) { checkWait(number, threadOf(w, lane), phase, step.span); });
  if (mustWait(w, step)) {
    --w.pc;
    w.status = Warp::Status::Blocked;
    return false;
  }
  each([&](std::size_t number, int lane, i64 phase) {
    Barrier& at = barriers_[number];
    const std::size_t thread = threadOf(w, lane);
    now_.clocks.acquire(thread, at.over);
    if (phase + 1 == at.phase) at.visits.push_back({thread, now_.clocks.now(thread), step.span});
    at.seen = std::max(at.seen, phase + 1);
    tell(Signal::Kind::Wait, w, lane, step, number, phase);
  });
  return true;
}

// ---- copies

std::optional<Barriers::Arrival> Barriers::announce(Warp& w, int index, int lane) {
  const PlanLeaf& leaf = plan_.leaves[index];
  const auto number = numberOf(w, plan_.barriers[leaf.barrier], lane, leaf.span);
  const std::size_t thread = threadOf(w, lane);
  if (!number || !ready(*number, thread, leaf.span, "issues a copy that arrives at")) return std::nullopt;
  const Barrier& b = barriers_[*number];
  if (now_.clocks.knows(thread, b.maker, b.made) && !now_.clocks.knowsAsync(thread, b.maker, b.made))
    report(leaf.span, thread, 7,
           fmt::format("issues a copy that arrives at {}, but no fence.async follows its mbarrier.init: copies access "
                       "shared memory through the async proxy",
                       nameOf(*number)));
  Arrival out{*number, thread, 0, leaf.atom.box->bytes};
  while (knowsPhase(*number, thread, out.phases + 1)) ++out.phases;
  if (observer_ == nullptr) return out;
  const int loop = observer_->loopOfLeaf(index);
  out.iteration = loop < 0 ? 0 : w.columns.loop(loop)[lane];
  observer_->signal({.kind = Signal::Kind::Issue,
                     .barrier = *number,
                     .thread = w.thread(lane),
                     .leaf = index,
                     .iteration = out.iteration});
  return out;
}

i64 Barriers::land(const Arrival& arrival, int leaf) {
  Barrier& b = barriers_[arrival.barrier];
  const i64 phase = b.phase;
  if (arrival.phases < phase)
    report(plan_.leaves[leaf].span, arrival.thread, 8,
           fmt::format("issues a copy that arrives at {} in phase {}, possibly before phase {} has ended: the thread "
                       "has not waited for it",
                       nameOf(arrival.barrier), phase, arrival.phases));
  if (observer_ != nullptr)
    observer_->signal({.kind = Signal::Kind::Land,
                       .barrier = arrival.barrier,
                       .thread = static_cast<i64>(arrival.thread),
                       .phase = phase,
                       .leaf = leaf,
                       .iteration = arrival.iteration});
  b.bytes -= arrival.bytes;
  b.landed = phase + 1;
  complete(arrival.barrier);
  return phase;
}

// ---- findings

void Barriers::reportStuck(std::vector<Warp>& warps) {
  Span span;
  std::string reported;
  std::size_t first = 0;
  std::vector<std::size_t> said;  // barriers reported
  for (Warp& w : warps) {
    if (w.status != Warp::Status::Blocked) continue;
    const PlanStep& step = plan_.steps[w.pc];
    const PlanBarrier& b = plan_.barriers[step.index];
    for (const int lane : lanesIn(w.mask)) {
      const auto number = numberOf(w, b, lane, step.span);
      if (!number || w.columns(b.value)[lane] != barriers_[*number].phase) continue;
      if (said.size() < 3 && std::ranges::find(said, *number) == said.end()) {
        if (said.empty()) {
          span = step.span;
          first = threadOf(w, lane);
        }
        reported += said.empty() ? "" : fmt::format("; thread {} ", w.thread(lane));
        reported += waitText(*number);
        said.push_back(*number);
      }
      break;
    }
  }
  if (!said.empty()) report(span, first, 9, std::move(reported));
}

// "waits for phase 2 of %full[1] forever: 1 of 1 arrivals and 4096 bytes are missing"
std::string Barriers::waitText(std::size_t number) const {
  const Barrier& at = barriers_[number];
  std::string missing = fmt::format("{} of {} arrivals", at.arrivals, at.count);
  if (at.bytes > 0) missing += fmt::format(" and {} bytes", at.bytes);
  missing += " are missing";
  if (at.bytes < 0) missing += fmt::format(", and {} bytes arrived that no thread expected", -at.bytes);
  return fmt::format("waits for phase {} of {} forever: {}", at.phase, nameOf(number), missing);
}

std::string Barriers::nameOf(std::size_t number) const {
  for (const Root& root : plan_.roots) {
    const i64 place = static_cast<i64>(number) - root.barriers;
    if (root.barriers < 0 || place < 0 || place >= root.places) continue;
    return root.places == 1 ? "%" + root.tensor.name : fmt::format("%{}[{}]", root.tensor.name, place);
  }
  return "a barrier";
}

void Barriers::report(Span span, std::size_t thread, int kind, std::string message) {
  if (findings_.knownStep(2 + kind, span)) return;
  findings_.fault(span, {span, now_.block, static_cast<i64>(thread), {}},
                  kind == 10 ? std::move(message) : fmt::format("thread {} {}", thread, message));
}

void Barriers::reportLeftOver() {
  for (std::size_t k = 0; k < barriers_.size(); ++k) {
    const Barrier& b = barriers_[k];
    if (b.landed <= b.seen) continue;
    for (const PlanLeaf& leaf : plan_.leaves)
      if (leaf.atom.box && nameOf(k).starts_with("%" + plan_.roots[plan_.barriers[leaf.barrier].root].tensor.name)) {
        report(leaf.span, 0, 10,
               fmt::format("no thread waits for phase {} of {}: its copies may land after the block has ended",
                           b.landed - 1, nameOf(k)));
        break;
      }
  }
}

}  // namespace tessera::graphene
