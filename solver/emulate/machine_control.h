// Control flow of a machine: warps, masks, loops, barriers and fresh storage. Included by machine.cpp only.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "solver/emulate/machine.h"
#include "solver/emulate/slots.h"

namespace tessera::graphene {

inline bool holdsComparison(i64 a, const std::string& op, i64 b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return op == "==" ? a == b : a != b;
}

template <class D>
Machine<D>::Machine(const Plan& plan, D& domain, MachineOptions options)
    : plan_(plan), domain_(domain), options_(options), stores_(plan.roots.size()), counts_(plan.leaves.size()) {
  for (std::size_t r = 0; r < plan.roots.size(); ++r) domain_.describe(static_cast<int>(r), plan.roots[r].type);
  for (const PlanLeaf& leaf : plan.leaves) {
    operations_.push_back(domain_.operation(leaf.atom.operation));
    conversions_.push_back(conversionOf(leaf));
  }
  std::vector<char> declared(plan.roots.size(), 0);
  for (const PlanStep& s : plan.steps)
    if (s.code == PlanStep::Code::Fresh) declared[s.index] = 1;
  for (std::size_t r = 0; r < plan.roots.size(); ++r) {
    const Root& root = plan.roots[r];
    const auto size = static_cast<std::size_t>(root.places * root.copies);
    stores_[r].tracked = root.memory != Memory::Register && root.written;
    stores_[r].values.assign(size, D::undefined());
    if (stores_[r].tracked) stores_[r].shadow.resize(root.places * root.copies);
    if (root.sums) stores_[r].sums.assign(size, kFenced);
    if (declared[r] != 0) stores_[r].defined.assign(size, 0);
  }
  reset();
}

template <class D>
auto Machine<D>::conversionOf(const PlanLeaf& leaf) -> Conversion {
  Conversion out;
  const auto typeOf = [&](std::size_t k) -> const NumberFormat& {
    return plan_.roots[static_cast<std::size_t>(leaf.operands[k].root)].type;
  };
  const Root& to = plan_.roots[static_cast<std::size_t>(leaf.operands[0].root)];
  const bool copies = leaf.atom.function == AtomFunction::Copy && leaf.operands.size() > 1;
  out.integers = leaf.operands.size() > 1;
  for (std::size_t k = 1; k < leaf.operands.size(); ++k) out.integers = out.integers && typeOf(k).precision == 0;
  if (leaf.atom.function == AtomFunction::MultiplyAdd) out.integers = out.integers && to.type.precision == 0;
  out.from = copies || out.integers ? typeOf(1) : NumberFormat{64, 53, -1022, 1023};
  if (D::kRounds) {
    out.needed = !copies || !(out.from == to.type);
  } else if (!out.integers || copies || to.type.precision > 0) {  // over the integers (terms) arithmetic does not wrap
    out.operation = domain_.conversion(out.from, to.type, to.tensor.element);
    out.needed = out.operation >= 0;
  }
  return out;
}

template <class D>
void Machine<D>::reset() {
  for (std::size_t r = 0; r < plan_.roots.size(); ++r) {
    const Root& root = plan_.roots[r];
    Store& store = stores_[r];
    store.shadow.clear();
    std::fill(store.defined.begin(), store.defined.end(), root.operand ? 1 : 0);
    if (root.operand) std::fill(store.values.begin(), store.values.end(), D::absent());
  }
}

template <class D>
void Machine<D>::fill(int root, const Fill& value) {
  const Root& r = plan_.roots[root];
  const i64 threads = r.memory == Memory::Register ? plan_.threads : 1;
  for (i64 c = 0; c < r.copies; ++c)
    for (i64 a = 0; a < r.places; ++a)
      stores_[root].values[static_cast<std::size_t>(c * r.places + a)] = value(c / threads, c % threads, a);
}

template <class D>
void Machine<D>::set(int root, i64 block, i64 thread, i64 address, Value value) {
  const Root& r = plan_.roots[root];
  if (address < 0 || address >= r.places) return;
  const auto at = static_cast<std::size_t>(copyOf(plan_, r, block, thread) * r.places + address);
  Store& store = stores_[root];
  store.values[at] = value;
  if (!store.defined.empty()) store.defined[at] = 1;
}

template <class D>
auto Machine<D>::value(int root, i64 block, i64 thread, i64 address) const -> std::optional<Value> {
  const Root& r = plan_.roots[root];
  if (address < 0 || address >= r.places) return std::nullopt;
  const auto at = static_cast<std::size_t>(copyOf(plan_, r, block, thread) * r.places + address);
  const Store& store = stores_[root];
  if (!store.defined.empty() && store.defined[at] == 0) return std::nullopt;
  const Value found = store.values[at];
  if (D::kLazy && found == D::absent()) return domain_.input(root, copyOf(plan_, r, block, thread), address);
  return found;
}

// ---- runs

template <class D>
void Machine<D>::run() {
  for (const int k : plan_.kernels) {
    if (findings_.halted()) return;
    runKernel(k);
  }
}

template <class D>
void Machine<D>::runKernel(int kernel) {
  const PlanSpec& spec = plan_.specs[kernel];
  for (std::size_t r = 0; r < stores_.size(); ++r) {
    stores_[r].shadow.clear();  // a kernel launch orders everything
    stores_[r].readers.clear();
    stores_[r].writes.clear();
  }
  std::vector<i64> blocks(static_cast<std::size_t>(spec.blocks));
  std::iota(blocks.begin(), blocks.end(), i64{0});
  if (options_.seed != 0) std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(options_.seed));
  for (const i64 b : blocks) {
    if (findings_.halted()) return;
    runBlock(kernel, b);
  }
  if (!findings_.halted()) coverage(kernel);
}

