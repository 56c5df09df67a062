// Barriers that count arrivals (mbarrier): which warps may proceed, and the order this establishes. Copies:
// machine_bulk.h.
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
// Source: PTX ISA, mbarrier (phases, tx-count), memory consistency model. Included by machine.cpp only.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "solver/emulate/machine.h"

namespace tessera::graphene {

template <class D>
void Machine<D>::beginBarriers(std::size_t threads) {
  const auto count = static_cast<std::size_t>(plan_.barrierCount);
  if (count > 0) now_.clocks.begin(threads, count);
  barriers_.assign(count, {});
  copies_.clear();
}

// ---- order

// `other` is not ordered before what `thread` does now.
template <class D>
bool Machine<D>::apart(const Tag& other, const Tag& me, std::size_t thread) const {
  if (!now_.clocks.active()) return unordered(other, me);
  if (other.leaf < 0) return false;
  if (other.block != me.block) return true;
  const std::size_t agent =
      other.epoch == 0 ? std::size_t{other.thread} : now_.clocks.agentOf(static_cast<std::size_t>(other.epoch) - 1);
  return !now_.clocks.knows(thread, agent, other.phase);
}

// The access that a write is not ordered after, or null.
template <class D>
const Tag* Machine<D>::clash(Store& store, const Spot& spot, std::size_t thread) {
  Shadow& shadow = store.shadow.at(spot.place);
  if (!now_.clocks.active()) return shadow.writeClash(spot.me);
  if (apart(shadow.write, spot.me, thread)) return &shadow.write;
  const auto readers = store.readers.find(spot.place);
  if (readers == store.readers.end()) return nullptr;
  for (const Tag& reader : readers->second) {
    if (!apart(reader, spot.me, thread)) continue;
    shadow.read = reader;  // where the report is read from
    store.readers.erase(readers);
    return &shadow.read;
  }
  store.readers.erase(readers);
  return nullptr;
}

// Keeps every reader that no later one is ordered after, since a counting barrier may order any subset of them.
template <class D>
void Machine<D>::noteReader(Store& store, i64 place, const Tag& me, std::size_t thread) {
  if (!now_.clocks.active()) return store.shadow.at(place).noteRead(me);
  std::vector<Tag>& readers = store.readers[place];
  std::erase_if(readers, [&](const Tag& other) { return !apart(other, me, thread); });
  readers.push_back(me);
}

template <class D>
void Machine<D>::meetLanes(const Warp& w) {
  if (!now_.clocks.active()) return;
  std::vector<std::size_t> threads;
  for (const int lane : lanesIn(w.mask)) threads.push_back(threadOf(w, lane));
  now_.clocks.meet(threads);
}

// ---- statements

template <class D>
auto Machine<D>::barrierAt(Warp& w, const PlanBarrier& b, int lane, Span span) -> std::optional<std::size_t> {
  const Root& root = plan_.roots[b.root];
  const i64 place = w.columns(b.offset)[lane];
  if (place >= 0 && place < root.places) return static_cast<std::size_t>(root.barriers + place);
  reportBarrier(span, threadOf(w, lane), 0,
                fmt::format("names barrier {} of %{}, which has {}", place, root.tensor.name, root.places));
  return std::nullopt;
}

// Checks that the thread is ordered after the initialisation.
template <class D>
bool Machine<D>::ready(const Barrier& b, std::size_t number, std::size_t thread, Span span, const char* does) {
  if (b.count == 0) {
    reportBarrier(span, thread, 1, fmt::format("{} {} before anybody has initialised it", does, nameOfBarrier(number)));
    return false;
  }
  if (now_.clocks.knows(thread, b.maker, b.made)) return true;
  reportBarrier(span, thread, 1,
                fmt::format("{} {}, and nothing orders its mbarrier.init, by thread {}, before that", does,
                            nameOfBarrier(number), b.maker));
  return true;
}

template <class D>
bool Machine<D>::barrier(Warp& w, const PlanStep& step) {
  const PlanBarrier& b = plan_.barriers[step.index];
  if (b.op == Mbarrier::Op::Wait) return waitFor(w, step);
  for (const int lane : lanesIn(w.mask)) {
    const auto number = barrierAt(w, b, lane, step.span);
    if (!number) continue;
    if (b.op == Mbarrier::Op::Init)
      initialise(*number, threadOf(w, lane), w.columns(b.value)[lane], step.span);
    else
      arrive(*number, threadOf(w, lane), b.bytes, step.span);
  }
  return true;
}

template <class D>
void Machine<D>::initialise(std::size_t number, std::size_t thread, i64 count, Span span) {
  Barrier& b = barriers_[number];
  if (b.count != 0)
    return reportBarrier(
        span, thread, 2,
        fmt::format("initialises {}, which thread {} has initialised", nameOfBarrier(number), b.maker));
  b.count = b.arrivals = count;
  b.maker = thread;
  b.made = now_.clocks.now(thread);
  b.open = b.over = now_.clocks.nothing();
}

template <class D>
void Machine<D>::arrive(std::size_t number, std::size_t thread, i64 bytes, Span span) {
  Barrier& b = barriers_[number];
  if (!ready(b, number, thread, span, "arrives at")) return;
  if (b.phase > 0 && !now_.clocks.knows(thread, now_.clocks.agentOf(number), static_cast<std::uint32_t>(b.phase - 1)))
    reportBarrier(
        span, thread, 3,
        fmt::format("arrives at {} in phase {}, and may do so while phase {} goes on: it has not waited for it",
                    nameOfBarrier(number), b.phase, b.phase - 1));
  if (b.arrivals == 0)
    return reportBarrier(span, thread, 4,
                         fmt::format("arrives at {} in phase {}, whose {} arrivals are all there",
                                     nameOfBarrier(number), b.phase, b.count));
  b.bytes += bytes;
  now_.clocks.release(thread, b.open);
  --b.arrivals;
  complete(number);
}

// Ends the phase if nothing is missing.
template <class D>
void Machine<D>::complete(std::size_t number) {
  Barrier& b = barriers_[number];
  if (b.arrivals != 0 || b.bytes != 0) return;
  for (const Visit& v : b.visits) {
    if (v.clock < b.open.known[v.thread]) continue;
    reportBarrier(
        v.span, v.thread, 5,
        fmt::format("waits for phase {} of {}, and phase {} may end before it does: nothing that phase {} waits for "
                    "comes after this wait",
                    b.phase - 1, nameOfBarrier(number), b.phase, b.phase));
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

template <class D>
bool Machine<D>::mustWait(Warp& w, const PlanStep& step) {
  const PlanBarrier& b = plan_.barriers[step.index];
  for (const int lane : lanesIn(w.mask)) {
    const auto number = barrierAt(w, b, lane, step.span);
    if (number && barriers_[*number].count != 0 && w.columns(b.value)[lane] == barriers_[*number].phase) return true;
  }
  return false;
}

template <class D>
void Machine<D>::checkWait(std::size_t number, std::size_t thread, i64 phase, Span span) {
  const Barrier& b = barriers_[number];
  const std::string name = nameOfBarrier(number);
  if (phase < -1) return reportBarrier(span, thread, 6, fmt::format("waits for phase {} of {}", phase, name));
  if (phase > 0 && !now_.clocks.knows(thread, now_.clocks.agentOf(number), static_cast<std::uint32_t>(phase - 1)))
    return reportBarrier(
        span, thread, 6,
        fmt::format("waits for phase {} of {}, and may do so before phase {} has ended: a wait asks for a "
                    "parity, and that of phase {} would do",
                    phase, name, phase - 1, phase - 2));
  if (phase + 1 < b.phase)
    reportBarrier(
        span, thread, 6,
        fmt::format("waits for phase {} of {}, and phase {} has ended too: a wait asks for a parity, and it would "
                    "wait for the next but one",
                    phase, name, b.phase - 1));
}

template <class D>
bool Machine<D>::waitFor(Warp& w, const PlanStep& step) {
  const PlanBarrier& b = plan_.barriers[step.index];
  const LaneValues& phases = w.columns(b.value);
  const auto each = [&](auto&& visit) {
    for (const int lane : lanesIn(w.mask)) {
      const auto number = barrierAt(w, b, lane, step.span);
      if (number && ready(barriers_[*number], *number, threadOf(w, lane), step.span, "waits for"))
        visit(*number, threadOf(w, lane), phases[lane]);
    }
  };
  each([&](std::size_t number, std::size_t thread, i64 phase) { checkWait(number, thread, phase, step.span); });
  if (mustWait(w, step)) {
    --w.pc;
    w.status = Status::Blocked;
    return false;
  }
  each([&](std::size_t number, std::size_t thread, i64 phase) {
    Barrier& at = barriers_[number];
    now_.clocks.acquire(thread, at.over);
    if (phase + 1 == at.phase) at.visits.push_back({thread, now_.clocks.now(thread), step.span});
    at.seen = std::max(at.seen, phase + 1);
  });
  return true;
}

// ---- a block

// Called when every warp has ended or waits for a phase or at `sync`. Returns false if the block is over.
template <class D>
bool Machine<D>::goOn(std::mt19937_64& random) {
  bool any = false, blocked = false, done = true;
  for (Warp& w : warps_) {
    if (w.status == Status::Blocked && !mustWait(w, plan_.steps[w.pc])) {
      w.status = Status::Ready;
      any = true;
    }
    blocked = blocked || w.status == Status::Blocked;
    done = done && w.status == Status::Done;
  }
  const bool early = any && options_.seed != 0 && random() % 2 == 0;
  if (!copies_.empty() && (!any || early)) {
    const std::size_t which = options_.seed == 0 ? 0 : random() % copies_.size();
    landBulk(which);
    return true;
  }
  if (any) return true;
  if (blocked) {
    stuck();
    return false;
  }
  sameProducts();
  if (done) {
    leftOver();
    return false;
  }
  meet();
  return true;
}

// Part of a blocked warp is elsewhere. True if a statement ahead of those threads could end the wait; they are not
// simulated.
template <class D>
bool Machine<D>::othersMayHelp(const Warp& w) const {
  const PlanSpec& kernel = plan_.specs[now_.kernel];
  std::vector<std::size_t> open;  // enclosing statements, one per entry of w.masks
  for (std::size_t s = kernel.begin; s < w.pc; ++s) {
    const PlanStep::Code code = plan_.steps[s].code;
    if (code == PlanStep::Code::If || code == PlanStep::Code::Loop) open.push_back(s);
    if (code == PlanStep::Code::EndIf || code == PlanStep::Code::EndLoop) open.pop_back();
  }
  std::size_t from = kernel.begin;
  for (std::size_t k = 0; k < open.size() && k < w.masks.size(); ++k) {
    const PlanStep& around = plan_.steps[open[k]];
    if ((k + 1 < w.masks.size() ? w.masks[k + 1].first : w.mask) == w.live) {
      if (around.code == PlanStep::Code::Loop) break;  // the loop may be repeated
      continue;
    }
    if (around.code == PlanStep::Code::If) from = w.pc < around.target ? around.target : open[k];
    break;
  }
  for (std::size_t s = from; s < kernel.end; ++s) {
    const PlanStep& step = plan_.steps[s];
    const auto index = static_cast<std::size_t>(step.index);
    if (step.code == PlanStep::Code::Leaf && plan_.leaves[index].atom.box) return true;
    if (step.code == PlanStep::Code::Barrier && plan_.barriers[index].op != Mbarrier::Op::Wait) return true;
  }
  return false;
}

// No warp can proceed, and no copy is in flight.
template <class D>
void Machine<D>::stuck() {
  for (Warp& w : warps_) {
    if (w.status != Status::Blocked) continue;
    if (w.mask != w.live && othersMayHelp(w))
      return findings_.halt("part of a warp waits for a phase: which of its threads go on first is not followed");
  }
  Span span;
  std::string told;
  std::size_t first = 0;
  std::vector<std::size_t> said;  // barriers reported
  for (Warp& w : warps_) {
    if (w.status != Status::Blocked) continue;
    const PlanStep& step = plan_.steps[w.pc];
    const PlanBarrier& b = plan_.barriers[step.index];
    for (const int lane : lanesIn(w.mask)) {
      const auto number = barrierAt(w, b, lane, step.span);
      if (!number || w.columns(b.value)[lane] != barriers_[*number].phase) continue;
      if (said.size() < 3 && std::find(said.begin(), said.end(), *number) == said.end()) {
        if (said.empty()) {
          span = step.span;
          first = threadOf(w, lane);
        }
        told += said.empty() ? "" : fmt::format("; thread {} ", threadOf(w, lane));
        told += waitText(*number);
        said.push_back(*number);
      }
      break;
    }
  }
  if (!said.empty()) reportBarrier(span, first, 9, std::move(told));
}

// "waits for phase 2 of %full[1] for ever: 1 of 1 arrivals and 4096 bytes are missing"
template <class D>
std::string Machine<D>::waitText(std::size_t number) const {
  const Barrier& at = barriers_[number];
  std::string missing = fmt::format("{} of {} arrivals", at.arrivals, at.count);
  if (at.bytes > 0) missing += fmt::format(" and {} bytes", at.bytes);
  missing += " are missing";
  if (at.bytes < 0) missing += fmt::format(", and {} bytes arrived that no thread expected", -at.bytes);
  return fmt::format("waits for phase {} of {} for ever: {}", at.phase, nameOfBarrier(number), missing);
}

// ---- findings

template <class D>
std::string Machine<D>::nameOfBarrier(std::size_t number) const {
  for (const Root& root : plan_.roots) {
    const i64 place = static_cast<i64>(number) - root.barriers;
    if (root.barriers < 0 || place < 0 || place >= root.places) continue;
    return root.places == 1 ? "%" + root.tensor.name : fmt::format("%{}[{}]", root.tensor.name, place);
  }
  return "a barrier";
}

template <class D>
void Machine<D>::reportBarrier(Span span, std::size_t thread, int kind, std::string message) {
  if (findings_.knownStep(2 + kind, span)) return;
  findings_.fault(span, {span, now_.block, static_cast<i64>(thread), {}},
                  kind == 10 ? std::move(message) : fmt::format("thread {} {}", thread, message));
}

}  // namespace tessera::graphene
