#include "solver/emulate/machine/scheduler.h"

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "solver/emulate/guards/guarded_values.h"
#include "solver/emulate/machine/value_store.h"

namespace tessera::graphene {
namespace {

using Status = Warp::Status;

constexpr std::size_t kMaxTracked = std::size_t{1} << 30;

void addThreads(const Warp& w, std::vector<std::size_t>& threads) {
  for (const int lane : lanesIn(w.mask)) threads.push_back(static_cast<std::size_t>(w.thread(lane)));
}

Lanes condition(Warp& w, const std::vector<PlanComparison>& all) {
  Lanes out = ~Lanes{0};
  for (const PlanComparison& c : all) {
    if (c.guard >= 0) continue;
    const LaneValues &left = w.columns(c.left), &right = w.columns(c.right);
    for (int lane = 0; lane < kLanes; ++lane)
      if (!comparisonHolds(left[lane], c.op, right[lane])) out &= ~(Lanes{1} << lane);
  }
  return out;
}

// The sizes at which left op unit * size.
Boxes::Span sizesOf(const PlanComparison& c, i64 left) {
  if (c.op == "<") return {floorDiv(left, c.unit) + 1, INT64_MAX};
  if (c.op == "<=") return {ceilDiv(left, c.unit), INT64_MAX};
  return {1, c.op == ">" ? ceilDiv(left, c.unit) - 1 : floorDiv(left, c.unit)};
}

}  // namespace

// ---- runs

void Scheduler::runKernel(const PlanSpec& kernel, i64 block) {
  beginBlock(plan_, kernel, cells_);
  begin(kernel.kernel, block, {});
  for (Warp& w : warps_) {
    w.pc = kernel.begin;
    for (std::size_t r = 0; r < plan_.roots.size(); ++r) w.instance[r] = plan_.roots[r].operand ? 1 : 0;
  }
  finish(kernel.end);
}

void Scheduler::runSpec(const PlanSpec& spec, i64 block, std::span<const i64> loops, std::span<const char> enabled) {
  beginSpec(cells_);
  begin(spec.kernel, block, enabled);
  for (Warp& w : warps_) {
    w.pc = spec.begin;
    for (std::size_t l = 0; l < plan_.loops.size() && l < loops.size(); ++l)
      w.columns.loop(static_cast<int>(l)).fill(loops[l]);
  }
  finish(spec.end);
}

void Scheduler::begin(int kernel, i64 block, std::span<const char> enabled) {
  now_.block = block;
  now_.phase = 0;
  now_.kernel = kernel;
  const i64 threads = plan_.specs[kernel].threads;
  warps_.resize(static_cast<std::size_t>((threads + kLanes - 1) / kLanes));
  products_.begin(warps_.size());
  barriers_.begin(static_cast<std::size_t>(threads));
  instructions_.begin(warps_.size());
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    Warp& w = warps_[i];
    w.index = static_cast<int>(i);
    w.live = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::size_t thread = i * kLanes + static_cast<std::size_t>(lane);
      const bool on =
          static_cast<i64>(thread) < threads && (enabled.empty() || (thread < enabled.size() && enabled[thread] != 0));
      if (on) w.live |= Lanes{1} << lane;
    }
    w.mask = w.live;
    w.masks.clear();
    w.status = w.live == 0 ? Status::Done : Status::Ready;
    w.epoch = 0;
    w.columns.begin(plan_, block, static_cast<i64>(i) * kLanes);
    w.instance.assign(plan_.roots.size(), 1);
    w.noted = 0;
    w.guards = guards_;
    w.box.fill(Boxes::kAll);
    w.boxes.clear();
  }
}

void Scheduler::finish(std::size_t end) {
  std::vector<std::size_t> order(warps_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(options_.seed + static_cast<u64>(now_.block));
  const auto done = [](const Warp& w) { return w.status == Status::Done; };
  while (!findings_.halted()) {
    if (options_.seed != 0) std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order)
      if (warps_[i].status == Status::Ready) proceed(warps_[i], end);
    if (now_.clocks.active()) {
      if (findings_.halted() || !resume(random)) return;
      continue;
    }
    if (!findings_.halted()) products_.compare(warps_);
    if (findings_.halted() || std::ranges::all_of(warps_, done)) return;
    meet();
  }
}