template <class D>
void Machine<D>::runBlock(int kernel, i64 block) {
  const PlanSpec& spec = plan_.specs[kernel];
  for (int k = 0; k < spec.outputs; ++k) {
    Store& store = stores_[static_cast<std::size_t>(spec.operands[k].root)];
    if (store.writes.empty()) store.writes.assign(store.values.size(), 0);
  }
  for (std::size_t r = 0; r < stores_.size(); ++r) {
    if (plan_.roots[r].operand) continue;
    std::fill(stores_[r].defined.begin(), stores_[r].defined.end(), 0);
    stores_[r].shadow.clear();
    stores_[r].readers.clear();
  }
  for (Store& store : stores_) std::fill(store.sums.begin(), store.sums.end(), kTouched);
  begin(kernel, block, {});
  for (Warp& w : warps_) {
    w.pc = spec.begin;
    for (std::size_t r = 0; r < plan_.roots.size(); ++r) w.instance[r] = plan_.roots[r].operand ? 1 : 0;
  }
  finish(spec.end);
}

template <class D>
void Machine<D>::runSpec(int index, i64 block, std::span<const i64> loops, std::span<const char> enabled) {
  const PlanSpec& spec = plan_.specs[index];
  for (Store& store : stores_) {
    store.shadow.clear();
    store.readers.clear();
    std::fill(store.sums.begin(), store.sums.end(), kFenced);  // assume that the caller has fenced
  }
  begin(spec.kernel, block, enabled);
  for (Warp& w : warps_) {
    w.pc = spec.begin;
    for (std::size_t l = 0; l < plan_.loops.size() && l < loops.size(); ++l)
      w.columns.loop(static_cast<int>(l)).fill(loops[l]);
  }
  finish(spec.end);
}

template <class D>
void Machine<D>::begin(int kernel, i64 block, std::span<const char> enabled) {
  now_.block = block;
  now_.phase = 0;
  now_.kernel = kernel;
  const i64 threads = plan_.specs[kernel].threads;
  warps_.resize(static_cast<std::size_t>((threads + kLanes - 1) / kLanes));
  inFlight_.assign(warps_.size(), {});
  beginBarriers(static_cast<std::size_t>(threads));
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
  }
}

template <class D>
void Machine<D>::finish(std::size_t end) {
  std::vector<std::size_t> order(warps_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(options_.seed + static_cast<u64>(now_.block));
  const auto done = [](const Warp& w) { return w.status == Status::Done; };
  while (!findings_.halted()) {
    if (options_.seed != 0) std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order)
      if (warps_[i].status == Status::Ready) proceed(warps_[i], end);
    if (now_.clocks.active()) {
      if (findings_.halted() || !goOn(random)) return;
      continue;
    }
    if (!findings_.halted()) sameProducts();
    if (findings_.halted() || std::all_of(warps_.begin(), warps_.end(), done)) return;
    meet();
  }
}

template <class D>
void Machine<D>::proceed(Warp& w, std::size_t end) {
  while (!findings_.halted() && w.status == Status::Ready) {
    if (++steps_ > options_.maxSteps) return findings_.halt("it takes too many steps");
    if ((steps_ & 63) == 0 && options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
      return findings_.halt("cancelled");
    if ((steps_ & 15) == 0 && trackedBytes() > kMaxTracked)
      return findings_.halt("it touches too much memory to watch for races");
    const PlanStep& step = plan_.steps[w.pc];
    if (w.pc == end) {
      if (options_.observer != nullptr) options_.observer->exit(step.index, now_.block, w.index, w.mask);
      w.status = Status::Done;
      return;
    }
    ++w.pc;
    if (step.code == PlanStep::Code::Leaf) {
      execute(w, step.index);
    } else if (!control(w, step)) {
      return;
    }
  }
}

template <class D>
std::size_t Machine<D>::trackedBytes() const {
  std::size_t pages = 0;
  for (const Store& store : stores_) pages += store.shadow.made();
  return pages * ShadowMap::kPage * sizeof(Shadow);
}

// Every warp waits or has ended: those that wait proceed together. With divergent barriers, a device would hang here.
template <class D>
void Machine<D>::meet() {
  Warp* first = nullptr;
  for (Warp& w : warps_)
    if (first == nullptr && w.status == Status::Waiting) first = &w;
  const PlanStep& at = plan_.steps[first->pc - 1];
  for (Warp& w : warps_) {
    const bool same = w.live == 0 || (w.status == Status::Waiting && w.pc == first->pc);
    if (!same) findings_.absent(w, at.span, w.live, "while others wait at this barrier");
  }
  ++now_.phase;
  std::vector<std::size_t> together;
  for (Warp& w : warps_) {
    if (w.status != Status::Waiting) continue;
    for (const int lane : lanesIn(now_.clocks.active() ? w.mask : 0)) together.push_back(threadOf(w, lane));
    w.status = Status::Ready;
    w.epoch = 0;
  }
  if (now_.clocks.active()) now_.clocks.meet(together);
  if (options_.observer != nullptr) options_.observer->barrier(now_.block, now_.phase);
}

template <class D>
bool Machine<D>::control(Warp& w, const PlanStep& step) {
  switch (step.code) {
    case PlanStep::Code::Enter:
      if (options_.observer != nullptr) options_.observer->enter(step.index, now_.block, w.index, w.mask);
      return true;
    case PlanStep::Code::Exit:
      if (options_.observer != nullptr) options_.observer->exit(step.index, now_.block, w.index, w.mask);
      return true;
    case PlanStep::Code::Fresh:
      fresh(w, step.index);
      return true;
    case PlanStep::Code::If: {
      const Lanes taken = w.mask & condition(w, plan_.conditions[step.index]);
      w.masks.emplace_back(w.mask, taken);
      w.mask = taken;
      if (taken == 0) w.pc = step.target;
      return true;
    }
    case PlanStep::Code::Else:
      w.mask = w.masks.back().first & ~w.masks.back().second;
      if (w.mask == 0) w.pc = step.target;
      return true;
    case PlanStep::Code::EndIf:
      w.mask = w.masks.back().first;
      w.masks.pop_back();
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
      meetLanes(w);
      return true;
    case PlanStep::Code::Commit:
      for (Flight& f : of(w).flights)
        if (f.group < 0 && holds(w.mask, f.lane)) f.group = of(w).groups[f.lane];
      for (Source& s : of(w).sources)
        if (s.group < 0 && holds(w.mask, s.lane)) s.group = of(w).groups[s.lane];
      for (int lane = 0; lane < kLanes; ++lane) of(w).groups[lane] += w.mask >> lane & 1;
      return true;
    case PlanStep::Code::Wait:
      land(w, step.index);
      return true;
    case PlanStep::Code::ProductFence:
      productFence(w, step);
      return true;
    case PlanStep::Code::ProductCommit:
      productCommit(w, step);
      return true;
    case PlanStep::Code::ProductWait:
      productWait(w, step);
      return true;
    case PlanStep::Code::AsyncFence:
      asyncFence(w);
      return true;
    case PlanStep::Code::Barrier:
      return barrier(w, step);
    case PlanStep::Code::Leaf:
    case PlanStep::Code::Stop:
      w.status = Status::Done;
      return false;
  }
  return false;
}

template <class D>
void Machine<D>::loop(Warp& w, const PlanStep& step) {
  const PlanLoop& row = plan_.loops[step.index];
  const bool entry = step.code == PlanStep::Code::Loop;
  if (entry) w.masks.emplace_back(w.mask, 0);
  const LaneValues lo = entry ? w.columns(row.lo) : LaneValues{};
  const LaneValues& hi = w.columns(row.hi);
  LaneValues& value = w.columns.loop(step.index);
  Lanes on = 0;
  for (const int lane : lanesIn(w.mask)) {
    value[lane] = entry ? lo[lane] : static_cast<i64>(static_cast<u64>(value[lane]) + static_cast<u64>(row.step));
    if (value[lane] < hi[lane]) on |= Lanes{1} << lane;
  }
  w.columns.stepped(step.index);
  w.mask = on;
  if (on != 0) {
    if (!entry) w.pc = step.target;
    return;
  }
  w.mask = w.masks.back().first;
  w.masks.pop_back();
  if (entry) w.pc = step.target;
}

template <class D>
Lanes Machine<D>::condition(Warp& w, const std::vector<PlanComparison>& all) {
  Lanes out = ~Lanes{0};
  for (const PlanComparison& c : all) {
    const auto& left = w.columns(c.left);
    const auto& right = w.columns(c.right);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (!holdsComparison(left[lane], c.op, right[lane])) out &= ~(Lanes{1} << lane);
  }
  return out;
}

// ---- storage

template <class D>
void Machine<D>::fresh(Warp& w, int root) {
  const Root& r = plan_.roots[root];
  Store& store = stores_[root];
  if (r.memory == Memory::Shared) ++w.instance[root];
  if (r.memory != Memory::Register) return;
  for (const int lane : lanesIn(w.mask)) {
    const auto from = store.defined.begin() + copyOf(plan_, r, now_.block, w.thread(lane)) * r.places;
    std::fill(from, from + r.places, 0);
  }
}

// Completes the copies of all but the newest `pending` groups.
template <class D>
void Machine<D>::land(Warp& w, int pending) {
  std::size_t kept = 0;
  for (Flight& f : of(w).flights) {
    if (!arrived(w, f.lane, f.group, pending)) {
      if (&of(w).flights[kept] != &f) of(w).flights[kept] = std::move(f);
      ++kept;
      continue;
    }
    const auto root = static_cast<std::size_t>(plan_.leaves[f.leaf].operands[0].root);
    Store& store = stores_[root];
    const Tag me = tagOf(now_, w, f.leaf, f.lane);
    for (const auto& [place, value] : f.places) {
      store.values[place] = value;
      if (!store.defined.empty()) store.defined[place] = w.instance[root];
      Shadow& shadow = store.shadow.at(place);
      shadow.write = me;
      shadow.flying = false;
      notePlain(w, static_cast<int>(root), place, f.lane);
    }
  }
  of(w).flights.resize(kept);
  release(w, pending);
}

// The sources of these copies may be overwritten: by their threads, and by others after a barrier.
template <class D>
void Machine<D>::release(Warp& w, int pending) {
  std::erase_if(of(w).sources, [&](const Source& s) {
    if (!arrived(w, s.lane, s.group, pending)) return false;
    Store& store = stores_[s.root];
    Shadow& shadow = store.shadow.at(s.place);
    const Tag me = tagOf(now_, w, s.leaf, s.lane);
    --shadow.copies;
    if (now_.clocks.active())
      noteReader(store, s.place, me, threadOf(w, s.lane));
    else
      shadow.noteRead(me);
    return true;
  });
}

template <class D>
bool Machine<D>::dependsOnBlock(int column, i64 blocks) const {
  const i64 first = valueOf(plan_, column, 0, 0, {});
  for (i64 b = 1; b < blocks; ++b)
    if (valueOf(plan_, column, b, 0, {}) != first) return true;
  return false;
}

// O4 of a kernel.
template <class D>
void Machine<D>::coverage(int kernel) {
  const PlanSpec& spec = plan_.specs[kernel];
  for (int k = 0; k < spec.outputs; ++k) {
    const PlanOperand& op = spec.operands[k];
    const Root& root = plan_.roots[op.root];
    const Store& store = stores_[op.root];
    auto slots = slotsOf(spec.spec->outputs[k]);
    if (!slots) slots = slotsOf(root.tensor);  // a size is symbolic; the operand's own sizes are constants
    if (!slots || store.writes.empty()) continue;
    // A kernel's output can be indexed by the block; then each block has its own part.
    const bool one = root.memory == Memory::Global && !dependsOnBlock(op.offset, spec.blocks);
    const i64 blocks = one ? 1 : spec.blocks;
    const i64 threads = root.memory == Memory::Register ? spec.threads : 1;
    i64 missing = 0;
    Finding f;
    for (i64 b = 0; b < blocks; ++b) {
      for (i64 t = 0; t < threads; ++t) {
        const i64 offset = valueOf(plan_, op.offset, b, t, {});
        for (std::size_t s = 0; s < slots->count; ++s) {
          const i64 address = op.swizzle(offset + slots->addresses[s]);
          if (address < 0 || address >= root.places) continue;
          if (store.writes[static_cast<std::size_t>(copyOf(plan_, root, b, t) * root.places + address)] != 0) continue;
          if (missing++ != 0) continue;
          f.address = address;
          for (std::size_t d = 0; d < slots->dims; ++d)
            f.coordinate.push_back(valueOf(plan_, op.origin[d], b, t, {}) + slots->coordinates[s * slots->dims + d]);
          if (root.memory != Memory::Global) f.instances.push_back({spec.span, b, t, {}});
        }
      }
    }
    if (missing != 0)
      reportCoverage(std::move(f), spec, op, missing, static_cast<i64>(slots->count) * blocks * threads);
  }
}

}  // namespace tessera::graphene