void Scheduler::proceed(Warp& w, std::size_t end) {
  while (!findings_.halted() && w.status == Status::Ready) {
    if (++steps_ > options_.maxSteps) return findings_.halt("it takes too many steps");
    if ((steps_ & 63) == 0 && options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
      return findings_.halt("cancelled");
    if ((steps_ & 15) == 0 && trackedBytes(cells_) > kMaxTracked)
      return findings_.halt("it accesses too much memory to track races");
    const PlanStep& step = plan_.steps[w.pc];
    if (w.pc == end) {
      w.status = Status::Done;
      return;
    }
    ++w.pc;
    if (w.guards != nullptr && !mayExecute(w, step)) return;
    if (step.code == PlanStep::Code::Leaf) {
      instructions_.execute(w, step.index);
    } else if (!control(w, step)) {
      return;
    }
  }
}

// ---- steps

// What several threads do together, they do at every size.
bool Scheduler::mayExecute(const Warp& w, const PlanStep& step) {
  using Code = PlanStep::Code;
  for (const Code plain :
       {Code::Enter, Code::Exit, Code::Fresh, Code::If, Code::Else, Code::EndIf, Code::Loop, Code::EndLoop, Code::Stop})
    if (step.code == plain) return true;
  const bool alone = step.code == Code::Leaf && plan_.leaves[step.index].group < 0;
  for (const int lane : lanesIn(w.mask)) {
    if (w.box[lane] == Boxes::kAll || (alone && w.box[lane] != kNoBox)) continue;
    findings_.halt(alone ? "an instruction is executed at sizes that are no range"
                         : "a barrier, a commit, a wait or an instruction of several threads is executed only at some "
                           "sizes");
    return false;
  }
  return true;
}

// A lane may execute both parts of a guarded condition, each at some of the sizes.
void Scheduler::guard(Warp& w, const std::vector<PlanComparison>& all) {
  Boxes& boxes = w.guards->boxes();
  const auto before = w.box;
  auto other = w.box;
  Lanes inOther = 0;
  for (const int lane : lanesIn(w.mask)) {
    if (before[lane] == kNoBox) continue;
    for (const PlanComparison& c : all) {
      if (c.guard < 0) continue;
      const Boxes::Span span = sizesOf(c, w.columns(c.left)[lane]);
      const PlanGuard& size = plan_.guards[c.guard];
      const bool changes = span.least > size.most || (span.most >= size.most && span.most < INT64_MAX);
      if (size.more && changes) findings_.halt("a condition changes at sizes beyond a tile");
      w.box[lane] = boxes.narrowed(w.box[lane], c.guard, span);
    }
    if (w.box[lane] == before[lane]) continue;
    const Lanes one = Lanes{1} << lane;
    inOther |= one;
    if (w.box[lane] == Boxes::kEmpty)
      w.mask &= ~one;
    else
      other[lane] = boxes.without(before[lane], w.box[lane]).value_or(kNoBox);
  }
  w.masks.back().second |= inOther;
  w.boxes.push_back({before, other});
}

bool Scheduler::control(Warp& w, const PlanStep& step) {
  switch (step.code) {
    case PlanStep::Code::Enter:
    case PlanStep::Code::Exit:
      return true;
    case PlanStep::Code::Fresh:
      declare(plan_, cells_, now_.block, w, step.index);
      return true;
    case PlanStep::Code::If: {
      const Lanes taken = w.mask & condition(w, plan_.conditions[step.index]);
      w.masks.emplace_back(w.mask, w.mask & ~taken);
      w.mask = taken;
      if (w.guards != nullptr) guard(w, plan_.conditions[step.index]);
      if (w.mask == 0) w.pc = step.target;
      return true;
    }
    case PlanStep::Code::Else:
      w.mask = w.masks.back().second;
      if (w.guards != nullptr) w.box = w.boxes.back()[1];
      if (w.mask == 0) w.pc = step.target;
      return true;
    case PlanStep::Code::EndIf:
      w.mask = w.masks.back().first;
      w.masks.pop_back();
      if (w.guards == nullptr) return true;
      w.box = w.boxes.back()[0];
      w.boxes.pop_back();
      return true;
    case PlanStep::Code::Loop:
    case PlanStep::Code::EndLoop:
      loop(w, step);
      return true;
    case PlanStep::Code::Sync:
      findings_.together(w, step.span, "while others of its warp wait at this barrier");
      w.status = Status::Waiting;
      return false;
    case PlanStep::Code::SyncWarp:
      findings_.together(w, step.span, "while others of its warp wait at this syncwarp");
      ++w.epoch;
      if (now_.clocks.active()) {
        std::vector<std::size_t> together;
        addThreads(w, together);
        now_.clocks.meet(together);
      }
      return true;
    case PlanStep::Code::Commit:
      instructions_.commit(w);
      return true;
    case PlanStep::Code::Wait:
      instructions_.wait(w, step.index);
      return true;
    case PlanStep::Code::ProductFence:
      products_.fence(w, step.span);
      return true;
    case PlanStep::Code::ProductCommit:
      products_.commit(w, step.span);
      return true;
    case PlanStep::Code::ProductWait:
      products_.wait(w, step.span, step.index);
      return true;
    case PlanStep::Code::AsyncFence:
      products_.asyncFence(w);
      return true;
    case PlanStep::Code::Barrier:
      return barriers_.execute(w, step);
    case PlanStep::Code::Leaf:
    case PlanStep::Code::Stop:
      w.status = Status::Done;
      return false;
  }
  return false;
}

void Scheduler::loop(Warp& w, const PlanStep& step) {
  const PlanLoop& row = plan_.loops[step.index];
  const bool entry = step.code == PlanStep::Code::Loop;
  if (entry) w.masks.emplace_back(w.mask, 0);
  if (entry && row.guard >= 0) w.boxes.push_back({w.box, w.box});
  const LaneValues lo = entry ? w.columns(row.lo) : LaneValues{};
  const LaneValues& hi = w.columns(row.hi);
  LaneValues& value = w.columns.loop(step.index);
  Lanes on = 0;
  for (const int lane : lanesIn(w.mask)) {
    value[lane] = entry ? lo[lane] : static_cast<i64>(static_cast<u64>(value[lane]) + static_cast<u64>(row.step));
    if (value[lane] >= hi[lane]) continue;
    on |= Lanes{1} << lane;
    if (row.guard < 0 || w.boxes.back()[0][lane] == kNoBox) continue;
    // The sizes at which the loop has this step.
    const auto first = std::ranges::upper_bound(row.ends, value[lane]) - row.ends.begin() + 1;
    w.box[lane] = w.guards->boxes().narrowed(w.boxes.back()[0][lane], row.guard, {first, INT64_MAX});
    if (w.box[lane] == Boxes::kEmpty) on &= ~(Lanes{1} << lane);
  }
  w.columns.stepped(step.index);
  w.mask = on;
  if (on != 0) {
    if (!entry) w.pc = step.target;
    return;
  }
  w.mask = w.masks.back().first;
  w.masks.pop_back();
  if (row.guard >= 0) {
    w.box = w.boxes.back()[0];
    w.boxes.pop_back();
  }
  if (entry) w.pc = step.target;
}

// ---- barriers

// Every warp waits or has ended: those that wait proceed together. With divergent barriers, a device would hang here.
void Scheduler::meet() {
  const auto first = std::ranges::find(warps_, Status::Waiting, &Warp::status);
  const PlanStep& at = plan_.steps[first->pc - 1];
  for (Warp& w : warps_) {
    const bool same = w.live == 0 || (w.status == Status::Waiting && w.pc == first->pc);
    if (!same) findings_.absent(w, at.span, w.live, "while others wait at this barrier");
  }
  ++now_.phase;
  std::vector<std::size_t> together;
  for (Warp& w : warps_) {
    if (w.status != Status::Waiting) continue;
    addThreads(w, together);
    w.status = Status::Ready;
    w.epoch = 0;
  }
  if (now_.clocks.active()) now_.clocks.meet(together);
}

// Called when every warp has ended or waits for a phase or at `sync`. Returns false if the block is over.
bool Scheduler::resume(std::mt19937_64& random) {
  bool any = false, blocked = false, done = true;
  for (Warp& w : warps_) {
    if (w.status == Status::Blocked && !barriers_.mustWait(w, plan_.steps[w.pc])) {
      w.status = Status::Ready;
      any = true;
    }
    blocked = blocked || w.status == Status::Blocked;
    done = done && w.status == Status::Done;
  }
  const bool early = any && options_.seed != 0 && random() % 2 == 0;
  const std::size_t copies = instructions_.bulkCopies();
  if (copies != 0 && (!any || early)) {
    instructions_.land(options_.seed == 0 ? 0 : random() % copies);
    return true;
  }
  if (any) return true;
  if (blocked) {
    reportStuck();
    return false;
  }
  products_.compare(warps_);
  if (done) {
    barriers_.reportLeftOver();
    return false;
  }
  meet();
  return true;
}

// No warp can proceed, and no copy is in flight.
void Scheduler::reportStuck() {
  for (const Warp& w : warps_)
    if (w.status == Status::Blocked && w.mask != w.live && othersMayHelp(w))
      return findings_.halt(
          "part of a warp waits for a phase: the emulator does not model which of its threads proceed first");
  barriers_.reportStuck(warps_);
}

// Part of a blocked warp is elsewhere. True if a statement ahead of those threads could end the wait; they are not
// simulated.
bool Scheduler::othersMayHelp(const Warp& w) const {
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
    if (step.code == PlanStep::Code::Leaf && plan_.leaves[step.index].atom.box) return true;
    if (step.code == PlanStep::Code::Barrier && plan_.barriers[step.index].op != Mbarrier::Op::Wait) return true;
  }
  return false;
}

}  // namespace tessera::graphene
